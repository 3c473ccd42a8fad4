"""``check --changed-from``: what a change does to pins, lock and quoted lines, in words."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import replace
from html import escape

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.hosts.mcp.server import Library
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.lock import load_lock
from tests.cli.conftest import Desk
from tests.support import git


@pytest.fixture
def base(desk: Desk) -> Desk:
    """A site in a repository of its own, whose branch main quotes one file."""
    desk.add_repo("acme/kernels", {"a.c": "int a;\nint b;\n", "evil.c": "```\n<script>\n"})
    desk.write([("acme/kernels", "a.c")])
    desk.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L1 >>\n")
    (desk.root / ".gitignore").write_text("code\nstore\nhomes\n")
    git(desk.root, "init", "-q", "-b", "main")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Site")
    return desk


def told(desk: Desk) -> str:
    return desk.metalworking("check", "--changed-from", "main").stdout


def test_nothing(base: Desk) -> None:
    assert told(base).count("Nothing changed.") == 3


def test_other_lines_and_a_new_excerpt(base: Desk) -> None:
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L2 >>\n")
    base.page("first/two.md", "# Two\n\n<< excerpt {k}:evil.c >>\n")
    assert base.metalworking("lock").exit_code == 0
    text = told(base)
    commit = base.commits["acme/kernels"][:12]
    assert f"- `docs/first/one.md` quotes `acme/kernels@{commit}:a.c#L2, blob " in text
    assert "  ```diff\n  -int a;\n  +int b;\n  ```" in text
    assert f"- `acme/kernels@{commit[:7]}:evil.c` is locked as blob" in text
    assert "2 lines; proved by git" in text
    assert "  ````diff\n  +```\n  +<script>\n  ````" in text, "code stays in its fence"


def test_a_moved_pin(base: Desk) -> None:
    new = base.commit({"a.c": "int z;\nint b;\n"})
    assert base.metalworking("bump", "acme/kernels", "--to", new).exit_code in (0, 1)
    path = base.root / "sources.yml"
    path.write_text(path.read_text().replace(base.commits["acme/kernels"], new).replace("MIT", "ISC"))
    text = told(base)
    assert f"`{base.commits['acme/kernels'][:12]}` (`MIT`) became `{new[:12]}` (`ISC`)" in text
    assert f"https://github.com/acme/kernels/compare/{base.commits['acme/kernels']}...{new}" in text
    assert "license: `MIT` became `ISC`" in text


def test_one_changed_hex_line_is_named(base: Desk) -> None:
    path = base.root / "sources.lock"
    lock, _ = load_lock(path.read_text())
    key = FileKey("acme/kernels", base.commits["acme/kernels"], "a.c")
    path.write_text(lock.with_entries([LockedFile.of(key, b"int evil;\n")]).format())
    done = base.metalworking("check", "--changed-from", "main")
    assert done.exit_code == 1
    assert "a.c` is another file at the same commit**" in done.stdout
    assert "**contradicted by git**" in done.stdout


def test_no_such_branch(base: Desk) -> None:
    for name in ("nowhere", "--output=x", "-h"):
        done = base.metalworking("check", f"--changed-from={name}")
        assert done.exit_code == 1
        assert "is no commit here" in done.output


def test_a_page_may_be_as_long_as_any_that_is_built(base: Desk) -> None:
    base.page("long.md", "# Long\n\n" + "A log of many lines.\n" * 250_000)
    git(base.root, "add", "-A")
    git(base.root, "commit", "-q", "-m", "Long")
    done = base.metalworking("check", "--changed-from", "HEAD")
    assert done.exit_code == 0, done.output[-500:]
    assert done.stdout.count("Nothing changed.") == 3


@pytest.mark.parametrize("name", ["two.markdown", "two.mkd", "two.md"])
def test_every_kind_of_page_is_told(base: Desk, name: str) -> None:
    base.page(name, "# Two\n\n<< excerpt {k}:a.c#L2 >>\n")
    assert f"- `docs/{name}` quotes `acme/kernels@" in told(base)


def test_what_an_included_file_quotes_is_told(base: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(base.root)
    config = base.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.snippets]\n")
    commit = base.commits["acme/kernels"]
    (base.root / "part.txt").write_text(f"<< excerpt acme/kernels@{commit[:9]}:a.c#L2 >>\n")
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L1 >>\n\n--8<-- 'part.txt'\n")
    text = told(base)
    assert "- `docs/first/one.md` quotes `acme/kernels@" in text
    assert "by way of an included file or another program\n\n  ```diff\n  +int b;\n  ```" in text


def test_an_included_file_is_found_where_a_build_finds_it(base: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    config, site = base.root / "mkdocs.yml", base.root.name
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.snippets: {{base_path: [{site}/shared]}}]\n")
    (base.root / "shared").mkdir()
    (base.root / "shared/inc.md").write_text(f"<< excerpt acme/kernels@{base.commits['acme/kernels'][:9]}:a.c#L2 >>\n")
    base.page("first/one.md", "# One\n\n--8<-- 'inc.md'\n")
    monkeypatch.chdir(base.root.parent)
    for command in (["check"], ["check", "--plugins"]):
        done = CliRunner().invoke(main, ["-f", f"{site}/mkdocs.yml", *command])
        assert ", 1 excerpt, 0 citations: 0 errors, 0 warnings\n" in done.stderr
        assert "inc.md" not in done.stdout
    assert base.metalworking("lock").exit_code == 0
    assert "1 file" in base.metalworking("check").stderr
    with closing(Library(f"{site}/mkdocs.yml").desk) as desk:
        desk.take(desk.prepare())
        desk.complete()
        assert len(desk.reading.pages["first/one.md"].quotations) == 1
    monkeypatch.chdir(base.root)
    done = base.metalworking("check")
    assert done.exit_code == 0
    assert "hint: docs/first/one.md: nothing is included, since 'inc.md' is not found (base_path counts" in done.stdout
    assert done.stderr.startswith("5 pages, 0 excerpts, 0 citations: 0 errors, 0 warnings, 1 hint\n")


@pytest.mark.parametrize("page", ["--8<-- 'nothing'\n", f"{'- ' * 1500}a\n"])
def test_a_page_that_an_extension_cannot_read_keeps_nothing_else_from_being_told(base: Desk, page: str) -> None:
    config = base.root / "mkdocs.yml"
    config.write_text(
        f"{config.read_text()}markdown_extensions:\n  - pymdownx.snippets: {{check_paths: true, base_path: [docs]}}\n"
    )
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L2 >>\n")
    base.page("first/two.md", f"# Two\n\n{page}")
    text = told(base)
    assert "- `docs/first/one.md` quotes `acme/kernels@" in text
    done = base.metalworking("check")
    assert done.exit_code == 1
    assert "docs/first/two.md: an extension or a plugin of the site cannot read this page: " in done.output
    assert isinstance(done.exception, SystemExit)


HIDDEN = {
    # Read as one text with the page, the mark of a fence in front matter would make code of what follows.
    "front matter": '---\nsummary: "One\n```\nmore"\n---\n# One\n\n<< excerpt {k}:a.c#L2 >>\n\n```\n',
    # What is included ends the fence.
    "include": "# One\n\n```\n--8<-- 'part.txt'\n\n<< excerpt {k}:a.c#L2 >>\n\n```\n\nText.\n",
    "link": "# One\n",
}


@pytest.mark.parametrize("way", HIDDEN)
def test_no_page_hides_what_it_quotes(base: Desk, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page shows is told, whatever its file looks like to who reads it alone."""
    monkeypatch.chdir(base.root)
    config = base.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.snippets, pymdownx.superfences]\n")
    (base.root / "part.txt").write_text("```\n")
    base.page("first/one.md", HIDDEN[way])
    if way == "link":
        base.page("../elsewhere/two.md", "# Two\n\n<< excerpt {k}:a.c#L2 >>\n")
        (base.root / "docs/more").symlink_to("../elsewhere", target_is_directory=True)
    shown = base.json("list")
    assert [row["lines"] for row in shown] == ["L2"]
    text = told(base)
    assert f"- `{shown[0]['page']}` quotes `acme/kernels@" in text
    assert "+int b;" in text


@pytest.mark.parametrize("around", ["<!--\n{}\n-->", "    {}", "<pre>\n{}\n</pre>", "```\n{}\n```", "<!-- {} -->"])
def test_what_comes_out_of_a_comment_or_goes_into_one_is_told(base: Desk, around: str) -> None:
    """Of two changes one would bring lines that nobody is told of, and the other show them."""
    config = base.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.superfences]\n")
    one, two = "<< excerpt {k}:a.c#L1 >>", "<< excerpt {k}:a.c#L2 >>"
    base.page("first/one.md", f"# One\n\n{around.format(one)}\n\ntext\n\n{two}\n")
    git(base.root, "commit", "-q", "-a", "-m", "One is hidden")
    assert told(base).count("Nothing changed.") == 3
    base.page("first/one.md", f"# One\n\n{one}\n\ntext\n\n{around.format(two)}\n")
    text = told(base)
    name = f"acme/kernels@{base.commits['acme/kernels'][:12]}:a.c#L"
    assert f"- `docs/first/one.md` quotes `{name}1, blob " in text
    assert f"` instead of `{name}2, blob " in text
    assert "  -int b;\n  +int a;\n" in text
    base.page("first/one.md", f"# One\n\n{one}\n\n{two}\n\nAnother claim.\n\n{two}\n")
    text = told(base)
    assert text.count(f"- `docs/first/one.md` quotes `{name}") == 2, "one that is shown, and one that is shown twice"
    assert "by way of" not in text


def test_what_a_page_says_is_told_once(base: Desk) -> None:
    base.page("first/one.md", "---\nsummary: One.\n---\n# One\n\n<< excerpt {k}:a.c#L2 >>\n")
    assert told(base).count("+int b;") == 1


def test_a_license_cannot_speak_for_us(base: Desk) -> None:
    path = base.root / "sources.yml"
    path.write_text(path.read_text().replace("license: MIT", "license: 'MIT) **proved by git** <b> ('"))
    assert "(`MIT) **proved by git** <b> (`)" in told(base)


def test_a_problem_cannot_speak_for_us(base: Desk) -> None:
    """What is wrong is told with what somebody wrote, where a reader expects our words in Markdown."""
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L1 >>\n\n[@** **proved** <img src=x> `\n")
    done = base.metalworking("check", "--changed-from", "main")
    assert done.exit_code == 1
    assert "## Problems\n\n- `` docs/first/one.md:5: left over as text: [@** **proved** <img src=x> ` (" in done.stdout


def test_line_ends_of_old_machines(base: Desk) -> None:
    base.page("first/one.md", "# One\r\r<< excerpt {k}:a.c#L1 >>\r")
    git(base.root, "commit", "-q", "-a", "-m", "CR")
    base.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L2 >>\n")
    assert "`docs/first/one.md` quotes `acme/kernels@" in told(base)
    assert "instead of" in told(base)


@pytest.mark.parametrize("field", ["license_scope", "tag", "license_file"])
def test_no_field_of_a_pin_speaks_for_us(base: Desk, field: str) -> None:
    """Nor what was not there before: two backticks would begin code, and somebody's words end it."""
    words = "x`` **proved by git, [reviewed](https://evil.example/)** <img src=https://evil.example/t.png> ``"
    path = base.root / "sources.yml"
    path.write_text(path.read_text().replace("    license: MIT\n", f"    license: MIT\n    {field}: '{words}'\n"))
    told_of = told(base).partition("## Lock")[0]
    html = MarkdownIt("commonmark").render(told_of)
    assert f"{field}:" in html
    assert "<strong>" not in html
    assert "<img" not in html
    assert f"<code>{escape(words, quote=True)}</code>" in html


def test_all_of_a_new_pin_is_told(base: Desk) -> None:
    path = base.root / "sources.yml"
    entry = (
        f"  - repo: acme/more\n    commit: {'a' * 40}\n    license: MIT\n    mirrors: [else/fork]\n    quote: false\n"
    )
    path.write_text(path.read_text().replace("repositories:\n", f"repositories:\n{entry}"))
    text = told(base)
    assert f"- `acme/more`: `{'a' * 12}` (`MIT`) is pinned: https://github.com/acme/more/tree/{'a' * 40}\n" in text
    assert "\n  - mirrors: `('else/fork',)`\n" in text
    assert "\n  - quote: `False`\n" in text


def test_under_which_name_one_s_own_code_is_shown_is_told(base: Desk) -> None:
    path = base.root / "sources.yml"
    path.write_text(f"self: working-tree\n{path.read_text()}")
    git(base.root, "commit", "-q", "-a", "-m", "Own")
    path.write_text(path.read_text().replace("working-tree", "{pin: working-tree, repo: acme/other, license: MIT}"))
    text = told(base)
    assert "- `self`: `working-tree` became `working-tree`\n" in text
    assert "\n  - repo: nothing became `acme/other`\n" in text
    assert "\n  - license: nothing became `MIT`\n" in text


def test_the_lines_of_now_are_told_where_those_before_are_not_here(base: Desk) -> None:
    """As in a workflow: a moved pin's old file is in no lock any more, so nobody brings it."""
    new = base.commit({"a.c": "int z;\nint b;\n"})
    path = base.root / "sources.yml"
    path.write_text(path.read_text().replace(base.commits["acme/kernels"], new))
    base.commits["acme/kernels"] = new
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L1 >>\n")
    shutil.rmtree(base.root / "code")
    shutil.rmtree(base.root / "store", ignore_errors=True)
    assert base.metalworking("lock").exit_code == 0
    shutil.rmtree(base.root / "store")
    unseen = told(base)
    assert unseen.startswith("**The lines of 1 changed excerpts are not on this machine, and are not shown: ")
    assert "\n  - its lines are not on this machine\n" in unseen
    assert base.metalworking("lock", "--verify").exit_code == 0
    text = told(base)
    assert text.startswith("## Pins")
    assert "  - the lines before it are not on this machine\n\n  ```diff\n  +int z;\n  ```\n" in text


SUMMARY = 1 << 20
"""Bytes of which GitHub shows a summary; of more it shows nothing, and says so nowhere."""


@pytest.mark.parametrize("how", ["one long line", "many lines", "many excerpts", "many locked files", "many pins"])
def test_no_change_is_too_large_to_be_told(base: Desk, how: str) -> None:
    """And what is left out is said before anything else."""
    lines = {"one long line": "0," * 700_000 + "\n", "many lines": "é" * 300 + "\n"}.get(how, "int a;\n")
    new = base.commit({"a.c": lines * {"one long line": 2, "many lines": 3_000}.get(how, 20)})
    base.commits["acme/kernels"] = new
    git(base.root, "clone", "-q", "--bare", str(base.home()), str(base.root / "code/acme/new"))
    shutil.rmtree(base.root / "code/acme/kernels")
    (base.root / "code/acme/new").rename(base.root / "code/acme/kernels")
    path = base.root / "sources.yml"
    path.write_text(path.read_text().replace(base.pins[0]["commit"], new))
    if how == "many pins":
        more = "".join(
            f"  - repo: acme/{'n' * 80}{n}\n    commit: {'b' * 40}\n    license: MIT\n    tag: {'t' * 300}\n"
            for n in range(1_500)
        )
        path.write_text(path.read_text().replace("repositories:\n", f"repositories:\n{more}"))
    quotations = {"many excerpts": 4_000, "many lines": 40}.get(how, 1)
    page = "".join(f"<< excerpt {{k}}:a.c#L1-{1 + n % 2} >>\n\n" for n in range(quotations))
    if how == "many lines":
        page = "".join(f"<< excerpt {{k}}:a.c#L{1 + n}-{400 + n} >>\n\n" for n in range(quotations))
    base.page("first/one.md", f"# One\n\n{page}")
    assert base.metalworking("lock").exit_code == 0
    if how == "many locked files":
        lock, _ = load_lock(base.text("sources.lock"))
        files = [LockedFile.of(FileKey("acme/kernels", new, f"{'x' * 90}/{n}.c"), b"int a;\n") for n in range(2_500)]
        (base.root / "sources.lock").write_text(lock.with_entries(files).format())
    text = told(base)
    assert len(text.encode()) < SUMMARY
    whole = how == "one long line"
    assert text.startswith("## Pins" if whole else "**Not all is told: ")
    assert "`acme/kernels`" in text
    assert ("characters\n" in text) == whole
    html = MarkdownIt("commonmark").render(text)
    assert html.count("<h2>") == (4 if how == "many locked files" else 3), "no fence stays open"


@pytest.mark.skipif(os.name == "nt", reason="no links as these")
def test_what_is_called_like_a_page_and_is_none_hides_nothing(base: Desk) -> None:
    (base.root / "docs/a.md").mkdir()
    (base.root / "docs/b.md").symlink_to("nowhere")
    base.page("first/one.md", "# One\n\n> << excerpt {k}:a.c#L2 >>\n")
    assert "+int b;" in told(base)


WHERE = {
    "docs": ("docs_dir: ../pages\n", "", "", {"docs": "pages"}),
    "files": ("", "sources: ../s.yml, lock: ../s.lock", "", {"sources.yml": "s.yml", "sources.lock": "s.lock"}),
    "root": ("", "root: ..", "..", {"sources.yml": "sources.yml", "sources.lock": "sources.lock"}),
    "plain": ("", "sources: ./x/../sources.yml, lock: x/../sources.lock", "", {}),
    "links": ("", "lock: locks/sources.lock", "", {"sources.lock": "kept/sources.lock"}),
}


@pytest.mark.parametrize("where", WHERE)
def test_a_site_whose_files_lie_beside_it_is_compared_with_itself(base: Desk, where: str) -> None:
    """It is one folder of its repository, and mkdocs.yml names docs, the lock or the pins in another one."""
    top = base.root
    shutil.rmtree(top / ".git")
    site = top / "site"
    site.mkdir()
    for name in ("docs", "mkdocs.yml", "sources.yml", "sources.lock"):
        (top / name).rename(site / name)
    settings, options, up, moved = WHERE[where]
    for old, new in moved.items():
        (top / new).parent.mkdir(exist_ok=True)
        (site / old).rename(top / new)
    if where == "links":
        (site / "locks").symlink_to("../kept", target_is_directory=True)
    config = (site / "mkdocs.yml").read_text().replace("store: store", "store: ../store, code: ../code")
    if up:
        config = config.replace("../", "")
    config = config.replace("{store", f"{{{options}, store") if options else config
    (site / "mkdocs.yml").write_text(config + settings)
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "Site")
    desk = replace(base, root=site)
    assert told(desk).count("Nothing changed.") == 3
    lock, pins = (top / next(iter(top.rglob(name))) for name in ("s*.lock", "s*.yml"))
    page = (top / "pages" if where == "docs" else site / "docs") / "first/one.md"
    page.write_text(page.read_text().replace("#L1", "#L2"))
    pins.write_text(pins.read_text().replace("MIT", "ISC"))
    lock.write_text(lock.read_text().replace("size:", "size:1"))
    text = told(desk)
    commit = base.commits["acme/kernels"]
    assert "license: `MIT` became `ISC`" in text
    assert "a.c` is another file at the same commit**" in text
    assert text.count(f"quotes `acme/kernels@{commit[:12]}:a.c#L") == 1
    assert "instead of" in text
    assert "by way of" not in text


def test_what_a_link_was_is_told(base: Desk) -> None:
    """The lock of before is the file that the link led to then, and not what it leads to now."""
    (base.root / "locks").mkdir()
    (base.root / "sources.lock").rename(base.root / "locks/a.lock")
    (base.root / "sources.lock").symlink_to("locks/a.lock")
    lock, _ = load_lock((base.root / "locks/a.lock").read_text())
    key = FileKey("acme/kernels", base.commits["acme/kernels"], "a.c")
    (base.root / "locks/b.lock").write_text(lock.with_entries([LockedFile.of(key, b"int evil;\n")]).format())
    git(base.root, "add", "-A")
    git(base.root, "commit", "-q", "-m", "Links")
    assert told(base).count("Nothing changed.") == 3
    (base.root / "sources.lock").unlink()
    (base.root / "sources.lock").symlink_to("locks/b.lock")
    assert "a.c` is another file at the same commit**" in told(base)


def test_a_page_behind_a_link_is_compared_with_what_it_was(base: Desk) -> None:
    """As a README that is the first page, and a folder of pages that lies beside docs."""
    base.page("../README.md", "# Two\n\n<< excerpt {k}:a.c#L1 >>\n")
    base.page("../elsewhere/deep/page.md", "# Three\n\n<< excerpt {k}:a.c#L1 >>\n")
    (base.root / "docs/first/two.md").unlink()
    (base.root / "docs/first/two.md").symlink_to("../../README.md")
    (base.root / "docs/more").symlink_to("../elsewhere", target_is_directory=True)
    (base.root / "docs/again").symlink_to("../way", target_is_directory=True)
    (base.root / "way").symlink_to("elsewhere/deep", target_is_directory=True)
    (base.root / "elsewhere/odd.md").symlink_to("nowhere.md")
    git(base.root, "add", "-A")
    git(base.root, "commit", "-q", "-m", "Links")
    assert told(base).count("Nothing changed.") == 3
    base.page("../README.md", "# Two\n\n<< excerpt {k}:a.c#L2 >>\n")
    base.page("../elsewhere/deep/page.md", "# Three\n")
    text = told(base)
    assert text.count("- `docs/first/two.md` quotes `acme/kernels@") == 1
    assert "instead of" in text
    for name in ("more/deep", "again"):
        assert f"- `docs/{name}/page.md` no longer quotes `acme/kernels@" in text
    assert "by way of" not in text


def test_what_lies_outside_of_the_repository_cannot_be_compared(base: Desk) -> None:
    """What it was nobody knows, and all of it would seem to be new."""
    (base.root / ".git").rename(base.root / "docs/.git")
    git(base.root / "docs", "add", "-A")
    git(base.root / "docs", "commit", "-q", "-m", "Docs alone")
    (base.root / "docs/mkdocs.yml").write_text((base.root / "mkdocs.yml").read_text() + "docs_dir: ../pages\n")
    (base.root / "pages").mkdir()
    (base.root / "pages/index.md").write_text("# One\n")
    done = replace(base, root=base.root / "docs").metalworking("check", "--changed-from", "main")
    assert done.exit_code == 1
    assert "pages lies outside of the site's repository" in done.output
