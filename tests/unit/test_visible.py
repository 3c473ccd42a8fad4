"""What cannot be seen is marked, unless it does in its place what it is there for; a mark has no text to copy."""

from __future__ import annotations

import re

import pytest

from mkdocs_metalworking.markdown.highlight import faithful, highlight_lines, lexer_named, plain_lines
from mkdocs_metalworking.markdown.visible import (
    html_attribute,
    html_text,
    in_order,
    show_hidden,
    show_invisible,
    unmark,
)


@pytest.mark.parametrize(
    "text",
    [
        "warning \u26a0\ufe0f here",
        "family \U0001f468\u200d\U0001f469\u200d\U0001f467",
        "rainbow \U0001f3f3\ufe0f\u200d\U0001f308",
        "skin \U0001f469\U0001f3fd\u200d\U0001f4bb",
        "keycap 1\ufe0f\u20e3",
        "persian \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "hindi \u0915\u094d\u200d\u0937",
        "no\u00a0break",
        "emoji \u203c\ufe0f and \u2194\ufe0f",
        "heart \u2764\ufe0f\u200d\U0001f525, \u2714\ufe0e",
        "flag \U0001f3f4\u200d\u2620\ufe0f",
        "runs \U0001f3c3\U0001f3fd\u200d\u2642\ufe0f\u200d\u27a1\ufe0f",
    ],
)
def test_what_deceives_nobody_is_left(text: str) -> None:
    assert show_invisible(text) == text
    assert html_text(text) == text
    assert html_attribute(text) == text


@pytest.mark.parametrize(
    "char",
    [
        *("\u200b", "\u200c", "\u200d", "\ufe0f", "\u202e", "\u2066", "\x00", "\U000e0041", "\u3164"),
        *("\U00013430", "\U00013440", "\U00013441", "\U00013442", "\U00016fe4", "\U0001d159"),
    ],
)
def test_what_hides_is_marked_and_its_mark_cannot_be_copied(char: str) -> None:
    text = f"a{char}b"
    html = show_invisible(text)
    assert f'data-cp="{ord(char):x}"' in html
    assert re.sub("<[^>]*>", "", html) == "ab"
    assert unmark(html) == text
    assert f"U+{ord(char):04X}" in html_attribute(text)


@pytest.mark.parametrize(
    "text",
    [
        "\u05e9\u200d\u05dd",  # Hebrew joins nothing
        "\u062f\u0627\u200c\u062f",  # nothing follows alef joined
        "\u2264\ufe0e",  # another operator than \u2264
        "\u2500\u200d\u2500",  # signs that are no pictures: box drawing, Braille, degrees Celsius, Mahjong
        "\u28ff\u200d\u28ff",
        "\u2103\ufe0f",
        "\u2713\ufe0e",
        "\U0001f000\u200d\U0001f000",
        "a\u2800b",
    ],
)
def test_what_makes_another_name_that_looks_the_same_is_marked(text: str) -> None:
    html = show_invisible(text)
    assert html.count('class="mw-ctl"') == 1
    assert unmark(html) == text


@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", "\u2003", "\u3000", "\u1680", "\u205f"])
def test_a_blank_that_is_none_to_a_compiler_is_marked_in_code_alone(blank: str) -> None:
    line = f"int{blank}a;"
    assert show_invisible(line) == line
    for html in (show_hidden(line), *plain_lines([line]), *highlight_lines([line], lexer_named("c"))):
        assert f'data-cp="{ord(blank):x}"' in html
        assert faithful([html], [line])


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("int \u05d0\u05d1 = 10 - 3;", "int <bdi>\u05d0\u05d1</bdi> = 10 - 3;"),
        ("typedef \u05d0 \u05d1;", "typedef <bdi>\u05d0</bdi> <bdi>\u05d1</bdi>;"),
        ("\u0645\u06cc\u200c\u062e\u0648 1", "<bdi>\u0645\u06cc\u200c\u062e\u0648</bdi> 1"),
        ("\u0628\u0301\u0628 + \u0663", "<bdi>\u0628\u0301\u0628</bdi> + <bdi>\u0663</bdi>"),
        ('<span class="c1"># \u05d0, \u05d1 (3)</span>', '<span class="c1"># <bdi>\u05d0, \u05d1</bdi> (3)</span>'),
        ('<span class="s2">&quot;\u05d0&quot;</span>, 1', '<span class="s2">&quot;<bdi>\u05d0</bdi>&quot;</span>, 1'),
        ('<span class="n">\u05d0</span> \u05d0', '<span class="n"><bdi>\u05d0</bdi></span> <bdi>\u05d0</bdi>'),
        ("caf\u00e9 <b>", "caf\u00e9 <b>"),
    ],
)
def test_words_from_the_right_are_isolated(html: str, shown: str) -> None:
    assert in_order(html) == shown


def test_a_mark_that_tells_another_name_is_no_mark() -> None:
    html = show_invisible("a\u200bb")
    for wrong in (html.replace("200b", "61"), html.replace("U+200B", "U+200C", 1), html.replace("200b", "110000")):
        assert unmark(wrong) == wrong


PROGRAM = ["if (a && b < 'c') { // \u202e }", 'puts("x & y");']


@pytest.mark.parametrize("lexer", ["c", "text", "metal", "python"])
def test_lines_as_they_are_made_are_faithful(lexer: str) -> None:
    assert faithful(highlight_lines(PROGRAM, lexer_named(lexer)), PROGRAM)
    assert faithful(plain_lines(PROGRAM), PROGRAM)


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ('<span class="n">&#6</span><span class="n">0;</span>', "<"),
        ('&l<span class="n">t;</span>', "<"),
        ("&#60;", "<"),
        ("&LT;", "<"),
        ("a\u202eb", "a\u202eb"),
        ("a\u200db", "a\u200db"),
        ('<span class="mw-hl">a</span>', "a"),
        ('<span class="zz">a</span>', "a"),
        ('<span class="n" onclick="x">a</span>', "a"),
        ('<span class="n"><span class="n">a</span></span>', "a"),
        ("<b>a</b>", "a"),
        ("a<!-- b -->", "a"),
        ("b", "a"),
        ("a\x00", "a"),
    ],
)
def test_planted_lines_are_not(html: str, line: str) -> None:
    assert not faithful([html], [line])
