"""Definitions in languages with braces: what stands before each ``{``, once strings and comments are blanks.

The scan is linear in the file, however its brackets stand: it goes from bracket to bracket, steps over what is in
parentheses and over the bodies of functions, and steps into types and namespaces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_HIDDEN = (
    r"//[^\n]*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|\bR"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'
    r'|\br(?P<fence>\#+)".*?(?:"(?P=fence)|\Z)'
    r'|""".*?(?:"""|\Z)'
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|(?<!\\)`(?:\\.|[^`\\])*`"
    r"|^[ \t]*\#[ \t]*(?:include|import|define|undef|ifn?def|if|elif|else|endif|pragma|error|warning|line)\b"
    r"(?:\\\n|[^\n])*"
)
# A quotation mark behind a letter or a digit separates digits; in Rust one that is not closed marks a lifetime. None
# begins behind a backslash: a text of nothing but those would be read to its end from each of them.
_TEXTS = re.compile(rf"{_HIDDEN}|(?<![\w'\\])'(?:\\[^\n]|[^'\\\n])*'", re.DOTALL | re.MULTILINE)
_RUST = re.compile(rf"{_HIDDEN}|'(?:\\[^'\n]+|[^'\\\n])'", re.DOTALL | re.MULTILINE)
_INK = re.compile(r"[^\n]")
_BRACKET = re.compile(r"[{}();]")
_ATTRIBUTE = re.compile(r"\[\[[^\[\]]*\]\]")
_ACCESS = re.compile(r"\s*(?:public|private|protected|signals|default)\s*:(?!:)")
_TYPE = re.compile(
    r"\b(?P<word>class|struct|enum|union|namespace|interface|trait|protocol|extension|impl|record|object|actor|mod|module)\b"
    r"(?:\s+(?:class|struct)\b)?\s*(?:<[^<>]*>\s*)?(?P<name>[A-Za-z_$][\w$]*(?:(?:::|\.)[\w$]+)*)"
)
_IMPLEMENTED = re.compile(r"\bfor\s+(?P<name>[\w:]+)")
_UNNAMED = re.compile(r"\btypedef\b.*\b(?:struct|union|enum)\s*\Z", re.DOTALL)
_BEHIND = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)")
_CALLED = re.compile(
    r"(?P<name>(?:[\w$]+\s*(?:::|\.)\s*)*(?:operator\s*[^\s\w()]+|~?[A-Za-z_$][\w$]*))\s*(?:<[^<>]*>\s*)?\Z"
)
_ASSIGNED = re.compile(
    r"(?<![\w$])(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\s+)?"
    r"(?:function\b.*|\[[^\]]*\].*|[^=]*=>)\s*\Z",
    re.DOTALL,
)
_NO_NAME = frozenset(
    {
        *("if", "for", "while", "switch", "catch", "return", "sizeof", "do", "else", "try", "using", "with", "match"),
        *(
            "guard",
            "when",
            "synchronized",
            "lock",
            "foreach",
            "await",
            "new",
            "throw",
            "in",
            "and",
            "or",
            "not",
            "case",
        ),
        *("func", "fn", "fun", "function", "decltype", "noexcept", "requires", "alignas", "throws", "where", "async"),
        *("__attribute__", "__launch_bounds__", "__declspec", "constexpr", "template", "defer", "select", "loop"),
    }
)
_DEEPEST = 100
"""Scopes around a definition that has a name. A name tells them all, so of more the names would fill the memory."""
_LONGEST = 2000
"""Characters before a brace that are looked at: nothing has more between the end of its neighbor and its body."""


def definitions(text: str, *, rust: bool = False) -> Iterator[tuple[str, int, int]]:
    """Yield name, first and last line of every definition in *text*, in order of their first lines.

    A name is joined by dots with those of what it stands in; a function inside a function is none. What a missing
    bracket leaves open has no end and is left out.
    """
    code = (_RUST if rust else _TEXTS).sub(lambda match: _INK.sub(" ", match[0]), text)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    ends = _pairs(code)
    scopes: list[str] = []
    begin = at = 0
    while (stop := _BRACKET.search(code, at)) is not None:
        at, sign = stop.end(), stop[0]
        if sign == "(":
            at = ends.get(stop.start(), stop.start()) + 1
            continue
        if sign == "{":
            head = _blanked(code[max(begin, stop.start() - _LONGEST) : stop.start()])
            kind, name = _read(head)
            end = ends.get(stop.start())
            if end is not None and kind == "unnamed" and (behind := _BEHIND.match(code, end + 1)) is not None:
                kind, name = "type", behind["name"]
            if end is not None and kind == "function":
                end = _body(code, ends, head, end)
            if end is not None and kind in ("type", "function") and len(scopes) <= _DEEPEST:
                where = ".".join([*filter(None, scopes), name])
                first = stop.start() - len(head.lstrip())
                yield where, bisect_right(starts, first), bisect_right(starts, end)
            if end is None or kind in ("type", "block"):
                scopes.append(name if kind == "type" else "")
            else:
                at = end + 1
        elif sign == "}" and scopes:
            scopes.pop()
        begin = at


def _pairs(code: str) -> dict[int, int]:
    """Return where each bracket is closed; braces and parentheses are counted apart, so that one kind may be wrong."""
    found: dict[int, int] = {}
    for opening, closing in ("{}", "()"):
        open_: list[int] = []
        for match in re.finditer(f"[{re.escape(opening + closing)}]", code):
            if match[0] == opening:
                open_.append(match.start())
            elif open_:
                found[open_.pop()] = match.start()
    return found


def _blanked(head: str) -> str:
    """Return *head* with access specifiers, attributes and the parameters of templates blanked out."""
    while (access := _ACCESS.match(head)) is not None:
        head = " " * access.end() + head[access.end() :]
    return head


def _read(head: str) -> tuple[str, str]:
    """Tell what a brace behind *head* begins: a ``type``, a ``function``, a ``block`` to look into, or nothing."""
    plain = _without_templates(_ATTRIBUTE.sub(lambda match: " " * len(match[0]), head))
    called = _called(plain)
    named = _TYPE.search(plain)
    if named is not None and (not called or _dotted(named["name"]) == called):
        other = _IMPLEMENTED.search(plain, named.end()) if named["word"] == "impl" else None
        return "type", _dotted((other or named)["name"])
    if _UNNAMED.search(plain):
        return "unnamed", ""
    if plain.split() in (["extern"], ["namespace"], ["inline", "namespace"]):
        return "block", ""
    assigned = _ASSIGNED.search(plain)
    if assigned is not None and assigned["name"] not in _NO_NAME:
        return "function", assigned["name"]
    return ("function", called) if called and "=" not in _outside(plain).replace("operator=", "") else ("", "")


def _called(head: str) -> str:
    """Return the name before the parameters: of several names before parentheses the last, since others are macros.

    What stands behind a colon or an arrow, once there were parentheses, initializes members or tells a type.
    """
    name, depth, begin, closed = "", 0, 0, False
    for match in re.finditer(r"[()]|(?<!:):(?!:)|->", head):
        if match[0] == "(":
            if depth == 0:
                found = _CALLED.search(head, max(begin, match.start() - 200), match.start())
                annotates = found is not None and head[: found.start()].endswith("@")
                if found is not None and not annotates and found["name"] not in _NO_NAME:
                    name = _dotted(found["name"])
            depth += 1
        elif match[0] == ")":
            depth = max(depth - 1, 0)
            closed, begin = True, match.end()
        elif depth == 0 and closed:
            break
    return name


def _outside(head: str) -> str:
    """Return *head* without what stands in its parentheses."""
    depth, parts = 0, []
    for ch in head:
        depth = max(depth + (ch == "(") - (ch == ")"), 0)
        parts.append(ch if depth == 0 else " ")
    return "".join(parts).replace("==", "  ")


def _without_templates(head: str) -> str:
    for match in re.finditer(r"\btemplate\s*<", head):
        depth, at = 1, match.end()
        while depth and at < len(head):
            depth += (head[at] == "<") - (head[at] == ">")
            at += 1
        head = head[: match.start()] + " " * (at - match.start()) + head[at:]
    return head


def _body(code: str, ends: dict[int, int], head: str, end: int) -> int | None:
    """Return the end of a function whose first brace may be that of a member's initializer; None where none is."""
    if not re.search(r"\)[^()]*(?<!:):(?!:)", head):
        return end
    found: int | None = end
    while found is not None:
        behind = re.compile(r"\s*(\{|,[^(){};]*[({])").match(code, found + 1)
        if behind is None:
            return found
        if behind[1] == "{":
            return ends.get(behind.end() - 1)
        found = ends.get(behind.end() - 1)
    return found


def _dotted(name: str) -> str:
    return re.sub(r"\s*(?:::|\.)\s*", ".", " ".join(name.split()))
