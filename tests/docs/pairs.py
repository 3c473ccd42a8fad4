"""The pairs of code of the terms, put into functions in which they can be compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
_FILE = {
    "cuda": re.compile(r"\s*(?:__global__|__device__|__constant__|__block_size__|template|struct|#include)\b"),
    "metal": re.compile(r"\s*(?:(?:kernel|template|struct|METAL_FUNC)\b|(?:int|float) \w+\([^;]*\{)"),
}
_HOST = re.compile(r"<<<|\b(?:cuda|cu|nvtx|cupti)[A-Z]\w*\(|thrust::|cub::Device|\bprop\b|cudaError")
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Pairs:
    """One side of the pairs: what stands in the file of terms, and how pairs.yml says that it is compiled."""

    side: str
    rules: dict[str, Any]
    code: dict[str, str]
    cannot: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, side: str) -> Pairs:
        terms = yaml.safe_load((ROOT / "docs/assets/terms.yml").read_text(encoding="utf-8"))
        rules = yaml.safe_load((ROOT / "tests/docs/pairs.yml").read_text(encoding="utf-8"))[side]
        code = {row["cuda"]: row["code"][side].rstrip("\n") for row in terms if "code" in row}
        cannot = {name: why for why, names in rules.get("cannot", {}).items() for name in names}
        return cls(side, rules, code, cannot)

    def source(self) -> str:
        """Return one file with all that can be compiled; ``#line`` names the row of each."""
        parts = [self.rules["file"]]
        names = [name for name in self.code if name not in self.cannot]
        parts += [self._framed(number, name) for number, name in enumerate(names)]
        return "\n".join(parts)

    def _framed(self, number: int, name: str) -> str:
        code = self.code[name]
        here = f'#line 1 "{name.replace(chr(34), "")}"\n{code}\n#line 1 "frame"\n;'
        if frame := self.rules["frame"].get(name):
            body = frame.replace("CODE", f"\n{here.removesuffix(';')}")
            for at, line in enumerate(code.splitlines(), 1):  # two scopes in one pair
                body = body.replace(f"LINE{at}", f"\n{line}\n")
        elif _FILE[self.side].match(code):
            body = f"{self.rules['given'].get(name, '')}\n{here}"
        else:
            where = "host" if self.side == "cuda" and _HOST.search(code) else "device"
            lines = [self.rules["given"].get(name, ""), *self._declared(code, name, self.rules[where])]
            head = self.rules["functions"][where].replace("NAME", f"f{number}")
            body = f"{head} {{ {' '.join(lines)} {{\n{here}\n}} }}"
        return f"namespace n{number} {{ {body}\n}}"

    def _declared(self, code: str, name: str, known: dict[str, str]) -> Iterator[str]:
        given = self.rules["given"].get(name, "")
        for word in dict.fromkeys(_WORD.findall(_COMMENT.sub("", code))):
            if word in known and not re.search(rf"\b{word}\b", given):
                yield f"{known[word]};"
