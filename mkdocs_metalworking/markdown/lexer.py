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

__all__ = ["MetalLexer"]


def _table(words: str, form: str = "{}") -> list[str]:
    """Read a table of words, each put into a form."""
    return [form.format(word) for word in words.split()]


# Address spaces get a class of their own, Keyword.Reserved: where a pointer points is the first thing to read in a
# kernel, and a theme can pick `.kr` out. C++ words that Pygments puts there too are moved to Keyword below.
_ADDRESS_SPACES = _table("device constant threadgroup thread threadgroup_imageblock ray_data object_data")

# Keyword.Declaration, as `def` or `fn` elsewhere: these words open an entry point.
_STAGES = _table("kernel vertex fragment")
# The same, but reserved nowhere, hence also names of variables: qualifiers only when a type follows.
_SOFT_STAGES = _table("mesh object visible intersection stitchable")

_CPP_KEYWORDS = _table("inline __inline __inline__ __restrict __restrict__ __asm __asm__ __typeof__")

# Keywords to Pygments, plain names in the C++17 that Metal is.
_PLAIN_NAMES = _table(
    "complex concept contract_assert countof defer fortran import module naked post pre requires restricted throws "
    "typeof typeof_unqual"
)

_NAMESPACES = _table("metal fast precise raytracing mpp tensor_ops std")

_SCALARS = "char uchar short ushort int uint long ulong half float bfloat"

_TYPES = [
    *_table("uchar ushort uint ulong half bfloat size_t ptrdiff_t nullptr_t bool2 bool3 bool4"),
    *_table("int8 int16 int32 int64 uint8 uint16 uint32 uint64", "{}_t"),
    *(form.format(scalar, n) for form in ("{}{}", "packed_{}{}") for scalar in _table(_SCALARS) for n in "234"),
    *(f"{scalar}{columns}x{rows}" for scalar in ("half", "float") for columns in "234" for rows in "234"),
    *_table("half float bfloat", "simdgroup_{}8x8"),
    *_table("bool int uint long ulong float", "atomic_{}"),
    *_table("1d 1d_array 2d 2d_array 2d_ms 2d_ms_array 3d cube cube_array _buffer", "texture{}"),
    *_table("2d 2d_array 2d_ms 2d_ms_array cube cube_array", "depth{}"),
    *_table("sampler array_ref imageblock imageblock_slice simdgroup_matrix simd_vote quad_vote"),
    *_table("mem_flags memory_order thread_scope patch_control_point mesh_grid_properties"),
    *_table("tensor_handle tensor_inline tensor_offset extents dextents cooperative_tensor"),
    *_table("matmul2d matmul2d_descriptor convolution2d convolution2d_descriptor"),
    *_table("thread simdgroup simdgroups threadgroup", "execution_{}"),
    *_table("intersector intersection_params intersection_query intersection_result"),
    *_table("acceleration_structure primitive_acceleration_structure instance_acceleration_structure"),
    *_table("visible_function_table intersection_function_table"),
    *_table("command_buffer render_command compute_command render_pipeline_state compute_pipeline_state"),
]

# Templates with everyday names: types only before `<` or `(`.
_TEMPLATES = frozenset(_table("vec packed_vec matrix atomic array tensor mesh interpolant uniform"))

# Enumerations with everyday names: types only before `::`, and what follows that is a constant.
_ENUMS = _table(
    "access address border_color compare_func component coord filter mag_filter mem_flags memory_order min_filter "
    "mip_filter r_address s_address t_address thread_scope topology"
)

_CONSTANTS = [
    *_table("none device threadgroup texture threadgroup_imageblock object_data", "mem_{}"),
    *_table("relaxed acquire release acq_rel seq_cst", "memory_order_{}"),
    *_table("thread simdgroup threadgroup device", "thread_scope_{}"),
    *_table("CHAR SCHAR SHRT INT LONG FLT HALF", "{}_MIN"),
    *_table("CHAR SCHAR UCHAR SHRT USHRT INT UINT LONG ULONG FLT HALF", "{}_MAX"),
    *(f"M_{name}_{kind}" for name in _table("E LN2 LN10 PI PI_2 PI_4 1_PI 2_PI SQRT2 SQRT1_2") for kind in "FH"),
    *_table("INFINITY NAN MAXFLOAT MAXHALF HUGE_VALF HUGE_VALH FLT_EPSILON HALF_EPSILON"),
    *_table("dynamic_extent dynamic_length_v"),
]

_ACROSS_LANES = (
    "active_threads_mask all and any ballot broadcast broadcast_first first is_first is_helper_thread max min or "
    "prefix_exclusive_product prefix_exclusive_sum prefix_inclusive_product prefix_inclusive_sum product shuffle "
    "shuffle_and_fill_down shuffle_and_fill_up shuffle_down shuffle_rotate_down shuffle_rotate_up shuffle_up "
    "shuffle_xor sum xor"
)

_BUILTINS = [
    *_table(_ACROSS_LANES, "simd_{}"),
    *_table(_ACROSS_LANES, "quad_{}"),
    *_table("compare_exchange_weak exchange load max min store", "atomic_{}_explicit"),
    *_table("add and max min or sub xor", "atomic_fetch_{}_explicit"),
    *_table("atomic_thread_fence threadgroup_barrier simdgroup_barrier make_filled_simdgroup_matrix"),
    *_table("load store multiply multiply_accumulate", "simdgroup_{}"),
    *_table("as_type discard_fragment is_function_constant_defined is_null_texture make_uniform"),
    *(form.format(packed, scalar) for form in ("pack_{1}_to_{0}", "unpack_{0}_to_{1}")
      for packed in _table("unorm4x8 snorm4x8 unorm2x16 snorm2x16") for scalar in ("float", "half")),
]  # fmt: skip

# Functions with everyday names: builtins only when called.
_CALLS = frozenset([
    # integer
    *_table("abs absdiff addsat clamp clz ctz extract_bits hadd insert_bits mad24 madhi madsat max max3 median3 min"),
    *_table("min3 mul24 mulhi popcount reverse_bits rhadd rotate subsat"),
    # relational
    *_table("all any isfinite isinf isnan isnormal isordered isunordered select signbit"),
    # floating point
    *_table("acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh cospi divide exp exp10 exp2 fabs fdim"),
    *_table("floor fma fmax fmax3 fmedian3 fmin fmin3 fmod fract frexp ilogb ldexp log log10 log2 mix modf nextafter"),
    *_table("pow powr rint round rsqrt saturate sign sin sincos sinh sinpi smoothstep sqrt step tan tanh tanpi trunc"),
    # geometric, matrix, fragment
    *_table("cross determinant distance distance_squared dot faceforward length length_squared normalize reflect"),
    *_table("refract transpose dfdx dfdy fwidth"),
])  # fmt: skip

_NAMES: dict[str, _TokenType] = {
    **dict.fromkeys(_TYPES, Keyword.Type),
    **dict.fromkeys(_CONSTANTS, Name.Constant),
    **dict.fromkeys(_BUILTINS, Name.Builtin),
}

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
_DECLARING = frozenset(_table("auto const constexpr explicit inline ]] ))"))
_STATEMENTS = frozenset(_table("return if for while do switch"))


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
    if (following == "(" and name in _CALLS) or name in _NAMES:
        return _NAMES.get(name, Name.Builtin)
    return Keyword.Type if following in ("(", "<") and name in _TEMPLATES else Name


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
            (words(_ADDRESS_SPACES, suffix=r"\b"), Keyword.Reserved),
            (words(_STAGES, suffix=r"\b"), Keyword.Declaration),
            (words(_SOFT_STAGES, suffix=r"\b(?=[^\S\n]+[A-Za-z_])"), Keyword.Declaration),
            (words(_CPP_KEYWORDS, suffix=r"\b"), Keyword),
            (r"(__attribute__)(\s*)(\(\()", _groups(Name.Decorator, Whitespace, Name.Decorator), "gnu-attribute"),
            (r"coherent\b(?=\s*\()", Keyword),
            (words(_PLAIN_NAMES, suffix=r"\b"), Name),
            (words(_NAMESPACES, suffix=r"\b(?=\s*::)"), Name.Namespace),
            (
                rf"({'|'.join(_ENUMS)})(\s*)(::)(\s*)({_IDENT})",
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
            (words(_NAMESPACES, suffix=r"\b(?=\s*::)"), Name.Namespace),
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
