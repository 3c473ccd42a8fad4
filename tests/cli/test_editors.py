"""What editors and shells take from the command: JSON Schemas, completion, pasted addresses, the pre-commit hook."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from mkdocs_metalworking.hosts.cli.listing import SCHEMAS
from tests.cli.conftest import Desk
from tests.forked import python_m

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_describe_every_key(desk: Desk, name: str) -> None:
    schema = json.loads(desk.metalworking("schema", name).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:mkdocs-metalworking:schema:{name}"
    bare = [key for key, value in properties(schema) if not value.get("description")]
    assert bare == []


def properties(schema):  # type: ignore[no-untyped-def]
    for key, value in schema.get("properties", {}).items():
        yield key, value
        yield from properties(value)
    if isinstance(schema.get("items"), dict):
        yield from properties(schema["items"])


def test_the_repository_meets_its_own_schema(desk: Desk) -> None:
    schema = json.loads(desk.metalworking("schema", "sources").stdout)
    data = yaml.load((ROOT / "sources.yml").read_text(encoding="utf-8"), yaml.BaseLoader)
    for pin in data["repositories"]:  # BaseLoader leaves all scalars as text
        pin["license"] = None if pin["license"] in ("null", "~", "") else pin["license"]
        if "quote" in pin:
            pin["quote"] = pin["quote"] == "true"
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str) -> None:
    env = {"_METALWORKING_COMPLETE": f"{shell}_source"}
    done = python_m("mkdocs_metalworking", cwd=ROOT, env=env)
    if shell == "bash" and "Bash" in done.stderr:
        pytest.skip("this Bash is too old for click")
    assert done.returncode == 0, done.stderr
    assert "_METALWORKING_COMPLETE" in done.stdout
    env |= {"_METALWORKING_COMPLETE": "bash_complete", "COMP_WORDS": "metalworking b", "COMP_CWORD": "1"}
    done = python_m("mkdocs_metalworking", cwd=ROOT, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["plain,bump"]


@pytest.mark.parametrize(
    ("pasted", "printed"),
    [
        ("blob/{c}/README.md?plain=1#L1-L2", "README.md#L1-2"),
        ("blob/{c}/README.md?plain=1", "README.md"),
        ("blob/{c}/README.md", "README.md"),
        ("blob/{c}/a.c#L1C5-L2C9", "a.c#L1-2"),
        ("blob/{c}/a.c#L2C1", "a.c#L2"),
        ("blame/{c}/a.c#L2", "a.c#L2"),
        ("raw/{c}/a.c", "a.c"),
        ("blob/{s}/a.c#L1", "a.c#L1"),
        ("blob/{c}/with%20space.c#L1", '"with space.c"#L1'),
    ],
)
def test_addresses_as_they_lie_on_the_clipboard(desk: Desk, pasted: str, printed: str) -> None:
    commit = desk.add_repo("acme/kernels", {"README.md": "# A\nb\n", "a.c": "a\nb\n", "with space.c": "x\n"})
    desk.write([])
    url = "https://github.com/acme/kernels/" + pasted.replace("{c}", commit).replace("{s}", commit[:7])
    done = desk.metalworking("add", f"  {url}\n")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"<< excerpt acme/kernels@{desk.sha}:{printed} >>\n"
    desk.page("first/one.md", f"# One\n\n{done.stdout}")
    assert desk.metalworking("check").exit_code == 0, "what was printed can be pasted into a page"


def test_the_hook_runs_a_command_that_exists(desk: Desk) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
    command, *arguments = hook["entry"].split()
    assert command == "metalworking"
    assert desk.metalworking(*arguments).exit_code == 0
    # quantities.yml, the table of terms, and code of one's own that pages quote may lie anywhere.
    assert not {"files", "exclude", "types", "types_or"} & hook.keys()


def test_the_snippets_expand_to_what_the_check_accepts(desk: Desk) -> None:
    commit = desk.add_repo("acme/kernels", {"path/file.metal": "a\n" * 20})
    desk.write([("acme/kernels", "path/file.metal")])
    snippets = json.loads((ROOT / ".vscode/metalworking.code-snippets").read_text(encoding="utf-8"))
    assert {snippet["scope"] for snippet in snippets.values()} == {"markdown"}
    expanded = {name: expand("\n".join(snippet["body"])) for name, snippet in snippets.items()}
    page = "\n\n".join(
        expanded[name] for name in ("Front matter of a page", "Excerpt with line notes", "Citation of lines")
    )
    page = page.replace("owner/name", "acme/kernels").replace("1a2b3c4", commit[:7])
    desk.page("first/one.md", page)
    done = desk.metalworking("check")
    assert done.exit_code == 0, done.output
    assert "1 excerpt," in done.stderr
    assert "1 citation:" in done.stderr


def expand(body: str) -> str:
    """Return a snippet as VS Code fills it in when every default is taken."""
    body = re.sub(r"\$\{\d+\|([^,|]*)[^|]*\|\}", r"\1", body)
    while re.search(r"\$\{\d+:", body):
        body = re.sub(r"\$\{\d+:([^${}]*)\}", r"\1", body)
    return re.sub(r"\$\d+", "", body).replace("\\$", "$")


def test_the_settings_bind_the_schemas_that_exist(desk: Desk) -> None:
    settings = json.loads((ROOT / ".vscode/settings.json").read_text(encoding="utf-8"))
    schemas = settings["yaml.schemas"]
    assert schemas
    for path in schemas:
        assert (ROOT / path).is_file()
