"""Single files over HTTP from servers that behave badly in every way we know of."""

from __future__ import annotations

import gzip
import time
import zlib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from mkdocs_metalworking.deliver.http import Limits, _reason, new_session
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.deliver.transports.raw import Raw
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable, redact
from mkdocs_metalworking.quote.repo import RAW_TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
DATA = b"kernel void k() {}\n" * 200
LIMITS = Limits(connect=1.0, read=0.4, total=1.0, max_bytes=100_000)


def quick_session():
    return new_session(retries=2, backoff=0.01, retry_after_max=1)


def raw_for(server, **settings):
    template = server.url + "/{repo}/{commit}/{path}"
    return Raw(quick_session, templates={"github.com": template}, limits=LIMITS, **settings)


@pytest.fixture
def fetch(serve, store, tools):
    """Serve with *respond*, resolve one file through raw, and return what came of it and the server."""

    def run(respond, data: bytes = DATA, **settings):
        server = serve(respond)
        resolver = Resolver(store, [raw_for(server, **settings)])
        try:
            return resolver.resolve(tools.locked(data)), server
        except MetalworkingError as error:
            problem = error
        finally:
            resolver.close()
        assert tools.stored(store) == []
        return problem, server

    return run


def unavailable(outcome) -> str:
    assert isinstance(outcome, Unavailable), outcome
    return str(outcome)


def test_delivers_and_stores(fetch, tools, store):
    outcome, server = fetch(lambda handler: tools.send(handler, DATA))
    assert (outcome.data, outcome.via) == (DATA, "raw")
    assert server.paths == [f"/o/n/{'a' * 40}/src/a.metal"]
    assert server.headers[0]["accept-encoding"] == "identity"
    assert "authorization" not in server.headers[0]
    assert store.get(tools.locked(DATA)) == DATA


@pytest.mark.parametrize("wrong", [DATA + b"x", DATA[:-1], b"X" + DATA[1:], b"", b"<html>Please sign in</html>"])
def test_wrong_bytes_are_an_error_and_never_stored(fetch, tools, wrong):
    outcome, _ = fetch(lambda handler: tools.send(handler, wrong))
    assert not isinstance(outcome, Unavailable)
    assert outcome.diagnostic.code == "wrong-bytes"
    assert "o/n@aaaaaaa:src/a.metal: wrong bytes from raw: " in str(outcome)


def test_crlf_is_named(fetch, tools):
    outcome, _ = fetch(lambda handler: tools.send(handler, DATA.replace(b"\n", b"\r\n")))
    assert "the same text with CRLF line ends" in str(outcome)


@pytest.mark.parametrize("status", [404, 410])
def test_not_found(fetch, tools, status):
    outcome, server = fetch(lambda handler: tools.send(handler, b"no", status))
    assert "has no o/n@aaaaaaa:src/a.metal" in unavailable(outcome)
    assert len(server.paths) == 1


def test_forbidden_is_not_retried(fetch, tools):
    outcome, server = fetch(lambda handler: tools.send(handler, b"no", 403))
    assert "answers 403" in unavailable(outcome)
    assert len(server.paths) == 1


def test_500_then_success(fetch, tools):
    answers = iter([500, 503, 200])
    outcome, server = fetch(lambda handler: tools.send(handler, DATA, next(answers)))
    assert outcome.data == DATA
    assert len(server.paths) == 3


def test_500_for_ever(fetch, tools):
    outcome, server = fetch(lambda handler: tools.send(handler, b"", 500))
    assert "answers 500, after retries" in unavailable(outcome)
    assert len(server.paths) == 3


def test_429_for_ever_is_a_host_that_is_down(serve, store, tools) -> None:
    server = serve(lambda handler: tools.send(handler, b"", 429))
    with Resolver(store, [raw_for(server)]) as resolver:
        for _ in range(2):
            with pytest.raises(Unavailable, match="answers 429, after retries"):
                resolver.resolve(tools.locked(DATA))
    assert len(server.paths) == 3, "asked again for one file, and for the next not at all"


@pytest.mark.parametrize("retry_after", ["1", "86400"])
def test_429_is_waited_for_but_not_for_ever(fetch, tools, monkeypatch, retry_after):
    answers = iter([429, 200])
    waited = []
    sleep = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: (waited.append(seconds), sleep(seconds)))

    def respond(handler):
        status = next(answers)
        tools.send(handler, DATA, status, **({"Retry_After": retry_after} if status == 429 else {}))

    outcome, server = fetch(respond)
    assert outcome.data == DATA
    assert [seconds for seconds in waited if seconds > 0.5] == [1]
    assert len(server.paths) == 2


def test_a_stalled_server_is_given_up(fetch, serve):
    outcome, _ = fetch(lambda handler: time.sleep(1.5))
    assert "no answer within 0.4 seconds" in unavailable(outcome)


def test_a_body_that_stalls_is_given_up(fetch):
    def respond(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(DATA)))
        handler.end_headers()
        handler.wfile.write(DATA[:100])
        handler.wfile.flush()
        time.sleep(1)

    outcome, _ = fetch(respond)
    assert "no more bytes for 0.4 seconds" in unavailable(outcome)


def test_a_slow_drip_meets_the_deadline(fetch):
    def respond(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(DATA)))
        handler.end_headers()
        for byte in DATA[:100]:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(0.05)

    outcome, _ = fetch(respond)
    assert "not done after 1 seconds" in unavailable(outcome)


def test_a_cut_body_is_not_wrong_bytes_but_a_cut_body(fetch, tools):
    outcome, _ = fetch(lambda handler: tools.send(handler, DATA[:100], Content_Length=str(len(DATA))))
    assert "cut short" in unavailable(outcome)


def test_cut_chunks(fetch):
    def respond(handler):
        handler.protocol_version = "HTTP/1.1"
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"40\r\n" + DATA[:64] + b"\r\n40\r\nnot so many")

    outcome, _ = fetch(respond)
    assert "cut short" in unavailable(outcome)


def test_an_endless_body_meets_the_bound(fetch):
    def respond(handler):
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    outcome, _ = fetch(respond)
    assert "more than the limit of 100000 bytes" in unavailable(outcome)


def test_a_compressed_body_is_unpacked(fetch, tools):
    outcome, _ = fetch(lambda handler: tools.send(handler, gzip.compress(DATA), Content_Encoding="gzip"))
    assert outcome.data == DATA


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_not_unpacked(fetch, tools, encoding):
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}[encoding]
    bomb = pack(b"\0" * 50_000_000)
    assert len(bomb) < 100_000
    outcome, _ = fetch(lambda handler: tools.send(handler, bomb, Content_Encoding=encoding))
    assert "more than the limit of 100000 bytes" in unavailable(outcome)


@pytest.mark.parametrize(
    ("encoding", "data", "words"),
    [
        ("br", DATA, "unknown content encoding"),
        ("gzip", DATA, "is not gzip"),
        ("gzip", gzip.compress(DATA, mtime=0)[:40], "cut"),
    ],
)
def test_odd_compression(fetch, tools, encoding, data, words):
    outcome, _ = fetch(lambda handler: tools.send(handler, data, Content_Encoding=encoding))
    assert words in unavailable(outcome)


def test_a_redirect_to_another_host_is_refused(fetch, serve, tools):
    other = serve(lambda handler: tools.send(handler, DATA))
    outcome, _ = fetch(lambda handler: tools.send(handler, b"", 302, Location=f"{other.url}/x"))
    assert f"redirect to another host, {other.host}, refused" in unavailable(outcome)
    assert other.paths == []


@pytest.mark.parametrize("served", [DATA, b"something else"])
def test_a_redirect_to_another_host_that_serves_raw_files_is_followed_and_its_bytes_are_checked(
    fetch, serve, tools, served
):
    """As docs/plugin/transports.md says: to none but those hosts, and whatever comes is checked."""
    other = serve(lambda handler: tools.send(handler, served))
    where = {"allowed_hosts": frozenset({other.host})}
    outcome, _ = fetch(lambda handler: tools.send(handler, b"", 302, Location=f"{other.url}/x"), **where)
    assert other.paths == ["/x"]
    if served == DATA:
        assert outcome.data == DATA
    else:
        assert outcome.diagnostic.code == "wrong-bytes"


def test_the_hosts_that_serve_raw_files_are_those_of_the_templates():
    raw = Raw(quick_session)
    hosts = {urlsplit(template).hostname for template in RAW_TEMPLATES.values()}
    assert raw._hosts == hosts
    text = (ROOT / "docs/plugin/transports.md").read_text(encoding="utf-8")
    assert "follow a redirect to none but the hosts that serve raw files" in text


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://169.254.169.254/latest", "//[::1]/x"]
)
def test_a_redirect_elsewhere_is_refused(fetch, tools, target):
    outcome, server = fetch(lambda handler: tools.send(handler, b"", 302, Location=target))
    assert "refused" in unavailable(outcome)
    assert len(server.paths) == 1


def test_a_redirect_on_the_same_host_is_followed_but_not_for_ever(fetch, tools):
    def respond(handler):
        if handler.path == "/there":
            tools.send(handler, DATA)
        else:
            tools.send(handler, b"", 301, Location="/there")

    outcome, _ = fetch(respond)
    assert outcome.data == DATA


def test_a_redirect_loop_ends(fetch, tools):
    outcome, server = fetch(lambda handler: tools.send(handler, b"", 302, Location=handler.path))
    assert "more than 5 redirects" in unavailable(outcome)
    assert len(server.paths) == 6


def test_a_dead_host_is_asked_once_for_two_hundred_files(serve, store, tools):
    server = serve(lambda handler: tools.send(handler, b"", 500))
    files = [tools.locked(b"%d\n" % number, f"f{number}") for number in range(200)]
    raw = raw_for(server)
    resolver = Resolver(store, [raw])
    resolver.prefetch(files)
    assert resolver.counts() == {"store": 0, "raw": 0, "cards": 200, "errors": 0}
    assert len(server.paths) == 3  # one request and its two retries
    with pytest.raises(Unavailable, match="not asked again in this run"):
        resolver.resolve(files[-1])
    resolver.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (requests.ConnectTimeout("https://user:pass@x/"), "no connection within 3 seconds"),
        (requests.ReadTimeout("x"), "no answer within 5 seconds"),
        (requests.ConnectionError("Read timed out."), "no answer within 5 seconds"),
        (requests.exceptions.SSLError("certificate verify failed"), "its certificate is not accepted"),
        (requests.exceptions.SSLError("wrong version number"), "its TLS fails"),
        (requests.exceptions.ProxyError("x"), "the proxy does not let it through"),
        (requests.ConnectionError("https://user:pass@x/"), "cannot be reached"),
        (requests.exceptions.InvalidHeader("pass"), "request failed (InvalidHeader)"),
    ],
)
def test_what_went_wrong_is_said_in_our_words(error, words):
    assert _reason(error, Limits(connect=3, read=5)) == words


def test_a_host_that_is_not_there_is_tried_once(serve, tools):
    server = serve(lambda handler: None)
    server.stop()
    raw = raw_for(server)
    with pytest.raises(NotDelivered, match=r"cannot be reached$"):
        raw.get(tools.locked(DATA))
    for _ in range(100):
        with pytest.raises(NotDelivered, match="not asked again"):
            raw.get(tools.locked(DATA))


def test_offline_asks_nobody(fetch, tools):
    outcome, server = fetch(lambda handler: tools.send(handler, DATA), offline=True)
    assert "raw: offline" in unavailable(outcome)
    assert server.paths == []


def test_two_hundred_files_cold_then_warm_without_any_request(serve, store, tools):
    contents = {f"d/{number} x#?.metal": b"kernel %d\n" % number for number in range(200)}
    by_url = {}
    server = serve(lambda handler: tools.send(handler, by_url[handler.path]))
    files = [tools.locked(data, path) for path, data in contents.items()]
    raw = raw_for(server)
    by_url.update({raw.url(file).removeprefix(server.url): contents[file.key.path] for file in files})
    with Resolver(store, [raw]) as resolver:
        resolver.prefetch(files)
        assert resolver.counts()["raw"] == 200
    assert len(server.paths) == 200
    with Resolver(store, [raw_for(server)]) as resolver:
        resolver.prefetch(files)
        assert resolver.counts()["store"] == 200
    assert len(server.paths) == 200


@pytest.mark.parametrize(
    ("repo", "path", "url"),
    [
        ("o/n", "a b/c#d?.h", "https://raw.githubusercontent.com/o/n/COMMIT/a%20b/c%23d%3F.h"),
        ("gitlab.com/g/s/n", "x", "https://gitlab.com/g/s/n/-/raw/COMMIT/x"),
        ("codeberg.org/o/n", "{commit}%41é", "https://codeberg.org/o/n/raw/commit/COMMIT/%7Bcommit%7D%2541%C3%A9"),
    ],
)
def test_urls(tools, repo, path, url):
    assert Raw().url(tools.locked(DATA, path, repo)) == url.replace("COMMIT", "a" * 40)


@pytest.mark.parametrize("repo", ["example.org/o/n", "../n", "o/..", "o/n?x", "o/n#", "-o/n", "n"])
def test_names_without_a_safe_url(tools, repo):
    with pytest.raises(NotDelivered):
        Raw().url(tools.locked(DATA, "x", repo))


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", "a//x", "."])
def test_paths_without_a_safe_url(tools, path):
    with pytest.raises(NotDelivered, match="not a name that a URL can hold"):
        Raw().url(tools.locked(DATA, path))


@pytest.mark.parametrize(
    "template",
    [
        "http://example.org/{repo}/{commit}/{path}",
        "file:///{repo}/{commit}/{path}",
        "https://u:p@example.org/{repo}/{commit}/{path}",
        "https://example.org/{repo}/main/{path}",
        "http://127.0.0.1.example.org/{repo}/{commit}/{path}",
    ],
)
def test_templates_that_are_refused(template):
    with pytest.raises(ValueError, match="a raw URL is https"):
        Raw(templates={**RAW_TEMPLATES, "h": template})


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("see https://user:pa@ss@host.example/a/b?token=x#f now", "see https://host.example/a/b now"),
        ("https://token@h/p", "https://h/p"),
        ("https://h/p/a@b", "https://h/p/a@b"),
        ("no url, a@b", "no url, a@b"),
        ("fatal: unable to access 'http://u:p@h:8/o/n?t=s/': x", "fatal: unable to access 'http://h:8/o/n x"),
    ],
)
def test_redact(text, clean):
    assert redact(text) == clean
