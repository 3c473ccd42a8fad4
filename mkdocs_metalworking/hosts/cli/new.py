"""``new``: a page from the template, and its line in the nav."""

from __future__ import annotations

import json
import re
import textwrap
from importlib import resources
from pathlib import Path

import click

from ...glossary.callout import Callouts, Verdict
from ...quote.diagnostics import Location, MetalworkingError
from ..files import Rewrite, read_page, write_all
from ..lockfile import writing_alone
from ..mkdocs.options import asked
from ..mkdocs.site import Site
from .common import ending, open_site
from .nav_edit import insert_page, nav_line, scalar
from .program import Program, pass_program

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*")


@click.command()
@click.argument("page", metavar="SECTION/SLUG")
@click.option("--after", required=True, metavar="SLUG", help="The page that it follows in the nav.")
@click.option("--title", help="Its title; made of the slug when left out.")
@pass_program
def new(program: Program, page: str, after: str, title: str | None) -> None:
    """Write docs/SECTION/SLUG.md from the template and add its line to the nav of mkdocs.yml."""
    site = open_site(program)
    with ending():
        name = page.removesuffix(".md").strip("/")
        if not _NAME.fullmatch(name):
            hint = "small letters, digits and dashes: machine/gpu-core"
            raise MetalworkingError("new", f"{page!r} cannot be the address of a page", hint)
        uri = f"{name}.md"
        title = title or name.rpartition("/")[2].replace("-", " ").capitalize()
        target = Path(site.config.docs_dir, uri)
        label = target.relative_to(site.root).as_posix() if target.is_relative_to(site.root) else uri
        if target.exists():
            raise MetalworkingError("new", "this page exists already", "choose another slug", Location(label))
        config = Path(site.config.config_file_path)
        text = _text(title, asked(site.options, site.config, site.settings(offline=True)).callouts)
        with writing_alone(site.settings(offline=True)):
            nav = _nav(site, config, after, title, uri)
            write_all([Rewrite(target, None, text), *nav])
    click.echo(label)
    told = f"; its line is in {config.name}" if nav else f"; {config.name} has no nav to add it to"
    click.echo(f"written from the template{told}. Next: mkdocs serve, then metalworking check", err=True)


def _nav(site: Site, config: Path, after: str, title: str, uri: str) -> list[Rewrite]:
    """Return mkdocs.yml with the page in its nav; nothing when it has no nav."""
    if site.config.nav is None:
        return []
    text = read_page(config)
    return [Rewrite(config, text, insert_page(text, _after(site, config, after, title, uri), title, uri, config.name))]


def _after(site: Site, config: Path, after: str, title: str, uri: str) -> str:
    """Return the page that *after* names: a path below docs, or a slug, in the new page's own folder first."""
    known = [file.src_uri for file in site.files.documentation_pages()]
    wanted = f"{after.removesuffix('.md').strip('/')}.md"
    beside = f"{uri.rpartition('/')[0]}/{wanted}".lstrip("/")
    for found in ([u for u in known if u == beside], [u for u in known if u == wanted]):
        if found:
            return found[0]
    near = [one for one in known if one.endswith(f"/{wanted}")]
    if len(near) == 1:
        return near[0]
    problem = f"{after} may be {', '.join(near)}" if near else f"there is no page {after}"
    hint = "write its path below docs" if near else f"to add it by hand: {nav_line(title, uri)}"
    raise MetalworkingError("nav", problem, hint, Location(config.name))


def _text(title: str, callouts: Callouts | None) -> str:
    template = resources.files(__package__).joinpath("page.md").read_text(encoding="utf-8")
    summary = json.dumps(f"{title}: one sentence for cards, search and social previews.", ensure_ascii=False)
    parts = {"callout": "", "reader": "", "help": ""} if callouts is None else _callout_parts(callouts)
    for name, text in {**parts, "summary": summary, "title": title}.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def _callout_parts(callouts: Callouts) -> dict[str, str]:
    """Return what the template says of the site's callouts: the front matter, the reader, and help for the author."""
    source = callouts.source
    carries = f"Nothing yet. Say here what a {source} reader may keep, or why nothing corresponds."
    keys = [f"term: the {source} term", f"verdict: {_either([one.value for one in Verdict])}"]
    keys += [f"{one.name}: pages of {one.url}" for one in callouts.links]
    keys += [f"apis: {source} names that lead here", "carries and misleads: what to keep and what will trip them"]
    told = textwrap.fill(f"<!-- Front matter. {'; '.join(keys)}. -->", 120, break_long_words=False)
    return {
        "callout": f"{scalar(callouts.key)}:\n  term: none\n  verdict: none\n  carries: {scalar(carries)}\n",
        "reader": f", for an engineer who knows {source}",
        "help": f"{told}\n\n",
    }


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
