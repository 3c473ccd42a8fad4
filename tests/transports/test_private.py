"""A private repository over TLS: the person's helper and certificate serve when they say so, and never else."""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
from pathlib import Path

import pytest

from mkdocs_metalworking.git.binding import Binder
from mkdocs_metalworking.git.personal import SWITCH
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import Unavailable
from tests.support import PATIENCE
from tests.transports.gitserver import GitServer

DATA = b"int secret;\n"
ANSWER = "Basic " + base64.b64encode(b"ada:opensesame").decode()


class Private(GitServer):
    """A git server that asks for a password."""

    heard: set[str | None]

    def respond(self, handler) -> None:
        self.heard.add(handler.headers.get("authorization"))
        if handler.headers.get("authorization") != ANSWER:
            handler.send_response(401)
            handler.send_header("WWW-Authenticate", 'Basic realm="x"')
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        super().respond(handler)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_SSL_CAINFO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def private(tmp_path: Path, make_repo, serve, home: Path) -> tuple[Private, str, FileKey]:
    """A private server over TLS, the address of its repository and a file there; crt.pem is in the home."""
    repo = make_repo(tmp_path / "served/o/n.git", {"a.c": DATA}, bare=True)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    key, crt = tmp_path / "key.pem", home / "crt.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(crt)]
    subprocess.run(command, check=True, capture_output=True)
    server = Private(serve, tmp_path / "served")
    server.heard = set()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(crt, key)
    server.server.http.socket = context.wrap_socket(server.server.http.socket, server_side=True)
    url = f"https://localhost:{server.server.http.server_port}/o/n.git"
    return server, url, FileKey("o/n", repo.commit, "a.c")


def test_only_when_asked_for(tmp_path, private, home, monkeypatch) -> None:
    _, url, file = private
    mark = tmp_path / "mark"
    helper = '!f() { test "$1" = get && echo username=ada && echo password=opensesame; }; f'
    (home / ".gitconfig").write_text(
        f'[credential]\n\thelper = "{helper.replace(chr(34), chr(92) + chr(34))}"\n'
        f"[http]\n\tsslCAInfo = {home}/crt.pem\n"
        f'[core]\n\tfsmonitor = touch {mark}\n[url "file:///nowhere/"]\n\tinsteadOf = https://localhost\n'
    )
    binder = Binder(tmp_path / "code", url=lambda _: url, timeout=PATIENCE)
    monkeypatch.delenv(SWITCH, raising=False)
    with pytest.raises(Unavailable, match=r"certificate|SSL"):
        binder.bind(file)
    monkeypatch.setenv(SWITCH, "1")
    assert binder.bind(file) == LockedFile.of(file, DATA)
    assert not mark.exists()
    plain = Binder(tmp_path / "code", url=lambda _: url.replace("https:", "http:"), timeout=PATIENCE)
    with pytest.raises(Unavailable):
        plain.bind(file)
    assert "opensesame" not in " ".join(os.environ.values())


@pytest.mark.parametrize("entry", ["default", "machine localhost"])
def test_git_is_given_nothing_of_netrc(tmp_path, private, home, monkeypatch, entry: str) -> None:
    """Git would answer any host with its entry for every host, a host too that a pin names and a stranger keeps."""
    server, url, file = private
    (home / ".netrc").write_text(f"{entry} login me password entry-for-everybody\n")
    (home / ".netrc").chmod(0o600)
    (home / ".gitconfig").write_text("[http]\n\tsslCAInfo = ~/crt.pem\n[credential]\n\thelper = store\n")
    monkeypatch.setenv(SWITCH, "1")
    with pytest.raises(Unavailable):
        Binder(tmp_path / "code", url=lambda _: url, timeout=PATIENCE).bind(file)
    assert server.heard == {None}


@pytest.mark.parametrize(
    ("helper", "kept"),
    [
        ("store", ".git-credentials"),
        ("store", "xdg/git/credentials"),
        ("store", ".config/git/credentials"),
        ("store --file ~/kept", "kept"),
        ("HOME/helper --quiet", "kept"),
        ("!HOME/helper", "kept"),
        ('!f() { git credential-store --file ~/kept \\"$@\\"; }; f', "kept"),
    ],
)
def test_a_helper_finds_what_it_keeps_at_home(tmp_path, private, home, monkeypatch, helper: str, kept: str) -> None:
    server, url, file = private
    port = url.split(":")[2].partition("/")[0]
    (home / ".netrc").write_text("default login me password entry-for-everybody\n")
    (home / kept).parent.mkdir(parents=True, exist_ok=True)
    (home / kept).write_text(f"https://ada:opensesame@localhost:{port}\n")
    (home / "helper").write_text('#!/bin/sh\ntest "$1" != --quiet || shift\ngit credential-store --file ~/kept "$@"\n')
    (home / "helper").chmod(0o755)
    if kept.startswith("xdg"):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    else:
        monkeypatch.delenv("XDG_CONFIG_HOME")
    (home / ".gitconfig").write_text(
        f'[http]\n\tsslCAInfo = ~/crt.pem\n[credential]\n\thelper = "{helper.replace("HOME", str(home))}"\n'
    )
    monkeypatch.setenv(SWITCH, "1")
    binder = Binder(tmp_path / "code", url=lambda _: url, timeout=PATIENCE)
    assert binder.bind(file) == LockedFile.of(file, DATA)
    assert server.heard == {None, ANSWER}
