"""The workflows: actions at full commits, no more rights than needed, every Python that the package promises."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import mkdocs_metalworking
from tests.support import GIT_ENV, commit_files, git

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


RIGHTS = {
    ("publish", "publish"): {"contents": "write"},
    ("release", "publish"): {"id-token": "write", "attestations": "write"},
}
"""The jobs that may do more than read."""


def load(path: Path) -> dict[str, Any]:
    # YAML 1.1 reads the key "on" as true; BaseLoader leaves it.
    return dict(yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader))


def test_there_are_four() -> None:
    assert [path.stem for path in WORKFLOWS] == ["check", "publish", "release", "test"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    uses = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert uses
    for one in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_the_same_action_is_at_the_same_commit_everywhere() -> None:
    found: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for name, rest in re.findall(r"uses: ([^@\s]+)@(.*)", path.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(rest)
    assert {name: len(pins) for name, pins in found.items()} == dict.fromkeys(found, 1)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_rights(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == RIGHTS.get((path.stem, name))
        assert "timeout-minutes" in job
        steps = [step for step in job["steps"] if "checkout@" in step.get("uses", "")]
        if (path.stem, name) != ("publish", "publish"):  # which pushes
            assert [step["with"]["persist-credentials"] for step in steps] == ["false"] * len(steps)
    assert "pull_request_target" not in path.read_text(encoding="utf-8")
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_jobs_that_may_write_install_fixed_versions() -> None:
    """By their hashes, or nothing at all: a job that may write runs nothing that an index chose."""
    for stem, name in RIGHTS:
        job = load(ROOT / f".github/workflows/{stem}.yml")["jobs"][name]
        runs = [step["run"] for step in job["steps"] if "run" in step]
        installs = [run for run in runs if re.search(r"\b(pip3?|pipx|uvx?|npm|npx|apt-get|curl|wget|make)\b", run)]
        assert installs == ([LOCKED] if stem == "release" else []), installs
        programs = {word for run in runs for word in re.findall(r"\b(?:python|mkdocs|metalworking|node)\b", run)}
        assert programs <= ({"python"} if stem == "release" else set()), programs


def test_what_may_write_is_given_what_was_built_without_any_right() -> None:
    for stem, name, rights in (("publish", "site", None), ("release", "dist", None)):
        jobs = load(ROOT / f".github/workflows/{stem}.yml")["jobs"]
        assert list(jobs) == ["build", "publish"]
        assert jobs["build"].get("permissions") == rights
        assert jobs["publish"]["needs"] == "build"
        up, down = (
            [step["with"]["name"] for step in jobs[job]["steps"] if f"actions/{way}-artifact@" in step.get("uses", "")]
            for job, way in (("build", "upload"), ("publish", "download"))
        )
        assert up == down == [name]


LOCKED = "python -I -m pip install --require-hashes --no-deps --only-binary=:all: -r .github/release-requirements.txt"


def test_what_a_release_installs_is_locked_by_hashes() -> None:
    text = (ROOT / ".github/release-requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text, "no index is named"
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if not entry.startswith("#")]
    locked = {}
    for entry in entries:
        match = re.fullmatch(r"([a-z0-9-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n?", entry)
        assert match, entry[:200]
        locked[match[1]] = match[2]
    asked = (ROOT / ".github/release-requirements.in").read_text("utf-8").splitlines()
    assert (
        {line for line in asked if line and not line.startswith("#")} == {"build", "hatchling", "twine"} <= set(locked)
    )
    pinned = dict(
        line.lower().split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if "==" in line
    )
    assert {name: pinned.get(name, version) for name, version in locked.items()} == locked, "make release-requirements"


def test_every_promised_python_and_system_is_tested() -> None:
    matrix = load(ROOT / ".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = [c.rsplit(" ", 1)[1] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert set(promised) <= set(matrix["python"])
    assert matrix["python"][0] == project["requires-python"].removeprefix(">=")
    systems = {*matrix["os"], *(one["os"] for one in matrix["include"])}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}


def test_the_store_is_kept_between_runs() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    workflow = load(ROOT / ".github/workflows/publish.yml")
    assert workflow["env"]["METALWORKING_STORE"] == "${{ github.workspace }}/.cache/metalworking"
    cache = next(s for s in workflow["jobs"]["build"]["steps"] if "cache@" in s.get("uses", ""))
    assert cache["with"]["path"].split() == [f".cache/metalworking/{kind}" for kind in ("sha256", "archives", "git")]
    assert "hashFiles('sources.lock')" in cache["with"]["key"]
    assert "run: mkdocs build --strict\n" in text


def test_a_change_is_told_and_the_lock_is_proved() -> None:
    runs = {name: commands(ROOT / f".github/workflows/{name}.yml") for name in ("check", "publish")}
    tells = [n for n, run in enumerate(runs["check"]) if 'check --changed-from "origin/$BASE" >> "$GITHUB_' in run]
    proves = [n for n, run in enumerate(runs["check"]) if run.endswith(".venv/bin/metalworking lock --verify\n")]
    lints = [n for n, run in enumerate(runs["check"]) if run.endswith("make lint\n")]
    assert proves < tells < lints, "it brings the lines that are told, and what may run anything comes last"
    job = load(WORKFLOWS[0])["jobs"]["check"]
    (proof,) = (step for step in job["steps"] if "lock --verify" in step.get("run", ""))
    assert int(job["timeout-minutes"]) - int(proof["timeout-minutes"]) >= 5, "there is time for what follows"
    step = next(s for s in load(WORKFLOWS[0])["jobs"]["check"]["steps"] if "--changed-from" in s.get("run", ""))
    assert step["if"].startswith("${{ !cancelled() &&"), "and a lock that is wrong is told, too"
    order = [runs["publish"].index(f"metalworking {command}") for command in ("check", "fetch", "lock --verify")]
    assert order == sorted(order)
    for text in ("${{ github.base_ref }}", "${{ github.ref_name }}"):
        assert not any(text in run for name in ("check", "release") for run in commands(WORKFLOWS[0].with_stem(name)))


def test_the_log_obeys_no_text_of_a_change() -> None:
    """A line that begins with two colons is a command, unless commands were stopped under a name that nobody knows."""
    said = [run for run in commands(WORKFLOWS[0]) if any(word in run for word in ("metalworking", "lint"))]
    assert len(said) == 4
    for run in said:
        assert run.startswith('echo "::stop-commands::$(openssl rand -hex 16)"\n')


GUARDED = [("check", "check"), ("publish", "build"), ("release", "build")]


@pytest.mark.parametrize(("stem", "name"), GUARDED)
def test_no_tracked_file_stands_for_what_is_made(stem: str, name: str, tmp_path: Path) -> None:
    """Neither an environment, nor a site, nor a release; and nothing is run or installed before that is known."""
    steps = load(ROOT / f".github/workflows/{stem}.yml")["jobs"][name]["steps"]
    assert "checkout@" in steps[0]["uses"]
    (run,) = (step["run"] for step in steps[:2] if "run" in step)
    git(tmp_path, "init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/site.md").write_text("# Site\n")
    (tmp_path / "Makefile").write_text("site:\n")
    git(tmp_path, "add", "-A")
    assert subprocess.run(["bash", "-e", "-c", run], cwd=tmp_path).returncode == 0
    for made in (
        ".VENV/bin/python",
        "build/zensical/zensical.toml",
        "makefile",
        "GNUmakefile",
        "hatch.toml",
        "venv.py",
        "sitecustomize/__init__.py",
        "y-1.0.dist-info/entry_points.txt",
        "x.egg-info/PKG-INFO",
        ".venv/bin/python",
        "node_modules/a.js",
        "site/.gitattributes",
        "dist/a.whl",
        "code/o/n/HEAD",
        "x/a.pyc",
    ):
        path = tmp_path / made
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
        git(tmp_path, "add", "-f", made)
        assert subprocess.run(["bash", "-e", "-c", run], cwd=tmp_path).returncode != 0, made
        git(tmp_path, "rm", "-q", "-f", made)
    if (ROOT / ".git").exists():
        assert subprocess.run(["bash", "-e", "-c", run], cwd=ROOT).returncode == 0


def test_what_nobody_may_bring_is_one_list() -> None:
    lists = set()
    for path in (
        *(ROOT / f".github/workflows/{stem}.yml" for stem, _ in GUARDED),
        ROOT / "Makefile",
        ROOT / "fetch.sh",
    ):
        lists |= set(re.findall(r"ls-files -- (.*?)(?:\)| 2>)", path.read_text(encoding="utf-8")))
    assert len(lists) == 1, lists


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
def test_make_runs_nothing_that_a_branch_brought(tmp_path: Path) -> None:
    """Neither a program of an environment nor what it would make the Makefile itself of."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "constraints.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    make = ["make", "-s", "-f", "Makefile"]
    for name in ("Makefile.sh", "pyproject.toml.sh"):
        (tmp_path / name).write_text("site:\n\t@touch ran\n")
        os.utime(tmp_path / name, (4e9, 4e9))
    done = subprocess.run([*make, "-n", "site"], cwd=tmp_path, capture_output=True, text=True)
    assert (tmp_path / "Makefile").read_bytes() == (ROOT / "Makefile").read_bytes()
    assert (tmp_path / "pyproject.toml").read_bytes() == b""
    assert "pip install" in done.stdout, done.stderr
    for name in (".venv/bin/python", "build/lowest/bin/python", "node_modules/.bin/biome", "y.dist-info/METADATA"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        path.chmod(0o755)
        git(tmp_path, "add", "-f", name)
        done = subprocess.run([*make, "site"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, f"This branch brings {name}" in done.stderr) == (2, True), done.stderr
        git(tmp_path, "rm", "-q", "-f", name)
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not (ROOT / "node_modules/.bin/stylelint").exists(), reason="node is not here")
def test_no_program_that_lies_beside_a_style_is_run(tmp_path: Path) -> None:
    found = re.search(r"node_modules/[.]bin/stylelint [^;\n]*", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert found is not None
    shutil.copy(ROOT / ".stylelintrc.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    for folder in ("mkdocs_metalworking/assets", "docs/assets/site"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.css").write_text("a { color: red; }\n")
        (tmp_path / folder / ".stylelintrc.json").write_text('{"plugins": ["./palette"]}')
        (tmp_path / folder / "palette").write_text("require('fs').writeFileSync('ran', '')\n")
    done = subprocess.run(["sh", "-c", found[0]], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
    plain = found[0].replace("--config .stylelintrc.json ", "")
    subprocess.run(["sh", "-c", plain], cwd=tmp_path, capture_output=True)
    assert (tmp_path / "ran").exists(), "what would be run"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
@pytest.mark.parametrize("why", ["no git", "a damaged index", "a work tree without its repository", "another owner's"])
def test_make_runs_nothing_of_which_git_says_nothing(why: str, tmp_path: Path) -> None:
    """An answer that git does not give is not the one that nothing was brought."""
    tools = tmp_path / "tools"
    tools.mkdir()
    home = tmp_path / "home"
    commit_files(home, {"constraints.txt": "", "pyproject.toml": "", "Makefile": (ROOT / "Makefile").read_text()})
    python = home / ".venv/bin/mkdocs"
    python.parent.mkdir(parents=True)
    for path in (python, python.with_name("pip"), python.with_name("python"), home / ".venv/.runtime"):
        path.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        path.chmod(0o755)
    git(home, "add", "-f", ".venv")
    git(home, "commit", "-q", "-m", "Bring them")
    os.utime(home / ".venv/.runtime", (4e9, 4e9))
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    expected = "Git does not say what this branch brings"
    if why == "no git":
        for name in ("make", "sh", "echo", "touch"):
            (tools / name).symlink_to(shutil.which(name) or name)
        env["PATH"] = str(tools)
    elif why == "a damaged index":
        (home / ".git/index").write_bytes(b"nothing")
    elif why == "a work tree without its repository":
        shutil.rmtree(home / ".git")
        (home / ".git").write_text(f"gitdir: {tmp_path}/gone\n")
    else:
        env["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"
        refused = subprocess.run(["git", "ls-files"], cwd=home, env=env, capture_output=True, text=True)
        assert "dubious ownership" in refused.stderr
        expected = "This branch brings .venv/.runtime"
    done = subprocess.run(["make", "-s", "site"], cwd=home, env=env, capture_output=True, text=True)
    assert (done.returncode, expected in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "ran").exists()


def test_what_is_published_is_what_was_built(tmp_path: Path) -> None:
    """The job that may write, as it is: files that lie in the site change nothing of the bytes of the others."""
    built = {
        ".gitattributes": b"*.html ident working-tree-encoding=ISO-8859-1 filter=lfs text eol=crlf\n[attr]x -text\n",
        "index.html": "<p>/* $Id: gemm.metal 42 $ */\r\nfloat \u00b5 = 1;</p>\n".encode(),
        "below/.gitattributes": b"* text=auto ident\n",
        "below/index.html": b"$Id$\r\n",
        "below/.gitignore": b"*\n",
        ".nojekyll": b"",
    }
    (tmp_path / "remote").mkdir()
    git(tmp_path / "remote", "init", "-q", "--bare")
    here = tmp_path / "checkout"
    commit_files(here, {"README.md": "A site.\n"})
    git(here, "remote", "add", "origin", str(tmp_path / "remote"))
    for name, data in built.items():
        path = tmp_path / "temp/site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    steps = load(ROOT / ".github/workflows/publish.yml")["jobs"]["publish"]["steps"]
    env = {**os.environ, **GIT_ENV, "RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_SHA": "abc"}
    for run in [step["run"] for step in steps if "run" in step]:
        done = subprocess.run(["bash", "-e", "-c", run], cwd=here, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    listed = git(tmp_path / "remote", "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert sorted(listed) == sorted(built)
    for name, data in built.items():
        shown = ["git", "-C", str(tmp_path / "remote"), "cat-file", "blob", f"gh-pages:{name}"]
        assert subprocess.run(shown, capture_output=True, check=True).stdout == data, name


@pytest.mark.parametrize(
    ("tag", "heading", "more", "passes"),
    [
        ("v1.2.3", "## 1.2.3, 2026-12-01", (), True),
        ("v1.2.3", "## 1.2.30, 2026-12-01", (), False),
        ("v1.2.3", "## 1x2.3", (), False),
        ("v1.2.3", "## 1.2.3, unreleased", (), False),
        ("v1.2.3", "## 1.2.3", ("mkdocs_metalworking-1.2.3-py3-none-manylinux_2_17_x86_64.whl",), False),
        ("v1.2.3", "## 1.2.3", (".hidden",), False),
        ("v1.2.4", "## 1.2.4", (), False),
    ],
)
def test_a_release_is_two_files_of_the_version_that_the_changelog_has(
    tmp_path: Path, tag: str, heading: str, more: tuple[str, ...], passes: bool
) -> None:
    (step,) = (s for s in load(ROOT / ".github/workflows/release.yml")["jobs"]["build"]["steps"] if "env" in s)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n\n- One.\n")
    (tmp_path / "dist").mkdir()
    for name in ("mkdocs_metalworking-1.2.3-py3-none-any.whl", "mkdocs_metalworking-1.2.3.tar.gz", *more):
        (tmp_path / "dist" / name).touch()
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env={**os.environ, "TAG": tag})
    assert (done.returncode == 0) == passes


def test_nothing_of_the_tree_lies_beside_what_is_uploaded() -> None:
    job = load(ROOT / ".github/workflows/release.yml")["jobs"]["publish"]
    (checkout,) = (step["with"] for step in job["steps"] if "checkout@" in step.get("uses", ""))
    assert checkout["sparse-checkout"] == ".github/release-requirements.txt"
    assert checkout["sparse-checkout-cone-mode"] == "false"


TOOLS = re.compile(r"(?:python3?|\$\(PYTHON\)) (.*?)-m (?:pip|build|twine|venv)\b")


def test_no_tool_is_looked_for_in_the_checkout_first() -> None:
    """``python -m`` looks into the current folder before all others, where a change may have a ``twine.py``."""
    lines = [line for path in WORKFLOWS for run in commands(path) for line in run.splitlines()]
    lines += (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    found = [option for line in lines for option in TOOLS.findall(line)]
    assert len(found) > 20
    assert set(found) == {"-I "}


@pytest.mark.parametrize("name", ["build", "twine", "pip", "venv"])
def test_a_module_beside_the_pages_is_no_tool(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "__main__.py").write_text("open('mark', 'w').close()\n")
    for options, runs in ((["-m"], True), (["-I", "-m"], False)):
        subprocess.run([sys.executable, *options, name, "--help"], cwd=tmp_path, capture_output=True)
        assert (tmp_path / "mark").exists() is runs
        (tmp_path / "mark").unlink(missing_ok=True)


def commands(path: Path) -> list[str]:
    return [step["run"] for job in load(path)["jobs"].values() for step in job["steps"] if "run" in step]


def test_a_release_is_built_and_checked_as_the_workflow_does(tmp_path: Path) -> None:
    """The dry run: what is built from this tree passes twine, holds the package and nothing that is not its."""
    runs = commands(ROOT / ".github/workflows/release.yml")
    assert [run for run in runs if "-m build" in run or " check" in run] == [
        "python -I -m build --no-isolation",
        "python -I -m twine check --strict dist/*",
    ]
    run = [sys.executable, "-I", "-m"]
    build = [*run, "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    made = sorted(tmp_path.iterdir())
    version = mkdocs_metalworking.__version__
    assert [path.name for path in made] == [
        f"mkdocs_metalworking-{version}-py3-none-any.whl",
        f"mkdocs_metalworking-{version}.tar.gz",
    ]
    done = subprocess.run([*run, "twine", "check", "--strict", *map(str, made)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    names = zipfile.ZipFile(made[0]).namelist()
    assert "mkdocs_metalworking/schemas/sources.schema.json" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"mkdocs_metalworking", f"mkdocs_metalworking-{version}.dist-info"}


def test_pinned_actions_have_an_updater() -> None:
    updates = load(ROOT / ".github/dependabot.yml")["updates"]
    assert {one["package-ecosystem"] for one in updates} == {"github-actions", "pip"}


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
@pytest.mark.parametrize(
    ("engine", "command"),
    [
        ("mkdocs", "bin/mkdocs build"),
        ("properdocs", "bin/properdocs build -f mkdocs.yml"),
        ("zensical", "bin/metalworking stage build/zensical"),
    ],
)
def test_make_site_by_each_engine(engine: str, command: str) -> None:
    done = subprocess.run(
        ["make", "-n", "site", f"ENGINE={engine}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert any(line.endswith(command) for line in lines)
