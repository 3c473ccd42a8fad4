"""Servers made to harm whoever asks them, and secrets that may be told to nobody."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import logging
import os
import random
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests

from mkdocs_metalworking.deliver import addresses
from mkdocs_metalworking.deliver.addresses import Route, leads_inward
from mkdocs_metalworking.deliver.http import Limits, NetrcAuth, body, new_session, open_stream
from mkdocs_metalworking.deliver.package_index import Index, Offer, _IndexAuth, _usable
from mkdocs_metalworking.deliver.pip_settings import IndexSettings
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.simple_page import NOT_A_PAGE, ListedFile, read_page
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.deliver.transports.raw import Raw
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable
from mkdocs_metalworking.quote.packages import PackageSpec
from tests.support import PATIENCE, Bench
from tests.trust.conftest import files_below, outcome

LIMITS = Limits(connect=1.0, read=0.5, total=1.0, max_bytes=100_000)
DATA = b"kernel void k() {}\n" * 20
SECRET = "hunter2-S3CR3T"


def session() -> Any:
    return new_session(retries=1, backoff=0.01, retry_after_max=1, head_seconds=0.8)


@pytest.fixture
def talk() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """Serve bytes, not HTTP: every connection is handed to a function."""
    stop = threading.Event()
    listeners: list[socket.socket] = []

    def start(say: Callable[[socket.socket], None]) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def accept() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        def answer(connection: socket.socket) -> None:
            with connection:
                try:
                    connection.settimeout(5)
                    say(connection)
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    stop.set()
    for listener in listeners:
        listener.close()


def repeat(connection: socket.socket, piece: bytes, *, pause: float = 0.0, most: float = PATIENCE) -> None:
    """Send *piece* again and again until the other side has enough, or *most* seconds are over."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        connection.sendall(piece)
        if pause:
            time.sleep(pause)


def asked(connection: socket.socket) -> None:
    while b"\r\n\r\n" not in connection.recv(65536):
        pass


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def endless_continue(connection: socket.socket) -> None:
    asked(connection)
    repeat(connection, b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n")


def slow_continue(connection: socket.socket) -> None:
    asked(connection)
    repeat(connection, b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.1)


def dripping_head(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK)
    repeat(connection, b"X", pause=0.1)


def dripping_status(connection: socket.socket) -> None:
    asked(connection)
    repeat(connection, b"H", pause=0.1)


def header_flood(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK)
    repeat(connection, b"X-Header: " + b"y" * 1000 + b"\r\n")


def endless_header(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK + b"X: ")
    repeat(connection, b"y" * 60_000)


def endless_trailers(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED + b"5\r\nhello\r\n0\r\n")
    repeat(connection, b"X-Trailer: y\r\n", pause=0.001)


def dripping_trailers(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED + b"5\r\nhello\r\n0\r\n")
    repeat(connection, b"X: y\r\n", pause=0.1)


def endless_chunk_size(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED)
    repeat(connection, b"0" * 60_000)


def chunk_extensions(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED)
    repeat(connection, b"1;" + b"e" * 5000 + b"\r\nx\r\n")


def huge_chunk(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED + b"7fffffffffffffff\r\n")
    repeat(connection, b"x" * 60_000)


def negative_chunk(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n")


def huge_length(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK + b"Content-Length: 99999999999999999999999\r\n\r\n")
    repeat(connection, b"x" * 60_000)


def odd_length(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK + b"Content-Length: -1\r\nContent-Length: 5, 6\r\n\r\nhello")


def until_closed_but_never(connection: socket.socket) -> None:
    asked(connection)
    connection.sendall(OK + b"\r\n")
    repeat(connection, b"x", pause=0.1)


def no_http(connection: socket.socket) -> None:
    asked(connection)
    repeat(connection, bytes(range(256)), most=0.5)


def nothing(connection: socket.socket) -> None:
    asked(connection)
    time.sleep(3)


def hangs_up(connection: socket.socket) -> None:
    asked(connection)


def endless_behind_a_packed_body(connection: socket.socket) -> None:
    asked(connection)
    packed = gzip.compress(DATA)
    connection.sendall(OK + b"Content-Encoding: gzip\r\n\r\n" + packed)
    repeat(connection, b"x" * 65536)


def redirect(target: str) -> Callable[[socket.socket], None]:
    def say(connection: socket.socket) -> None:
        asked(connection)
        connection.sendall(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + target.encode() + b"\r\n\r\n")

    say.__name__ = "redirect to " + target.encode("unicode_escape").decode()[:40]
    return say


BAD = (
    *(endless_continue, slow_continue, dripping_head, dripping_status, header_flood, endless_header, endless_trailers),
    *(dripping_trailers, endless_chunk_size, chunk_extensions, huge_chunk, negative_chunk, huge_length, odd_length),
    *(until_closed_but_never, no_http, nothing, hangs_up, endless_behind_a_packed_body),
    *map(
        redirect,
        ("http://[", "http://[::1", "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x", "//[x", "http://\x00/"),
    ),
    *map(
        redirect,
        ("data:text/plain,x", "javascript:x", "http://169.254.169.254/latest/", "http://127.0.0.1:1/x", "/" * 5000),
    ),
    *map(
        redirect,
        (f"http://{'a' * 300}/", "http://a..b/", "http://user:pass@127.0.0.1:1/", "https://127.0.0.1:1/x", "\u2028"),
    ),
)


def test_bad_answers_are_reasons(talk, tmp_path, tools) -> None:
    """All at once, since most of the time is waiting. Most of them never end: that this test does is the bound."""

    def ask(number: int, say: Callable[[socket.socket], None]) -> str:
        raw = Raw(session, templates={"github.com": talk(say) + "/{repo}/{commit}/{path}"}, limits=LIMITS)
        store = Store(tmp_path / str(number))
        with Resolver(store, [raw]) as resolver:
            told = outcome(lambda: resolver.resolve(tools.locked(DATA)))
        if not isinstance(told, MetalworkingError) or not str(told).isprintable() or len(str(told)) > 600:
            return f"{say.__name__}: {told!r}"
        if tools.stored(store):
            return f"{say.__name__}: {tools.stored(store)}"
        return ""

    with ThreadPoolExecutor(12) as pool:
        wrong = [told for told in pool.map(ask, range(len(BAD)), BAD) if told]
    assert wrong == []


def test_what_follows_a_packed_body_is_not_kept(talk) -> None:
    """zlib would keep all of it, and copy what it has with every piece: the first piece ends it."""
    sent = []

    def say(connection: socket.socket) -> None:
        asked(connection)
        connection.sendall(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(DATA))
        with contextlib.suppress(OSError):
            for _ in range(2000):
                connection.sendall(b"x" * 65536)
                sent.append(65536)

    with pytest.raises(NotDelivered, match="the body is not gzip"):
        b"".join(body(open_stream(session(), talk(say), Limits()), Limits()))
    assert sum(sent) < 32 << 20


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-keyout", str(path), "-out", str(path) + ".crt"], check=True, capture_output=True)
    return path


def test_a_certificate_of_its_own_making_is_not_accepted(talk, store, tools, certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificate) + ".crt", certificate)
    seen: list[bytes] = []

    def say(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            seen.append(secured.recv(100))

    url = talk(say).replace("http:", "https:")
    raw = Raw(session, templates={"github.com": url + "/{repo}/{commit}/{path}"}, limits=LIMITS)
    with Resolver(store, [raw]) as resolver, pytest.raises(Unavailable, match="its certificate is not accepted"):
        resolver.resolve(tools.locked(DATA))
    assert seen == [], "nothing was asked of it"


@pytest.mark.parametrize("drip", [b"\x16\x03\x03\x40\x00", b"\x00", b"HTTP/1.1 200 OK\r\n"])
def test_a_handshake_that_drips_is_given_up(talk, store, tools, drip) -> None:
    ended = []

    def say(connection: socket.socket) -> None:
        connection.recv(1000)
        repeat(connection, drip, pause=0.1)
        ended.append(drip)

    url = talk(say).replace("http:", "https:")
    raw = Raw(session, templates={"github.com": url + "/{repo}/{commit}/{path}"}, limits=LIMITS)
    with Resolver(store, [raw]) as resolver, pytest.raises(Unavailable):
        resolver.resolve(tools.locked(DATA))
    assert ended == [], "it was hung up on"


# Package indexes


def test_addresses_that_lead_inward() -> None:
    outside = "https://pypi.example/simple/"
    for inside in (
        *("http://127.0.0.1/", "http://10.0.0.1/x", "http://192.168.1.1/", "http://169.254.169.254/", "http://[::1]/"),
        *("http://[fd00::1]/", "http://localhost/", "http://localhost./", "http://a.localhost/", "http://0.0.0.0/"),
        *("http://printer.local/", "http://metadata.google.internal/", "http://127.1/", "http://2130706433/"),
        *("http://0x7f000001/", "http://0/", "http://0177.0.0.1/", "http://[::ffff:10.0.0.1]/", "http:///x"),
        *(
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[2002:a00:1::]/",
        ),
        *("http://[::ffff:0:10.0.0.1]/", "http://[fec0::1]/", "http://[ff02::1]/", "http://224.0.0.1/"),
        "http://192.0.0.192/",
    ):
        assert leads_inward(outside, inside), inside
        assert not leads_inward("http://127.0.0.1/", inside), "an index inside may name its neighbours"
    assert not leads_inward(outside, "https://files.example/x")
    assert not leads_inward(outside, "https://1.1.1.1/x")
    assert not leads_inward(outside, "https://[64:ff9b::101:101]/x"), "1.1.1.1 behind NAT64"
    for outside_too in ("https://1.1.1.1/x", "https://b\u00fccher.example/", "http://[2606:4700::1111]/"):
        assert not leads_inward(outside, outside_too)
        assert not leads_inward(outside_too, outside_too)
    assert not leads_inward(outside, "http://[2002:101:101::]/")
    assert not leads_inward(outside, "https://[64:ff9b::101:101]/x"), "1.1.1.1 behind NAT64"


TWO_READINGS = (
    "https://127.0.0.1\\@pypi.example/x",
    "https://127.0.0.1\\.pypi.example/x",
    "https://[::1]\\@pypi.example/",
)


@pytest.mark.parametrize("address", TWO_READINGS)
def test_an_address_that_is_read_in_two_ways_is_not_asked(address: str, serve: Any, tools: Any) -> None:
    """What judges an address and what connects part it differently; behind a proxy the spelling is all there is."""
    assert not _usable(address, "https://pypi.example/simple/")
    asked = serve(lambda handler: tools.send(handler, b"x", 302, Location=address))
    made = session()
    with pytest.raises(NotDelivered, match=r"redirect to (something that is no address|another host)"):
        open_stream(made, f"{asked.url}/x", LIMITS, hosts=frozenset({"pypi.example"}))
    made.close()


def index_of(url: str) -> Index:
    return Index(IndexSettings(urls=(url,)), session_factory=session, limits=LIMITS)


SPEC = PackageSpec("wheel", "demo", "1.0", "")
VALUES: tuple[object, ...] = (
    *(
        None,
        True,
        -1,
        10**30,
        1.5,
        "",
        "x",
        "http://[",
        "//",
        "javascript:x",
        "file:///etc/passwd",
        [],
        {},
        [[]],
        {"a": []},
    ),
    *(
        "demo-1.0-py3-none-any.whl",
        "../../x-1.0.tar.gz",
        "\x1b[31m-1.0.tar.gz",
        {"sha256": 5},
        {"sha256": "zz"},
        {"sha256": None},
    ),
)


def page(rng: random.Random) -> tuple[bytes, str]:
    file: Any = {
        name: rng.choice(VALUES)
        for name in ("filename", "url", "hashes", "size", "yanked", "upload-time", "requires-python")
    }
    good: Any = {"filename": "demo-1.0-py3-none-any.whl", "url": "x.whl", "hashes": {}, "size": 3}
    for name in rng.sample(list(file), rng.randint(0, 5)):
        if name in good:
            file[name] = good[name]
    whole: Any = {"meta": {"api-version": "1.1"}, "name": "demo", "files": [good, file], "versions": ["1.0"]}
    for name in rng.sample(list(whole), rng.choice((0, 0, 1, 2))):
        whole[name] = rng.choice((*VALUES, {"api-version": rng.choice(VALUES)}))
    if rng.random() < 0.5:
        return json.dumps(whole).encode(), "application/vnd.pypi.simple.v1+json"
    links = "".join(
        f'<a href="{rng.choice(VALUES)}" data-dist-info-metadata="{rng.choice(VALUES)}">{rng.choice(VALUES)}</a>'
        for _ in range(4)
    )
    return f"<html>{links}".encode(), rng.choice(("text/html", "text/html; charset=nonsense", "", "x/y"))


def test_pages_that_are_no_index_are_reasons(serve, tools) -> None:
    pages = [page(random.Random(seed)) for seed in range(80)]
    pages += [
        (b"[" * 200_000, "application/vnd.pypi.simple.v1+json"),
        (b"<a><b>" * 30_000, "text/html"),
        (b"\xff\xfe" * 99, "text/html"),
    ]
    at = iter(pages)

    def respond(handler: Any) -> None:
        body, kind = next(at)
        tools.send(handler, body, Content_Type=kind)

    server = serve(respond)
    for number in range(len(pages)):
        index = index_of(server.url + "/simple/")
        try:
            offers = index.release(SPEC)
            assert all(offer.url and offer.url.startswith("http://127.0.0.1") for offer in offers), offers
        except NotDelivered as reason:
            told = str(reason)
            assert told.isprintable(), number
        finally:
            index.close()


OPEN = ("<!--", "<a href='", '<a href="', "<a", "<a b=c ", "<!", "<?", "</", "<base href=x/>", "-->", " href=", "&")


@pytest.mark.parametrize("piece", OPEN)
def test_a_page_of_tags_that_nothing_closes(piece: str) -> None:
    """Four megabytes: Python's own HTML parser takes hours for most of them."""
    page = ("<a " + piece * (4_000_000 // len(piece))).encode()
    try:
        assert len(read_page(page, "text/html", "https://index.example.org/demo/")) <= 1
    except NOT_A_PAGE:
        assert page.count(b"<") > 100_000


def test_links_of_an_html_page() -> None:
    digest = "a" * 64
    page = f"""<!DOCTYPE html><html><head><base href="/files/"><base href="/other/"></head>
    <!-- <a href="no.whl"> --><A data-requires-python=">=3.8" HREF="a%20b.whl#sha256={digest}">a > b</A>
    <a\nhref='c&amp;d.tar.gz'>c</a><a href = e.zip>e</a><abbr href="f"><a data-href="g"><a>href="h"</a>
    <a href="https://[">i</a>"""
    found = read_page(page.encode(), "text/html", "https://index.example.org/simple/demo/")
    assert found == [
        ListedFile("a b.whl", "https://index.example.org/files/a%20b.whl", None, digest),
        ListedFile("c&d.tar.gz", "https://index.example.org/files/c&d.tar.gz"),
        ListedFile("e.zip", "https://index.example.org/files/e.zip"),
    ]


@pytest.mark.parametrize(
    ("size", "known"), [("0", 0), ("5", 5), ("-1", None), ("1.5", None), ("null", None), (f"1{'0' * 400}", None)]
)
def test_a_size_that_no_file_has_is_none(size: str, known: int | None) -> None:
    """What is downloaded is told of with its size."""
    item = f'{{"filename": "a.whl", "url": "a.whl", "hashes": {{}}, "size": {size}}}'
    page = f'{{"meta": {{"api-version": "1.0"}}, "files": [{item}]}}'.encode()
    assert [file.size for file in read_page(page, "application/json", "https://index.example.org/demo/")] == [known]


@pytest.mark.parametrize("item", ["{},", "[],", '"abc",', "1.5,"])
def test_a_page_of_nothing_but_objects(item: str) -> None:
    page = ('{"meta": {"api-version": "1.0"}, "files": [' + item * 1_000_000 + "0]}").encode()
    with pytest.raises(ValueError, match="more than any project"):
        read_page(page, "application/json", "https://index.example.org/demo/")


def test_a_page_of_an_index_has_a_bound(serve, tools) -> None:
    """A hundred bytes that unpack to more than any project has."""
    packed = gzip.compress(b" " * (17 << 20))
    server = serve(lambda handler: tools.send(handler, packed, Content_Type="text/html", Content_Encoding="gzip"))
    with (
        contextlib.closing(Index(IndexSettings(urls=(f"{server.url}/simple/",)))) as index,
        pytest.raises(NotDelivered, match="more than the limit of 16777216 bytes"),
    ):
        index.release(SPEC)


@pytest.mark.parametrize("tag", ["\ud800any", "\u00e9", "any\n", "any\x1b[2J", "any blank", "a/b", "a%0Ab"])
def test_no_archive_has_a_name_that_must_be_escaped(serve, tools, tag: str) -> None:
    names = [f"demo-1.0-py3-none-{tag}.whl", "demo-1.0-py3-none-any.whl"]
    files = [{"filename": name, "url": "x.whl", "hashes": {}} for name in names]
    page = json.dumps({"meta": {"api-version": "1.0"}, "files": files}).encode()
    server = serve(lambda handler: tools.send(handler, page, Content_Type="application/vnd.pypi.simple.v1+json"))
    with contextlib.closing(index_of(f"{server.url}/simple/")) as index:
        assert [offer.filename for offer in index.release(SPEC)] == names[1:]


@pytest.mark.skipif(os.name == "nt", reason="no links, pipes and devices as these")
@pytest.mark.parametrize("what", ["endless", "pipe", "large", "folder"])
def test_a_folder_of_wheels_is_read_within_bounds(tmp_path: Path, what: str) -> None:
    """It may lie in the repository: a link to what has no end, a pipe that nobody writes to."""
    path = tmp_path / "demo-1.0-py3-none-any.whl"
    if what == "endless":
        path.symlink_to("/dev/zero")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"x" * 2_000)
    settings = IndexSettings(urls=(), folders=(tmp_path,))
    with contextlib.closing(Index(settings, limits=Limits(max_bytes=1_000))) as index:
        if what == "large":
            (offer,) = index.release(SPEC)
        else:
            with pytest.raises(NotDelivered, match="no package index"):
                index.release(SPEC)
            assert list(index.named(SPEC, path.name)) == []
            offer = Offer(path.name, "here", path=path)  # as of a file whose place it took
        with pytest.raises(NotDelivered, match=r"no file, or one of more than 1000 bytes|Is a directory"):
            list(index.download(offer))


def test_a_socks_proxy_is_a_reason() -> None:
    """Nothing is sent around it."""
    settings = IndexSettings(urls=("https://index.example/simple/",), proxy="socks5h://127.0.0.1:9")
    with (
        contextlib.closing(Index(settings)) as index,
        pytest.raises(NotDelivered, match="a SOCKS proxy is not gone through"),
    ):
        index.release(SPEC)


def test_an_index_outside_may_not_send_us_inside(serve, tools) -> None:
    """The redirect is followed from a name that is not inside; here it is made one by the resolver of names."""
    inside = serve(lambda handler: tools.send(handler, b"secret"))
    outside = serve(lambda handler: tools.send(handler, b"", 302, Location=inside.url + "/"))
    real = socket.getaddrinfo

    def fake(host: Any, *rest: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host == "index.example" else host, *rest, **more)

    made = session()
    made.trust_env = False
    socket.getaddrinfo = fake
    try:
        with pytest.raises(NotDelivered, match="redirect to a private address refused"):
            open_stream(made, outside.url.replace("127.0.0.1", "index.example"), LIMITS)
    finally:
        socket.getaddrinfo = real
        made.close()
    assert inside.paths == []


@pytest.fixture
def outside(tools, monkeypatch) -> Iterator[Callable[[str], str]]:
    """A server at 127.0.0.2, which counts as outside here, that redirects; names ending in .example are 127.0.0.1."""
    monkeypatch.setattr(addresses, "is_inside", lambda host: host == "127.0.0.1")
    real = socket.getaddrinfo

    def lookup(host: Any, *rest: Any, **more: Any) -> Any:
        return real("127.0.0.1" if str(host).endswith(".example") else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    started: list[ThreadingHTTPServer] = []

    def start(target: str) -> str:
        class Redirect(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                tools.send(self, b"", 302, Location=target)

            def log_message(self, *arguments: object) -> None:
                """Say nothing."""

        started.append(ThreadingHTTPServer(("127.0.0.2", 0), Redirect))
        threading.Thread(target=started[-1].serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.2:{started[-1].server_port}/"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(sys.platform != "linux", reason="one address is loopback")
@pytest.mark.parametrize("known", [False, True], ids=["new connection", "connection that is open already"])
def test_a_name_that_means_an_address_inside(outside, serve, tools, known) -> None:
    """The peer is judged, not the spelling; nothing is said to it."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.protocol_version, handler.close_connection = "HTTP/1.1", False
        tools.send(handler, b"secret")

    inside = serve(respond)
    name = inside.url.replace("127.0.0.1", "files.example")
    made = session()
    made.trust_env = False
    if known:
        b"".join(body(open_stream(made, name, LIMITS), LIMITS))
    with pytest.raises(NotDelivered, match="leads to a private address, refused"):
        open_stream(made, outside(name), LIMITS)
    made.close()
    assert len(inside.paths) == int(known)


def test_an_https_index_offers_only_https() -> None:
    assert _usable("https://files.example/x", "https://pypi.example/simple/")
    assert not _usable("http://files.example/x", "https://pypi.example/simple/")
    assert _usable("http://files.example/x", "http://pypi.example/simple/")
    assert not _usable("http://127.1/x", "http://pypi.example/simple/")
    assert not _usable("file:///etc/passwd", "http://pypi.example/simple/")


def test_a_redirect_down_from_https_is_refused(talk, serve, tools, certificate) -> None:
    plain = serve(lambda handler: tools.send(handler, b"plain"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificate) + ".crt", certificate)

    def say(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(65536)
            secured.sendall(f"HTTP/1.1 302 F\r\nContent-Length: 0\r\nLocation: {plain.url}/\r\n\r\n".encode())

    made = session()
    made.verify = str(certificate) + ".crt"
    made.trust_env = False
    url = talk(say).replace("http://127.0.0.1", "https://localhost")
    with pytest.raises(NotDelivered, match="redirect to http: refused, not HTTPS"):
        open_stream(made, url, LIMITS)
    made.close()
    assert plain.paths == []


def test_a_connection_that_is_kept_is_judged_for_each_request(talk) -> None:
    connections, asked = [], []

    def say(connection: socket.socket) -> None:
        connections.append(connection)
        while received := connection.recv(65536):
            asked.append(received.split(b" ", 2)[1])
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    made = session()
    made.trust_env = False
    url = talk(say)
    for path in ("/first", "/second"):
        assert b"".join(body(open_stream(made, url + path, LIMITS), LIMITS)) == b"ok"
    assert len(connections) == 1
    with pytest.raises(NotDelivered, match="leads to a private address, refused"):
        open_stream(made, f"{url}/third", LIMITS, route=Route(outside_only=True))
    made.close()
    assert asked == [b"/first", b"/second"]


def test_an_index_is_read_with_the_certificate_of_its_settings(talk, certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificate) + ".crt", certificate)
    page = b'<a href="demo-1.0-py3-none-any.whl">demo-1.0-py3-none-any.whl</a>'

    def say(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(65536)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n"
            secured.sendall(f"{head}Connection: close\r\n\r\n".encode() + page)

    url = talk(say).replace("http://127.0.0.1", "https://localhost") + "/simple/"
    for cert, expected in (("", None), (f"{certificate}.crt", "demo-1.0-py3-none-any.whl")):
        made = Index(IndexSettings(urls=(url,), cert=cert), session_factory=session, limits=LIMITS)
        made._session.trust_env = False
        if expected is None:
            with pytest.raises(NotDelivered, match="its certificate is not accepted"):
                made.release(SPEC)
        else:
            assert [offer.filename for offer in made.release(SPEC)] == [expected]
        made.close()


# Secrets


def test_a_password_goes_over_tls_or_to_this_machine_only(tmp_path, monkeypatch) -> None:
    home = tmp_path / ".netrc"
    home.write_text("".join(f"machine {host} login u password p\n" for host in ("far.example", "127.0.0.1")))
    home.chmod(0o600)
    monkeypatch.setenv("NETRC", str(home))

    def sent(auth: NetrcAuth, url: str) -> bool:
        return "Authorization" in auth(requests.Request("GET", url).prepare()).headers

    listed = _IndexAuth(("http://u:p@index.example/simple/", "https://u:p@index.example/simple/"))
    for auth in (NetrcAuth(), listed):
        assert sent(auth, "https://far.example/x")
        assert not sent(auth, "http://far.example/x")
        assert sent(auth, "http://127.0.0.1:8000/x")
    assert sent(listed, "https://index.example/x")
    assert not sent(listed, "http://index.example/x")
    assert not sent(NetrcAuth(), "https://127.0.0.1.example/x")
    home.write_text("default login u password p\n")
    assert not sent(NetrcAuth(), "https://far.example/x")
    assert not sent(listed, "https://far.example/x"), "a host that an index names"
    assert sent(_IndexAuth(("https://plain.example/simple/",)), "https://plain.example/simple/demo/")
    home.write_text("machine far.example login\n")
    assert not sent(NetrcAuth(), "https://far.example/x")
    index = index_of("http://user:pass@index.example/simple/")
    with pytest.raises(NotDelivered, match="its password is not sent without TLS"):
        index.release(SPEC)
    index.close()


def quoting_site(root: Path) -> Bench:
    bench = Bench(root)
    commit = bench.add_repo("acme/kernels", {"a.c": "int a;\n"})
    bench.pins[0]["extra"] = "packages: [{sdist: demo==1.0, root: ''}]"
    bench.write([("acme/kernels", "a.c")])
    shutil.rmtree(root / "code")
    (root / "docs").mkdir()
    (root / "docs/index.md").write_text(f"# T\n\n<< excerpt acme/kernels@{commit[:9]}:a.c >>\n", encoding="utf-8")
    (root / "mkdocs.yml").write_text(
        "site_name: T\nplugins: [search, {metalworking: {store: store, transports: [checkout, package, raw]}}]\n"
    )
    lock = root / "sources.lock"
    lock.write_text(lock.read_text() + f"archive sdist:demo==1.0 sha256:{'d' * 64} size:5 demo-1.0-py3-none-any.whl\n")
    return bench


def answers(kind: str, tools: Any) -> Callable[[Any], None]:
    def respond(handler: Any) -> None:
        if kind == "401":
            tools.send(handler, b"", 401, WWW_Authenticate='Basic realm="x"')
        elif kind == "echo":  # tells us our own secret
            told = (handler.headers.get("authorization") or "") + (handler.headers.get("proxy-authorization") or "")
            tools.send(handler, f"{told} {handler.path}".encode(), 403, X_Told=told)
        elif kind == "redirect":
            tools.send(handler, b"", 302, Location=f"file:///{SECRET}")
        elif kind == "index":
            body = {
                "meta": {"api-version": "1.1"},
                "name": "demo",
                "files": [{"filename": "demo-1.0-py3-none-any.whl", "url": "demo-1.0-py3-none-any.whl", "hashes": {}}],
            }
            page = handler.path.endswith("/demo/")
            tools.send(
                handler,
                json.dumps(body).encode() if page else DATA,
                Content_Type="application/vnd.pypi.simple.v1+json" if page else "x/y",
            )
        else:
            handler.connection.close()

    return respond


KINDS = ("echo", "redirect", "index", "401", "hang up")


@pytest.mark.parametrize("kind", KINDS if os.environ.get("TRUST_LONG") else KINDS[:2])
def test_secrets_are_told_to_their_host_and_to_nobody_else(tmp_path, serve, tools, kind) -> None:
    """In the addresses of index and proxy, in netrc and in the environment; every output is searched for it."""
    server = serve(answers(kind, tools))
    root = tmp_path / "site"
    root.mkdir()
    quoting_site(root)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text(f"machine 127.0.0.1 login user password {SECRET}\n")
    (home / ".netrc").chmod(0o600)
    host = server.host
    env = {
        name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY") and "PIP" not in name
    }
    env |= {
        "HOME": str(home),
        "NO_MKDOCS_2_WARNING": "1",
        "PIP_INDEX_URL": f"http://user:{SECRET}@{host}/simple/?token={SECRET}#{SECRET}",
        "PIP_EXTRA_INDEX_URL": f"http://{SECRET}@{host}/other/",
        "PIP_CONFIG_FILE": os.devnull,
        "https_proxy": f"http://user:{SECRET}@{host}",
        "HTTPS_PROXY": f"http://user:{SECRET}@{host}",
        "GIT_ASKPASS": f"echo {SECRET}",
        "GITHUB_TOKEN": SECRET,
    }
    outputs = []
    for command in (
        ["-m", "mkdocs_metalworking", "fetch"],
        ["-m", "mkdocs_metalworking", "lock", "--update"],
        ["-m", "mkdocs_metalworking", "stage", str(tmp_path / "stage")],
        ["-m", "mkdocs", "build", "-v"],
    ):
        done = subprocess.run([sys.executable, *command], cwd=root, env=env, capture_output=True, timeout=PATIENCE)
        outputs.append(done.stdout + done.stderr)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert server.paths, "nobody was asked"
    needles = {SECRET.encode(), base64.b64encode(f"user:{SECRET}".encode()), base64.b64encode(SECRET.encode())[:-4]}
    for output in outputs:
        for needle in needles:
            assert needle not in output, output.decode()
    for path in root.rglob("*"):
        if path.is_file():
            assert not any(needle in path.read_bytes() for needle in needles), path
    assert files_below(home) == {f".netrc:{(home / '.netrc').stat().st_size}"}


def test_no_library_logs_a_secret(tmp_path, talk, caplog) -> None:
    """Even where an application turns every log on."""
    url = talk(hangs_up)
    index = index_of(url.replace("http://", f"http://user:{SECRET}@") + "/simple/")
    with caplog.at_level(logging.DEBUG), pytest.raises(NotDelivered) as raised:
        index.release(SPEC)
    index.close()
    assert SECRET not in caplog.text
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(index._settings)


@pytest.mark.parametrize("at", ["path", "redirect"])
def test_no_library_logs_a_secret_that_stands_in_a_path(talk, caplog, at: str) -> None:
    """Some hosts give an index with its token in the path, others lead to an address with a signature."""
    url = talk(hangs_up)
    index = index_of(f"{url}/{SECRET}/simple/" if at == "path" else talk(redirect(f"{url}/deep?signed={SECRET}")) + "/")
    with caplog.at_level(logging.DEBUG), pytest.raises(NotDelivered) as raised:
        index.release(SPEC)
    index.close()
    assert SECRET not in caplog.text
    assert SECRET not in str(raised.value)
    with caplog.at_level(logging.DEBUG), pytest.raises(requests.ConnectionError):
        requests.get(f"{url}/theirs", timeout=PATIENCE)
    assert "/theirs" in caplog.text or "Starting new HTTP connection" in caplog.text, "others log as before"
