"""A built site on loopback, as a host of static sites serves it."""

from __future__ import annotations

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class _Compressed(http.server.SimpleHTTPRequestHandler):
    """Files as a host of static sites sends them: text compressed."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        text = path.suffix in {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".md"}
        body = gzip.compress(body) if text else body
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if text:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def static_site(site: Path) -> Iterator[str]:
    """Serve the built *site* on a free port and yield its address."""
    handler = functools.partial(_Compressed, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
