"""References on a web server: what is read beside them, and what no such document may name."""

from __future__ import annotations

import http.server
import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import zom
from zom.errors import StoreError
from zom.stores.references.targets import Targets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "blob").write_bytes(b"__0123456789__")
    (tmp_path / "blob").write_bytes(b"other")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_document_on_the_web_reads_what_is_beside_it(web: str, tmp_path: Path) -> None:
    here = {".zgroup": "{}", "a": ["blob", 2, 4], "b": [f"{web}/a%20b/blob", 6, 2], "c": [f"{web}/blob"]}
    (tmp_path / "a b" / "refs.json").write_text(json.dumps(here))
    store = zom.store(f"{web}/a%20b/refs.json", retries=1, remote_options={"retries": 0})
    assert store.url == f"{web}/a%20b/refs.json"
    assert store.get_many(["a", "b", "c", "d"]) == [b"0123", b"45", b"other", None]
    assert store.capabilities.parallel > 1
    assert dict(store.sizes()) == {".zgroup": 2, "a": 4, "b": 2, "c": 5}
    (tmp_path / "local.json").write_text(json.dumps(here))
    assert zom.store(tmp_path / "local.json").get("b") == b"45"
    assert zom.store(here).get("c") == b"other"
    with pytest.raises(StoreError, match=r"nothing\.json: cannot open: there is no such file"):
        zom.store(f"{web}/nothing.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(StoreError, match=r"bad\.json: cannot open: expected references in JSON"):
        zom.store(f"{web}/bad.json")


@pytest.mark.parametrize(
    "url", ["/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:1/x", "http://localhost/x", "http://10.0.0.1/x", "http://169.254.169.254/latest", "http://[::1]/x", "http://intranet/x", "https://a.internal/x"]
)  # fmt: skip
def test_a_document_on_the_web_names_nothing_of_this_machine_or_its_network(
    web: str, tmp_path: Path, url: str
) -> None:
    (tmp_path / "refs.json").write_text(json.dumps({".zgroup": "{}", "a": [url, 0, 2]}))
    with pytest.raises(StoreError, match=r"refs.json: cannot read 'a': a reference points to .*may not read"):
        zom.store(f"{web}/refs.json").get("a")


def test_what_is_allowed_besides(web: str, tmp_path: Path) -> None:
    (tmp_path / "a b" / "refs.json").write_text(
        json.dumps(
            {
                ".zgroup": "{}",
                "a": [str(tmp_path / "blob"), 0, 2],
                "b": [f"{web}/blob", 0, 3],
                "c": ["blob", 0, 1],
            }
        )
    )
    store = zom.store(f"{web}/a%20b/refs.json", allow=[tmp_path])
    assert store.get_many(["a", "c"]) == [b"ot", b"_"]
    with pytest.raises(StoreError, match=rf"allow=\['{web}/'\]"):
        store.get("b")
    assert zom.store(f"{web}/a%20b/refs.json", allow=[f"{web}/"]).get("b") == b"oth"


def test_far_documents_may_read_what_is_public() -> None:
    for url in ("https://example.org/x", "s3://bucket/x", "gcs://bucket/x"):
        if not url.startswith("http"):
            pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
        home = Targets(
            "https://other.example.org/a/", options={} if "http" in url else {"skip_signature": True}
        )
        assert home.find(url)[1] == "x"


class Bucket(http.server.BaseHTTPRequestHandler):
    """A bucket of S3, as far as reading goes."""

    objects: ClassVar[dict[str, bytes]] = {}

    def log_message(self, *_: Any) -> None: ...

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        value = self.objects.get(self.path.partition("?")[0])
        stated = self.headers.get("Range")
        self.send_response(404 if value is None else 206 if stated else 200)
        whole = value or b""
        part = whole
        if stated:
            first, _, last = stated.removeprefix("bytes=").partition("-")
            part = whole[int(first) : int(last) + 1]
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Mon, 23 Nov 2026 00:00:00 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(part)


def test_references_in_a_bucket_and_to_one(tmp_path: Path) -> None:
    pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    refs = {".zgroup": "{}", "a": ["s3://bkt/d/x y.nc", 2, 4], "b": ["x y.nc", 4, 2], "c": ["s3://other/d/z", 0, 2], "d": ["/etc/passwd", 0, 2]}  # fmt: skip
    Bucket.objects = {
        "/bkt/d/refs.json": json.dumps(refs).encode(),
        "/bkt/d/x%20y.nc": b"__0123456789",
        "/other/d/z": b"zz",
    }
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        options: dict[str, Any] = {
            "endpoint": f"http://127.0.0.1:{server.server_port}",
            "client_options": {"allow_http": True},
            "skip_signature": True,
            "region": "us-east-1",
        }
        store = zom.store("s3://bkt/d/refs.json", remote_options=options, **options)
        assert store.get_many(["a", "b", "c"]) == [b"0123", b"23", b"zz"]
        with pytest.raises(StoreError, match="a reference points to '/etc/passwd'"):
            store.get("d")
        shut = zom.store("s3://bkt/d/refs.json", remote_options=options, allow=[], **options)
        assert shut.get("b") == b"23"
        with pytest.raises(StoreError, match=r"allow=\['s3://other/'\]"):
            shut.get("c")
        (tmp_path / "refs.json").write_text(json.dumps(refs))
        assert zom.store(tmp_path / "refs.json", remote_options=options).get("a") == b"0123"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
