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

    def respond(self, handler) -> None:
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


def test_only_when_asked_for(tmp_path, make_repo, serve, home, monkeypatch) -> None:
    repo = make_repo(tmp_path / "served/o/n.git", {"a.c": DATA}, bare=True)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    key, crt = tmp_path / "key.pem", tmp_path / "crt.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(crt)]
    subprocess.run(command, check=True, capture_output=True)
    server = Private(serve, tmp_path / "served")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(crt, key)
    server.server.http.socket = context.wrap_socket(server.server.http.socket, server_side=True)
    url = f"https://localhost:{server.server.http.server_port}/o/n.git"
    mark = tmp_path / "mark"
    helper = '!f() { test "$1" = get && echo username=ada && echo password=opensesame; }; f'
    (home / ".gitconfig").write_text(
        f'[credential]\n\thelper = "{helper.replace(chr(34), chr(92) + chr(34))}"\n[http]\n\tsslCAInfo = {crt}\n'
        f'[core]\n\tfsmonitor = touch {mark}\n[url "file:///nowhere/"]\n\tinsteadOf = https://localhost\n'
    )
    file = FileKey("o/n", repo.commit, "a.c")
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
