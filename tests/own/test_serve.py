"""``mkdocs serve`` beside code that changes: each save of a quoted file is seen."""

from __future__ import annotations

import contextlib
from typing import cast

import pytest

from tests.builds.conftest import Site
from tests.builds.test_serve import Serving
from tests.own.conftest import Own
from tests.support import PATIENCE


def test_a_change_is_shown_where_the_excerpt_stands_and_accepted(own: Own) -> None:
    own.metalworking("lock")
    server = Serving(cast(Site, own))
    try:
        server.until("", lambda html: "mw-excerpt" in html)
        own.replace("src/stack.py", "return Stack()", "return Stack([])")
        html = server.until("", lambda html: "mw-error" in html)
        assert "<del>-    return Stack()\n</del><ins>+    return Stack([])\n</ins>" in html
        assert "metalworking accept src/stack.py" in html
        own.metalworking("accept")
        html = server.until("", lambda html: "mw-excerpt" in html and "mw-error" not in html)
        assert "Stack([])" in html or "Stack</span>" in html
        own.write({"src/stack.py": "import os\n" + own.text("src/stack.py")})
        server.until("", lambda html: 'data-n="5"' in html and 'data-n="7"' in html and 'data-n="4"' not in html)
    finally:
        server.stop()


def test_a_file_that_a_later_save_brings_in_is_watched(own: Own) -> None:
    own.commit({"src/late.py": "def late():\n    return 1\n"})
    own.metalworking("lock")
    server = Serving(cast(Site, own))
    try:
        server.until("", lambda html: "mw-excerpt" in html)
        own.page("<< excerpt self:src/late.py#symbol=late >>\n")
        own.metalworking("lock")
        server.until("", lambda html: "late.py" in html and "mw-error" not in html)
        for number in range(2, int(PATIENCE // 15)):  # a save while the watcher looks around for the first time is lost
            own.write({"src/late.py": f"def late():\n    return {number}\n"})
            with contextlib.suppress(pytest.fail.Exception):
                server.until("", lambda html: "mw-difference" in html, 15)
                break
        else:
            pytest.fail("no save of the late file was seen")
    finally:
        server.stop()
