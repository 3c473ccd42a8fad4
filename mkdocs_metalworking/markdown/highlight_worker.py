"""The program that colors lines for another process: a batch of jobs a line of JSON in, their lines a line out."""

from __future__ import annotations

import json
import signal
import sys

from .highlight import TooSlow, highlight_lines, lexer_named


def main() -> None:
    """Answer until the other side closes; an interrupt is for that side."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        answers = [_colored(*job) for job in json.loads(line)]
        sys.stdout.buffer.write(json.dumps(answers).encode() + b"\n")
        sys.stdout.buffer.flush()


def _colored(alias: str, lines: list[str], lead: list[str]) -> list[str] | None:
    try:
        return highlight_lines(lines, lexer_named(alias), lead=lead)
    except TooSlow:
        return None
