"""What one pattern does in one call cannot be counted by calls: each text here would keep a quadratic one for hours.

Each runs in a process that may use a minute of the processor, and needs a second.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from mkdocs_metalworking.markdown.marked_text import code_spans, literal_html
from tests.forked import python_m

SECONDS = 60
SYMBOLS = "from mkdocs_metalworking.quote.symbols import symbols_of as run\n"
SPANS = "from mkdocs_metalworking.markdown.marked_text import code_spans as run\n"
FRONT = "from mkdocs_metalworking.glossary.callout import split_front_matter as run\n"
HINTS = (
    "from mkdocs_metalworking.quote.quantity_candidates import candidates as run\n"
    "from mkdocs_metalworking.quote.quantity_file import load_quantities\n"
)
REGIONS = "from mkdocs_metalworking.quote.markers import find_region as run\n"
MOVED = (
    "from random import Random\n"
    "from mkdocs_metalworking.quote.lines import LineRange\n"
    "from mkdocs_metalworking.quote.relocate import relocate as run\n"
    "words = Random(1).choices([str(number) for number in range(110)], k=400_000)\n"
    "some = lambda first: words[first : first + 300_000]\n"
)
CODE = (
    "from mkdocs_metalworking.hosts.mkdocs.code import concealed, finished, revealed, with_excluded, without_excluded\n"
    "from mkdocs_metalworking.markdown.page import PageContext\n"
)
CELLS = "from mkdocs_metalworking.glossary.inline import breakable as run\n"
TEXTS = {
    "a text in backticks that nothing closes": SYMBOLS + "run(['`' + '\\\\`' * 1_000_000], 'a.js')",
    "a character that nothing closes": SYMBOLS + 'run(["\'" + "\\\\\'" * 1_000_000], "a.metal")',
    "a string that nothing closes": SYMBOLS + "run(['\"' + '\\\\\"' * 1_000_000], 'a.metal')",
    "characters of Rust": SYMBOLS + 'run(["\'" + "\\\\\'" * 1_000_000], "a.rs")',
    "tags that nothing closes": SPANS + "list(run('<code>' * 300_000))",
    "comments that nothing closes": SPANS + "list(run('<!--' * 300_000))",
    "backticks that nothing closes": SPANS + "list(run(' '.join('`' * n for n in range(1, 2_000))))",
    "one long run of backticks": SPANS + "list(run('`' * 1_000_000))",
    "front matter of empty lines": FRONT + "run('---\\na\\n' + '\\n' * 1_000_000 + '---\\n')",
    "directives that nothing closes, beside numbers": HINTS
    + "list(run('a 5 ' + '<< ' * 300_000, load_quantities('quantities: {a.b: {value: 5, unit: GB/s}}', 'q.yml')[0]))",
    "marks of regions": REGIONS
    + "try: run(['// #region ' + '\\t' * 980 + 'x'] * 40_000, 'a', 'f')\nexcept Exception: pass",
    "a row that nothing closes": "from mkdocs_metalworking.hosts.mcp.pages import _FIRST_CELL\n"
    "_FIRST_CELL.findall('|' + ' ' * 1_000_000)",
    "a heading of nothing but marks": "from mkdocs_metalworking.hosts.mkdocs.answers import sections\n"
    "list(sections('a.md', '# ' * 500_000 + '!'))",
    "methods of one name": "from mkdocs_metalworking.quote.symbols import find_symbol\n"
    "try: find_symbol(['f(){}'] * 100_000, 'f', 'a.js')\nexcept Exception: pass",
    "braces of one f-string": SYMBOLS + "try: run(['f\"' + '{a}' * 450_000 + '\"'], 'a.py')\nexcept Exception: pass",
    "a string of Python that nothing closes": SYMBOLS
    + "try: run(['\"\"\"' + '\\\\\"\"\"' * 900_000], 'a.py')\nexcept Exception: pass",
    "a word before each brace": SYMBOLS + "run(['a' * 1_990 + '{}'] * 1_000, 'a.js')",
    "many lines that are nearly there": MOVED
    + "run(['x'] * 300_000 + ['y'], ['x'] * 1_000_000, [LineRange(2, 300_001)])",
    "many lines that are not there": MOVED + "run(['y', *some(1)], some(9), [LineRange(1, 5)])",
    "drawings, and some that nothing ends": CODE
    + "page, html = PageContext(), '<svg>' * 300_000 + '<svg></svg>' * 100_000\n"
    "assert with_excluded(without_excluded(html, page), page) == html and len(page.cut) == 100_000",
    "figures that nothing ends": CODE
    + "without_excluded('<figure class=a data-search-exclude=\"\">' * 300_000, PageContext())",
    "words of code that nothing ends": CODE + 'finished(\'<pre class="mw-pre" data-mw="1">\' * 300_000, PageContext())',
    "code that nothing ends": CODE + "concealed('<pre class=\"mw-pre\"><!--mw-1-->' * 300_000, PageContext())",
    "code of a form without styles": CODE + "revealed('<pre class=\"mw-pre\">' + '( ' * 300_000, PageContext())",
    "marks that nothing ends": CODE + 'revealed(\'<span class="mw-ctl" data-text="x" \' * 300_000, PageContext())',
    "what looks like an annotation": "from mkdocs_metalworking.markdown.figure import _without_annotations as run\n"
    "run('(' + '(1)' * 300_000 + '(' + '1' * 1_000_000)",
    "a long word in a table": CELLS + "run('a' * 1_000_000)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of Unix")
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_keeps_a_pattern_for_long(name: str, tmp_path: Path) -> None:
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS + 5}))\n"
    (tmp_path / "tried.py").write_text(limit + TEXTS[name], encoding="utf-8")
    done = python_m("tried", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-500:]


PIECES = (
    *("`", "``", "```", "\\", "a", " ", "<code>", "</code>", "<CODE x>", "</code >", "<pre>", "</pre>", "<!--", "-->"),
    *("-", "<!-->", ">", "<tt/>", "</tt\n>", "\n", "<codex>", "</codex>", "<", "<style>", "</style>"),
)
IN_BACKTICKS = r"(?<!\\)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|"
IN_TAGS = r"<(?P<tag>%s)\b[^<>]*>.*?</(?P=tag)\s*>|<!--.*?-->"


def test_code_is_where_the_host_sees_it() -> None:
    """By the pattern of Python-Markdown for spans, which is fast in short texts, and where a browser reads no tag."""
    rng = random.Random(1)
    flags = re.DOTALL | re.IGNORECASE
    host = re.compile(IN_BACKTICKS + IN_TAGS % "code|kbd|samp|tt|pre|script|style|textarea|option", flags)
    tags = ("code", "style")
    raw = re.compile(IN_TAGS % "|".join(tags), flags)
    for _ in range(20_000):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 14)))
        assert list(code_spans(text)) == [match.span() for match in host.finditer(text)], text
        assert list(literal_html(text, tags)) == [match.span() for match in raw.finditer(text)], text
