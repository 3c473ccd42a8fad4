"""Git over HTTP on the loopback address, by git's own backend."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class GitServer:
    """Serves bare repositories with git's own HTTP backend; *old* speaks protocol 0, which refuses ids by default."""

    def __init__(self, serve, root: Path, *, old: bool = False, dumb: bool = False) -> None:
        self.root, self.old, self.dumb = root, old, dumb
        self.server = serve(self.respond)

    def url(self, repo: str) -> str:
        return f"{self.server.url}/{repo}.git"

    @property
    def packs(self) -> int:
        """How many times objects were asked for."""
        return sum(path.endswith("/git-upload-pack") for path in self.server.paths)

    def respond(self, handler) -> None:
        path, _, query = handler.path.partition("?")
        if self.dumb:
            file = self.root / path.lstrip("/")
            handler.send_response(200 if file.is_file() else 404)
            handler.end_headers()
            if file.is_file():
                handler.wfile.write(file.read_bytes())
            return
        length = int(handler.headers.get("content-length") or 0)
        env = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "REQUEST_METHOD": handler.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": handler.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": handler.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": "" if self.old else handler.headers.get("git-protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=handler.rfile.read(length), capture_output=True, env=env, check=False
        )
        head, _, payload = done.stdout.partition(b"\r\n\r\n")
        lines = [line.decode().partition(": ") for line in head.split(b"\r\n") if line]
        status = next((value for name, _, value in lines if name == "Status"), "200")
        handler.send_response(int(status.split()[0]))
        for name, _, value in lines:
            if name != "Status":
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(payload)))
        handler.end_headers()
        handler.wfile.write(payload)
