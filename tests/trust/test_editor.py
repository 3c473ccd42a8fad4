"""An editor asks the language server about files that somebody else may have written: in clones, where links lead."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import platformdirs
import pytest
from lsprotocol import types as lsp

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.git.clone import clone
from mkdocs_metalworking.hosts.lsp.known_clones import remember, remembered
from mkdocs_metalworking.hosts.lsp.paths import Trees
from mkdocs_metalworking.hosts.lsp.sites import site_above
from mkdocs_metalworking.quote.repo import Repo
from tests.lsp.conftest import Editor, Site, make_site, path_of
from tests.support import commit_files, git

HOSTILE = {
    "mkdocs.yml": "site_name: Theirs\nplugins: [metalworking]\nhooks: [hook.py]\n",
    "hook.py": "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n",
    "docs/index.md": "# Theirs\n",
}
OPTIONS = (
    "plugins: [metalworking]\n",
    "plugins:\n  - search\n  - metalworking: {code: clones}\n",
    "plugins:\n  metalworking: {root: below, code: clones}\n",
    "markdown_extensions:\n  - mkdocs_metalworking:\n      code: clones\nextra: !!python/name:os.system ''\n",
    "INHERIT: base.yml\n",
    "plugins: [unclosed\n",
)


@pytest.mark.parametrize("root", ["clone", "above", "none"])
def test_an_editor_that_opens_a_file_of_a_clone_runs_nothing_of_it(tmp_path: Path, root: str) -> None:
    """Where the editor says that the clone is the workspace, as one that looks for a mkdocs.yml above a file does."""
    site = make_site(tmp_path / "site")
    clone = site.root / "code/acme/kernels"
    commit_files(clone, HOSTILE)
    opened = clone / "docs/index.md"
    editor = Editor({"clone": clone, "above": tmp_path, "none": opened.parent}[root]).start()
    try:
        item = lsp.TextDocumentItem(opened.as_uri(), "markdown", 1, opened.read_text())
        editor.do(told(editor, item))
        position = lsp.Position(0, 0)
        asked = lsp.HoverParams(lsp.TextDocumentIdentifier(opened.as_uri()), position)
        assert editor.do(editor.client.text_document_hover_async(asked)) is None
    finally:
        editor.stop()
    assert not (clone / "ran").exists()


async def told(editor: Editor, item: lsp.TextDocumentItem) -> None:
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))


@pytest.mark.parametrize("options", OPTIONS)
def test_a_site_in_a_clone_is_none_of_ours(tmp_path: Path, options: str) -> None:
    outer = tmp_path / "mkdocs.yml"
    outer.write_text(f"site_name: Ours\n{options}")
    where = tmp_path / ("below" if "root: below" in options else "") / ("clones" if "clones" in options else "code")
    inner = Repo.named("acme/kernels").folder(where)
    (inner / "docs").mkdir(parents=True)
    (inner / "mkdocs.yml").write_text("site_name: Theirs\n")
    assert site_above(inner / "docs") == outer
    if "root: below" not in options:
        linked = tmp_path / "linked"
        linked.symlink_to(where, target_is_directory=True)
        assert site_above(linked / "acme/kernels/docs") == outer
    example = tmp_path / "examples/small"
    example.mkdir(parents=True)
    (example / "mkdocs.yml").write_text("site_name: Small\n")
    assert site_above(example) == example / "mkdocs.yml"


TOLD_ELSEWHERE = (
    {"mkdocs.yml": "INHERIT: base.yml\n", "base.yml": "plugins: [metalworking: {code: clones}]\n"},
    {"mkdocs.yml": "plugins: [metalworking: {code: !ENV [NO_SUCH_NAME, clones]}]\n"},
    {"mkdocs.yml": "extra: &o {code: clones}\nplugins:\n  - metalworking:\n      <<: *o\n"},
    {"mkdocs.yml": "extra: {p: &o [{metalworking: {code: clones}}]}\nplugins: *o\n"},
    {
        "mkdocs.yml": "INHERIT: base.yml\nplugins: {search: {}}\n",
        "base.yml": "plugins: {metalworking: {code: clones}}\n",
    },
    {"mkdocs.yml": "x: &c {plugins: [metalworking: {code: clones}]}\n<<: *c\n"},
    {"mkdocs.yml": "x: &c {metalworking: {code: clones}}\nplugins:\n  <<: *c\n"},
    {"mkdocs.yml": "plugins: !!python/tuple [{metalworking: {code: clones}}]\n"},
    {"mkdocs.yml": f"# {'x' * (1 << 20)}\nplugins: [metalworking: {{code: clones}}]\n"},
    {"mkdocs.yml": "INHERIT: away.yml\n"},
    {"mkdocs.yml": "- no mapping\n"},
)


@pytest.mark.parametrize("files", TOLD_ELSEWHERE)
def test_a_clone_is_known_where_only_loading_would_tell_its_place(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    clone = tmp_path / "clones/acme/kernels"
    commit_files(clone, HOSTILE)
    assert site_above(clone / "docs") == tmp_path / "mkdocs.yml"


@pytest.mark.parametrize("where", ["code/acme/kernels", "clones/acme/kernels"])
@pytest.mark.parametrize("pins", ["sources.yml", "sources.lock"])
def test_a_clone_is_known_where_the_configuration_has_another_name(tmp_path: Path, where: str, pins: str) -> None:
    """``metalworking -f site.yml``: no mkdocs.yml stands above the clone's own."""
    (tmp_path / "site.yml").write_text("plugins: [metalworking]\n")
    (tmp_path / pins).touch()
    clone = tmp_path / where
    commit_files(clone, HOSTILE)
    assert site_above(clone / "docs") is None
    if where.startswith("code"):
        shutil.rmtree(clone / ".git")
        assert site_above(clone / "docs") is None
    (tmp_path / "mkdocs.yml").write_text("plugins: [metalworking]\n")
    assert site_above(tmp_path / "docs") == tmp_path / "mkdocs.yml"
    (tmp_path / "config").mkdir()
    (tmp_path / "config/mkdocs.yml").write_text("plugins: [metalworking: {root: ..}]\n")
    assert site_above(tmp_path / "config") == tmp_path / "config/mkdocs.yml"


def test_a_folder_around_a_site_is_none_of_clones_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where all repositories of a person lie as OWNER/NAME, this site too."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "cache")
    site = make_site(tmp_path / "src/me/site")
    shutil.move(site.root / "code/acme", tmp_path / "src/acme")
    remember(site.root / "../..", site.root)
    assert remembered() == frozenset()
    clone = tmp_path / "src/acme/kernels"
    with closing(site.project(code="../..")) as project, closing(Trees()) as trees:
        ((key, file),) = project.lock.files.items()
        place = trees.place(project, key, file)
        assert place is not None
        assert place.resolve() == clone / key.path
    assert remembered() == {clone}
    commit_files(clone, HOSTILE)
    assert site_above(clone / "docs") is None
    for own in (site.root, tmp_path / "src/me/other"):
        own.mkdir(exist_ok=True)
        (own / "mkdocs.yml").touch()
        assert site_above(own) == own / "mkdocs.yml", "a site beside it, and itself"


@pytest.mark.parametrize("opened", [True, False])
def test_a_site_of_one_s_own_that_another_one_quotes_stays_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: bool
) -> None:
    """Where it was not known to be one it is told why it is passed over, and what to type."""
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    site = make_site(tmp_path / "src/me/site")
    shutil.move(site.root / "code/acme", tmp_path / "src/acme")
    config = site.root / "mkdocs.yml"
    config.write_text(config.read_text().replace("{store: store,", "{store: store, code: ../..,"))
    other = tmp_path / "src/acme/kernels"
    commit_files(other, {"mkdocs.yml": "site_name: Other\nplugins: [metalworking]\n", "docs/index.md": "# Other\n"})
    if opened:
        Editor(other).start().stop()
    editor = Editor(site.root).start()
    try:
        editor.open("one.md", site.path("one.md").read_text() + "\n[@nobody]\n")
        editor.codes("one.md", "not-pinned")  # the page is read
        asked = lsp.DefinitionParams, "one.md", editor.at("one.md", "kernels/add", 3)
        found = editor.ask("text_document_definition", *asked)
    finally:
        editor.stop()
    assert path_of(found.uri).resolve() == other / "kernels/add.metal"
    told = []
    for options in ((),) if opened else ((), ("--config-file", str(other / "mkdocs.yml")), ()):
        editor = Editor(other, options).start()
        try:
            editor.open("index.md")
            editor.ask("text_document_hover", lsp.HoverParams, "index.md", lsp.Position(0, 0))
        finally:
            editor.stop()
        told.append(editor.messages)
    hint = f"(if it is yours: metalworking --config-file {other}/mkdocs.yml lsp, once)"
    passed = f"{other}/mkdocs.yml is not loaded, since a site quotes from {other} {hint}"
    assert told == ([[]] if opened else [[passed], [], []])
    assert site_above(other / "docs") == other / "mkdocs.yml"
    commit_files(tmp_path / "src/acme/other", HOSTILE)
    remember(tmp_path / "src/acme/other", site.root)
    assert site_above(tmp_path / "src/acme/other/docs") is None, "of somebody else"


@pytest.mark.parametrize(
    ("files", "docs"),
    [
        ({"mkdocs.yml": "plugins: [metalworking]\n"}, "docs"),
        ({"mkdocs.yml": "docs_dir: text\nplugins: [metalworking]\n"}, "text"),
        ({"mkdocs.yml": "INHERIT: base.yml\n", "base.yml": "docs_dir: text\nplugins: [metalworking]\n"}, "text"),
    ],
)
def test_a_site_among_the_pages_of_another_is_none(tmp_path: Path, files: dict[str, str], docs: str) -> None:
    """MkDocs never reads one there, so that nobody who reads a change would look for it."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    inner = tmp_path / docs / "sub"
    inner.mkdir(parents=True)
    (inner / "mkdocs.yml").write_text("site_name: Theirs\nplugins: [metalworking]\n")
    assert site_above(inner) == tmp_path / "mkdocs.yml"


def test_a_clone_outside_of_its_site_is_known_once_the_site_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):  # the editor's server is a process of its own
        monkeypatch.setenv(name, str(tmp_path / "home"))
    site = make_site(tmp_path / "site")
    config = site.root / "mkdocs.yml"
    shutil.move(site.root / "code", tmp_path / "clones")
    config.write_text(config.read_text().replace("{store: store,", "{store: store, code: ../clones,"))
    editor = Editor(site.root).start()
    try:
        editor.open("one.md")
        editor.ask("text_document_definition", lsp.DefinitionParams, "one.md", editor.at("one.md", "kernels/add", 3))
    finally:
        editor.stop()
    clone = tmp_path / "clones/acme/kernels"
    commit_files(clone, HOSTILE)
    assert site_above(clone / "docs") is None
    assert site_above(site.root / "docs") == config
    cache = platformdirs.user_cache_path("metalworking", appauthor=False)
    (cache / "clones.jsonl").write_text('"\n[1]\nnull\n\x00\n')  # it may be anybody's
    assert site_above(site.root / "docs") == config


@pytest.mark.skipif(os.name == "nt", reason="no pipes and no links there")
@pytest.mark.parametrize("way", ["a link", "a pipe", "a branch's folder"])
def test_what_is_known_of_clones_is_noted_through_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A quoted path is a command line for a shell, and the store may lie in a checkout, the cache of the person too."""
    theirs, cache = tmp_path / ".bashrc", tmp_path / "cache"
    theirs.write_text("theirs\n")
    cache.mkdir()
    monkeypatch.setenv("METALWORKING_STORE", str(tmp_path / "site/store"))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: cache)
    if way == "a link":
        (cache / "clones.jsonl").symlink_to(theirs)
    elif way == "a pipe":
        os.mkfifo(cache / "clones.jsonl")
    else:
        git(tmp_path, "init", "-q")
    remember(tmp_path / "clones", tmp_path / "site")
    assert theirs.read_text() == "theirs\n"
    assert not (tmp_path / "site").exists()
    assert remembered() == (frozenset({tmp_path / "clones"}) if way == "a pipe" else frozenset())


def test_a_copy_of_a_quoted_file_is_no_part_of_a_project(tmp_path: Path) -> None:
    """Where no clone has a work tree a definition leads to a copy, and an editor may start a server for its folder."""
    site = make_site(tmp_path / "site")
    names = (
        "mkdocs.yml",
        "MKDOCS.YML",
        "hook.py",
        "docs/index.md",
        ".nvim.lua",
        "package.json",
        "Cargo.toml",
        "a.metal",
        "Package.swift",
        "mix.exs",
        "Gemfile",
        "build.gradle.kts",
        "their.csproj",
        "eslint.config.js",
        "CMakeLists.txt",
    )
    site.add_repo("acme/theirs", {**HOSTILE, **dict.fromkeys(names[4:], "x\n"), names[1]: "x\n", "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "kernels/add.metal"), *(("acme/theirs", name) for name in names)])
    git(site.root / "code/acme/theirs", "rm", "-rqf", ".")
    places = []
    with closing(site.project()) as project, closing(Trees()) as trees:
        for key, file in project.lock.files.items():
            if key.repo == "acme/theirs":
                place = trees.place(project, key, file)
                assert place is not None, key
                places.append(place)
        begin = f"{site.commits['acme/theirs'][:7]}-"
        assert all(place.name.startswith(begin) for place in places)
        assert {place.name.removeprefix(begin) for place in places} == {
            *("mkdocs.yml.txt", "MKDOCS.YML.txt", "hook.py", "index.md", ".nvim.lua", "package.json.txt"),
            *("Cargo.toml.txt", "a.metal", "Package.swift", "mix.exs", "Gemfile.txt", "build.gradle.kts.txt"),
            *("their.csproj.txt", "eslint.config.js", "CMakeLists.txt"),
        }
        for place in places:
            assert [one.name for one in place.parent.iterdir()] == [place.name]
        (places[0].parent / "mkdocs.yml").write_text("site_name: Theirs\n")
        assert site_above(places[0].parent) is None


BARE = {"HEAD": "ref: refs/heads/main\n", "objects/info/packs": "\n", "refs/heads/main": f"{'0' * 40}\n", "config": ""}


def test_what_looks_like_a_repository_in_a_clone_is_no_site_of_its_own(tmp_path: Path) -> None:
    """A commit may hold what git takes for a bare repository, and a clone may lie where no mkdocs.yml is around it."""
    home = tmp_path / "home"
    theirs = {f"sub/{name}": text for name, text in {**BARE, **HOSTILE}.items()}
    commit = commit_files(home, theirs)
    git(home, "config", "uploadpack.allowAnySHA1InWant", "true")
    folder = tmp_path / "code/acme/kernels"
    clone(Repo.named("acme/kernels"), commit, home.as_uri(), tmp_path / "code")
    assert (folder / "sub/mkdocs.yml").exists()
    assert site_above(folder / "sub/docs") is None
    editor = Editor(folder / "sub").start()
    try:
        item = lsp.TextDocumentItem((folder / "sub/docs/index.md").as_uri(), "markdown", 1, "# Theirs\n")
        editor.do(told(editor, item))
        asked = lsp.HoverParams(lsp.TextDocumentIdentifier(item.uri), lsp.Position(0, 0))
        assert editor.do(editor.client.text_document_hover_async(asked)) is None
    finally:
        editor.stop()
    assert not (folder / "sub/ran").exists()


def test_the_repository_of_a_site_is_the_one_with_its_git_folder(tmp_path: Path) -> None:
    """A branch may bring files that look like a bare repository beside mkdocs.yml; its objects are not the site's."""
    commit_files(tmp_path, {f"site/{name}": text for name, text in BARE.items()})
    assert Settings.of({}, base=tmp_path / "site").own == {"self": tmp_path / ".git"}


def test_a_site_below_another_program_s_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: Home\n")
    site = tmp_path / "code/mine"
    site.mkdir(parents=True)
    (site / "mkdocs.yml").write_text("site_name: Mine\nplugins: [metalworking]\n")
    assert site_above(site) == site / "mkdocs.yml"


def test_a_definition_opens_no_pipe_and_follows_no_link(tmp_path: Path) -> None:
    site: Site = make_site(tmp_path / "site")
    kinds = ("pipe", "endless", "link")
    repository = site.root / "code/acme/odd"
    site.add_repo("acme/odd", {f"{kind}.metal": f"{kind}\n" for kind in kinds} | {"LICENSE": "MIT\n"})
    site.write([("acme/kernels", "kernels/add.metal"), *(("acme/odd", f"{kind}.metal") for kind in kinds)])
    quoted = "".join(f"<< excerpt acme/odd@{site.commits['acme/odd'][:7]}:{kind}.metal#L1 >>\n\n" for kind in kinds)
    site.page("one.md", f"# One\n\n{quoted}[@nobody]\n")
    for kind in kinds:
        (repository / f"{kind}.metal").unlink()
    os.mkfifo(repository / "pipe.metal")
    (repository / "endless.metal").symlink_to("/dev/zero")
    (tmp_path / "elsewhere").write_text("link\n")
    (repository / "link.metal").symlink_to(tmp_path / "elsewhere")
    editor = Editor(site.root).start()
    try:
        editor.open("one.md")
        editor.codes("one.md", "not-pinned")  # the page is read
        for kind in kinds:
            position = editor.at("one.md", f"{kind}.metal", 3)
            found = editor.ask("text_document_definition", lsp.DefinitionParams, "one.md", position)
            file = Path(found.uri.removeprefix("file://"))
            assert file != repository / f"{kind}.metal"
            assert file.read_text() == f"{kind}\n"
            assert found.range.start.line == 0
    finally:
        editor.stop()
