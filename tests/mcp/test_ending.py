"""A context server that is ended by a signal, while it waits for its agent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mkdocs_metalworking.git.interrupts import ENDING
from tests.support import PATIENCE, commit_files


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    commit_files(tmp_path, {"mkdocs.yml": "site_name: T\nplugins: [metalworking]\n", "docs/index.md": "# Hi\n"})
    command = [sys.executable, "-m", "mkdocs_metalworking", "mcp"]
    params = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(hello).encode() + b"\n")
            process.stdin.flush()
            assert b'"result"' in process.stdout.readline()
            process.send_signal(number)
            assert process.wait(PATIENCE) == 128 + number
        finally:
            process.kill()
