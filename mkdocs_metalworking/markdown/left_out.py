"""What a copy of an abridged excerpt says in the place of the lines that it lacks: a comment in the code's language."""

from __future__ import annotations

from collections.abc import Mapping

from pygments.lexer import Lexer

_FORMS: Mapping[str, tuple[str, ...]] = {
    "// {}": (
        *("metal", "cpp", "c", "cuda", "objective-c", "objective-c++", "swift", "rust", "javascript", "typescript"),
        *("java", "go", "wgsl", "glsl", "hlsl", "kotlin", "scala", "csharp", "dart", "zig", "d", "groovy", "php"),
    ),
    "# {}": (
        *("python", "bash", "make", "cmake", "yaml", "toml", "ruby", "perl", "r", "julia", "docker", "nix", "tcl"),
        *("elixir", "powershell", "cython", "fish", "awk", "meson", "starlark"),
    ),
    "-- {}": ("sql", "lua", "haskell", "ada", "vhdl", "elm"),
    "; {}": ("ini", "common-lisp", "scheme", "clojure", "emacs-lisp", "llvm", "nasm"),
    "% {}": ("tex", "matlab", "erlang", "prolog"),
    "/* {} */": ("css", "gas"),
    "<!-- {} -->": ("html", "xml", "markdown"),
}
_FORM_OF = {alias: form for form, aliases in _FORMS.items() for alias in aliases}


def left_out(words: str, lexer: Lexer) -> str:
    """Return *words* as a comment of the language that *lexer* reads, in brackets where it has none that is known."""
    form = next((_FORM_OF[alias] for alias in lexer.aliases if alias in _FORM_OF), "[{}]")
    return form.format(words)
