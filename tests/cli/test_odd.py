"""Odd files, users and homes: every command says what is wrong in a line, and what it says to do helps."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.builds.conftest import Site, environment, made_site, site  # noqa: F401  # fixtures

COMMANDS = [
    ("mkdocs", "build"),
    *(("mkdocs_metalworking", name) for name in ("check", "lock", "fetch", "list", "stats", "accept")),
    ("mkdocs_metalworking", "stage", "staged"),
    ("mkdocs_metalworking", "bump", "acme/kernels", "--to", "0" * 40),
]
NOT_UTF8 = [("# Caf\u00e9\n".encode("latin-1"), 6), ("\ufeff# Three\n".encode("utf-16-le"), 1)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[1])
@pytest.mark.parametrize(("text", "byte"), NOT_UTF8, ids=["latin-1", "utf-16"])
def test_a_page_in_another_encoding_is_named_by_every_command(
    site: Site,  # noqa: F811
    command: tuple[str, ...],
    text: bytes,
    byte: int,
) -> None:
    (site.root / "docs/second/three.md").write_bytes(text)
    done = site.run(*command)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert f"docs/second/three.md: cannot be read: byte {byte} is no UTF-8 (save the page as UTF-8)" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["sources.yml", "sources.lock", "quantities.yml", "mapping.yml"])
@pytest.mark.parametrize("command", [("mkdocs", "build"), ("mkdocs_metalworking", "check")], ids=["build", "check"])
def test_a_file_of_ours_in_another_encoding_is_named(site: Site, name: str, command: tuple[str, ...]) -> None:  # noqa: F811
    site.config("{store: store,", "{store: store, mapping: mapping.yml,")
    path = site.root / name
    text = path.read_bytes() if path.exists() else b""
    path.write_bytes(text + "# Caf\u00e9\n".encode("latin-1"))
    done = site.run(*command)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert f"{name}: cannot read it: byte {len(text) + 6} is no UTF-8" in said
    assert "Traceback" not in said


# A user without a home


@pytest.mark.parametrize("command", COMMANDS[:5], ids=lambda command: command[1])
def test_a_store_in_the_home_of_nobody(site: Site, command: tuple[str, ...]) -> None:  # noqa: F811
    site.config("{store: store, ", "{")
    done = site.run_with({"METALWORKING_STORE": "~nobody-of-this-name/x"}, *command)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "no folder for the store: ~nobody-of-this-name/x (set METALWORKING_STORE to one)" in said
    assert "Traceback" not in said
    site.config("- metalworking: {", "- metalworking: {store: ~nobody-of-this-name/x, ")
    done = site.run(*command)
    assert done.returncode == 1
    assert "no folder for the store: ~nobody-of-this-name/x (write another store:)" in done.stdout + done.stderr


def test_a_store_in_one_s_own_home(site: Site) -> None:  # noqa: F811
    site.config("{store: store, ", "{store: ~/kept, ")
    home = site.root / "home"
    assert site.run_with({"HOME": str(home)}, "mkdocs", "build", "--strict").returncode == 0
    assert (home / "kept").is_dir()
    assert not (site.root / "~").exists()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can be another"
)
@pytest.mark.parametrize("command", COMMANDS[:2], ids=lambda command: command[1])
def test_a_user_of_no_name_and_no_home(site: Site, command: tuple[str, ...]) -> None:  # noqa: F811
    """As in a container that is run under a number: no HOME, and nothing in passwd."""
    site.config("{store: store, ", "{")
    dropped = ("HOME", "METALWORKING_STORE", "XDG_CACHE_HOME")
    env = {name: value for name, value in environment().items() if name not in dropped}
    # It may read and write what root may: the Python of the tests, too, may lie in root's home.
    may = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
    become = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", *may, sys.executable, "-m", *command)

    def run(**more: str) -> tuple[int, str]:
        done = subprocess.run(become, cwd=site.root, env={**env, **more}, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert "Traceback" not in said
        return done.returncode, said

    code, said = run()
    assert "no folder for the store: this user has no home (set METALWORKING_STORE to one)" in said
    assert code == 1
    code, said = run(METALWORKING_STORE=str(site.root / "kept"))
    assert code == 0, said


# A lock that is wrong


@pytest.mark.parametrize("lines", [7, 99])
def test_a_wrong_count_of_lines_is_mended_as_advised(site: Site, lines: int) -> None:  # noqa: F811
    path = site.root / "sources.lock"
    sound = path.read_text(encoding="utf-8")
    path.write_text(sound.replace("lines:9 ", f"lines:{lines} "), encoding="utf-8")
    checked = site.run("mkdocs_metalworking", "check")
    assert checked.returncode == 1
    advice = re.findall(r"9 lines, where sources\.lock says \d+ \(run: metalworking (lock --update)\)", checked.stdout)
    assert advice
    assert site.run("mkdocs_metalworking", *advice[0].split()).returncode in (0, 2)
    assert path.read_text(encoding="utf-8") == sound
    assert site.run("mkdocs_metalworking", "check").returncode == 0
