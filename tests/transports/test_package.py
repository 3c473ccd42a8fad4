"""Archives from a real index on the loopback address; hostile ones are read no further than they must be."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import time
import tracemalloc
import zipfile
from base64 import b64encode
from dataclasses import replace

import pytest

from mkdocs_metalworking.deliver.archive_members import Bounds
from mkdocs_metalworking.deliver.http import Limits, new_session
from mkdocs_metalworking.deliver.package_index import Index
from mkdocs_metalworking.deliver.pip_settings import IndexSettings, index_settings
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transports.package import Package
from mkdocs_metalworking.hosts.progress import Bar
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable
from mkdocs_metalworking.quote.packages import ArchivePin, PackageSpec

LIMITS = Limits(2, 1, 5, 1 << 24)
DATA = b"kernel void k() {}\n"
WHEEL = PackageSpec("wheel", "Demo.Pkg", "1.0", "inc/")
SDIST = PackageSpec("sdist", "demo-pkg", "1.0", "vendor/up/")
WHEEL_NAME = "demo_pkg-1.0-py3-none-any.whl"
SDIST_NAME = "demo_pkg-1.0.tar.gz"


def wheel(members) -> bytes:
    """Make a wheel of (name, bytes) or (name, bytes, mode) members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data, *mode in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (mode[0] if mode else 0o100644) << 16
            bundle.writestr(info, data)
    return out.getvalue()


def sdist(members, top: str = "demo_pkg-1.0/") -> bytes:
    """Make an sdist of (name, bytes) members, or (name, target, type) links and special files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as bundle:
        for name, data, *kind in members:
            info = tarfile.TarInfo(name if name.startswith("/") else top + name)
            if kind:
                info.type, info.linkname = kind[0], data
                bundle.addfile(info)
            else:
                info.size = len(data)
                bundle.addfile(info, io.BytesIO(data))
    return out.getvalue()


def pin(spec: PackageSpec, filename: str, data: bytes) -> ArchivePin:
    return ArchivePin(str(spec), filename, hashlib.sha256(data).hexdigest(), len(data))


class IndexServer:
    """A package index of *files* in the HTML (PEP 503) or JSON (PEP 691) form, maybe behind a password."""

    def __init__(self, serve, tools, files, *, form="json", password="", announce=None, digests=True) -> None:
        self.files, self.form, self.tools, self.digests = files, form, tools, digests
        self.expected = f"Basic {b64encode(f'user:{password}'.encode()).decode()}" if password else ""
        self.announce = announce or {}
        self.server = serve(self.respond)
        self.url = f"{self.server.url}/simple/"
        self.downloads = lambda: sum(path.startswith("/files/") for path in self.server.paths)

    def respond(self, handler) -> None:
        path = handler.path
        if self.expected and handler.headers.get("authorization") != self.expected:
            self.tools.send(handler, b"", 401, WWW_Authenticate='Basic realm="x"')
        elif path == "/simple/demo-pkg/":
            page, kind = self.page()
            self.tools.send(handler, page, Content_Type=kind)
        elif path.startswith("/files/") and path[7:] in self.files:
            self.tools.send(handler, self.files[path[7:]])
        else:
            self.tools.send(handler, b"", 404)

    def page(self) -> tuple[bytes, str]:
        digests = {name: self.announce.get(name, hashlib.sha256(data).hexdigest()) for name, data in self.files.items()}
        if self.form == "json":
            files = [
                {
                    "filename": name,
                    "url": f"../../files/{name}",
                    "hashes": {"sha256": digests[name]} if self.digests else {},
                    "size": len(data),
                }
                for name, data in self.files.items()
            ]
            page = {"meta": {"api-version": "1.1"}, "name": "demo-pkg", "files": files, "versions": ["1.0"]}
            return json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json"
        fragments = {name: f"#sha256={digests[name]}" if self.digests else "" for name in self.files}
        links = "".join(f'<a href="../../files/{name}{fragments[name]}">{name}</a>\n' for name in self.files)
        return f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html"


@pytest.fixture
def package(store, tools, request):
    """Make a package transport on index URLs, for one spec, its pin and the files of the lock."""
    made = []

    def make(urls, spec, archive_pin=None, wanted=(), keep=store, limits=LIMITS, **settings):
        def session():
            return new_session(retries=1, backoff=0.01)

        urls = [urls] if isinstance(urls, str) else urls
        index = Index(IndexSettings(urls=tuple(urls)), session_factory=session, limits=limits)
        pins = {str(spec): archive_pin} if archive_pin else {}
        specs = {("o/n", "a" * 40): [spec]}
        made.append(Package(specs, pins, keep, wanted=wanted, index=index, **settings))
        return made[-1]

    yield make
    for transport in made:
        transport.close()
        transport.close()


@pytest.fixture
def outcome(store, tools, package, serve):
    """Resolve src/a.metal out of *archive*; return the bytes, or the problem with nothing stored."""

    def run(spec, filename, archive, path="src/a.metal", data=DATA, **settings):
        index = IndexServer(serve, tools, {filename: archive})
        transport = package(index.url, spec, pin(spec, filename, archive), **settings)
        file = tools.locked(data, path)
        try:
            return Resolver(store, [transport]).resolve(file).data
        except MetalworkingError as error:
            assert not (store.root / "sha256").exists()
            return error

    return run


@pytest.mark.parametrize("form", ["json", "html"])
@pytest.mark.parametrize("digests", [True, False])
@pytest.mark.parametrize(
    ("spec", "filename", "make"),
    [(WHEEL, WHEEL_NAME, wheel), (SDIST, SDIST_NAME, sdist)],
)
def test_two_hundred_files_are_one_download_and_warm_is_none(
    serve, tools, store, package, form, digests, spec, filename, make
):
    contents = {f"src/{n}.metal": b"kernel %d\n" % n for n in range(200)}
    members = [
        ("README", b"x"),
        ("src/1.metal", b"decoy"),
        *((spec.root + path, data) for path, data in contents.items()),
    ]
    archive = make(members)
    index = IndexServer(serve, tools, {filename: archive}, form=form, digests=digests)
    wanted = [tools.locked(data, path) for path, data in contents.items()]
    transport = package(index.url, spec, pin(spec, filename, archive), wanted)
    assert transport.pin_archive(spec) == pin(spec, filename, archive)
    index.server.paths.clear()
    (store.archive_path(pin(spec, filename, archive))).unlink()
    resolver = Resolver(store, [transport])
    resolver.prefetch(wanted)
    assert resolver.counts() == {"store": 0, "package": 200, "cards": 0, "errors": 0}
    assert index.downloads() == 1
    asked = len(index.server.paths)
    again = Resolver(store, [package(index.url, spec, pin(spec, filename, archive), wanted)])
    again.prefetch(wanted)
    assert again.counts()["store"] == 200
    for path in (store.root / "sha256").rglob("*"):
        if path.is_file():
            path.unlink()
    from_archive = Resolver(store, [package(index.url, spec, pin(spec, filename, archive), wanted)])
    from_archive.prefetch(wanted)
    assert from_archive.counts()["package"] == 200
    assert len(index.server.paths) == asked


def test_a_file_that_was_not_foreseen_is_read_too(outcome):
    archive = sdist([("vendor/up/src/a.metal", DATA), ("vendor/up/b", b"b\n")])
    assert outcome(SDIST, SDIST_NAME, archive, wanted=[]) == DATA


def test_a_member_that_differs_is_an_error(outcome):
    for spec, name, archive in (
        (WHEEL, WHEEL_NAME, wheel([("inc/src/a.metal", DATA.upper())])),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", DATA.upper())])),
    ):
        error = outcome(spec, name, archive)
        assert error.diagnostic.code == "wrong-bytes"
        assert not isinstance(error, Unavailable)


def test_an_archive_that_differs_is_an_error_and_not_read(serve, tools, store, package):
    right, wrong = wheel([("inc/src/a.metal", DATA)]), wheel([("inc/src/a.metal", DATA), ("evil", b"")])
    for announce in ({}, {WHEEL_NAME: hashlib.sha256(right).hexdigest()}):
        index = IndexServer(serve, tools, {WHEEL_NAME: wrong}, announce=announce)
        transport = package(index.url, WHEEL, pin(WHEEL, WHEEL_NAME, right))
        resolver = Resolver(store, [transport])
        for _ in range(2):
            with pytest.raises(MetalworkingError, match="wrong bytes from package: ") as caught:
                resolver.resolve(tools.locked(DATA))
            assert not isinstance(caught.value, Unavailable)
        assert index.downloads() == len(announce)
        assert tools.stored(store) == []


def test_another_index_may_have_the_right_archive(serve, tools, store, package):
    right = wheel([("inc/src/a.metal", DATA)])
    empty = IndexServer(serve, tools, {})
    wrong = IndexServer(serve, tools, {WHEEL_NAME: right + b"!"})
    good = IndexServer(serve, tools, {WHEEL_NAME: right})
    transport = package([empty.url, wrong.url, good.url], WHEEL, pin(WHEEL, WHEEL_NAME, right))
    assert transport.get(tools.locked(DATA)) == DATA
    assert good.downloads() == 1


@pytest.mark.parametrize(
    ("spec", "filename", "archive", "words"),
    [
        (WHEEL, WHEEL_NAME, wheel([("inc/other", DATA)]), "inc/src/a.metal is not in the archive"),
        (WHEEL, WHEEL_NAME, wheel([("inc/src/a.metal", b"../../b", 0o120777)]), "is a symbolic link in the archive"),
        (WHEEL, WHEEL_NAME, wheel([("inc/../x", DATA), ("inc/src/a.metal", DATA)]), "unsafe member name"),
        (WHEEL, WHEEL_NAME, wheel([("/inc/src/a.metal", DATA)]), "unsafe member name"),
        (WHEEL, WHEEL_NAME, wheel([("inc\\src\\a.metal", DATA)]), "unsafe member name"),
        (WHEEL, WHEEL_NAME, wheel([("inc/src/a.metal", b"x" * 6_000_000)]), "larger than the limit"),
        (WHEEL, WHEEL_NAME, b"PK\3\4 no zip at all", "broken archive"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", "x", tarfile.SYMTYPE)]), "is a link in the archive"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", "x", tarfile.LNKTYPE)]), "is a link in the archive"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", "", tarfile.FIFOTYPE)]), "not a regular file"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", "", tarfile.CHRTYPE)]), "not a regular file"),
        (SDIST, SDIST_NAME, sdist([("../x", DATA), ("vendor/up/src/a.metal", DATA)]), "unsafe member name"),
        (SDIST, SDIST_NAME, sdist([("/etc/x", DATA), ("vendor/up/src/a.metal", DATA)]), "unsafe member name"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", b"x" * 6_000_000)]), "larger than the limit"),
        (SDIST, SDIST_NAME, sdist([("vendor/up/src/a.metal", DATA)])[:-40], "broken archive"),
        (SDIST, SDIST_NAME, b"no gzip", "broken archive"),
        (SDIST, SDIST_NAME, sdist([("a/x", b"1"), ("b/y", b"2")], top=""), "has one top folder, this has 2"),
        (SDIST, "demo_pkg-1.0.tar.bz2", b"BZh", "not a .whl, .zip or .tar.gz"),
    ],
)
def test_what_an_archive_cannot_deliver(outcome, spec, filename, archive, words):
    error = outcome(spec, filename, archive)
    assert isinstance(error, Unavailable)
    assert words in str(error)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_a_member_that_is_there_twice_is_refused(outcome):
    double = [("inc/src/a.metal", DATA), ("inc/src/a.metal", b"evil")]
    assert "twice" in str(outcome(WHEEL, WHEEL_NAME, wheel(double)))
    assert "twice" in str(outcome(WHEEL, WHEEL_NAME, wheel(double[::-1])))
    double = [("vendor/up/src/a.metal", DATA), ("vendor/up/src/a.metal", b"evil")]
    assert "twice" in str(outcome(SDIST, SDIST_NAME, sdist(double)))
    link_first = [("vendor/up/src/a.metal", "x", tarfile.SYMTYPE), ("vendor/up/src/a.metal", DATA)]
    assert "twice" in str(outcome(SDIST, SDIST_NAME, sdist(link_first)))


def test_bounds_on_the_whole_archive(outcome):
    members = [("vendor/up/src/a.metal", DATA), *((f"f{n}", b"x" * 5000) for n in range(50))]
    too_many = outcome(SDIST, SDIST_NAME, sdist([*members, ("g", b"")]), path="b", bounds=Bounds(count=20))
    assert "more than 20 members" in str(too_many)
    too_much = outcome(SDIST, SDIST_NAME, sdist([*members, ("h", b"")]), path="b", bounds=Bounds(total=100_000))
    assert "broken archive" in str(too_much)
    assert outcome(SDIST, SDIST_NAME, sdist(members)) == DATA


def test_an_oversized_header_is_not_read(outcome):
    info = tarfile.TarInfo("demo_pkg-1.0/x")
    info.type, info.size = tarfile.XHDTYPE, 50 << 20
    archive = gzip.compress(info.tobuf() + b"\0" * (50 << 20), 1)
    assert "broken archive (ReadError)" in str(outcome(SDIST, SDIST_NAME, archive))


def test_folders_of_an_archive_are_passed_over(outcome):
    archive = wheel([("inc/", b""), ("inc/src/", b""), ("inc/src/a.metal", DATA)])
    assert outcome(WHEEL, WHEEL_NAME, archive) == DATA


def test_an_sdist_may_be_a_zip(outcome):
    archive = wheel([("demo_pkg-1.0/vendor/up/src/a.metal", DATA), ("demo_pkg-1.0/setup.py", b"")])
    assert outcome(SDIST, "demo_pkg-1.0.zip", archive) == DATA


def test_reasons_without_any_archive(serve, tools, store, package):
    file = tools.locked(DATA)
    index = IndexServer(serve, tools, {})
    cases = {
        "sources.lock pins no archive of Demo.Pkg 1.0": package(index.url, WHEEL),
        f"{index.server.host}: has no {WHEEL_NAME}": package(index.url, WHEEL, pin(WHEEL, WHEEL_NAME, b"x")),
        "no package index is configured": package([], WHEEL, pin(WHEEL, WHEEL_NAME, b"x")),
        "offline, and the archive is not in the store": package(
            index.url, WHEEL, pin(WHEEL, WHEEL_NAME, b"x"), offline=True
        ),
    }
    for words, transport in cases.items():
        with pytest.raises(Unavailable) as caught:
            transport.get(file)
        assert words in str(caught.value)
    with pytest.raises(Unavailable, match="no package is named for x/y@aaaaaaa"):
        package(index.url, WHEEL).get(tools.locked(DATA, repo="x/y"))


def test_a_stalled_or_dripping_download_is_given_up_once(serve, tools, store, package):
    archive = wheel([("inc/src/a.metal", DATA)])
    index = IndexServer(serve, tools, {WHEEL_NAME: archive})
    answer = index.server.respond

    def respond(handler):
        if not handler.path.startswith("/files/"):
            answer(handler)
            return
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(archive)))
        handler.end_headers()
        for byte in archive[:60]:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(0.02)

    index.server.respond = respond
    limits = Limits(1, 0.5, 0.4, 1 << 20)
    transport = package(index.url, WHEEL, pin(WHEEL, WHEEL_NAME, archive), limits=limits)
    for _ in range(20):
        with pytest.raises(Unavailable, match=r"not done after 0\.4 seconds"):
            transport.get(tools.locked(DATA))
    assert index.downloads() == 1
    assert tools.stored(store) == []


def test_an_archive_beyond_the_bound_is_not_downloaded(serve, tools, store, package):
    archive = b"x" * 3_000_000
    index = IndexServer(serve, tools, {WHEEL_NAME: archive})
    transport = package(index.url, WHEEL, limits=Limits(1, 1, 5, 1_000_000))
    with pytest.raises(Unavailable, match="more than the limit of 1000000 bytes"):
        transport.pin_archive(WHEEL)
    assert tools.stored(store) == []


def test_a_read_only_store_is_no_obstacle(tmp_path, serve, tools, package):
    (tmp_path / "ro").write_text("in the way")
    archive = wheel([("inc/src/a.metal", DATA), ("inc/b", b"b\n")])
    index = IndexServer(serve, tools, {WHEEL_NAME: archive})
    wanted = [tools.locked(DATA), tools.locked(b"b\n", "b")]
    transport = package(index.url, WHEEL, pin(WHEEL, WHEEL_NAME, archive), wanted, keep=Store(tmp_path / "ro"))
    assert transport.get(wanted[0]) == DATA
    assert transport.get(wanted[1]) == b"b\n"
    assert index.downloads() == 1


# Choosing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "chosen"), [("json", "cp311"), ("html", "cp310")])
def test_the_choice_is_the_same_whatever_the_order(serve, tools, package, form, chosen):
    """The smallest by the sizes of a page of JSON; one of HTML has none, and the names decide."""
    small, large = wheel([("inc/src/a.metal", DATA)]), wheel([("inc/src/a.metal", DATA), ("z", bytes(range(256)))])
    crlf = wheel([("inc/src/a.metal", b"\r\n")])
    names = {
        "demo_pkg-1.0-cp312-cp312-manylinux_2_17_x86_64.whl": large,
        "demo_pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl": small,
        "demo_pkg-1.0-cp310-cp310-manylinux_2_17_x86_64.whl": large,
        "demo_pkg-1.0-cp312-cp312-win_amd64.whl": crlf,
        "demo_pkg-1.0.1-py3-none-any.whl": crlf,
        "demo_pkg-1.0.tar.gz": b"",
    }
    for order in (names, dict(reversed(names.items()))):
        index = IndexServer(serve, tools, order, form=form)
        found = package(index.url, WHEEL, wanted=[tools.locked(DATA)]).pin_archive(WHEEL)
        assert found.filename == f"demo_pkg-1.0-{chosen}-{chosen}-manylinux_2_17_x86_64.whl"


def test_an_archive_that_contradicts_the_lock_is_passed_over(serve, tools, store, package):
    wrong, right = wheel([("inc/src/a.metal", b"\n")]), wheel([("inc/src/a.metal", DATA), ("pad", bytes(range(200)))])
    index = IndexServer(serve, tools, {"demo_pkg-1.0-py2-none-any.whl": wrong, WHEEL_NAME: right})
    transport = package(index.url, WHEEL, wanted=[tools.locked(DATA)])
    assert transport.pin_archive(WHEEL).filename == WHEEL_NAME
    del index.files[WHEEL_NAME]
    with pytest.raises(MetalworkingError, match=r"no archive of wheel:Demo\.Pkg==1\.0 fits") as caught:
        transport.pin_archive(WHEEL)
    assert not isinstance(caught.value, Unavailable)


def test_a_release_that_is_not_there(serve, tools, package):
    index = IndexServer(serve, tools, {"demo_pkg-2.0-py3-none-any.whl": b""})
    with pytest.raises(Unavailable, match=r"no wheel of Demo\.Pkg 1\.0"):
        package(index.url, WHEEL).pin_archive(WHEEL)


def test_an_announced_hash_that_is_wrong(serve, tools, store, package):
    index = IndexServer(serve, tools, {WHEEL_NAME: wheel([])}, announce={WHEEL_NAME: "0" * 64})
    with pytest.raises(MetalworkingError, match="not what the index announced"):
        package(index.url, WHEEL).pin_archive(WHEEL)
    assert tools.stored(store) == []


@pytest.mark.parametrize("page", [b"{", b"[]", b'{"meta": {"api-version": "9.0"}, "files": []}', b"\xff"])
def test_a_page_that_is_no_index(serve, tools, package, page):
    server = serve(lambda handler: tools.send(handler, page, Content_Type="application/vnd.pypi.simple.v1+json"))
    with pytest.raises(Unavailable, match="is not a package index"):
        package(server.url, WHEEL).pin_archive(WHEEL)


# Credentials and settings ------------------------------------------------------------------------------------------


def test_credentials_go_to_their_host_only_and_into_no_message(serve, tools, store, package, caplog):
    archive = wheel([("inc/src/a.metal", DATA)])
    private = IndexServer(serve, tools, {WHEEL_NAME: archive}, password="s3cret")
    other = IndexServer(serve, tools, {WHEEL_NAME: archive})
    with_password = private.url.replace("://", "://user:s3cret@")
    assert package([other.url, with_password], WHEEL).pin_archive(WHEEL).size == len(archive)
    assert all("authorization" not in headers for headers in other.server.headers)
    with caplog.at_level("DEBUG"):
        assert package([with_password], WHEEL, pin(WHEEL, WHEEL_NAME, archive)).get(tools.locked(DATA)) == DATA
        wrong = package([private.url.replace("://", "://user:wr0ng@")], WHEEL, pin(WHEEL, WHEEL_NAME, b"x"))
        with pytest.raises(Unavailable, match="answers 401") as caught:
            wrong.get(tools.locked(DATA))
    private.server.stop()
    dead = package([with_password], WHEEL, pin(WHEEL, WHEEL_NAME, b"x"))
    with pytest.raises(Unavailable, match="cannot be reached") as caught_dead:
        dead.get(tools.locked(DATA))
    for text in (str(caught.value), str(caught_dead.value), caplog.text, repr(IndexSettings(urls=(with_password,)))):
        assert not {"s3cret", "wr0ng"} & set(text.replace(":", " ").replace("@", " ").split())
        assert "s3cret" not in text


def test_netrc_is_used(serve, tools, store, package, tmp_path, monkeypatch):
    archive = wheel([("inc/src/a.metal", DATA)])
    index = IndexServer(serve, tools, {WHEEL_NAME: archive}, password="s3cret")
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login user password s3cret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert package(index.url, WHEEL, pin(WHEEL, WHEEL_NAME, archive)).get(tools.locked(DATA)) == DATA


def test_files_on_another_host_get_no_credentials(serve, tools, store, package):
    archive = wheel([("inc/src/a.metal", DATA)])
    files = serve(lambda handler: tools.send(handler, archive))
    page = f'<a href="{files.url}/{WHEEL_NAME}">{WHEEL_NAME}</a>'.encode()
    index = serve(lambda handler: tools.send(handler, page, Content_Type="text/html"))
    url = index.url.replace("://", "://user:s3cret@")
    assert package(url, WHEEL, pin(WHEEL, WHEEL_NAME, archive)).get(tools.locked(DATA)) == DATA
    assert "authorization" in index.headers[0]
    assert "authorization" not in files.headers[0]


def test_settings_are_read_as_pip_reads_them(tmp_path):
    weak, strong = tmp_path / "weak.conf", tmp_path / "strong.conf"
    (tmp_path / "wheels").mkdir()
    weak.write_text("[global]\nindex-url = https://a.example/simple\nextra_index_url = https://x.example/s\n")
    strong.write_text(
        f"[global]\nindex-url = https://b.example/simple\nfind-links =\n    {tmp_path}/wheels\n    https://l.example/\n"
        "cert = /ca.pem\n[install]\nproxy = http://p.example:8\n"
    )
    found = index_settings({}, (weak, strong, tmp_path / "absent"))
    assert found.urls == ("https://b.example/simple", "https://x.example/s")
    assert found.folders == (tmp_path / "wheels",)
    assert (found.cert, found.proxy) == ("/ca.pem", "http://p.example:8")
    env = {"PIP_INDEX_URL": "https://e.example/simple/", "PIP_EXTRA_INDEX_URL": "file:///skipped https://y.example/s"}
    assert index_settings(env, (strong,)).urls == ("https://e.example/simple/", "https://y.example/s")
    assert index_settings({"PIP_NO_INDEX": "1"}, (weak,)).urls == ()
    assert index_settings({"PIP_CONFIG_FILE": "/dev/null"}).urls == IndexSettings().urls
    strong.write_text("no section\n")
    assert index_settings({}, (strong,)) == IndexSettings()
    folders = f"{(tmp_path / 'wheels').as_uri()} {tmp_path}/none http:{tmp_path}/wheels ~nobody-of-this-name/x"
    assert index_settings({"PIP_FIND_LINKS": folders}, ()).folders == (tmp_path / "wheels",)


def test_a_named_settings_file_is_read(tmp_path):
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://n.example/simple\n")
    assert index_settings({"PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}).urls[0] == "https://n.example/simple"


def test_a_local_folder_needs_no_index(tmp_path, tools, store):
    archive = wheel([("inc/src/a.metal", DATA)])
    (tmp_path / WHEEL_NAME).write_bytes(archive)
    settings = IndexSettings(urls=(), folders=(tmp_path,))
    specs = {("o/n", "a" * 40): [WHEEL]}
    chosen = Package(specs, {}, store, settings=settings).pin_archive(WHEEL)
    assert chosen == pin(WHEEL, WHEEL_NAME, archive)
    store.archive_path(chosen).unlink()
    transport = Package(specs, {str(WHEEL): chosen}, store, settings=settings)
    assert transport.get(tools.locked(DATA)) == DATA
    transport.close()


def test_progress_says_one_line_without_a_terminal_and_nothing_when_quiet(serve, tools, package, store):
    archive = wheel([("inc/src/a.metal", DATA)])
    index = IndexServer(serve, tools, {WHEEL_NAME: archive})
    for quiet, lines in ((False, 1), (True, 0)):
        stream = io.StringIO()
        package(index.url, WHEEL, progress=Bar(quiet=quiet, stream=stream)).pin_archive(WHEEL)
        assert stream.getvalue().count("\n") == lines
        assert (WHEEL_NAME in stream.getvalue()) is not quiet


def test_progress_is_a_bar_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    progress = Bar(stream=stream)
    with progress.step("Downloading x", 100) as advance, progress.step("Downloading y", 50) as other:
        for _ in range(10):
            advance(10)
            other(5)
    assert "100%" in stream.getvalue()
    assert "Downloading y" in stream.getvalue()


@pytest.mark.parametrize("kept", [True, False])
def test_of_what_a_lock_wants_little_is_in_memory_at_once(tmp_path, monkeypatch, kept) -> None:
    """Whatever sizes its lines tell: right files beyond that go to the store, and of wrong ones the reason is kept."""
    monkeypatch.setattr("mkdocs_metalworking.deliver.catch._ROOM", 1 << 20)
    store = Store(tmp_path / "store")
    if not kept:
        monkeypatch.setattr(store, "put", lambda *_: False)
    contents = {f"src/{n}.metal": b"%d\n" % n + b"\n" * (1 << 20) for n in range(24)}
    archive = wheel([(WHEEL.root + path, data) for path, data in contents.items()])
    (tmp_path / WHEEL_NAME).write_bytes(archive)
    settings = IndexSettings(urls=(), folders=(tmp_path,))
    files = [LockedFile.of(FileKey("o/n", "a" * 40, path), data) for path, data in contents.items()]
    wrong = [replace(file, size=5, lines=1) for file in files[12:]]
    specs, pins = {("o/n", "a" * 40): [WHEEL]}, {str(WHEEL): pin(WHEEL, WHEEL_NAME, archive)}
    transport = Package(specs, pins, store, wanted=[*files[:12], *wrong], settings=settings)
    del contents
    tracemalloc.start()
    try:
        first = transport.get(files[3])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert files[3].mismatch(first) is None
    assert peak < 9 << 20
    assert all(file.mismatch(transport.get(file)) is None for file in files[:12])
    for file in wrong:
        with pytest.raises(MetalworkingError, match="bytes instead of 5") as caught:
            transport.get(file)
        assert not isinstance(caught.value, Unavailable)
    transport.close()
