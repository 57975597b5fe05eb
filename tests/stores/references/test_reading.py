"""References: what they mean, what is asked of the files, and what is wrong with them."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom
from zom.errors import ReadOnlyError, StoreError
from zom.stores.interface import Listing, Range, Suffix, cut
from zom.stores.references.document import Target
from zom.stores.references.opening import from_document
from zom.stores.references.store import ReferenceStore
from zom.testing.logged import LoggedStore
from zom.testing.stores import ReadingSuite

if TYPE_CHECKING:
    from pathlib import Path

ZARRAY = {
    "zarr_format": 2,
    "shape": [12],
    "chunks": [4],
    "dtype": "|u1",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}


class TestReferenceStore(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path: Path) -> Any:
        def filled(values: dict[str, bytes]) -> ReferenceStore:
            """Each value in the document, in a file of its own, or beside others in one file."""
            blob, refs = b"", dict[str, Any]()
            for number, (key, value) in enumerate(values.items()):
                if number % 3 == 0:
                    refs[key] = f"base64:{base64.b64encode(value).decode()}"
                elif number % 3 == 1:
                    (tmp_path / f"{number}.bin").write_bytes(value)
                    refs[key] = [str(tmp_path / f"{number}.bin")]
                else:
                    refs[key] = [(tmp_path / "blob").as_uri(), len(blob), len(value)]
                    blob += value
            (tmp_path / "blob").write_bytes(blob)
            return from_document({"version": 1, "refs": refs})

        return filled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "blob").write_bytes(b"__0123456789__")
    return tmp_path


def references(blob: str) -> dict[str, Any]:
    return {
        ".zgroup": '{"zarr_format": 2}',
        "x/.zarray": ZARRAY,
        "x/0": [blob, 2, 4],
        "x/1": "base64:NDU2Nw==",
        "whole": [blob],
    }


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("given_as", ["dict", "path", "text", "file URL", "reference URL", "fo", "fo dict"])
def test_references_are_opened_by_whatever_names_them(folder: Path, version: int, given_as: str) -> None:
    refs = references(str(folder / "data" / "blob"))
    document = {"version": 1, "refs": refs} if version else refs
    path = folder / "refs.json"
    path.write_text(json.dumps(document))
    place: Any = {
        "dict": document,
        "path": path,
        "text": str(path),
        "file URL": path.as_uri(),
        "reference URL": f"reference://{path}",
        "fo": zom.store("reference://", fo=str(path)) if given_as == "fo" else None,
        "fo dict": zom.store("reference://", fo=document) if given_as == "fo dict" else None,
    }[given_as]
    store = zom.store(place)
    assert sorted(store.list()) == sorted(refs)
    assert store.list_dir("x/") == Listing(["x/.zarray", "x/0", "x/1"], [])
    assert store.get_many(["x/0", "x/1", "x/2", "whole", ("x/0", Range(1, 2)), ("whole", Suffix(3))]) == [
        b"0123", b"4567", None, b"__0123456789__", b"12", b"9__"]  # fmt: skip
    assert dict(store.sizes()) == {
        ".zgroup": 18,
        "x/.zarray": len(json.dumps(ZARRAY)),
        "x/0": 4,
        "x/1": 4,
        "whole": 14,
    }
    assert zom.open(place)["x"][:].tolist() == [*b"01234567", 0, 0, 0, 0]


def test_templates_stand_in_urls(folder: Path) -> None:
    document = {
        "version": 1,
        "templates": {"u": str(folder), "f": "{{folder}}/data/{{ name }}"},
        "refs": {
            "a": ["{{u}}/data/blob", 2, 1],
            "b": [f"{{{{f(folder='{folder}', name=\"blob\")}}}}", 3, 1],
            "c": ["{{ u }}/{{u}}"],
            "d": "{{u}}",
        },
    }
    store = zom.store(document)
    assert store.get_many(["a", "b", "d"]) == [b"0", b"1", b"{{u}}"]
    with pytest.raises(StoreError, match="cannot read 'c'"):
        store.get("c")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"version": 2, "refs": {}}, "expected references of version 0 or 1, found version 2"),
        ({"version": True, "refs": {}}, "found version True"),
        ({"version": 1, "refs": {}, "gen": [{"key": "a{{i}}"}]}, "`gen` creates references with Jinja expressions"),
        ({"version": 1, "refs": {"a": ["{{u}}"]}}, r"cannot open 'a'.*expected a template 'u', found \[\]"),
        ({"version": 1, "templates": {"f": "{{c}}"}, "refs": {"a": ["{{f}}"]}}, "expected an argument 'c'"),
        ({"version": 1, "templates": {"f": "x"}, "refs": {"a": ["{{f(1+1)}}"]}}, "expected name='text' as arguments"),
        ({"version": 1, "templates": {"f": "x"}, "refs": {"a": ["{{f.__class__}}"]}}, "expected {{name}} or"),
        ({"version": 1, "templates": {"f": 1}, "refs": {}}, "expected the template 'f' to be text"),
        ({"version": 1, "templates": 1, "refs": {}}, "expected `templates` to be an object"),
        ({".zgroup": "{}", "a": ["u", 1]}, r"expected text, an object, \[url\] or \[url, offset, length\]"),
        ({".zgroup": "{}", "a": ["u", -1, 2]}, r"found \['u', -1, 2\]"),
        ({".zgroup": "{}", "a": ["u", 1.0, 2]}, r"found \['u', 1.0, 2\]"),
        ({".zgroup": "{}", "a": [None, 1, 2]}, r"found \[None, 1, 2\]"),
        ({".zgroup": "{}", "a": 7}, "found 7"),
        ({".zgroup": "{}", 7: "x"}, "expected keys that are text, found 7"),
        ({".zgroup": "{}", "a": "base64:x"}, "the value in the document is damaged"),
        ({"zarr_format": 3}, "expected a dict of kerchunk references"),
    ],
)  # fmt: skip
def test_a_document_at_fault_is_refused_when_it_is_opened(document: Any, reason: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=reason):
        zom.store(document)
    if "zarr_format" not in document and 7 not in document:
        (tmp_path / "refs.json").write_text(json.dumps(document))
        with pytest.raises(StoreError, match=reason):
            zom.store(tmp_path / "refs.json")


def test_a_json_file_without_references_is_no_store(tmp_path: Path) -> None:
    for text in ('{"zarr_format": 3, "node_type": "group"}', "[]", "{", '{"refs"', ""):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(StoreError, match="expected a directory, a zip"):
            zom.store(tmp_path / "other.json")


def test_options_that_references_do_not_take_are_refused(folder: Path) -> None:
    (folder / "refs.json").write_text(json.dumps(references("data/blob")))
    with pytest.raises(
        StoreError, match="expected no options but allow and remote_options, found durability"
    ):
        zom.store(folder / "refs.json", durability="full")
    with pytest.raises(StoreError, match="expected no options but allow and remote_options, found x"):
        zom.store(references(""), x=1)
    with pytest.raises(StoreError, match="expected a list of places to allow, found '/'"):
        zom.store(references(""), allow="/")
    with pytest.raises(StoreError, match="expected a reference document as fo="):
        zom.store("reference://")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "base64:", "{{u}}", "/", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["u", "a", "a/b", "../x"]), inner)
    ),
)
TARGETS = st.tuples(
    st.sampled_from(["/etc", "{{u}}", "file:///", "s3:", "", "\0"]), st.integers(), st.integers()
)


@given(
    refs=st.dictionaries(st.text(max_size=4), VALUES | TARGETS.map(list)), templates=VALUES, version=VALUES
)
def test_any_document_opens_or_is_refused(refs: Any, templates: Any, version: Any) -> None:
    for document in (
        {"version": 1, "templates": templates, "refs": refs},
        {"version": version, "refs": refs},
        {".zgroup": "{}", **refs},
    ):
        try:
            store = zom.store(document, allow=[])
        except StoreError:
            continue
        for key in store.list():
            with contextlib.suppress(zom.ZomError):
                assert isinstance(store.get(key), bytes)
        with contextlib.suppress(zom.ZomError):
            dict(store.sizes())


# --- files -----------------------------------------------------------------------------------------------


def test_references_are_read_only(folder: Path) -> None:
    refs = references(str(folder / "data" / "blob"))
    with pytest.raises(ReadOnlyError):
        zom.store(refs).set("x/2", b"1234")
    with pytest.raises(ReadOnlyError):
        zom.store(refs, read_only=False)
    with pytest.raises(ReadOnlyError):
        zom.create_group(refs, zom.v2.GroupSpec(), "new")


def test_a_file_that_is_missing_or_shorter_is_an_error_and_no_fill_value(folder: Path) -> None:
    store = zom.store(references(str(folder / "data" / "blob")))
    (folder / "data" / "blob").write_bytes(b"__01")
    with pytest.raises(
        StoreError, match=r"cannot read 'x/0'.*expected 4 bytes at 2 of .*blob, found 2: the file has"
    ):
        store.get("x/0")
    (folder / "data" / "blob").unlink()
    for key in ("x/0", "whole"):
        with pytest.raises(
            StoreError, match=rf"cannot read '{key}'.*the file that it points to is missing: .*blob"
        ):
            store.get(key)
    with pytest.raises(StoreError, match="the file that it points to is missing"):
        dict(store.sizes())
    with pytest.raises(StoreError, match=r"cannot read 'x/0'.*: /no/such: cannot open: no such file"):
        zom.store(references("/no/such/blob")).get("x/0")
    assert store.get("x/2") is None


def test_ranges_that_lie_near_each_other_are_one_request(folder: Path) -> None:
    big = bytes(range(256)) * 2048
    (folder / "data" / "blob").write_bytes(big)
    blob = str(folder / "data" / "blob")
    spans = {"a": (0, 100), "b": (150, 100), "c": (50, 400), "d": (400_000, 10), "e": (400_000, 10)}
    store = zom.store({".zgroup": "{}", **{key: [blob, *span] for key, span in spans.items()}})
    store.get("a")
    targets: Any = vars(store)["_targets"]
    logged = {root: LoggedStore(inner) for root, inner in targets._stores.items()}
    targets._stores.update(logged)
    targets._found.clear()
    keys = ["d", "c", "a", "e", "b"]
    assert store.get_many(keys) == [big[low : low + length] for low, length in map(spans.__getitem__, keys)]
    (logger,) = logged.values()
    (call,) = logger.log.calls
    assert len(call.keys) == 2


@given(data=st.data())
def test_any_ranges_of_any_references_are_those_of_the_bytes(data: Any, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn"
    blob = data.draw(st.binary(max_size=60))
    path.write_bytes(blob)
    at = st.integers(0, len(blob))
    bounds = data.draw(st.lists(st.tuples(at, at).map(sorted), min_size=1, max_size=5))
    ranges = st.none() | st.builds(Range, at, st.none() | at) | st.builds(Suffix, at)
    targets = {f"{i}": Target(str(path), low, high - low) for i, (low, high) in enumerate(bounds)}
    store = ReferenceStore({**targets, "all": Target(str(path))})
    values = {"all": blob, **{f"{i}": blob[low:high] for i, (low, high) in enumerate(bounds)}}
    asked = data.draw(st.lists(st.tuples(st.sampled_from(sorted(values)), ranges), max_size=8))
    assert store.get_many(asked) == [cut(values[key], each) for key, each in asked]


def test_a_pickle_opens_the_document_again_and_holds_no_secrets(folder: Path) -> None:
    path = folder / "refs.json"
    path.write_text(json.dumps(references("data/blob")))
    secret = {"region": "eu-west-1", "secret_access_key": "canary"}
    for store in (zom.store(path, remote_options=secret), zom.store(references(str(folder / "data/blob")))):
        text = pickle.dumps(store)
        assert b"canary" not in text
        assert pickle.loads(text).get("x/0") == b"0123"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_reads(folder: Path) -> None:
    store = zom.store(references(str(folder / "data" / "blob")))
    assert store.get("x/0") == b"0123"
    child = os.fork()
    if child == 0:
        os._exit(0 if store.get("x/0") == b"0123" and list(store.list("x/")) else 1)
    assert os.waitpid(child, 0)[1] == 0


# --- what may be read --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where", ["../secret", "/etc/passwd", "file:///etc/passwd", "data/../../secret", "data/link"]
)
def test_a_document_reads_no_files_but_those_beside_it(folder: Path, where: str) -> None:
    (folder / "docs" / "data").mkdir(parents=True)
    (folder / "secret").write_text("secret")
    (folder / "docs" / "data" / "link").symlink_to(folder / "secret")
    path = folder / "docs" / "refs.json"
    path.write_text(json.dumps({".zgroup": "{}", "a": [where, 0, 2]}))
    with pytest.raises(
        StoreError, match=r"refs.json: cannot read 'a': a reference points to .*may not read; if you trust"
    ):
        zom.store(path).get("a")
    assert zom.store(path, allow=[str(folder), "/etc/"]).get("a") in {b"se", b"ro", b"##", b"no"}


def test_allow_names_what_a_dict_may_read(folder: Path) -> None:
    blob = str(folder / "data" / "blob")
    for allow in ([folder], [str(folder / "data")], [blob], ["/nowhere", f"file://{folder}"]):
        assert zom.store(references(blob), allow=allow).get("x/0") == b"0123"
    for nothing in ([], ["/nowhere"], ["s3://bucket"], [str(folder / "dat")]):
        with pytest.raises(StoreError, match="may not read"):
            zom.store(references(blob), allow=nothing).get("x/0")
    with pytest.raises(StoreError, match=r"allow=\['https://example.org/'\]"):
        zom.store(references("https://example.org/x"), allow=[folder]).get("x/0")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.org/x", "known are files, http, https, s3, gs and az"),
        ("https://me:pw@example.org/x", "expected a URL without user, query and fragment"),
        ("https://example.org/x?a=b", "expected a URL without user, query and fragment"),
        ("file://other/x", "a reference points to a file of another host"),
        ("a\0b", "expected a path without NUL"),
        ("https://example.org/../x", r"\.\."),
    ],
)
def test_addresses_that_nothing_opens_are_told(url: str, reason: str) -> None:
    with pytest.raises(zom.ZomError, match=reason):
        zom.store({".zgroup": "{}", "a": [url, 0, 2]}).get("a")


# --- HDF5 ------------------------------------------------------------------------------------------------


def test_an_hdf5_file_is_read_by_the_places_of_its_chunks(folder: Path) -> None:
    """As kerchunk makes them; tests/interop/references.py has those that kerchunk and virtualizarr make."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")
    values = np.arange(60 * 40, dtype="<i4").reshape(60, 40)
    with h5py.File(folder / "data" / "a.h5", "w") as file:
        made = file.create_dataset("x", data=values, chunks=(20, 16), shuffle=True, compression="gzip")
        refs: dict[str, Any] = {".zgroup": '{"zarr_format": 2}'}
        for number in range(made.id.get_num_chunks()):
            chunk = made.id.get_chunk_info(number)
            place = ".".join(
                str(at // size) for at, size in zip(chunk.chunk_offset, made.chunks, strict=True)
            )
            refs[f"x/{place}"] = ["data/a.h5", chunk.byte_offset, chunk.size]
    refs["x/.zarray"] = {
        **ZARRAY, "shape": [60, 40], "chunks": [20, 16], "dtype": "<i4",
        "filters": [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 4}],
    }  # fmt: skip
    (folder / "refs.json").write_text(json.dumps({"version": 1, "refs": refs}))
    assert np.array_equal(zom.open(folder / "refs.json")["x"][...], values)
    zom.copy(folder / "refs.json", folder / "copied.zarr")
    shutil.rmtree(folder / "data")
    assert np.array_equal(zom.open(folder / "copied.zarr")["x"][...], values)
