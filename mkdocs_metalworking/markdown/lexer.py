"""Metal Shading Language for Pygments.

Three things keep the stock C++ lexer from serving here. To it a function is one word of type, a name and parentheses
with no `)` inside, which no kernel is. It has blanks in the arguments of an attribute for errors. And it expects whole
files, while a quotation may stop right after `#endif` or a comment, with no newline to follow. This lexer therefore
keeps the keywords and strings of C++ and replaces the frame around them.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, default, include, inherit, words
from pygments.lexers.c_cpp import CppLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
    _TokenType,
)

from .metal_words import (
    ADDRESS_SPACES,
    CALLS,
    CPP_KEYWORDS,
    ENUMS,
    NAMES,
    NAMESPACES,
    PLAIN_NAMES,
    SOFT_STAGES,
    STAGES,
    TEMPLATES,
    table,
)

__all__ = ["MetalLexer"]


_groups: Callable[..., Any] = bygroups  # untyped in the published stubs

_IDENT: str = CppLexer._ident
_COMMENT_LINE = r"//(?:\\\n|[^\n])*"
_COMMENT_BLOCK = r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|/\*[\s\S]*"
_DIGITS = r"\d(?:'?\d)*"
_HEX = r"[0-9a-fA-F](?:'?[0-9a-fA-F])*"
_EXPONENT = rf"[eE][+-]?{_DIGITS}"
_SUFFIX = r"(?:bf|BF|[fFhHlL])"

_FOLLOWING = re.compile(r"\s*([(<]|::)?")
_SILENT = (Whitespace, Text, Comment.Single, Comment.Multiline, Comment.Preproc, Comment.PreprocFile, Comment)
# What may stand before the name of a function that is being declared, besides a type.
_DECLARING = frozenset(table("auto const constexpr explicit inline ]] ))"))
_STATEMENTS = frozenset(table("return if for while do switch"))


class _Scopes:
    """Follows braces, to tell a function being declared from one being called.

    A brace opens a body when the statement before it had a parameter list, and else (namespace, class, initialiser)
    carries on as outside. Guesses that an excerpt or an `#if` leads astray are put right by the next statement that can
    only stand inside a function, and by the next entry point or template, which can only stand outside.
    """

    def __init__(self) -> None:
        self.inside = False
        self._outer: list[bool] = []
        self._parameters = False

    def keyword(self, token: _TokenType, value: str) -> None:
        """Take in a keyword."""
        if token is Keyword.Declaration or value == "template":
            self._outer.clear()
            self.inside = False
        elif value == "operator":
            self._parameters = True
        elif value in _STATEMENTS:
            self.inside = True

    def punctuation(self, value: str) -> None:
        """Take in a bracket or a semicolon."""
        if value == "{":
            self._outer.append(self.inside)
            self.inside = self.inside or self._parameters
        elif value == "}":
            self.inside = bool(self._outer) and self._outer.pop()
        elif value != ";":
            return
        self._parameters = False

    def called(self) -> None:
        """Take in a name with a parenthesis after it."""
        self._parameters = True


def _leans(text: str, mark: int, name: int) -> bool:
    """Whether `*`, `&` or `>` is written against one neighbour only, as in a type and unlike an operator."""
    return text[mark - 1 : mark].isspace() != (name > mark + 1)


def _meaning(name: str, following: str | None) -> _TokenType:
    """What a plain name is in Metal, given what stands after it."""
    if (following == "(" and name in CALLS) or name in NAMES:
        return NAMES.get(name, Name.Builtin)
    return Keyword.Type if following in ("(", "<") and name in TEMPLATES else Name


class MetalLexer(CppLexer):
    """Metal Shading Language, up to version 4.

    No character is lost, whatever the input, with `stripnl=False, ensurenl=False`. Like any Pygments lexer `get_tokens`
    first drops a byte order mark and turns CRLF and CR into LF; `get_tokens_unprocessed` keeps those too.
    """

    name = "Metal"
    url = "https://developer.apple.com/metal/"
    aliases: ClassVar[list[str]] = ["metal", "msl"]
    filenames: ClassVar[list[str]] = ["*.metal"]
    mimetypes: ClassVar[list[str]] = ["text/x-metal"]

    tokens: ClassVar[dict[str, list[Any]]] = {
        # Newlines go first and in one piece, so that no rule below looks at a run of blank lines more than once.
        "whitespace": [
            (r"\s*\n", Whitespace),
            (
                r"(^[^\S\n]*)(#[^\S\n]*if[^\S\n]+0(?=[^\S\n]*(?:$|/[/*]))[^\n]*)",
                _groups(Whitespace, Comment.Preproc),
                "if0",
            ),
            (
                r'(^[^\S\n]*)(#[^\S\n]*(?:include|import)\b)([^\S\n]*)("[^"\n]*"|<[^>\n]*>)',
                _groups(Whitespace, Comment.Preproc, Whitespace, Comment.PreprocFile),
                "macro",
            ),
            (r"(^[^\S\n]*)(#)", _groups(Whitespace, Comment.Preproc), "macro"),
            (r"[^\S\n]+", Whitespace),
            (r"\\(?=\s*$)", Text),
            (_COMMENT_LINE, Comment.Single),
            (_COMMENT_BLOCK, Comment.Multiline),
        ],
        "macro": [
            (r"\n", Whitespace, "#pop"),
            (_COMMENT_LINE, Comment.Single),
            (_COMMENT_BLOCK, Comment.Multiline),
            (r"""(?:"(?:\\[\s\S]|[^"\\\n])*"?|'\\?"'|\\\n|[^/\n]|/(?![/*]))+""", Comment.Preproc),
        ],
        "if0": [
            (r"\n", Whitespace),
            (r"^[^\S\n]*#[^\S\n]*if[^\n]*", Comment.Preproc, "if0-nested"),
            (r"^[^\S\n]*#[^\S\n]*(?:el|endif)[^\n]*", Comment.Preproc, "#pop"),
            (r"[^\n]+", Comment),
        ],
        "if0-nested": [
            (r"\n", Whitespace),
            (r"^[^\S\n]*#[^\S\n]*if[^\n]*", Comment.Preproc, "#push"),
            (r"^[^\S\n]*#[^\S\n]*endif[^\n]*", Comment.Preproc, "#pop"),
            (r"[^\n]+", Comment),
        ],
        "root": [
            include("whitespace"),
            include("statements"),
            (r"[{};]", Punctuation),
            # Left over from a macro whose first line is not part of the excerpt.
            (r"##?", Operator),
        ],
        "statements": [
            # A raw string that is cut off goes on to the end, rather than have its text read as code.
            (
                r'((?:[LuU]|u8)?R)(")([^\\()\s"]{,16})(\()([\s\S]*?)(\)\3"|\Z)',
                _groups(String.Affix, String, String.Delimiter, String.Delimiter, String, String.Delimiter),
            ),
            (r"\[\[", Name.Decorator, "attribute"),
            (rf"0[xX](?:{_HEX}\.(?:{_HEX})?|\.?{_HEX})[pP][+-]?{_DIGITS}{_SUFFIX}?", Number.Float),
            (rf"(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?{_SUFFIX}?", Number.Float),
            (rf"{_DIGITS}(?:{_EXPONENT}{_SUFFIX}?|bf|BF|[fFhH])", Number.Float),
            # Before the inherited numbers, which would take the minus of `i-1` for a sign.
            (r"::|->|[~!%^&*+=|?:<>/-]", Operator),
            inherit,
        ],
        "keywords": [
            (words(ADDRESS_SPACES, suffix=r"\b"), Keyword.Reserved),
            (words(STAGES, suffix=r"\b"), Keyword.Declaration),
            (words(SOFT_STAGES, suffix=r"\b(?=[^\S\n]+[A-Za-z_])"), Keyword.Declaration),
            (words(CPP_KEYWORDS, suffix=r"\b"), Keyword),
            (r"(__attribute__)(\s*)(\(\()", _groups(Name.Decorator, Whitespace, Name.Decorator), "gnu-attribute"),
            (r"coherent\b(?=\s*\()", Keyword),
            (words(PLAIN_NAMES, suffix=r"\b"), Name),
            (words(NAMESPACES, suffix=r"\b(?=\s*::)"), Name.Namespace),
            (
                rf"({'|'.join(ENUMS)})(\s*)(::)(\s*)({_IDENT})",
                _groups(Keyword.Type, Whitespace, Operator, Whitespace, Name.Constant),
            ),
            inherit,
        ],
        "attribute": [
            (r"\]\]", Name.Decorator, "#pop"),
            include("attribute-body"),
        ],
        "gnu-attribute": [
            (r"\)\)", Name.Decorator, "#pop"),
            include("attribute-body"),
        ],
        "attribute-body": [
            include("whitespace"),
            (_IDENT, Name.Decorator),
            (r"::|[,:]", Punctuation),
            (r"\(", Punctuation, "attribute-args"),
            default("#pop"),
        ],
        "attribute-args": [
            include("whitespace"),
            (r"\)", Punctuation, "#pop"),
            (r"\(", Punctuation, "#push"),
            include("statements"),
            default("#pop"),
        ],
        "classname": [
            include("whitespace"),
            (r"\[\[", Name.Decorator, "attribute"),
            (r"(alignas)(\s*)(\()", _groups(Keyword, Whitespace, Punctuation), "attribute-args"),
            (words(NAMESPACES, suffix=r"\b(?=\s*::)"), Name.Namespace),
            (r"::", Operator),
            (_IDENT, Name.Class, "#pop"),
            default("#pop"),
        ],
        "enumname": [
            (r"(?:class|struct)\b", Keyword),
            include("classname"),
        ],
        "namespace": [
            include("whitespace"),
            (r"inline\b", Keyword),
            (r"::", Operator),
            (_IDENT, Name.Namespace),
            default("#pop"),
        ],
        "case-value": [
            include("whitespace"),
            (r"::", Operator),
            (r":", Punctuation, "#pop"),
            (_IDENT, Name.Constant),
            include("statements"),
            default("#pop"),
        ],
    }

    def __init__(self, **options: Any) -> None:
        # Past the C++ lexers, whose options choose among word lists that are not used here.
        RegexLexer.__init__(self, **options)

    @staticmethod
    def analyse_text(text: str) -> float:  # type: ignore[override]  # made static by a metaclass
        """Recognise Metal by its headers and its most common attribute."""
        return 0.9 if re.search(r"#include\s*<metal_\w+>|\[\[thread_position_in_grid\]\]", text) else 0.0

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Lex, then give names their meaning from the words around them."""
        scopes = _Scopes()
        before, before_start, before_token, owner = "", 0, Text, Text
        # Past the C++ lexer again: it would make types of `timer_t` and `FILE`.
        for index, token, value in RegexLexer.get_tokens_unprocessed(self, text, stack):
            if token in _SILENT:
                yield index, token, value
                continue
            if token is Name and before not in (".", "->"):
                following = (found := _FOLLOWING.match(text, index + len(value))) and found[1]
                if following == "(" and not scopes.inside:
                    scopes.called()
                    if (
                        before_token in (Name, Name.Class, Keyword.Type)
                        or before in _DECLARING
                        or (before in ("*", "&", ">") and _leans(text, before_start, index))
                    ):
                        token = Name.Function
                if token is Name and (before != "::" or owner is Name.Namespace):
                    token = _meaning(value, following)
            elif token is Punctuation:
                scopes.punctuation(value)
            elif token in (Keyword, Keyword.Declaration) and before not in (".", "->", "::"):
                scopes.keyword(token, value)
            before, before_start, before_token, owner = value, index, token, before_token
            yield index, token, value
