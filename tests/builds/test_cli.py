"""The ``metalworking`` command, run as a program."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.builds.conftest import Site
from tests.forked import python_many
from tests.support import some


def metalworking(site: Site, *arguments: str):  # type: ignore[no-untyped-def]
    return site.run("mkdocs_metalworking", *arguments)


def test_check_passes_and_counts(site: Site) -> None:
    done = metalworking(site, "check")
    assert done.returncode == 0, done.stdout
    assert done.stdout == ""
    assert (
        done.stderr == "5 pages, 2 excerpts, 1 citation: 0 errors, 0 warnings\nsources.lock: 1 file, 1 proved by git\n"
    )


def test_check_works_without_any_bytes(site: Site) -> None:
    shutil.rmtree(site.root / "code")
    done = metalworking(site, "check")
    assert done.returncode == 0
    assert "2 excerpts (2 by lock only, their bytes are not on this machine)" in done.stderr
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L8-99 >>\n")
    done = metalworking(site, "check")
    assert done.returncode == 1
    assert done.stdout == (
        "docs/second/three.md:3: L8-99 runs past the end: add.metal has 9 lines (the last line is L9)\n"
    )


def test_check_tells_everything_with_file_and_line(site: Site) -> None:
    site.page(
        "second/three.md", "---\ncuda: {verdict: maybe, term: x}\n---\n\n# Three\n\n[@nokey] and << exerpt x >>\n"
    )
    site.page("loose.md", "# Loose\n")
    site.config("  - index.md\n", "  - index.md\n  - gone.md\n")
    done = metalworking(site, "check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "docs/second/three.md:2: cuda.verdict is 'maybe' (one of: transfers, resized, unlearn, none)",
        "docs/second/three.md:7: reference 'nokey' is not in sources.yml (add it under references:)",
        "docs/second/three.md:7: left over as text: << exerpt x >> (write << excerpt)",
        "mkdocs.yml: the nav names gone.md, which does not exist (write it or take it out)",
        "warning: docs/loose.md: this page is not in the nav (add it, or list it under not_in_nav:)",
    ]


def test_check_as_json(site: Site) -> None:
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L0 >>\n")
    done = metalworking(site, "check", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == [
        {
            "path": "docs/second/three.md",
            "line": 3,
            "severity": "error",
            "code": "range",
            "message": "range 'L0' names line 0",
            "hint": "lines count from 1",
        }
    ]


def test_lock_binds_new_files_and_forgets_unused_ones(site: Site) -> None:
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:notes.txt#L2 >>\n")
    done = metalworking(site, "lock")
    assert done.returncode == 0, done.stdout
    assert done.stderr == "sources.lock: 2 files, 0 archives, 1 newly bound\n"
    text = (site.root / "sources.lock").read_text(encoding="utf-8")
    commit = site.commits["acme/kernels"]
    # 814f4a422927b82f5f8a43f8fab6d3839e3983f2 is what `printf 'one\ntwo\n' | git hash-object --stdin` prints.
    sha256 = "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8"
    entry = (
        f"blob acme/kernels@{commit} 814f4a422927b82f5f8a43f8fab6d3839e3983f2 sha256:{sha256} size:8 lines:2 notes.txt"
    )
    assert entry in text.splitlines()
    site.page("second/three.md", "# Three\n")
    assert metalworking(site, "lock").returncode == 0
    assert "notes.txt" not in (site.root / "sources.lock").read_text(encoding="utf-8")
    assert not (site.root / "sources.lock.lock").exists()


def test_lock_says_what_git_does_not_have(site: Site) -> None:
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:absent.metal#L2 >>\n")
    before = (site.root / "sources.lock").read_text(encoding="utf-8")
    done = metalworking(site, "lock")
    assert done.returncode == 1
    assert done.stdout.startswith(f"docs/second/three.md:3: acme/kernels@{site.sha}:absent.metal: ")
    assert (site.root / "sources.lock").read_text(encoding="utf-8") == before


def test_add_prints_a_directive_and_locks(site: Site) -> None:
    url = f"https://github.com/acme/kernels/blob/{site.commits['acme/kernels']}/notes.txt#L1-L2"
    done = metalworking(site, "add", url)
    assert done.returncode == 0, done.stdout
    assert done.stdout == f"<< excerpt acme/kernels@{site.sha}:notes.txt#L1-2 >>\n"
    assert "notes.txt" in (site.root / "sources.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://github.com/acme/kernels/blob/main/notes.txt#L1", "'main' is a branch or tag"),
        ("https://github.com/acme/kernels/blob/0123456/notes.txt#L1", "commit 0123456 of acme/kernels is not pinned"),
        ("https://github.com/acme/other/blob/0123456/notes.txt", "acme/other is not in sources.yml"),
        ("https://example.org/x", "not a permalink: https://example.org/x"),
        ("https://github.com/acme/kernels/blob/{c}/notes.txt#L1-L9", "L1-9 runs past the end: notes.txt has 2 lines"),
    ],
)
def test_add_refuses(site: Site, url: str, said: str) -> None:
    done = metalworking(site, "add", url.replace("{c}", site.commits["acme/kernels"]))
    assert done.returncode == 1
    assert said in done.stdout


def test_fetch_fills_the_store_with_quoted_files_only(site: Site) -> None:
    site.page("first/two.md", "# Two\n\nCited [@acme/kernels:notes.txt].\n")
    assert metalworking(site, "lock").returncode == 0
    shutil.rmtree(site.root / "store", ignore_errors=True)
    done = metalworking(site, "fetch")
    assert done.returncode == 0, done.stdout
    assert done.stderr == "1 of 1 files, 0.0 MB: 1 from checkout\n"
    assert len([p for p in (site.root / "store" / "sha256").rglob("*") if p.is_file()]) == 1


def test_list_as_json(site: Site) -> None:
    rows = json.loads(metalworking(site, "list", "--json").stdout)
    assert [(row["page"], row["path"], row["lines"], row["license"]) for row in rows] == [
        ("docs/first/one.md", "add.metal", "L4-9", "MIT"),
        ("docs/second/three.md", "add.metal", "L8", "MIT"),
    ]


def test_sources_writes_and_checks_the_list_for_people(site: Site) -> None:
    assert metalworking(site, "sources", "--check").returncode == 1
    assert metalworking(site, "sources").returncode == 0
    text = (site.root / "SOURCES.md").read_text(encoding="utf-8")
    commit = site.commits["acme/kernels"]
    assert f"### [acme/kernels](https://github.com/acme/kernels)\n\n- Commit [`{site.sha}`]" in text
    assert f"https://github.com/acme/kernels/tree/{commit}" in text
    assert "- License: MIT\n" in text
    assert metalworking(site, "sources", "--check").returncode == 0


def test_no_mkdocs_yml(tmp_path: Path, site: Site) -> None:
    (site.root / "mkdocs.yml").unlink()
    done = metalworking(site, "check")
    assert done.returncode == 1
    assert "mkdocs.yml" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", some(["ascii", "latin-1", "cp1252", "cp437"], 2))
def test_no_console_ends_a_command(site: Site, encoding: str) -> None:
    """Names and texts in any script, on a console that knows a few hundred characters.

    By day one of ASCII, whose streams Click replaces, and one code page of three.
    """
    site.page(
        "\u0391\u4e2d\u20ac.md", "# \u0391\n\n<< excerpt {k}:\u0391\u4e2d\u00e9.c >>\n\n[@nokey] << exerpt \u0391 >>\n"
    )
    commands = (["check"], ["check", "--json"], ["list"], ["list", "--json"], ["lock"], ["stats"], ["fetch"])
    console = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    ran = python_many("mkdocs_metalworking", commands, cwd=site.root, env=console)
    for command, (code, out, errors) in zip(commands, ran, strict=True):
        assert b"Traceback" not in errors, (command, errors.decode(encoding))
        assert code in (0, 1), command
        if "--json" in command:
            rows = json.loads(out.decode(encoding))
            assert command[0] != "check" or any("\u0391\u4e2d\u00e9.c" in row["message"] for row in rows)
