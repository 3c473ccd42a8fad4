"""A language server that is ended by a signal, as editors end one that lingers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mkdocs_metalworking.git.interrupts import ENDING
from tests.lsp.conftest import make_site
from tests.support import PATIENCE


class Wire:
    """The protocol as it goes over the pipes of *process*."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout

    def tell(self, method: str, params: object, number: int | None = None) -> None:
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        data = json.dumps(body).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._to.flush()

    def ask(self, number: int, method: str, params: object) -> Any:
        self.tell(method, params, number)
        while True:
            size = 0
            while line := self._from.readline().strip():
                name, _, value = line.partition(b":")
                size = int(value) if name == b"Content-Length" else size
            assert size, "the server is gone"
            answer = json.loads(self._from.read(size))
            if answer.get("id") == number and "method" not in answer:
                return answer["result"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_a_signal_leaves_no_copies(tmp_path: Path, number: signal.Signals) -> None:
    site = make_site(tmp_path / "site")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    desk = site.project()
    for entry in desk.lock.files.values():
        desk.resolver.resolve(entry)  # into the store
    desk.close()
    shutil.rmtree(site.root / "code")
    page = site.path("two.md")
    process = subprocess.Popen(
        [sys.executable, "-m", "mkdocs_metalworking", "lsp"],
        cwd=site.root,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        wire = Wire(process)
        wire.ask(1, "initialize", {"processId": None, "rootUri": site.root.as_uri(), "capabilities": {}})
        wire.tell("initialized", {})
        document = {"uri": page.as_uri(), "languageId": "markdown", "version": 1, "text": page.read_text("utf-8")}
        wire.tell("textDocument/didOpen", {"textDocument": document})
        place = {"textDocument": {"uri": page.as_uri()}, "position": {"line": 2, "character": 40}}
        asked = (wire.ask(number, "textDocument/definition", place) for number in range(2, 1_000_000))
        assert next(filter(None, asked)), "once the site is read"
        assert list(temporary.rglob("*add.metal"))
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
        assert list(temporary.iterdir()) == []
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
