"""No test judges by the clock: on a busy machine everything takes longer."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "monotonic_ns", "perf_counter_ns"}


def test_no_assertion_compares_times() -> None:
    """Neither a clock nor a name that got its value from one stands in an assertion."""
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        timed = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _reads_a_clock(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert):
                names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                if _reads_a_clock(node) or names & timed:
                    found.append(f"{path.relative_to(TESTS)}:{node.lineno}")
    assert found == []


def _reads_a_clock(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr in CLOCKS for one in ast.walk(node))
