"""Real repositories, real servers on the loopback address, and nothing that stands in for either."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.quote.blob import FileKey, LockedFile

Respond = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Server:
    """A server on a free loopback port that answers with *respond* and keeps count."""

    respond: Respond
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.paths.append(self.path)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                try:
                    server.respond(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, request: object, client_address: object) -> None:
                """Say nothing: clients that hang up are part of the tests."""

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.http.server_port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Stop answering and refuse connections."""
        self.stopping.set()
        self.http.shutdown()
        self.http.server_close()


def send(handler: BaseHTTPRequestHandler, data: bytes, status: int = 200, **headers: str) -> None:
    """Answer with *data*, its length and *headers* (underscores stand for dashes)."""
    handler.send_response(status)
    for name, value in {"Content_Length": str(len(data)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


@pytest.fixture
def serve() -> Iterator[Callable[[Respond], Server]]:
    """Start servers that end with the test."""
    started: list[Server] = []

    def start(respond: Respond) -> Server:
        started.append(Server(respond))
        return started[-1]

    yield start
    for server in started:
        if not server.stopping.is_set():
            server.stop()


@dataclass(frozen=True)
class Repo:
    """A repository with one commit."""

    folder: Path
    commit: str

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git in it."""
        return git(self.folder, *arguments, stdin=stdin)


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in *folder* as a user without settings would."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": "T", f"GIT_{role}_EMAIL": "t@example.org", f"GIT_{role}_DATE": "1700000000 +0000"}
    done = subprocess.run(["git", "-C", folder, *arguments], input=stdin, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@pytest.fixture
def make_repo() -> Callable[..., Repo]:
    """Make a repository with one commit of *files* (a str is a link's target)."""

    def make(folder: Path, files: Mapping[str, bytes | str], object_format: str = "sha1", bare: bool = False) -> Repo:
        work = folder.with_name(folder.name + ".work") if bare else folder
        work.mkdir(parents=True)
        git(work, "init", "-q", "-b", "main", f"--object-format={object_format}")
        for name, content in files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.symlink_to(content)
            else:
                path.write_bytes(content)
        git(work, "add", "-A", "-f")
        git(work, "commit", "-q", "-m", "first")
        commit = git(work, "rev-parse", "HEAD")
        if bare:
            git(work.parent, "clone", "-q", "--bare", str(work), str(folder))
        return Repo(folder, commit)

    return make


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "store")


def stored(store: Store) -> list[Path]:
    """Return every file that *store* holds, half-written ones included."""
    return [path for path in store.root.rglob("*") if path.is_file()] if store.root.exists() else []


def locked(data: bytes, path: str = "src/a.metal", repo: str = "o/n", commit: str = "a" * 40) -> LockedFile:
    """Describe *data* as a locked file."""
    return LockedFile.of(FileKey(repo, commit, path), data)


@pytest.fixture
def tools() -> type[Tools]:
    """Return the helpers above, for tests in modules of any import mode."""
    return Tools


class Tools:
    """The helpers of this file under one name."""

    send = staticmethod(send)
    git = staticmethod(git)
    stored = staticmethod(stored)
    locked = staticmethod(locked)
