"""A writer in Neovim, with the settings of docs/contributing/editors.md, from an empty page to one that checks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from tests.lsp.conftest import make_site
from tests.lsp.terminal import Terminal

EDITORS = Path(__file__).resolve().parents[2] / "docs/contributing/editors.md"
COMPLETE, ESCAPE, ENTER = "\x18\x0f", "\x1b", "\r"


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not here")
def test_a_page_with_two_excerpts_a_citation_and_a_quantity(tmp_path: Path) -> None:
    site = make_site(tmp_path / "site")
    settings = next(block for block in blocks(EDITORS.read_text(encoding="utf-8")) if block.title == "init.lua")
    (tmp_path / "init.lua").write_text(settings.text + "\nvim.o.shortmess = 'aoOtTIcF'\nvim.o.swapfile = false\n")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/metalworking"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mkdocs_metalworking "$@"\n')
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    command = ["nvim", "--clean", "-u", str(tmp_path / "init.lua"), "docs/new.md"]
    record = Path(os.environ.get("RECORDING", tmp_path / "neovim.cast"))
    terminal = Terminal(command, site.root, env, record)
    try:
        screens = [write(terminal, site.sha)]
    finally:
        terminal.close()
    assert (site.root / "docs/new.md").read_text() == (
        "# New\n\n"
        f"<< excerpt acme/kernels@{site.sha}:kernels/add.metal#L8-10 >>\n\n"
        f"<< excerpt acme/kernels@{site.sha}:kernels/mul.metal#L1-2 >>\n\n"
        "Said [@ada-1843]: [=m1.bandwidth].\n"
    )
    assert "mul.metal" in (site.root / "sources.lock").read_text()
    check = [sys.executable, "-m", "mkdocs_metalworking", "check", "--strict"]
    done = subprocess.run(check, cwd=site.root, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), screens


def write(terminal: Terminal, sha: str) -> str:
    """Write the page as a person does, looking at the screen before going on."""
    terminal.until("~")
    terminal.type("i# New" + ENTER + ENTER + ESCAPE)
    terminal.until("not in the nav")  # the server has read the site; while one types, Neovim holds its tongue
    terminal.type("A<< excerpt acme" + COMPLETE)
    terminal.until("acme/other@")
    terminal.type(" \b")  # takes the first
    terminal.type("kernels/a" + COMPLETE)
    terminal.until("kernels/add.metal")
    terminal.type("#L8-10 >>" + ENTER + ENTER)
    terminal.type(f"<< excerpt acme/kernels@{sha}:kernels/mul" + COMPLETE)
    terminal.until("kernels/mul.metal")
    terminal.type("#L1-2 >>" + ENTER + ENTER + ESCAPE)
    terminal.until("is not in sources.lock")
    terminal.type("ASaid [@ada" + COMPLETE)
    terminal.until("[@ada-1843")
    terminal.type("]: [=m1.b" + COMPLETE)
    terminal.until("[=m1.bandwidth")
    terminal.type("]." + ESCAPE)
    terminal.type(":3" + ENTER + "K")
    terminal.until("out[i] = a[i];")  # the quoted lines
    terminal.type(":5" + ENTER + "\\a")
    terminal.until("Lock kernels/mul.metal")
    terminal.type("1" + ENTER)
    terminal.until(lambda text: "is not in sources.lock" not in text and "Lock kernels" not in text)
    terminal.type(":e mkdocs.yml" + ENTER)
    terminal.until("site_name: Test")
    terminal.type(":%s/two.md/two.md, new.md/" + ENTER + ":w" + ENTER + ":e docs/new.md" + ENTER)
    terminal.until(lambda text: "# New" in text and "not in the nav" not in text)
    terminal.type(":w" + ENTER)
    return terminal.until("[New] 7L")
