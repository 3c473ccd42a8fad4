"""In a real browser: no script of anybody else runs, and the pages keep to a strict Content-Security-Policy."""

from __future__ import annotations

import functools
import hashlib
import http.server
import re
import shutil
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.forked import python_m
from tests.support import PATIENCE
from tests.trust import hostile

POLICY = (
    "default-src 'self'; script-src 'self'{hashes}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
PAGES = ("", "code/", "sources/", "a-z/", "table/")
UNDECODED = ("code/#--%", "sources/#%", "a-z/", "table/#%E0%A4%A")
"""The pages that show what others wrote, three of them at addresses that nobody can decode."""
# Inline scripts that a browser would run; JSON in a script element is data.
INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
# The three of Material, by how they begin; the first holds the way to the site's root, so its hash is one a depth.
MATERIAL = ("__md_scope=new URL(", 'var palette=__md_get("__palette")', "var target=document.getElementById(")


@dataclass
class Seen:
    """What a page did that it should not."""

    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    violations: list[list[object]] = field(default_factory=list)
    pwned: list[object] = field(default_factory=list)


@pytest.fixture(scope="module", params=["stock", "book"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The hostile site, built with stock Material or with the theme of this book."""
    root = tmp_path_factory.mktemp(request.param)
    hostile.make(root)
    if request.param == "book":
        for folder in ("site", "instruments"):
            shutil.copytree(hostile.HERE / "docs/assets" / folder, root / "docs/assets" / folder)
    (root / "mkdocs.yml").write_text(hostile.config(request.param, root / "out"), encoding="utf-8")
    done = python_m("mkdocs", "build", "-f", str(root / "mkdocs.yml"), cwd=root)
    assert done.returncode == 0, done.stderr
    assert "1 excerpt is a card" in done.stderr
    assert "\u202e" not in done.stderr
    return request.param, root / "out"


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Seen]]:
    """Serve a folder under a policy, open its pages, use them, and tell what happened."""
    servers: list[http.server.ThreadingHTTPServer] = []

    def run(folder: Path, policy: str, pages: tuple[str, ...] = PAGES, use: Callable[[Page], None] = use_page) -> Seen:
        class Handler(http.server.SimpleHTTPRequestHandler):
            def end_headers(self) -> None:
                if policy:
                    self.send_header("Content-Security-Policy", policy)
                super().end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        servers.append(made)
        threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
        root = f"http://127.0.0.1:{made.server_port}/"
        seen = Seen()
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(
            "window.violations = []; document.addEventListener('securitypolicyviolation', (e) =>"
            " window.violations.push([e.effectiveDirective, e.blockedURI, e.lineNumber]))"
        )
        page = context.new_page()
        page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("request", lambda one: one.url.startswith((root, "data:", "blob:")) or seen.foreign.append(one.url))
        for path in pages:
            page.goto(root + path)
            page.wait_for_function("document.readyState === 'complete'")
            use(page)
            page.evaluate(
                "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))"
            )  # what is on its way
            seen.violations += [[path, *found] for found in page.evaluate("window.violations")]
            seen.pwned += [page.evaluate("window.pwned")]
        context.close()
        return seen

    yield run
    for server in servers:
        server.shutdown()
        server.server_close()


def use_page(page: Page) -> None:
    """Do what a reader may do: copy, point, follow a note, search, look a name up."""
    for button in page.locator(".mw-copy").all()[:2]:
        button.click()
    for note in page.locator(".mw-note, .mw-under").filter(visible=True).all()[:2]:
        note.hover()
    for link in page.locator("article a[href*='code/'], article a.footnote-ref").all()[:2]:
        link.hover()
    search = page.locator(".md-search__input").first
    if page.locator(".mw-excerpt").count() and search.is_visible():  # the results are the same on every page
        for name in ("script", "img"):
            search.fill(name)
            page.wait_for_timeout(80)
        page.keyboard.press("Escape")
    lookup = page.locator("[data-mw-filter]")
    if lookup.count():
        lookup.first.fill("<script>")


def clean(seen: Seen) -> None:
    assert seen.dialogs == []
    assert seen.foreign == []
    assert set(seen.pwned) == {None}, "a script of somebody else ran"


def test_no_script_of_others_runs_even_without_a_policy(site: tuple[str, Path], visit: Callable[..., Seen]) -> None:
    """Nor is it an error that an address cannot be decoded."""
    seen = visit(site[1], "", UNDECODED)
    clean(seen)
    assert seen.errors == []


def test_a_file_that_is_called_like_a_part_of_every_object(site: tuple[str, Path], visit: Callable[..., Seen]) -> None:
    """No page of the site is at that address, so there is nothing to preview, and a tap leads there."""

    def point(page: Page) -> None:
        page.evaluate(
            "() => { const link = document.createElement('a'); link.href = '../constructor'; link.textContent = 'Link';"
            " document.querySelector('article h1').after(link); }"
        )
        with page.expect_response("**/lookup.json"):
            page.get_by_role("link", name="Link", exact=True).hover()

    seen = visit(site[1], "", ("code/",), point)
    clean(seen)
    assert seen.errors == []


def test_pages_keep_to_a_strict_policy(site: tuple[str, Path], visit: Callable[..., Seen]) -> None:
    """With our theme nothing is refused; with stock Material its own three scripts a page, and nothing of ours."""
    theme, folder = site
    scripts = {path: INLINE.findall((folder / path / "index.html").read_text("utf-8")) for path in PAGES}
    seen = visit(folder, POLICY.format(hashes=""))
    clean(seen)
    if theme == "book":
        assert seen.violations == []
        assert seen.errors == []
        assert not any(scripts.values())
        return
    for found in scripts.values():
        assert [next(head for head in MATERIAL if one.startswith(head)) for one in found] == list(MATERIAL)
    assert {(found[1], found[2]) for found in seen.violations} == {("script-src-elem", "inline")}
    assert len(seen.violations) == len(MATERIAL) * len(PAGES)
    known = {one for found in scripts.values() for one in found}
    digests = [b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in known]
    page = (hostile.HERE / "docs/plugin/trust.md").read_text("utf-8")
    if f"mkdocs-material {version('mkdocs-material')}" in page:
        assert all(f"`sha256-{digest}`" in page for digest in digests), "the page lists other scripts"
    seen = visit(folder, POLICY.format(hashes="".join(f" 'sha256-{digest}'" for digest in digests)), PAGES[:2])
    clean(seen)
    assert seen.violations == []
    assert seen.errors == []


def test_the_watch_sees_what_it_should(visit: Callable[..., Seen], tmp_path: Path) -> None:
    """A page that does attack: without a policy it succeeds, with one each try is counted."""
    attack = "<script>window.pwned=1;alert(1)</script><img src=x onerror='window.pwned=2'><b style='color:red'>x</b>"
    (tmp_path / "index.html").write_text(f"<!doctype html><title>x</title>{attack}", encoding="utf-8")
    free = visit(tmp_path, "", ("",))
    assert free.dialogs == ["1"]
    assert free.pwned != [None]
    held = visit(tmp_path, POLICY.format(hashes=""), ("",))
    clean(held)
    assert {str(found[1]) for found in held.violations} == {"script-src-elem", "script-src-attr", "style-src-attr"}
