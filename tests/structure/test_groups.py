"""Tests that share what is made once in a process run in one process."""

from __future__ import annotations

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs them all")
def test_processes_share_tests_by_group(request: pytest.FixtureRequest) -> None:
    """Else each makes every site anew, as under pytest 9.2 with pytest-xdist 3.8."""
    assert request.node.nodeid.endswith("@structure/test_groups.py")
