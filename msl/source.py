"""What is read out of a .metal file before g++ sees it: its kernels, their arguments, and its threadgroup variables."""

from __future__ import annotations

import re

POSITIONS = (
    "thread_position_in_grid",
    "threads_per_grid",
    "thread_position_in_threadgroup",
    "threads_per_threadgroup",
    "threadgroup_position_in_grid",
    "threadgroups_per_grid",
    "thread_index_in_threadgroup",
    "simdgroup_index_in_threadgroup",
    "thread_index_in_simdgroup",
    "simdgroups_per_threadgroup",
    "threads_per_simdgroup",
)

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A declaration of variables, at the start of a statement. A pointer or a cast has no name directly after its type.
_VARIABLES = re.compile(
    r"(?<=[;{}\n])([ \t]*)threadgroup[ \t]+(\w[\w:]*(?:<[^;>]*>)?)[ \t]+"
    r"(\w+[ \t]*(?:\[[^;,]*?\][ \t]*)*(?:,[ \t]*\w+[ \t]*(?:\[[^;,]*?\][ \t]*)*)*);"
)
_KERNEL = re.compile(r"\bkernel\s+void\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*\(", re.DOTALL)


def blank(text: str) -> str:
    """Comments as spaces, every line where it was."""
    return _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _split(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def shared_variables(text: str) -> str:
    """Replace declarations of threadgroup variables, on their lines."""

    def replaced(match: re.Match[str]) -> str:
        indent, kind, names = match.groups()
        made = []
        for one in _split(names):
            name, bounds = re.fullmatch(r"(\w+)\s*(.*)", one, re.DOTALL).groups()  # type: ignore[union-attr]
            made.append(f'auto &{name} = ::msl::variable<{kind} {bounds}>("{name}", __LINE__);')
        return indent + " ".join(made)

    return _VARIABLES.sub(replaced, text)


def parameters(text: str, name: str) -> list[tuple[str, str, str]]:
    """Return type, name and attribute of each parameter of a kernel. A parameter without one is a buffer."""
    for match in _KERNEL.finditer(text):
        if match[1] != name:
            continue
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found = []
        for parameter in _split(text[match.end() : end - 1]):
            attribute = re.search(r"\[\[\s*(.*?)\s*\]\]", parameter, re.DOTALL)
            declared = re.sub(r"\[\[.*?\]\]", "", parameter, flags=re.DOTALL).strip()
            kind, variable = re.fullmatch(r"(.*?[\s*&])(\w+)", declared, re.DOTALL).groups()  # type: ignore[union-attr]
            found.append((" ".join(kind.split()), variable, attribute[1] if attribute else ""))
        return found
    raise ValueError(f"no kernel named {name}")


def entry(name: str, declared: list[tuple[str, str, str]]) -> tuple[str, list[str]]:
    """Return the C++ that calls a kernel with its arguments, and what each buffer is: device or constant."""
    arguments: list[str] = []
    buffers: list[str] = []
    for kind, _variable, attribute in declared:
        if attribute in POSITIONS:
            arguments.append(f"msl::position<{kind}>(msl::place().{attribute})")
            continue
        index = int(re.fullmatch(r"buffer\((\d+)\)", attribute)[1]) if attribute else len(buffers)  # type: ignore[index]
        if index != len(buffers):
            raise ValueError(f"{name}: buffers are numbered in the order of the parameters")
        plain = kind.rstrip("*& ").strip()
        value = f"({plain} *)buffers[{index}]"
        arguments.append(f"*{value}" if kind.endswith("&") else value)
        buffers.append("constant" if "constant" in kind.split() else "device")
    call = f"  {name}({', '.join(arguments)});"
    head = f'extern "C" __attribute__((no_sanitize_thread)) void msl_enter_{name}(void **buffers) {{'
    return f"{head}\n{call}\n}}\n", buffers


def kernels(text: str) -> list[str]:
    """Names of the kernels in *text*, whose comments are blank."""
    return _KERNEL.findall(text)
