"""References on a web server: what is read beside them, and what no such document may name."""

from __future__ import annotations

import http.server
import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

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
