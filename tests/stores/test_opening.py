"""Opening by path, URL or object: every form, what is refused, and that no secret is ever shown."""

from __future__ import annotations

import http.server
import logging
import pickle
import re
import sys
import tarfile
import threading
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import zom
from zom.cli.main import main
from zom.errors import ExtensionError, NotFound, ReadOnlyError, StoreError, ZomError
from zom.stores.http import HTTPStore
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.opening import planned, schemes, store
from zom.stores.sqlite import SQLiteStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore
from zom.stores.zip import ZipStore


@pytest.mark.parametrize(
    ("name", "kind"), [("data.zarr", LocalStore), ("a.zip", ZipStore), ("a.ZIP", ZipStore), ("a.sqlite", SQLiteStore), ("a.db", SQLiteStore)]
)  # fmt: skip
def test_a_path_is_opened_by_its_suffix(tmp_path: Path, name: str, kind: type) -> None:
    for place in (
        str(tmp_path / name),
        tmp_path / name,
        f"file://{tmp_path / name}",
        f"file://localhost{tmp_path / name}",
    ):
        with store(place) as opened:
            assert type(opened) is kind
            opened.set("a/0", b"123")
        with store(place, read_only=True) as opened:
            assert opened.get("a/0") == b"123"
            with pytest.raises(ReadOnlyError):
                opened.set("a/0", b"")
        if kind is not LocalStore:
            Path(tmp_path / name).unlink()


def test_a_directory_that_is_called_like_a_file_is_one(tmp_path: Path) -> None:
    for name in ("a.zip", "a.sqlite"):
        (tmp_path / name).mkdir()
        assert isinstance(store(tmp_path / name), LocalStore)


def test_a_file_url_is_unescaped(tmp_path: Path) -> None:
    opened = store(f"file://{tmp_path}/a%20b%23%C3%BC%25")
    assert opened.url == f"{tmp_path}/a b#ü%"
    assert isinstance(store(f"file:{tmp_path}/x"), LocalStore)


def test_a_path_of_windows_is_no_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("C:\\data\\a.zarr", "C:/data", "c:x"):
        assert isinstance(store(text), LocalStore)
    assert store("C:\\data\\a.zarr").url == str(tmp_path / "C:\\data\\a.zarr")


def test_a_memory_url_is_one_store_for_each_name() -> None:
    first = store("memory://opening-one")
    first.set("a", b"1")
    assert store("memory://opening-one").get("a") == b"1"
    assert store("memory://opening-two").get("a") is None
    assert isinstance(store("memory://opening-one", read_only=True), ReadOnlyStore)


@pytest.mark.parametrize("url", ["http://localhost/x", "HTTPS://localhost/x", "http://[::1]:80/x"])
def test_a_web_address_is_a_store_to_read(url: str) -> None:
    assert isinstance(store(url, timeout=3, headers={"X": "1"}), HTTPStore)
    with pytest.raises(ReadOnlyError, match="cannot open for writing: the store is read-only"):
        store(url, read_only=False)


@pytest.mark.parametrize("url", ["s3://bkt/a", "gs://bkt/a", "az://bkt/a", "S3://bkt/a"])
def test_a_bucket_is_opened_with_obstore(url: str) -> None:
    pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    from zom.stores.object import ObjectStore

    options = {"account_name": "x"} if url.startswith("az") else {}
    opened = store(url, skip_signature=True, read_only=True, **options)
    assert isinstance(opened, ObjectStore)
    assert not opened.capabilities.writable
    assert opened.url.lower() == url.lower()


def test_without_obstore_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "obstore"] or ["obstore"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(ExtensionError, match=r"obstore is not installed; pip install 'zom\[cloud\]'"):
        store("s3://bkt/a")


def test_an_unknown_scheme_lists_those_that_are_known() -> None:
    assert schemes() == ["az", "file", "gs", "http", "https", "memory", "reference", "s3"]
    with pytest.raises(StoreError) as caught:
        store("ftp://me:canary@h/x?canary")
    assert str(caught.value) == (
        "ftp://h/x: cannot open: unknown scheme 'ftp'; known are az, file, gs, http, https, memory, reference, s3 "
        "(az, gs and s3 with pip install 'zom[cloud]'); for others, pass an fsspec file system (pip install "
        "'zom[fsspec]'), or install a package with an entry point of \"zom.stores\""
    )


@pytest.mark.parametrize(
    "text", ["zip::s3://bkt/a.zip", "simplecache::https://me:canary@h/x", "zip://a::file:///x.zip", "s3://bkt/x.zip::zip://y", "blockcache::x"]
)  # fmt: skip
def test_chained_urls_are_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"chained URLs \('::'\) are not supported") as caught:
        store(text)
    assert "canary" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    ["memory:", "memory:x", "Memory:", "mem://x", "mem:x", "s3:bkt/a", "S3:/bkt", "s3//bkt/a", "gs:bkt", "gcs:bkt", "az:x", "http:h/x", "https//h/x", "ftp:h", "reference:x", "zip:a.zip"],
)  # fmt: skip
def test_near_misses_of_a_url_are_refused_and_make_no_directory(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"cannot open: (expected|unknown scheme)"):
        store(text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x.zarr::g/x", "pass 'x.zarr', 'g/x', as in zom.open('x.zarr', 'g/x')"),
        ("x.zarr::/g", "pass 'x.zarr', 'g', as in zom.open('x.zarr', 'g')"),
        ("x.zarr::", "pass 'x.zarr', as in zom.open('x.zarr')"),
        ("./x.zarr::a", "pass './x.zarr', 'a', as in"),
        ("http://me:canary@[::1]:80/x.zarr::a/b", "pass 'http://[::1]:80/x.zarr', 'a/b', as in"),
    ],
)
def test_a_path_within_a_store_is_no_part_of_its_name(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    zom.create_group("x.zarr", zom.v3.GroupSpec(), "g/x")
    for act in (
        store,
        zom.open,
        zom.read,
        zom.validate,
        lambda place: zom.create_group(place, zom.v3.GroupSpec()),
    ):
        with pytest.raises(StoreError, match="a path within a store is a separate argument") as caught:
            act(text)
        assert message in str(caught.value)
        assert "canary" not in str(caught.value)
    assert [each.name for each in tmp_path.iterdir()] == ["x.zarr"]


def test_a_directory_with_two_colons_in_its_name_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    zom.create_group("./a::b", zom.v3.GroupSpec())
    zom.create_group("a", zom.v3.GroupSpec())
    assert zom.open("./a::b").path == "/"


@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize(("place", "inner"), [("", ""), ("g/x", "g/x")])
def test_a_file_of_a_hierarchy_names_what_to_open(form: str, place: str, inner: str, tmp_path: Path) -> None:
    face: Any = getattr(zom, form)
    array = face.ArraySpec.build(shape=(2,), dtype="int8")
    root = tmp_path / "x.zarr"
    zom.materialize(face.GroupSpec(members={"g": face.GroupSpec(members={"x": array})}), root)["g/x"][:] = 1
    for file in (root / place).glob("**/*" if place else "*"):
        if not file.is_file():
            continue
        for act in (store, zom.open, zom.read):
            with pytest.raises(
                StoreError, match="expected a store, found a file in one; open the directory"
            ) as caught:
                act(file)
            assert f"zom.open('{root}')" in str(caught.value)
            assert (f"zom.open('{root}', '{inner}')" in str(caught.value)) == bool(inner)


PACKED = {
    "a.tar": ("w", "tar", r"unpack it: tar -xf \S+a\.tar$"),
    "a.tgz": ("w:gz", "gzip", r"unpack it: tar -xf \S+a\.tgz$"),
    "a b.tar.bz2": ("w:bz2", "bzip2", r"unpack it: tar -xf '\S+a b\.tar\.bz2'$"),
    "a.tar.xz": ("w:xz", "xz", r"unpack it: tar -xf \S+a\.tar\.xz$"),
    "a.zarr": ("w", "tar", r"unpack it: tar -xf \S+a\.zarr$"),
    "a.json.xz": ("w:xz", "xz", "unpack it first$"),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_says_how_to_unpack_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    mode, packed, fix = PACKED[name]
    (tmp_path / "zarr.json").write_text("{}")
    with tarfile.open(tmp_path / name, mode) as archive:  # type: ignore[call-overload] - one of its modes
        archive.add(tmp_path / "zarr.json", "zarr.json")
    (tmp_path / "zarr.json").unlink()
    told = rf"a file packed as {packed}, which zom does not open; {fix}"
    for use in (store, planned, zom.open, zom.read, zom.validate):
        with pytest.raises(StoreError, match=rf"cannot open: {told}"):
            use(tmp_path / name)
    for verb in ("tree", "info", "stats", "copy"):
        assert main([verb, str(tmp_path / name), *([str(tmp_path / "b")] if verb == "copy" else [])]) == 3
        assert re.search(told, capsys.readouterr().err.strip())


@pytest.mark.parametrize("name", ["new.tar", "new.TGZ", "new.tar.gz", "new.zst", "new.7z"])
def test_no_directory_is_made_where_a_packed_file_is_meant(tmp_path: Path, name: str) -> None:
    for use in (store, planned, zom.create_group):
        with pytest.raises(StoreError, match=r"zom does not write \.\w+ files; name a zip file"):
            use(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).mkdir()  # one that is there is what it is
    assert zom.create_group(tmp_path / name).path == "/"


def test_another_file_is_no_store(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    with pytest.raises(
        StoreError, match=r"expected a directory, a zip \(\.zip\), SQLite \(\.sqlite\) or HDF5 file"
    ):
        zom.open(file)


def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    zom.create_group("~/x.zarr", zom.v3.GroupSpec(attributes={"n": 1}))
    assert (tmp_path / "home" / "x.zarr" / "zarr.json").is_file()
    assert not (tmp_path / "~").exists()
    assert zom.open("~/x.zarr/").attrs == zom.read("~/x.zarr").attributes == {"n": 1}
    (tmp_path / "~").mkdir()
    zom.create_group("~/x.zarr", zom.v3.GroupSpec())
    assert (tmp_path / "~" / "x.zarr" / "zarr.json").is_file()


def test_what_is_left_of_a_hierarchy_is_named(tmp_path: Path) -> None:
    root = tmp_path / "x.zarr"
    zom.create_group(root, zom.v2.GroupSpec(), "g")
    zom.consolidate(root)
    for file in root.glob("**/.zgroup"):
        file.unlink()
    for act in (zom.open, zom.read, zom.validate):
        with pytest.raises(
            NotFound, match=r"found consolidated metadata without documents of nodes: .*='only'\)"
        ):
            act(root)
    assert [path for path, _ in zom.read(root, consolidated="only").walk()] == ["/", "/g"]


def test_a_near_miss_says_how_to_name_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as caught:
        store("gs:bkt/a")
    assert str(caught.value) == (
        "gs:bkt/a: cannot open: expected gs:// and the rest of a URL, found 'gs:'; write a directory of that name as './gs:...'"
    )
    assert isinstance(store("./gs:bkt"), LocalStore)
    assert isinstance(store("data:2020.zarr"), LocalStore)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("", "expected a path or a URL"),
        ("a\0b", "expected a path or a URL"),
        (b"path", "expected a path, a URL"),
        (Path("s3://bkt/canary"), "expected s3:// and two slashes; a Path drops one"),
        (Path("https://h/canary"), "expected https:// and two slashes; a Path drops one"),
        ("file://host/x", "files of other hosts can't be opened"),
        ("file:x", "expected file:/// and an absolute path"),
        ("file:///x?y", "in a path, write '\\?' as %3F"),
        ("file:///x#y", "in a path, write '\\?' as %3F"),
        ("file:///x%00", "expected a path without NUL"),
        (7, "builtins.int: cannot open: expected a path, a URL, or a store of zom, zarr-python"),
        (None, "builtins.NoneType: cannot open"),
        ({"a": b"1"}, "expected a dict of kerchunk references"),
    ],
)
def test_what_is_no_place_is_refused(
    place: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=reason):
        store(place)
    assert list(tmp_path.iterdir()) == []


def test_options_that_nobody_takes_are_refused() -> None:
    with pytest.raises(
        StoreError, match="memory://x: cannot open: expected no options, found a, token"
    ) as caught:
        store("memory://x", token="canary", a=1)
    assert "canary" not in str(caught.value)
    with pytest.raises(StoreError, match="expected no options for an open store, found token"):
        store(MemoryStore(), token="canary")


def test_a_store_is_itself_and_read_only_where_that_is_asked_for() -> None:
    inner = MemoryStore({"a": b"1"})
    assert store(inner) is inner
    assert store(inner, read_only=False) is inner
    shut = store(inner, read_only=True)
    assert isinstance(shut, ReadOnlyStore)
    assert store(shut, read_only=True) is shut
    with pytest.raises(ReadOnlyError):
        store(shut, read_only=False)


def test_objects_of_obstore_are_taken(tmp_path: Path) -> None:
    pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    from obstore.store import LocalStore as ObstoreLocal
    from obstore.store import MemoryStore as ObstoreMemory

    for inner in (ObstoreMemory(), ObstoreLocal(tmp_path)):
        opened = store(inner)
        opened.set("a/0", b"1")
        assert store(inner, read_only=True).get("a/0") == b"1"


def test_upaths_and_mappers_of_fsspec_are_taken(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="pip install 'zom[fsspec]'")
    filesystem = fsspec.filesystem("memory")
    mapper = fsspec.get_mapper("memory://opening-mapper")
    store(mapper).set("a/0", b"1")
    assert mapper["a/0"] == b"1"
    duck = SimpleNamespace(fs=filesystem, path="/opening-mapper", protocol="memory")
    assert store(duck).get("a/0") == b"1"
    upath = pytest.importorskip("upath", reason="pip install universal-pathlib")
    assert store(upath.UPath("memory://opening-mapper")).get("a/0") == b"1"
    for place in (upath.UPath(tmp_path / "x"), upath.UPath(f"file://{tmp_path}/x")):
        assert isinstance(store(place), LocalStore)


def test_stores_of_zarr_python_are_taken(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    from zom.stores.zarr_python import ZarrPythonStore, as_zarr_python

    inner = zarr.storage.MemoryStore()
    group = zarr.create_group(inner)
    array = group.create_array("g/x", shape=(2,), dtype="i1")
    assert isinstance(store(inner), ZarrPythonStore)
    assert sorted(store(inner).list()) == ["g/x/zarr.json", "g/zarr.json", "zarr.json"]
    below = store(array)
    assert isinstance(below, PrefixStore)
    assert list(below.list()) == ["zarr.json"]
    assert store(group["g"]).list_dir().prefixes == ["x/"]
    ours = MemoryStore()
    assert store(as_zarr_python(ours)) is ours
    assert not store(as_zarr_python(ours, read_only=True)).capabilities.writable


def test_a_store_of_zarr_python_over_obstore_is_used_without_it() -> None:
    zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    obstore = pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    from zom.stores.object import ObjectStore

    opened = store(zarr.storage.ObjectStore(obstore.store.MemoryStore(), read_only=True))
    assert isinstance(opened, ObjectStore)
    assert not opened.capabilities.writable


def test_an_icechunk_url_says_what_to_open_and_to_install() -> None:
    with pytest.raises(StoreError) as caught:
        store("icechunk://bucket/repository")
    assert "expected a session: repository.readonly_session('main')" in str(caught.value)
    assert "pip install 'zom[icechunk]'" in str(caught.value)


def test_icechunk_sessions_are_taken_and_repositories_need_one() -> None:
    icechunk = pytest.importorskip("icechunk", reason="pip install icechunk")
    zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    repository = icechunk.Repository.create(icechunk.in_memory_storage())
    session = repository.writable_session("main")
    zarr.create_group(session.store)
    assert list(store(session).list()) == ["zarr.json"]
    assert list(store(session.store).list()) == ["zarr.json"]
    assert not store(repository.readonly_session("main")).capabilities.writable
    with pytest.raises(StoreError, match=r"expected a session: repository.readonly_session\('main'\)"):
        store(repository)


# --- secrets ---------------------------------------------------------------------------------------

CANARY = "canary-9b1e"


class Refusing(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(403, CANARY)

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def refusing() -> Any:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def shown(act: Any, caplog: pytest.LogCaptureFixture) -> str:
    """Everything that anybody may see of what `act` ends with."""
    caplog.set_level(logging.DEBUG)
    texts: list[str] = []
    try:
        result = act()
    except (ZomError, TypeError, ValueError) as error:
        cause: BaseException | None = error
        while cause is not None:
            texts += [str(cause), repr(cause), repr(cause.args)]
            cause = cause.__cause__ or cause.__context__
        texts += traceback.format_exception(error, limit=0)
        texts.append(repr(pickle.dumps(error)))
    else:
        texts += [str(result), repr(result), getattr(result, "url", "")]
        try:
            texts.append(repr(pickle.dumps(result)))
        except StoreError as error:
            texts.append(str(error))
    return "\n".join([*texts, caplog.text])


def ways(host: str) -> list[tuple[str, dict[str, Any]]]:
    dead = {
        "endpoint": f"http://{host}",
        "client_options": {"allow_http": True},
        "retry_config": {"max_retries": 0},
    }
    keys = {"access_key_id": CANARY, "secret_access_key": CANARY, "session_token": CANARY, "region": "x"}
    return [
        (f"http://me:{CANARY}@{host}/x", {}),
        (f"http://{CANARY}@{host}/x", {}),
        (f"http://{host}/x?sig={CANARY}", {}),
        (f"http://{host}/x", {"headers": {"Authorization": f"Bearer {CANARY}"}}),
        (f"http://{host}/x", {"headers": {"Authorization": f"{CANARY}\n"}}),
        (f"http://{host}/x", {"nope": CANARY}),
        (f"http://me:{CANARY}#@{host}/x", {}),
        (f"ftp://me:{CANARY}@{host}/x", {}),
        (f"s3://me:{CANARY}@bkt/x", {}),
        ("s3://bkt/x", {**dead, **keys}),
        ("s3://bkt/x", {**dead, "config": keys}),
        ("s3://bkt/x", {**dead, **keys, "endpoint": f"http://me:{CANARY}@{host}"}),
        ("s3://bkt/x", {**keys, "nope": CANARY}),
        ("az://bkt/x", {**dead, "account_name": "x", "sas_key": f"sv=1&sig={CANARY}"}),
        ("az://bkt/x", {"account_name": "x", "account_key": f"{CANARY}==="}),
        ("gs://bkt/x", {"service_account_key": f'{{"private_key": "{CANARY}"}}'}),
    ]


@pytest.mark.parametrize("index", range(len(ways("h"))))
def test_no_secret_is_shown_by_a_store_or_by_what_it_ends_with(
    index: int, refusing: str, caplog: pytest.LogCaptureFixture
) -> None:
    url, options = ways(refusing)[index]
    if not url.startswith(("http", "ftp")):
        pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    assert CANARY not in shown(lambda: store(url, **options), caplog)
    try:
        opened = store(url, **options)
    except (ZomError, TypeError):
        return
    uses: list[Any] = [
        lambda: opened.get("a"),
        lambda: opened.get_many(["a", "b"]),
        lambda: opened.set("a", b""),
        opened.list_dir,
        lambda: list(opened.list()),
    ]
    for use in uses:
        assert CANARY not in shown(use, caplog)


def test_no_secret_of_the_environment_is_shown(
    refusing: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, CANARY)
    _, options = ways(refusing)[9]
    plain = {
        name: value
        for name, value in options.items()
        if name in {"endpoint", "client_options", "retry_config"}
    }
    opened = store("s3://bkt/x", region="x", **plain)
    for use in (lambda: opened, lambda: opened.get("a"), lambda: opened.set("a", b""), opened.list_dir):
        assert CANARY not in shown(use, caplog)
