"""The Metal lexer: what each word is, that nothing is lost, and that real kernels hold no surprise."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from mkdocs_metalworking.markdown.lexer import MetalLexer
from tests.support import some

ROOT = Path(__file__).parents[2]
LEXER = MetalLexer(stripnl=False, ensurenl=False)

SAXPY = """\
#include <metal_stdlib>
#include "shapes.h"  // ours
using namespace metal;

#pragma METAL internals : enable
#define TILE 8
#define EACH(i, n)          \\
    for (ushort i = 0; /* */ \\
         i < (n); ++i)

constant bool has_bias [[function_constant(3)]];

/* One element
   a thread. */
template <typename T, int N = TILE * 4>
[[kernel, max_total_threads_per_threadgroup(N)]] void saxpy(
    const device vec<T, 4>* x [[buffer(0)]],
    device half4*           y [[buffer(1)]],
    constant float&         a [[buffer(2)]],
    threadgroup packed_float3 (&tile)[N],
    uint2 at [[thread_position_in_grid]],
    ushort lane [[thread_index_in_simdgroup]])
{
\tconst uint i = at.x - 1 + at.y * 0x1Fu;
\t#pragma clang loop unroll(full)
\tfor (ushort k = 0; k < 4; ++k) {
\t\ty[i][k] = half(fma(a, float(x[i][k]), 0.5h)) + 1e-3h;
\t}
\tif (has_bias && lane == 0) {
\t\ty[i].w += metal::precise::exp2(-1.0f);
\t}
\tthreadgroup_barrier(mem_flags::mem_threadgroup);
}

template [[host_name("saxpy_half")]] [[kernel]] void saxpy<half>(
    const device half4*, device half4*, constant float&, threadgroup packed_float3 (&)[32], uint2, ushort);

#if 0
this isn't code
#if 1
#else
#endif
#endif
"""


def each(words: str) -> list[str]:
    """Words apart by blanks."""
    return words.split()


def lex(code: str) -> list[tuple[_TokenType, str]]:
    """Everything but blanks."""
    return [(token, value) for _, token, value in LEXER.get_tokens_unprocessed(code) if token is not Whitespace]


def types(code: str, value: str) -> set[_TokenType]:
    """The types that a word has in a piece of code."""
    return {token for token, text in lex(code) if text == value}


@pytest.mark.parametrize(
    ("code", "value", "token"),
    [
        *(
            (f"void f({space} float* p) {{}}", space, Keyword.Reserved)
            for space in each("device constant threadgroup thread threadgroup_imageblock ray_data object_data")
        ),
        *((f"{stage} void f() {{}}", stage, Keyword.Declaration) for stage in ("kernel", "vertex", "fragment")),
        *((f"{stage} void f() {{}}", stage, Keyword.Declaration) for stage in ("mesh", "object", "visible")),
        ("mesh.x = object + 1;", "mesh", Name),
        ("mesh.x = object + 1;", "object", Name),
        ("void f(coherent(device) device int* p);", "coherent", Keyword),
        ("inline void f();", "inline", Keyword),
        *(
            (f"{kind} v;", kind, Keyword.Type)
            for kind in each(
                "half bfloat half4 bfloat4 float4x4 half2x4 packed_float3 packed_half2 uchar4 ushort2 char4 long2 "
                "uint8_t size_t simdgroup_float8x8 simdgroup_half8x8 simdgroup_bfloat8x8 atomic_uint atomic_float "
                "bool3 texture2d_array depthcube texture_buffer sampler tensor_handle tensor_inline mem_flags"
            )
        ),
        ("simdgroup_matrix<float, 8, 8> m;", "simdgroup_matrix", Keyword.Type),
        ("device atomic<uint>* n;", "atomic", Keyword.Type),
        ("texture2d<half, access::read_write> t;", "texture2d", Keyword.Type),
        ("texture2d<half, access::read_write> t;", "access", Keyword.Type),
        ("texture2d<half, access::read_write> t;", "read_write", Name.Constant),
        ("int access = 1;", "access", Name),
        ("tensor<device half, dextents<int, 2>, tensor_inline> a;", "tensor", Keyword.Type),
        ("tensor<device half, dextents<int, 2>, tensor_inline> a;", "dextents", Keyword.Type),
        ("auto c = op.get_destination_cooperative_tensor<float>();", "get_destination_cooperative_tensor", Name),
        ("cooperative_tensor<float> c;", "cooperative_tensor", Keyword.Type),
        ("vec<T, 4> v;", "vec", Keyword.Type),
        ("x = vec + array;", "vec", Name),
        *(
            (f"x = {call}(a, b);", call, Name.Builtin)
            for call in each(
                "simd_sum simd_shuffle_down simd_broadcast simd_prefix_exclusive_sum simd_ballot quad_shuffle_xor "
                "quad_sum atomic_fetch_add_explicit atomic_load_explicit atomic_compare_exchange_weak_explicit "
                "threadgroup_barrier simdgroup_barrier simdgroup_load simdgroup_store simdgroup_multiply "
                "simdgroup_multiply_accumulate atomic_thread_fence fma exp2 min select rsqrt"
            )
        ),
        ("m = make_filled_simdgroup_matrix<half, 8>(0);", "make_filled_simdgroup_matrix", Name.Builtin),
        ("x = as_type<uint>(y);", "as_type", Name.Builtin),
        ("x = min < step;", "min", Name),
        ("r.distance(x);", "distance", Name),
        ("r->length(x);", "length", Name),
        ("x = Limits<T>::min();", "min", Name),
        ("x = metal::min(a, b);", "min", Name.Builtin),
        ("x = metal::fast::exp(a);", "fast", Name.Namespace),
        ("x = fast + 1;", "fast", Name),
        ("using namespace metal;", "metal", Name.Namespace),
        ("namespace a::b { half h; }", "b", Name.Namespace),
        ("namespace a::b { half h; }", "half", Keyword.Type),
        ("f(mem_flags::mem_device | mem_flags::mem_threadgroup);", "mem_threadgroup", Name.Constant),
        ("f(memory_order_relaxed);", "memory_order_relaxed", Name.Constant),
        ("x = INFINITY;", "INFINITY", Name.Constant),
        *((f"x = {n};", n, Number.Float) for n in each("1.0h 0.5H 1h .5h 16.h 1e-3h 2.5bf 1bf 1.f 0x1p-3f 1'000.5")),
        *((f"x = {n};", n, Number.Integer) for n in ("1", "32u", "7ul", "1'000")),
        ("x = 0xF0u;", "0xF0u", Number.Hex),
        ("x = 0b101;", "0b101", Number.Bin),
        ("x = i-1;", "-", Operator),
        ("x = i-1;", "1", Number.Integer),
        ("struct Tile { half a[8]; };", "Tile", Name.Class),
        ("struct alignas(16) Tile {};", "Tile", Name.Class),
        ("struct [[packed]] Tile {};", "Tile", Name.Class),
        ("enum class Mode : uint { on };", "Mode", Name.Class),
        ("template <typename Lane> void f();", "Lane", Name.Class),
        ("switch (m) { case on: break; }", "on", Name.Constant),
        ("uint pre, post, module;", "module", Name),
        ("#error don't // why\"", '// why"', Comment.Single),
        ("x = '\\n';", "\\n", String.Char),
    ],
)
def test_word(code: str, value: str, token: _TokenType) -> None:
    """A word has one and the same type wherever it stands in the line."""
    assert types(code, value) == {token}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("[[kernel]]", ["[[", "kernel", "]]"]),
        ("[[buffer(0)]]", ["[[", "buffer", "]]"]),
        ("[[buffer(at[x[0]])]]", ["[[", "buffer", "]]"]),
        ("[[function_constant(FIRST + 1)]]", ["[[", "function_constant", "]]"]),
        ('[[host_name("k")]]', ["[[", "host_name", "]]"]),
        ("[[kernel, max_total_threads_per_threadgroup(A * 32)]]",
         ["[[", "kernel", "max_total_threads_per_threadgroup", "]]"]),
        ("[[thread_position_in_grid]]", ["[[", "thread_position_in_grid", "]]"]),
        ("[[clang::noinline]]", ["[[", "clang", "noinline", "]]"]),
        ("[[\n  stage_in // why\n]]", ["[[", "stage_in", "]]"]),
        ("__attribute__((always_inline))", ["__attribute__", "((", "always_inline", "))"]),
        ("__attribute__((max_total_threads_per_threadgroup(64)))",
         ["__attribute__", "((", "max_total_threads_per_threadgroup", "))"]),
    ],
)  # fmt: skip
def test_attribute(code: str, names: list[str]) -> None:
    """Attributes are decorators, their arguments are code."""
    tokens = lex(f"void f(uint i {code});")
    assert [value for token, value in tokens if token is Name.Decorator] == names
    assert tokens[-2:] == [(Punctuation, ")"), (Punctuation, ";")]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("kernel void k(device float* a [[buffer(0)]]) { f(a); half4 g(a); }", ["k"]),
        ("kernel void __attribute__((x(64))) k(device float* a) {}", ["k"]),
        ("[[kernel, x(A * B)]] void k() {}", ["k"]),
        ("inline device T* at(device T* a);", ["at"]),
        ("vec<T, 4> all(vec<T, 4> a) { return min(a, 1); }", ["all"]),
        ("METAL_FUNC half simd_max(half x) { return half(max(x)); }", ["simd_max"]),
        (
            "namespace n { struct S { constexpr S(int a) { f(a); } void g() const { h(); } }; void i(); }",
            ["S", "g", "i"],
        ),
        ("struct S { S operator+(S b) { T c(b); } void g(); };", ["g"]),
        ("constant float table[2] = {f(1), g(2)}; void h();", ["h"]),
        ("instantiate(a, b)\ninstantiate(c, d)", []),
        # Excerpts from the middle of a function.
        ("x = a * f(b) + (c > d(e));", []),
        ("if (f(x)) { g h(x); } float i(x); }\nvoid k();", ["k"]),
        # Both branches open the body, one brace closes it.
        ("#if A\nvoid f() {\n#else\nvoid f(int a) {\n#endif\n}\nkernel void k() {}", ["f", "k"]),
    ],
)
def test_declared_function(code: str, names: list[str]) -> None:
    """Declared, not called."""
    assert [value for token, value in lex(code) if token is Name.Function] == names


@pytest.mark.parametrize(
    ("code", "rest"),
    [
        ("#pragma METAL internals : enable\nhalf", "half"),
        ("  #pragma clang loop unroll(full)\nhalf", "half"),
        ("#define A(x) \\\n  half y##x = \\\n  '\"' + 1\nhalf", "half"),
        ('#define URL "http://a.b/*"\nhalf', "half"),
        ("# ifdef A\nhalf", "half"),
    ],
)
def test_preprocessor_line(code: str, rest: str) -> None:
    """A directive is one kind up to the end of its last continued line."""
    *line, last = lex(code)
    assert {token for token, _ in line} == {Comment.Preproc}
    assert last == (Keyword.Type, rest)


def test_include_and_comments() -> None:
    """Comments end where they end, at the end of the text too."""
    assert lex("#include <metal_stdlib> // a\n/* b\n*/ half /* c") == [
        (Comment.Preproc, "#include"),
        (Comment.PreprocFile, "<metal_stdlib>"),
        (Comment.Preproc, " "),
        (Comment.Single, "// a"),
        (Comment.Multiline, "/* b\n*/"),
        (Keyword.Type, "half"),
        (Comment.Multiline, "/* c"),
    ]


def test_dead_code() -> None:
    """`#if 0` hides code up to its own `#else` or `#endif`."""
    code = "#if 0 // off\na'\n#if 1\nb\n#else\nc\n#endif\n#else\nhalf\n#endif\n#if 0x10\nhalf\n#endif"
    assert [value for token, value in lex(code) if token is Comment] == ["a'", "b", "#else", "c"]
    assert types(code, "half") == {Keyword.Type}


def test_strings() -> None:
    """Escapes, raw strings, and raw strings cut off."""
    assert types('half f() __asm("air.f.\\n");', "air.f.") == {String}
    assert types('half f() __asm("air.f.\\n");', "\\n") == {String.Escape}
    assert types('half f() __asm("air.f");', "__asm") == {Keyword}
    assert types('s = R"metal(half "x")" )metal";', 'half "x")" ') == {String}
    assert types('s = R"(half 4', "half 4") == {String}


def test_kernel_by_line() -> None:
    """Any run of lines, as an excerpt has it: no error, nothing lost, with or without the last newline."""
    lines = SAXPY.splitlines(keepends=True)
    for first in range(len(lines)):
        for last in range(first, len(lines)):
            for code in (excerpt := "".join(lines[first : last + 1])), excerpt[:-1]:
                tokens = list(LEXER.get_tokens(code))
                assert "".join(value for _, value in tokens) == code
                if "isn't code" not in code or "#if 0" in code:
                    assert Error not in {token for token, _ in tokens}, code


def pieces() -> st.SearchStrategy[str]:
    """Text made of what the rules look for, whole and broken."""
    marks = each(r"[[ ]] (( )) { } ( ) ; : :: -> . , < > ' \ # ## #else #endif // /* */ R\"( )\" \" 0x 1' 1e")
    blanks = [" ", "\n", "\r\n", "\\\n", "\t", "\f", "\v", "\u2028", "\ufeff", "#if 0"]
    names = each(
        "a é half kernel device struct class enum namespace case template operator access alignas __attribute__"
    )
    return st.lists(st.sampled_from([*marks, *blanks, *names]) | st.text()).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.text() | pieces())
def test_nothing_is_lost(code: str) -> None:
    """Every character comes back once, in order."""
    end = 0
    for index, _, value in LEXER.get_tokens_unprocessed(code):
        assert (index, value) == (end, code[end : end + len(value)])
        end += len(value)
    assert end == len(code)
    # Common to all of Pygments, before a lexer sees the text.
    usual = code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(value for _, value in LEXER.get_tokens(code)) == usual


@pytest.mark.parametrize(
    ("code", "likely"),
    [
        ("#include <metal_stdlib>\n", True),
        ("uint i [[thread_position_in_grid]]", True),
        ("#include <vector>\nusing namespace std;", False),
    ],
)
def test_analyse_text(code: str, likely: bool) -> None:
    """Metal outbids the 0.4 that is the most C++ ever says."""
    assert (MetalLexer.analyse_text(code) > 0.5) is likely


PINNED = {
    "ml-explore/mlx": "3a6219917e4535575ce5bce2fc2ba27a483a709b",
    "ggml-org/llama.cpp": "f53577432541bb9edc1588c4ef45c66bf07e4468",
    "yaroslavvb/m5-gemm": "29414bebb522ddacaa009959f2bcdad9f5b3e5cf",
}
HEADERS = ("mlx/backend/metal/kernels/", "ggml/src/ggml-metal/")


def git(repo: Path, *command: str, stdin: bytes = b"") -> bytes:
    """Read from a clone, bare or not, without ever reaching out; nothing when it cannot."""
    git_dir = repo / ".git" if (repo / ".git").exists() else repo
    quiet = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    run = subprocess.run(
        ["git", "--git-dir", str(git_dir), *command], input=stdin, capture_output=True, env={**os.environ, **quiet}
    )
    return run.stdout if run.returncode == 0 else b""


def metal_sources() -> Iterator[tuple[str, str]]:
    """Name and text of every Metal file in the clones under code/, each text once; by day of some in each clone."""
    seen: set[str] = set()
    for repo in sorted((ROOT / "code").glob("*/*")):
        name = f"{repo.parent.name}/{repo.name}"
        tree = git(repo, "ls-tree", "-r", "-z", PINNED.get(name, "HEAD")).decode().split("\0")
        paths = dict(entry.split("\t", 1) for entry in tree if entry)
        wanted = {}
        for mode_type_id, path in paths.items():
            mode, _, blob = mode_type_id.split()
            if mode.startswith("100") and (
                path.endswith(".metal") or (path.endswith(".h") and path.startswith(HEADERS))
            ):
                wanted[blob] = path
        for blob in some(sorted(wanted.keys() - seen), 12):
            if text := git(repo, "cat-file", "blob", blob):
                yield f"{name}:{wanted[blob]}", text.decode(errors="replace")
        seen |= wanted.keys()


def test_real_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    """What people wrote, whole."""
    names = []
    for name, text in metal_sources():
        tokens = list(LEXER.get_tokens_unprocessed(text))
        assert "".join(value for _, _, value in tokens) == text, name
        errors = [
            f"{name}:{text.count(chr(10), 0, index) + 1}: {value!r}" for index, token, value in tokens if token is Error
        ]
        assert not errors
        names.append(name)
    if not names:
        pytest.skip("no clone with Metal files under code/ (fetch.sh makes them)")
    with capsys.disabled():
        print(f" [{len(names)} Metal files lexed]", end="")
