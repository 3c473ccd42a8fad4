"""Random edits, two editors at once, and a site with plugins of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.conftest import Editor, Site, make_site
from tests.lsp.soak import soak

GENERATE = (
    "import mkdocs_gen_files\nwith mkdocs_gen_files.open('made.md', 'w') as f:\n    f.write('# Made\\n\\n## Part\\n')\n"
)
MACROS = "def define_env(env):\n    @env.macro\n    def said(key):\n        return f'[@{key}]'\n"


def test_some_hundred_random_edits(editor: Editor) -> None:
    text = editor.open("one.md")
    editor.type("one.md", text + "\n[@nobody]\n")
    editor.codes("one.md", "not-pinned")  # the site is read
    editor.type("one.md", text)
    editor.codes("one.md")
    assert soak(editor, "one.md", 300, seed=7) == 120


def test_two_editors_at_once(editor: Editor, site: Site) -> None:
    other = Editor(site.root).start()
    text = other.open("one.md")
    other.codes("one.md")
    editor.open("two.md")
    page = f"# Two\n\n<< excerpt acme/kernels@{site.sha}:kernels/mul.metal#L1 >>\n"
    for one, name in ((editor, "two.md"), (other, "one.md")):
        one.type(name, page)
        (problem,) = one.wait(name, lambda found: [p.code for p in found] == ["not-locked"])
        command = one.actions(name, problem)["Lock kernels/mul.metal"].command
        assert command is not None
        if one is editor:
            one.carry_out(command)
            one.wait(name, lambda found: not [p for p in found if p.code == "not-locked"])
            other.open("index.md")  # which looks at the files that others write
            other.type("one.md", text)
            other.codes("one.md")
            break
    other.type("one.md", page)
    other.wait("one.md", lambda found: not [p for p in found if p.code == "not-locked"])
    other.stop()


@pytest.fixture(scope="module")
def shaped(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site whose plugins make a page and fill pages in."""
    site = make_site(tmp_path_factory.mktemp("shaped"))
    config = (site.root / "mkdocs.yml").read_text()
    plugins = "plugins:\n  - gen-files: {scripts: [generate.py]}\n  - macros\n"
    (site.root / "mkdocs.yml").write_text(config.replace("plugins:\n", plugins).replace("two.md]", "two.md, made.md]"))
    (site.root / "generate.py").write_text(GENERATE)
    (site.root / "main.py").write_text(MACROS)
    return site


def test_a_site_with_plugins_of_its_own(shaped: Site) -> None:
    editor = Editor(shaped.root).start()
    text = editor.open("one.md")
    editor.codes("one.md")
    editor.type("one.md", text + "\n{{ said('ada-1843') }} {{ said('nobody') }}\n")
    (problem,) = editor.codes("one.md", "not-pinned")
    assert "'nobody'" in problem.message
    editor.type("one.md", text + "\n{{ said('nobody'\n")
    editor.wait("one.md", lambda found: not any("'nobody'" in one.message for one in found))
    editor.type("one.md", text + "\n[@nobody-2]\n")
    (problem,) = editor.codes("one.md", "not-pinned")
    assert editor.cut("one.md", problem.range) == "[@nobody-2]"
    assert [item.label for item in editor.complete("one.md", text + "\n[x](made")] == ["made.md"]
    assert [item.label for item in editor.complete("one.md", text + "\n[x](made.md#pa")] == ["part"]
    assert not Path(shaped.root, "site").exists()
    editor.stop()
