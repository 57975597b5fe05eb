"""The stores against Azurite, Microsoft's own server of Azure's blobs: by way of obstore, and of adlfs.

    python tests/interop/stores_azure.py

In an environment with requirements-stores.txt beside this script, and with `npm install` done in the folder azurite.
What is missing is named on a line that begins with SKIP. Ends with 1 where anything failed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from stores_remote import check, conclude, equal, free_port, lacks, process, raises, skip, versions  # noqa: E402 - there from here on

import zom  # noqa: E402
from zom.errors import StoreError  # noqa: E402
from zom.stores.fsspec import FsspecStore  # noqa: E402
from zom.stores.interface import Range, Suffix, cut  # noqa: E402

if TYPE_CHECKING:
    from zom.stores.interface import Store

SERVER = HERE / "azurite" / "node_modules" / ".bin" / "azurite-blob"
ACCOUNT = "devstoreaccount1"
# Azurite has one account, whose key its documentation publishes.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
KEYS = ["a b", "ü/é", "日本", "a#b", "a?b", "a%20b", "a+b&c=d;e", "[x]{y}", "a*b", "a:b", ".a", "..a"]
RANGES = [Range(0, 3), Range(4, 9), Range(6, 1), Range(6), Range(0, 0), Suffix(2), Suffix(9), Suffix(0)]


def store_checks(name: str, store: Store, *, knows_versions: bool) -> None:
    """What holds for a bucket, by whichever library it is reached."""

    def keys() -> None:
        store.set_many({key: key.encode() for key in KEYS})
        equal(store.get_many([*KEYS, "missing"]), [*(key.encode() for key in KEYS), None])
        equal(sorted(store.list()), sorted(KEYS))
        store.delete_many([*KEYS, "missing"])
        equal(list(store.list()), [])

    def ranges() -> None:
        for value in (b"abcdef", b""):
            store.set("r", value)
            for asked in RANGES:
                equal((asked, store.get("r", asked)), (asked, cut(value, asked)))
                equal(store.get_many([("r", asked), ("none", asked)] * 3), [cut(value, asked), None] * 3)
        store.delete("r")

    def creation() -> None:
        equal([store.create("c", b"1"), store.create("c", b"2"), store.get("c")], [True, False, b"1"])
        found = store.get_version("c")
        equal(store.replace("c", b"3", found and found.version), True)
        equal(store.replace("c", b"4", found and found.version), False)
        store.delete("c")

    def hierarchy() -> None:
        values = np.arange(90_000, dtype="int32").reshape(300, 300)
        for shards in (None, (150, 150)):
            spec = zom.v3.ArraySpec.build(shape=(300, 300), chunks=(50, 50), shards=shards, dtype="int32")
            array = zom.create_array(store, spec, overwrite=True)
            array[...] = values
            array[7, 8] = -1
            values[7, 8] = -1
            again = zom.open(store)
            equal(np.array_equal(again[...], values), True)
            equal(np.array_equal(again[3:70, 140:260], values[3:70, 140:260]), True)
            equal(zom.validate(store, data="all").ok, True)
        store.delete_prefix("")
        equal(list(store.list()), [])

    for what, act in {
        "keys": keys,
        "ranges": ranges,
        "creation": creation,
        "versions": lambda: versions(store, are_told=knows_versions),
        "chunks and shards": hierarchy,
    }.items():
        check(f"Azure by way of {name}: {what}", act)


def secret_check(store: Any) -> None:
    error = raises(StoreError, "cannot read 'k'", lambda: store.get("k"))
    equal(KEY in f"{error}{error.args}{error.__cause__}{error.__context__}", False)


def run() -> None:
    """Starts the server, and ends it."""
    import fsspec

    port = free_port()
    place = f"http://127.0.0.1:{port}/{ACCOUNT}"
    connection = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={place};"
    options: dict[str, Any] = {
        "account_name": ACCOUNT,
        "account_key": KEY,
        "client_options": {"allow_http": True},
    }
    with tempfile.TemporaryDirectory() as folder:
        command = [str(SERVER), "--location", folder, "--blobPort", str(port), "--skipApiVersionCheck"]
        with process([*command, "--silent", "--disableTelemetry"], place):
            filesystem = fsspec.filesystem("az", connection_string=connection)
            filesystem.mkdir("container")
            store_checks(
                "obstore",
                zom.store("az://container/a/x.zarr", endpoint=place, **options),
                knows_versions=True,
            )
            store_checks("adlfs", FsspecStore(filesystem, "container/b/x.zarr"), knows_versions=False)
            missing = zom.store("az://no-such-container/x", endpoint=place, **options)
            check("Azure: a missing container is an error without the key", lambda: secret_check(missing))


def main() -> int:
    if not SERVER.exists():
        skip("Azure", "azurite not installed; npm install --prefix tests/interop/azurite")
    elif not lacks("Azure", "obstore", "adlfs"):
        run()
    return conclude()


if __name__ == "__main__":
    sys.exit(main())
