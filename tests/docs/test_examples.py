"""The documentation's examples, tried: files written, commands run, results compared, tables read against the code."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import markdown
import pytest
import yaml
from mkdocs.config.base import Config

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.hosts.cli.main import COMMANDS, main
from mkdocs_metalworking.hosts.forms.plugin import BookConfig
from mkdocs_metalworking.hosts.mkdocs.endings import Ending, Link
from mkdocs_metalworking.hosts.mkdocs.options import MetalworkingConfig
from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.quote.diagnostics import Severity
from mkdocs_metalworking.quote.licenses import ALLOWED_LICENSES
from mkdocs_metalworking.quote.yamldoc import load_yaml
from tests.docs.blocks import Workshop, blocks
from tests.support import ASKED, git

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix() for name in ("contributing", "plugin") for path in (DOCS / name).glob("*.md")
)
PUZZLES = "d631c7f4a8209a94bafb6698ae9ea3de514418ef"
PIN = f"repositories:\n  - repo: abeleinin/Metal-Puzzles\n    commit: {PUZZLES}\n    license: MIT\n"
MKDOCS = (
    "site_name: Notes\ntheme:\n  name: material\nplugins:\n  - search\n"
    "  - metalworking:\n      offline: true\n"
    + "".join(f"      {name}: {json.dumps(value)}\n" for name, value in ASKED.items())
)
QUOTING = "# Page\n\n<< excerpt abeleinin/Metal-Puzzles@d631c7f:metal_puzzles.py#L345-348 >>\n"
SHELL = (
    "pip install ",
    "mkdocs build -f mkdocs-book.yml",
    "git clone ",
    "cd ",
    "make ",
    ". .venv/",
    "git -C code/",
    'eval "$(_METAL',
)
"""How the lines of the sh blocks may begin, which are not run here."""


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    """A folder with a repository in the place of Metal-Puzzles, of as many lines."""
    shop = Workshop(tmp_path)
    puzzles = "".join(f"line_{n} = {n}\n" for n in range(1, 789))
    shop.stand_in("abeleinin/Metal-Puzzles", PUZZLES, {"metal_puzzles.py": puzzles, "LICENSE": "MIT\n"})
    return shop


def prepare(shop: Workshop) -> None:
    """Give *shop* a small site that quotes the stand-in."""
    for name, text in (("mkdocs.yml", MKDOCS), ("sources.yml", PIN), ("docs/index.md", QUOTING)):
        path = shop.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(shop.translate(text), encoding="utf-8")
    assert shop.run("metalworking lock").returncode == 0


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def perform(shop: Workshop, page: str) -> None:
    """Write every file that *page* shows and run every command, in order."""
    for block in blocks(text_of(page)):
        if block.title:
            shop.write(block)
        elif block.lang == "console":
            for command, shown in block.commands:
                shop.check(command, shown)


# What is shown is what is


@pytest.mark.parametrize("page", PAGES)
def test_a_markdown_example_is_followed_by_its_result(page: str) -> None:
    """The very text of the example stands on the page behind it, so the page's own build is its test."""
    for block in blocks(text_of(page)):
        if block.lang == "markdown" and not block.title:
            assert block.after.lstrip("\n").startswith(block.text), f"docs/{page}:{block.line}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_of_a_kind_that_is_tried(page: str) -> None:
    for block in blocks(text_of(page)):
        where = f"docs/{page}:{block.line}"
        if block.lang == "sh":
            assert all(line.startswith(SHELL) for line in block.text.splitlines()), where
        elif block.lang not in ("console", "markdown"):
            part = any(one.lang == "markdown" and block.text in one.text for one in blocks(text_of(page)))
            assert part or block.title or block.lang == "yaml", where


@pytest.mark.parametrize("page", PAGES)
def test_yaml_is_read(page: str, shop: Workshop) -> None:
    """Front matter and sources.yml meet their schemas; a mkdocs.yml builds."""
    for block in blocks(text_of(page)):
        if block.lang != "yaml":
            continue
        if block.title == "sources.yml":
            assert list(load_yaml(block.text, "sources.yml").problems("sources.schema.json")) == []
        elif not block.title:
            assert list(load_yaml(block.text, page).problems("front_matter.schema.json")) == []
        elif block.title == "mkdocs.yml":
            (shop.root / "docs").mkdir(exist_ok=True)
            (shop.root / "docs/index.md").write_text("# Page\n", encoding="utf-8")
            (shop.root / "docs/extra.css").write_text("", encoding="utf-8")
            shop.write(block)
            done = shop.run("mkdocs build --strict")
            assert done.returncode == 0, done.stdout


def test_the_first_site(shop: Workshop) -> None:
    perform(shop, "plugin/index.md")


@pytest.mark.parametrize("name", ["commands", "failure", "python"])
def test_commands_and_scripts(shop: Workshop, name: str) -> None:
    prepare(shop)
    if name == "commands":
        (shop.root / "docs/machine").mkdir()
        (shop.root / "docs/machine/index.md").write_text("# Machine\n\nSix words stand on this page.\n")
        (shop.root / "docs/index.md").write_text(
            shop.translate(QUOTING.replace("# Page", "# Page\n\nSix words stand on this page."))
        )
        (shop.root / "mkdocs.yml").write_text(MKDOCS + "nav:\n  - index.md\n  - Machine:\n      - machine/index.md\n")
    perform(shop, f"plugin/{name}.md")


def test_ones_own_code(shop: Workshop) -> None:
    """As the page tells it, in a repository whose index takes each file that is written."""
    git(shop.root, "init", "-q")
    (shop.root / ".gitignore").write_text("site/\nstore/\n", encoding="utf-8")
    (shop.root / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
    working = text_of("plugin/own-code.md").split("\n## At a commit\n", 1)[0]
    for block in blocks(working):
        if block.title:
            shop.write(block)
            git(shop.root, "add", "-A")
        for command, shown in block.commands if block.lang == "console" else ():
            shop.check(command, shown)


def test_the_extension_alone(shop: Workshop) -> None:
    prepare(shop)
    for block in blocks(text_of("plugin/configuration.md")):
        if block.lang == "python":
            shop.write(block)
    shop.check("python convert.py", ["True"])


def test_a_card(shop: Workshop) -> None:
    """The second page of failure.md, without the repository."""
    prepare(shop)
    card = [block for block in blocks(text_of("plugin/failure.md")) if block.title == "docs/index.md"][-1]
    shop.write(card)
    (shop.root / "code").rename(shop.root / "away")
    (shop.root / "store").rename(shop.root / "gone")
    done = shop.run("mkdocs build")
    assert done.returncode == 0, done.stdout
    assert "1 excerpt is a card" in done.stdout
    html = (shop.root / "site/index.html").read_text(encoding="utf-8")
    assert "mw-card" in html
    assert "The note stays." in html
    assert shop.run("mkdocs build --strict").returncode == 1


def test_a_theme_of_ones_own(shop: Workshop) -> None:
    prepare(shop)
    for block in blocks(text_of("plugin/theming.md")):
        if block.title:
            shop.write(block)
    path = shop.root / "mkdocs.yml"
    path.write_text(path.read_text().replace("  name: material\n", "  name: material\n  custom_dir: overrides\n"))
    done = shop.run("mkdocs build --strict")
    assert done.returncode == 0, done.stdout
    html = (shop.root / "site/index.html").read_text(encoding="utf-8")
    assert '<p class="from">Code from abeleinin/Metal-Puzzles (MIT)</p>' in html
    assert "extra.css" in html


def test_the_configuration_of_a_book(shop: Workshop) -> None:
    """As shown, but for the forms that need a browser."""
    pytest.importorskip("markdownify")
    prepare(shop)
    (block,) = [block for block in blocks(text_of("plugin/book.md")) if block.title]
    shop.write(block)
    path = shop.root / block.title
    text = path.read_text(encoding="utf-8")
    path.write_text(text.rstrip() + ":\n      forms: [html, epub, markdown]\n", encoding="utf-8")
    done = shop.run("mkdocs build -f mkdocs-book.yml --strict")
    assert done.returncode == 0, done.stdout
    made = {path.name for path in (shop.root / "build/book").iterdir()}
    assert made == {"notes.html", "notes.epub", "index.md", "llms.txt", "llms-full.txt"}


# Tables


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below *heading*."""
    part = text_of(page).split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = re.findall(r"^\|(.*)\|$", part, re.MULTILINE)
    table = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
    return table[2 : next((i for i, row in enumerate(table) if i > 1 and set(row[0]) <= {"-"}), len(table))]


def plain(cell: str) -> str:
    return cell.strip("`")


def default(cell: str) -> object:
    """Return the value that a Default cell shows."""
    text = plain(cell)
    return "" if text == "none" else yaml.safe_load(text)


def test_every_option_of_the_plugin_with_its_default() -> None:
    shown = {plain(name): default(value) for name, value, _ in rows("plugin/configuration.md", "The plugin")}
    config: Config = MetalworkingConfig()
    config.load_dict({})
    assert config.validate() == ([], [])
    assert shown == dict(config)


def test_every_option_of_the_book_with_its_default() -> None:
    page = text_of("plugin/book.md")
    table = re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE)
    config: Config = BookConfig()
    config.load_dict({})
    assert config.validate() == ([], [])
    assert {name: default(value) for name, value in table} == dict(config)


def test_every_option_of_the_extension_with_its_default() -> None:
    shown = {plain(name): default(value) for name, value, _ in rows("plugin/configuration.md", "The extension")}
    assert shown == MetalworkingExtension().getConfigs()


def names_in(cells: Iterator[str] | list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def schema(name: str) -> dict[str, dict[str, object]]:
    import json

    path = ROOT / f"mkdocs_metalworking/schemas/{name}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))["properties"]


def test_every_key_of_the_files() -> None:
    repository = schema("sources")["repositories"]["items"]["properties"]  # type: ignore[index]
    assert names_in(row[0] for row in rows("plugin/configuration.md", "sources.yml")) == set(repository)
    shown = names_in(row[0] for row in rows("plugin/configuration.md", "Front matter"))
    assert shown == set(schema("front_matter"))
    page = text_of("plugin/configuration.md")
    listed = re.search(r"Excerpts are allowed under (.*?)\. In", page)[1]  # type: ignore[index]
    assert set(re.split(r", | and ", listed)) == ALLOWED_LICENSES
    own = schema("sources")["self"]["properties"]  # type: ignore[index]
    table = re.search(r"\| Key of `self` .*?\n\n", page, re.DOTALL)[0]  # type: ignore[index]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(own)
    reference = schema("sources")["references"]["items"]["properties"]  # type: ignore[index]
    told = re.search(r"A reference has .*", page)[0]  # type: ignore[index]
    assert names_in([told]) == set(reference)


def test_every_command_and_option() -> None:
    page = text_of("plugin/commands.md")
    assert set(re.findall(r"^## ([a-z]+)$", page, re.MULTILINE)) == set(COMMANDS)
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        part = re.sub(r"^```.*?^```$", "", page.split(f"\n## {name}\n", 1)[1], flags=re.DOTALL | re.MULTILINE)
        part = part.split("\n## ", 1)[0]
        given = [p for p in command.params if isinstance(p, click.Option)]
        options = {o for p in given for o in (*p.opts, *p.secondary_opts) if o.startswith("--")}
        known = options - {"--json", "--help", "--plugins", "--no-plugins"}  # told once, under check
        assert known <= names_in([part]), f"## {name} says nothing of {known - names_in([part])}"
        told = {word for word in names_in([part]) if word.startswith("--")}
        assert told <= options | {"--json"}, f"## {name} tells of {told - options}"


def test_every_variable_and_class() -> None:
    css = (ROOT / "mkdocs_metalworking/assets/metalworking.css").read_text(encoding="utf-8")
    variables = set(re.findall(r"(--mw-[a-z]+):", css))
    assert names_in(row[0] for row in rows("plugin/theming.md", "Variables")) == variables
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mkdocs_metalworking").rglob("*.py"))
    code += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mkdocs_metalworking").rglob("*.html"))
    for name in names_in(cell for row in rows("plugin/theming.md", "Classes") for cell in row):
        if name.startswith("mw-"):
            assert name in code or name.startswith("mw-v-"), name


def test_what_templates_get() -> None:
    shown = {
        name.removeprefix("metalworking.")
        for name in names_in(row[0] for row in rows("plugin/theming.md", "Templates"))
    }
    assert shown == {field.name for field in dataclasses.fields(Ending)}
    told = re.search(r"A link has (.*?)\. Front", text_of("plugin/theming.md"))[1]  # type: ignore[index]
    assert names_in([told]) == {field.name for field in dataclasses.fields(Link)}


def test_codes_of_problems() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mkdocs_metalworking").rglob("*.py"))
    told = rows("plugin/python.md", "A problem")
    assert names_in([told[0][1]]) == {severity.value for severity in Severity}
    for name in names_in([told[1][1]]):
        assert f'"{name}"' in code, name


def test_variables_of_the_environment() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mkdocs_metalworking").rglob("*.py"))
    code += (ROOT / "fetch.sh").read_text(encoding="utf-8")
    for name in names_in(row[0] for row in rows("plugin/transports.md", "Environment")):
        assert name.rstrip("*") in code, name
    ours = set(re.findall(r"\bMETALWORKING_[A-Z_]+\b", code))
    assert ours <= names_in(row[0] for row in rows("plugin/transports.md", "Environment"))


# Refusals, with the book's own sources and lock, which need no bytes


@pytest.fixture(scope="module")
def book() -> Iterator[Project]:
    project = Project.load(Settings.of({"offline": True, "transports": ["checkout"]}, base=ROOT))
    yield project
    project.close()


@pytest.mark.parametrize(("written", "answer"), [(r[0], r[1]) for r in rows("plugin/grammar.md", "What is refused")])
def test_refusals(book: Project, written: str, answer: str) -> None:
    stem = "ml-explore/mlx@3a62199:mlx/backend/metal/kernels/steel/gemm/"
    extension = MetalworkingExtension(project=book)
    extension.page = PageContext()
    markdown.markdown(f"<< excerpt {stem}{plain(written)} >>", extensions=[extension])
    assert [str(problem) for problem in extension.page.diagnostics] == [answer]


def test_the_python_examples_use_what_exists() -> None:
    for page in PAGES:
        for block in blocks(text_of(page)):
            if block.lang == "python":
                ast.parse(block.text)


# The front door


def test_the_readme_is_true() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / name).exists(), name
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", text, re.MULTILINE)) <= targets
    engines = {name.removeprefix("site-") for name in targets if name.startswith("site-")}
    assert set(re.findall(r"ENGINE=(\w+)", text)) <= engines
    assert set(re.findall(r"`?metalworking ([a-z]+)\b(?=[` ])", text)) <= set(COMMANDS)
    pins = yaml.safe_load((ROOT / "sources.yml").read_text(encoding="utf-8"))["repositories"]
    for commit in re.findall(r"[0-9a-f]{40}", text):
        assert commit in {pin["commit"] for pin in pins}
    pages = re.findall(
        r"^ {6}- .*?: (?:(?:machine|metal|mlx|techniques|kernels|war-stories)/[\w-]+|two-machines)\.md$",
        (ROOT / "mkdocs.yml").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert f"{len(pages)} pages in six chapters" in text


def test_the_changelog_names_every_command() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert set(COMMANDS) <= names_in([text])
