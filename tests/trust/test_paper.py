"""A page of the book is HTML that its author wrote, printed by a browser of whoever makes the book."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CHROMIUM
from tests.support import PATIENCE

INK = "background:rgb(18,52,86)"
PRINT = """
import sys
from pathlib import Path
from mkdocs_metalworking.hosts.forms.pdf import write_pdf
from mkdocs_metalworking.hosts.forms.volume import Leaf, Volume
for target, html in zip(sys.argv[1::2], sys.argv[2::2]):
    leaves = [Leaf("index.md", "", "Title", html), Leaf("two.md", "two/", "Two", "<h1>Two</h1>")]
    print(write_pdf(Volume("Book", leaves=leaves), Path(target)))
"""
"""In a process of its own: the tests' one has the browser of the session."""
SHOWN = b".0706 .2039 .3373 rg"
"""The same as Chromium writes it into a PDF."""


@pytest.fixture
def inside() -> Iterator[tuple[str, list[str]]]:
    """A server of this machine's network, and what it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<body style='{INK}'>inside".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def colors(path: Path) -> bytes:
    """Return all that is drawn on the sheets of a PDF."""
    pikepdf = pytest.importorskip("pikepdf")
    with pikepdf.open(path) as pdf:
        return b"\n".join(one.read_bytes() for one in pdf.objects if isinstance(one, pikepdf.Stream))


PAGES = {
    "to-a-file": (
        '<meta http-equiv="refresh" content="0;url={file}">'
        '<iframe src="{file}" width="500" height="500"></iframe><object data="{file}" height="500"></object>'
        '<embed src="{file}" width="500" height="500"><iframe src="{server}/frame" width="500" height="500"></iframe>'
        '<img src="{server}/image"><link rel="stylesheet" href="{server}/style"><p style="background:url({server}/b)">x'
        '<iframe srcdoc="<img src={server}/inner>"></iframe>'
    ),
    "to-a-server": '<meta http-equiv="refresh" content="0;url={server}/moved">',
}


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_the_paper_shows_no_file_of_this_machine_and_asks_no_neighbor(
    tmp_path: Path, inside: tuple[str, list[str]]
) -> None:
    """Two books, since a page that led away would hide what the other tries."""
    private = tmp_path / "private.html"
    private.write_text(f"<body style='{INK}'>private", encoding="utf-8")
    own = '<h1>Title</h1><p style="background:rgb(86,52,18)">Own words</p>'
    server, asked = inside
    command = [sys.executable, "-c", PRINT]
    for name, html in PAGES.items():
        command += [str(tmp_path / f"{name}.pdf"), own + html.format(file=private.as_uri(), server=server)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert [int(sheets) >= 3 for sheets in printed.stdout.split()] == [True] * len(PAGES)
    for name in PAGES:
        drawn = colors(tmp_path / f"{name}.pdf")
        assert SHOWN not in drawn, name
        assert b".3373 .2039 .0706 rg" in drawn, name  # its own colors are there
    assert asked == []
