"""One random world after another: a committed file, a lock, a store, transports and a cache, each maybe tampered with.

Whatever was done, one of three things must come out: the exact lines that were committed, an error that says why, or
a card. ``run`` tries one world and returns which it was; anything else is raised.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.glossary.labels import labels_for
from mkdocs_metalworking.markdown.anchors import LineNames
from mkdocs_metalworking.markdown.figure import code
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.lock import Lock, load_lock
from mkdocs_metalworking.quote.quoter import Quoter
from mkdocs_metalworking.quote.sources import Pin, Sources
from tests.trust.reading import read_code

PIECES = (
    "int a = 1;",
    "x",
    "    y",
    "\tz",
    "\t\t",
    "  ",
    "",
    "",
    "/* open",
    "close */",
    "// line",
    '"text',
    "<script>alert(1)</script>",
    "</span></code></pre><img src=x onerror=alert(1)>",
    "&lt;&amp;&#60;",
    "\x02wzxhzdk:0\x03",
    "\x02klzzwxh:0001\x03",
    "{{ 7 * 7 }}{% raw %}",
    "<< excerpt a/b@1234567:c >>",
    "[@key] **b** `c`",
    "\u202eevil\u2066",
    "ze\u200bro\ufeff",
    "\u2764\ufe0f \u3164\uffa0\u115f",
    "tag\U000e0041\U000e0042\U000e0100",
    "\u2028\u2029\x85",
    "\x0c",
    "\x0b\x1c\x1d\x1e",
    "a\rb",
    "\r",
    "\x1b[31mred\x07",
    "\u00a0nbsp\u3000",
    "e\u0301\u034f",
    "\U0001f469\u200d\U0001f4bb",
    'data-mw="0"',
    "'single' \"double\" \\",
    "#include <metal_stdlib>",
    "kernel void k(device float* a [[buffer(0)]]) {",
    "]]>",
    "<!--",
    "-->",
)
ENDS = ("\n", "\n", "\n", "\r\n", "\r\r\n")
PATHS = (
    "a.metal",
    "b/c.h",
    "d.py",
    "e.md",
    "f.html",
    "g.txt",
    "h.json",
    "i.m",
    "j k.c",
    "l.unknown",
    "m#n.cu",
    "o.yml",
)
REPO = "o/n"
LOGIN = b"<!DOCTYPE html><html><body><form>Please sign in</form></body></html>\n"


@dataclass
class Tally:
    """What came of many worlds."""

    outcomes: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    slowest: float = 0.0

    @property
    def tried(self) -> int:
        return sum(self.outcomes.values())


class _Delivers:
    """A transport that brings what it was told to bring; the resolver trusts none, so any is a fair one."""

    def __init__(self, name: str, answer: bytes | MetalworkingError) -> None:
        self.name = name
        self._answer = answer

    def get(self, file: LockedFile) -> bytes:
        if isinstance(self._answer, MetalworkingError):
            raise self._answer
        return self._answer

    def close(self) -> None:
        """There is nothing to close."""


def text_of(rng: random.Random) -> bytes:
    """Return the bytes of a file: a few lines of code, of traps, or of both."""
    count = rng.choice((1, 1, 2, 3, 5, 8, 13, 30))
    out = []
    for _ in range(count):
        line = rng.choice(("", "    ", "\t", "  ")) + "".join(
            rng.choice(PIECES) for _ in range(rng.choice((1, 1, 2, 3)))
        )
        out.append(line + rng.choice(ENDS))
    text = "".join(out)
    if rng.random() < 0.2:
        text = text[: -1 - text.endswith("\r\n")] or "x"
    if rng.random() < 0.1:
        text = "\ufeff" + text
    return text.encode()


def tampered(data: bytes, rng: random.Random) -> bytes:
    """Return something near *data* that is not *data*."""
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: _flip(data, rng),
        lambda: data[: rng.randrange(len(data))] if data else b"x",
        lambda: data + rng.choice((b"\n", b"\0", b" ", b"evil();\n")),
        lambda: rng.choice((b"\n", b"\xef\xbb\xbf", b" ")) + data,
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.replace(b"\r\n", b"\n"),
        lambda: b"\n".join(reversed(data.split(b"\n"))),
        lambda: LOGIN,
        lambda: b"",
        lambda: text_of(rng),
    )
    while (changed := rng.choice(ways)()) == data:
        pass
    return changed


def _flip(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return b"x"
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def expected(data: bytes, numbers: list[int], dedent: str) -> dict[int, str]:
    """Return what a reader must see, worked out from the committed bytes by another road than the code under test."""
    text = data.decode().removeprefix("\ufeff")
    lines = text.split("\n")
    shown = {n: re.sub(r"\r\Z", "", lines[n - 1]) if n < len(lines) else lines[n - 1] for n in numbers}
    if dedent == "none":
        return shown
    leads = [re.match(r"[ \t]*", line)[0] for line in shown.values() if line.strip()]  # type: ignore[index]
    indent = os.path.commonprefix(leads) if leads else ""  # noqa: RUF071 (text, not paths)
    if dedent != "auto":
        indent = indent[: int(dedent)]
    return {n: line[len(os.path.commonprefix([line, indent])) :] for n, line in shown.items()}  # noqa: RUF071


def _lock_text(file: LockedFile, other: LockedFile, rng: random.Random) -> tuple[str, bool]:
    """Return sources.lock, maybe edited, and whether it still says the truth of *file*."""
    text = Lock().with_entries([file, other]).format()
    way = rng.choice((*range(24), *range(14), *range(14)))
    if way < 14:
        return text, True
    lines = text.splitlines(keepends=True)
    mine = next(i for i, line in enumerate(lines) if f" {file.blob} " in line)
    words = lines[mine].split(" ")
    hexes = {2: "", 3: "sha256:"}
    if way < 16:  # one digit of the blob id or of the SHA-256
        at = rng.choice((2, 3))
        head = hexes[at]
        digits = words[at].removeprefix(head)
        spot = rng.randrange(len(digits))
        new = rng.choice([d for d in "0123456789abcdef" if d != digits[spot]])
        words[at] = head + digits[:spot] + new + digits[spot + 1 :]
    elif way == 16:  # numbers
        at, head = rng.choice(((4, "size:"), (5, "lines:")))
        number = int(words[at].removeprefix(head))
        words[at] = head + str(
            rng.choice(
                [n for n in (0, 1, number + 1, number - 1, number * 10, 10**11, 10**9) if n >= 0 and n != number]
            )
        )
    elif way == 17:  # some of what the lock says of the other file, never all of it
        theirs = lines[3 - mine].split(" ")
        different = [i for i in (2, 3, 4, 5) if words[i] != theirs[i]]
        for at in rng.sample(different, rng.randint(1, len(different) - 1)) if len(different) > 1 else []:
            words[at] = theirs[at]
    elif way == 18:
        words[1] = words[1][:-1] + ("0" if words[1][-1] != "0" else "1")  # another commit
    elif way == 19:
        words[6] = "other/" + words[6]
    elif way == 20:
        del lines[mine]
    elif way == 21:
        lines.insert(
            mine, rng.choice(("<<<<<<< HEAD\n", "blob\n", "\x00\n", "blob o/n@x y z\n", "\ufeff" + lines[mine]))
        )
    elif way == 22:  # told twice, differently
        lines.append(lines[mine].replace(file.blob, other.blob))
    else:
        cut = rng.randrange(len(text))
        return text[:cut], False
    if way < 20:
        lines[mine] = " ".join(words)
    changed = "".join(lines)
    return changed, changed == text


def _spoil_store(store: Store, file: LockedFile, data: bytes, rng: random.Random) -> None:
    path = store.root / "sha256" / file.sha256[:2] / file.sha256
    path.parent.mkdir(parents=True, exist_ok=True)
    way = rng.randrange(6)
    if way == 0:
        path.mkdir()
        (path / "x").write_bytes(data)
    elif way == 1:
        elsewhere = store.root / "elsewhere"
        elsewhere.write_bytes(tampered(data, rng))
        path.symlink_to(elsewhere)
    elif way == 2:
        os.mkfifo(path)
    else:
        path.write_bytes(tampered(data, rng))


def _directive(rng: random.Random, path: str, count: int) -> tuple[str, list[int], str, bool]:
    """Return a directive, the lines it asks for, its dedent, and whether it can be right for *count* lines."""
    dedent = rng.choice(("auto", "auto", "none", "0", "1"))
    name = f'"{path}"' if " " in path or "#" in path else path
    options = f"dedent={dedent}"
    if rng.random() < 0.1:
        options += " lang=" + rng.choice(("metal", "c", "python", "html", "text", "nonesuch"))
    if rng.random() < 0.1:
        first = rng.randint(1, count + 2)
        last = first + rng.randrange(5)
        fragment, numbers, fits = f"#L{first}-{last}", list(range(first, last + 1)), last <= count
    elif rng.random() < 0.2:
        fragment, numbers, fits = "", list(range(1, count + 1)), True
    else:
        cuts = sorted(rng.sample(range(1, count + 1), min(count, rng.choice((1, 2, 2, 4)))))
        pairs = [(cuts[i], cuts[i + 1] if i + 1 < len(cuts) else cuts[i]) for i in range(0, len(cuts), 2)]
        fragment = "#" + ",".join(f"L{a}-{b}" if a != b else f"L{a}" for a, b in pairs)
        numbers = [n for a, b in pairs for n in range(a, b + 1)]
        fits = True
    text = f"<< excerpt {REPO}@{'a' * 9}:{name}{fragment} {options} >>"
    return text, numbers, dedent, fits and "nonesuch" not in options


def announced(html: str) -> list[int]:
    """Return the numbers of the lines that the code says it shows."""
    label = re.search(r'aria-label="[^"]*, lines ([0-9,-]+)"', html)
    assert label is not None
    parts = [part.split("-") for part in label[1].split(",")]
    return [number for part in parts for number in range(int(part[0]), int(part[-1]) + 1)]


class _Cache:
    """A cache of coloured lines, maybe one that somebody else filled."""

    def __init__(self, rng: random.Random, other: bytes) -> None:
        self._way = rng.randrange(20)
        self._other = other
        self.replaced = False

    @property
    def planted(self) -> bool:
        return self._way < 8

    def __call__(self, key: str, make: Callable[[], list[str]], /) -> list[str]:
        lines = make()
        ways: tuple[Callable[[], list[str]], ...] = (
            lambda: ["<script>alert(1)</script>", *lines[1:]],
            lambda: lines[:-1],
            lambda: [*lines, "evil();"],
            lambda: [line + '<img src="x" onerror="alert(1)">' for line in lines],
            lambda: [line.replace("a", "b") + " " for line in lines],
            lambda: [f'<span class="k" onclick="alert(1)">{line}</span>' for line in lines],
            lambda: ["</span></pre>" + line for line in lines],
            lambda: self._other.decode(errors="replace").split("\n"),
        )
        return ways[self._way]() if self.planted else lines

    def replace(self, key: str, lines: list[str], /) -> None:
        self.replaced = True


def run(seed: int, folder: Path, tally: Tally) -> None:
    """Try the world of *seed* with its store in *folder*; raises AssertionError when something wrong came out."""
    rng = random.Random(seed)
    digits = rng.choice((40, 40, 64))
    commit = "a" * digits
    data, other = text_of(rng), text_of(rng)
    path = rng.choice(PATHS)
    file = LockedFile.of(FileKey(REPO, commit, path), data)
    neighbour = LockedFile.of(FileKey(REPO, commit, "z/other.c"), other)
    lock_text, honest = _lock_text(file, neighbour, rng)
    store = Store(folder, logger=_silent())
    kept = rng.random()
    if kept < 0.2:
        store.put(file, data)
    elif kept < 0.4:
        _spoil_store(store, file, data, rng)
    transports: list[_Delivers] = []
    delivered = kept < 0.2
    for index in range(rng.choice((0, 1, 2, 3))):
        way = rng.random()
        answer: bytes | MetalworkingError
        if way < 0.45:
            answer, delivered = data, True
        elif way < 0.75:
            answer = tampered(data, rng)
        elif way < 0.8:
            answer = other
        elif way < 0.95:
            answer = NotDelivered("not-delivered", "gone \x1b[31m away")
        else:
            answer = MetalworkingError("wrong-archive", "another archive")
        transports.append(_Delivers(f"t{index}", answer))
    text, numbers, dedent, fits = _directive(rng, path, file.lines)
    cache = _Cache(rng, other)
    pins = Sources((Pin(REPO, commit, "MIT"),))
    try:
        lock, problems = load_lock(lock_text)
        if problems:
            # A build ends with these; no page of it is written.
            assert all(str(p) and p.location.line for p in problems)
            assert not honest, problems
            tally.outcomes["lock refused"] += 1
            return
        with Resolver(store, transports) as resolver:
            quotation = Quoter(pins, lock, resolver).quote(parse_directive(text))
            if quotation.segments is None:
                assert isinstance(quotation.missing, Unavailable)
                assert str(quotation.missing)
                assert not (delivered and honest), "the right bytes were there"
                tally.outcomes["card"] += 1
                return
            html = code(quotation, LineNames().give(quotation), labels_for(), cache)
    except MetalworkingError as problem:
        said = str(problem)
        assert said
        assert said.isprintable()
        possible = honest and delivered and fits and not (dedent == "1" and problem.diagnostic.code == "range")
        assert not possible, f"the right bytes were there, and yet: {said}"
        tally.outcomes["error"] += 1
        return
    # Joiners stay where they join letters or pictures: test_visible.
    raw = {char for char in html if unicodedata.category(char) in ("Cc", "Cf") and char not in "\n\t\u200c\u200d"}
    assert not raw, f"not marked: {raw!r}"
    shown = read_code(html)
    assert sorted(shown) == announced(html), "the label names other lines than are shown"
    wanted = expected(data, numbers, dedent)
    assert shown == wanted, f"shown {shown!r}, committed {wanted!r}"
    assert store.get(file) in (None, data)
    if cache.planted and other != data:
        assert cache.replaced, "the planted lines were not found out"
    tally.outcomes["exact"] += 1
    tally.lines += len(shown)


def fast_folder(otherwise: Path) -> Path:
    """Return a folder in memory where there is one: every entry of a store is flushed to its disk."""
    memory = Path("/dev/shm")
    return memory / f"trust-{os.getpid()}" if os.access(memory, os.W_OK) else otherwise


def run_many(count: int, folder: Path, *, first: int = 0) -> Tally:
    """Try *count* worlds; an AssertionError names the seed, so that ``run(seed, …)`` shows it again."""
    tally = Tally()
    for seed in range(first, first + count):
        here = folder / f"{seed % 64}"
        start = time.monotonic()
        try:
            run(seed, here, tally)
        except BaseException as error:
            error.add_note(f"world {seed}")
            raise
        finally:
            tally.slowest = max(tally.slowest, time.monotonic() - start)
            shutil.rmtree(here, ignore_errors=True)
    return tally


def _silent() -> object:
    import logging

    logger = logging.getLogger("trust.silent")
    logger.disabled = True
    return logger
