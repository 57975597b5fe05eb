"""Sessions of icechunk as stores of zom: every verb, read again by zarr-python and xarray.

    python tests/interop/icechunk_sessions.py

Needs icechunk, zarr and xarray, as in requirements.txt. Ends with 1 where anything failed.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask.array as da
import icechunk
import numpy as np
import xarray as xr
import zarr
from distributed import Client, LocalCluster

import zom
from zom import v2, v3
from zom.errors import ConflictError, ReadOnlyError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

counts: Counter[str] = Counter()

WRITER = """
import pickle, sys
import numpy as np, zom
fork = pickle.loads(sys.stdin.buffer.read())
start = int(sys.argv[1])
zom.open_array(fork, "g/t2m", mode="r+")[start : start + 24] = start + 1
sys.stdout.buffer.write(pickle.dumps(fork))
"""


def check(what: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - counted, and told
        counts["failed"] += 1
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    else:
        counts["passed"] += 1
        print(f"ok     {what}", flush=True)


def equal(found: Any, expected: Any) -> None:
    if not np.array_equal(found, expected):
        raise AssertionError(f"expected {str(expected)[:250]}, found {str(found)[:250]}")


def raises(kind: type[BaseException], text: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except kind as error:
        if text not in str(error):
            raise AssertionError(f"expected {text!r} in {error}") from error
    else:
        raise AssertionError(f"expected {kind.__name__}")


# --- what is written -----------------------------------------------------------------------------------

ARRAY = v3.ArraySpec.build(shape=(10,), dtype="int32", chunks=(4,))
TIMES = np.arange(48)
VALUES = np.arange(48 * 18 * 36, dtype="f4").reshape(48, 18, 36)


def tree() -> Any:
    axes = {"time": 48, "lat": 18, "lon": 36}
    return v3.GroupSpec(
        attributes={"title": "a small climate"},
        members={
            "time": v3.ArraySpec.build(shape=(48,), dtype="int64", dimension_names=("time",)),
            "g": v3.GroupSpec(
                members={
                    "t2m": v3.ArraySpec.build(
                        shape=tuple(axes.values()),
                        dtype="float32",
                        chunks=(24, 9, 18),
                        dimension_names=tuple(axes),
                        compress="zstd",
                    )
                }
            ),
        },
    )


def fill(session: Any) -> Any:
    root = zom.materialize(tree(), session, data={"time": TIMES})
    root["g/t2m"][:] = VALUES
    return root


class Sessions:
    """A repository in memory, or in a directory."""

    def __init__(self, storage: Any, *, is_in_memory: bool) -> None:
        self.is_in_memory = is_in_memory
        self.repository = icechunk.Repository.create(storage)

    def write(self) -> Any:
        return self.repository.writable_session("main")

    def read(self) -> Any:
        return self.repository.readonly_session("main")

    def committed(self, change: Callable[[Any], Any]) -> Any:
        """The group that zarr-python opens after `change` was made and committed."""
        session = self.write()
        change(session)
        session.commit("a change")
        return zarr.open_group(self.read().store, mode="r")


def by_zarr(group: Any, path: str) -> Any:
    return group[path][...]


# --- verbs -----------------------------------------------------------------------------------------------


def absent(sessions: Sessions) -> None:
    session = sessions.write()
    equal(list(zom.store(session).list("no/such/")), [])
    equal(zom.store(session).list_dir("no/"), ([], []))
    equal(zom.plan(tree(), session, "no/such").is_empty, False)


def materialize(sessions: Sessions) -> None:
    root = sessions.committed(fill)
    equal(by_zarr(root, "g/t2m"), VALUES)
    equal(by_zarr(root, "time"), TIMES)
    equal(root.attrs["title"], "a small climate")
    equal(zom.read(sessions.read()) == tree(), True)
    equal(zom.plan(tree(), sessions.write()).is_empty, True)


def by_xarray(sessions: Sessions) -> None:
    found = xr.open_zarr(sessions.read().store, group="g", consolidated=False)
    equal(found["t2m"].dims, ("time", "lat", "lon"))
    equal(found["t2m"].values, VALUES)


def create(sessions: Sessions) -> None:
    def change(session: Any) -> None:
        zom.create_array(session, ARRAY, "x/y/new")[:] = np.arange(10)
        zom.create_group(session, v3.GroupSpec(attributes={"n": 1}), "x/z")

    root = sessions.committed(change)
    equal(by_zarr(root, "x/y/new"), np.arange(10))
    equal(root["x/z"].attrs["n"], 1)


def append(sessions: Sessions) -> None:
    root = sessions.committed(
        lambda session: zom.open_array(session, "x/y/new", mode="r+").append(np.arange(13))
    )
    equal(by_zarr(root, "x/y/new"), [*range(10), *range(13)])


def resize(sessions: Sessions) -> None:
    def change(session: Any) -> None:
        array = zom.open_array(session, "x/y/new", mode="r+")
        array.resize((3,))
        array.resize((12,))
        array.plan_resize((11,)).apply()

    equal(by_zarr(sessions.committed(change), "x/y/new"), [0, 1, 2, *[0] * 8])


def resized_by_zarr(sessions: Sessions) -> None:
    """What zarr-python's resize leaves beyond the end is not seen again when zom lets the array grow."""
    session = sessions.write()
    zom.materialize(ARRAY, session, "cut", data={"": np.arange(10)})
    zarr.open_array(session.store, path="cut", mode="r+").resize((4,))
    zom.open_array(session, "cut", mode="r+").resize((10,))
    equal(zom.open_array(session, "cut")[:], [0, 1, 2, 3, *[0] * 6])


def attributes(sessions: Sessions) -> None:
    root = sessions.committed(
        lambda session: zom.open_array(session, "x/y/new", mode="r+").attrs.update({"units": "m"})
    )
    equal(root["x/y/new"].attrs["units"], "m")


def rename(sessions: Sessions) -> None:
    root = sessions.committed(lambda session: zom.rename(session, "x", "renamed"))
    equal(by_zarr(root, "renamed/y/new"), [0, 1, 2, *[0] * 8])
    equal("x" in root, False)


def rearrange(sessions: Sessions) -> None:
    session = sessions.repository.rearrange_session("main")
    zom.rename(session, "renamed", "moved")
    raises(StoreError, "rearrange", lambda: zom.create_array(session, ARRAY, "no"))
    session.commit("moved")
    equal("moved/y/new" in zarr.open_group(sessions.read().store, mode="r"), True)


def consolidate(sessions: Sessions) -> None:
    def change(session: Any) -> None:
        zom.consolidate(session)
        zom.create_array(session, ARRAY, "moved/later")

    sessions.committed(change)
    equal("later" in zom.read(sessions.read(), consolidated="only")["moved"].members, True)


def replace(sessions: Sessions) -> None:
    def change(session: Any) -> None:
        zom.materialize(ARRAY, session, "moved", on_conflict="replace", prune=True)
        zom.materialize(v3.GroupSpec(members={"a": ARRAY}), session, "moved", on_conflict="replace")

    root = sessions.committed(change)
    equal(by_zarr(root, "moved/a"), np.zeros(10))


def delete(sessions: Sessions) -> None:
    root = sessions.committed(lambda session: zom.delete(session, "moved"))
    equal("moved" in root, False)


# --- copies ----------------------------------------------------------------------------------------------


def out(sessions: Sessions) -> None:
    with tempfile.TemporaryDirectory() as folder:
        zom.copy(sessions.read(), f"{folder}/out.zarr", verify=True)
        equal(zarr.open_group(f"{folder}/out.zarr", mode="r")["g/t2m"][...], VALUES)
        root = sessions.committed(
            lambda session: zom.copy(f"{folder}/out.zarr", session, target_path="copied", verify=True)
        )
    equal(by_zarr(root, "copied/g/t2m"), VALUES)


def replaced(sessions: Sessions) -> None:
    rows = v3.ArraySpec.build(shape=VALUES.shape, dtype="float32", chunks=(48, 18, 9))
    root = sessions.committed(
        lambda session: zom.copy(
            sessions.read(), session, rows, path="g/t2m", target_path="copied", on_conflict="replace"
        )
    )
    equal(root["copied"].chunks, (48, 18, 9))
    equal(by_zarr(root, "copied"), VALUES)


def within(sessions: Sessions) -> None:
    root = sessions.committed(lambda session: zom.copy(session, session, path="g", target_path="g2"))
    equal(by_zarr(root, "g2/t2m"), VALUES)


# --- refusals --------------------------------------------------------------------------------------------


def read_only(sessions: Sessions) -> None:
    session = sessions.read()
    raises(ReadOnlyError, "the store is read-only", lambda: zom.create_array(session, ARRAY, "no"))
    raises(ReadOnlyError, "the store is read-only", lambda: zom.materialize(tree(), session, "no"))
    raises(ReadOnlyError, "the store is read-only", lambda: zom.copy(session, session, path="g", target_path="no"))  # fmt: skip


def committed(sessions: Sessions) -> None:
    session = sessions.write()
    array = zom.create_array(session, ARRAY, "committed")
    session.commit("an array")
    for act in (
        lambda: array.append([1]),
        lambda: array.attrs.update({"n": 1}),
        lambda: array.resize((1,)),
    ):
        raises(ReadOnlyError, "the session was committed", act)
    equal(array[:], np.zeros(10))


def formats(sessions: Sessions) -> None:
    session = sessions.write()
    old = v2.GroupSpec(members={"a": v2.ArraySpec.build(shape=(4,), dtype="int8")})
    raises(ConflictError, "expected a key of an icechunk session", lambda: zom.materialize(old, session, "no"))  # fmt: skip
    dotted = ARRAY.replace(chunk_key_encoding={"name": "v2"})
    raises(ConflictError, "found another key at 'no/0'", lambda: zom.create_array(session, dotted, "no"))
    equal(session.has_uncommitted_changes, False)


def pickled(sessions: Sessions) -> None:
    raises(StoreError, "session.fork()", lambda: pickle.dumps(zom.store(sessions.write())))
    if sessions.is_in_memory:
        raises(StoreError, "the repository is in memory", lambda: pickle.dumps(zom.store(sessions.read())))
        return
    again = pickle.loads(pickle.dumps(zom.open_array(sessions.read(), "g/t2m")))
    equal(again[:], VALUES)


# --- together --------------------------------------------------------------------------------------------


def conflicts(sessions: Sessions) -> None:
    first, second = sessions.write(), sessions.write()
    for number, session in enumerate((first, second)):
        zom.open_array(session, "g/t2m", mode="r+")[0, 0, 0] = number
    first.commit("first")
    raises(icechunk.ConflictError, "", lambda: second.commit("second"))
    second.discard_changes()


def forks(sessions: Sessions) -> None:
    session = sessions.write()
    zom.open_group(session, mode="r+").attrs["forked"] = True
    session.commit("before the forks")
    session = sessions.write()
    workers = []
    for start in (0, 24):
        worker = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(start)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        workers.append(worker)
    pickles = [worker.communicate(pickle.dumps(session.fork()))[0] for worker in workers]
    session.merge(*(pickle.loads(each) for each in pickles))
    session.commit("by two processes")
    found = zarr.open_group(sessions.read().store, mode="r")["g/t2m"]
    equal(found[0], np.full((18, 36), 1))
    equal(found[24:], np.full((24, 18, 36), 25))


def verbs_on_processes(sessions: Sessions) -> None:
    """zom's own verbs write into a fork by the processes of a cluster, and merge what these wrote."""
    lazy = da.from_array(VALUES, chunks=(24, 18, 36))
    names = ["time", "y", "x"]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        session = sessions.write()
        fork = session.fork()
        zom.create_group(fork, v3.GroupSpec(), "made")
        group = zom.open_group(fork, "made", mode="r+")
        zom.dask.store({"a": lazy, "n": da.from_array(np.array(3))}, group, dimension_names={"a": names})
        zom.xarray.write(
            xr.Dataset({"a": (names, lazy), "n": ("time", np.arange(len(VALUES)))}), fork, group="made/ds"
        )
        more = xr.Dataset({"a": (names, lazy + 1)})
        region = {name: slice(0, length) for name, length in zip(names, VALUES.shape, strict=True)}
        again = partial(zom.xarray.write, more, group="made/ds", region=region)
        raises(StoreError, "of /made/ds/a was written since the last commit", lambda: again(fork))
        raises(StoreError, "of /made/a was written", lambda: zom.dask.store({"a": lazy}, group))
        zom.copy(fork, fork, path="made/a", target_path="made/copy", executor=client)
        zom.pyramid(zom.open_array(fork, "made/a"), fork, "made/image", axes="tyx", levels=3, executor=client)
        message = "writes of tasks into a fork are merged when the tasks are done; pass compute=True"
        raises(StoreError, message, lambda: zom.dask.store({"b": lazy}, group, compute=False))
        session.merge(fork)
        session.commit("by two processes")
        session = sessions.write()
        fork = session.fork()
        again(fork)
        session.merge(fork)
        session.commit("once more")
    root = zarr.open_group(sessions.read().store, path="made", mode="r")
    for name in ("a", "copy"):
        equal(root[name][...], VALUES)
    equal(root["ds/a"][...], VALUES + 1)
    equal((root["n"][()], root["ds/n"][5]), (3, 5))
    smaller = zom.pyramid(VALUES, "memory:", axes="tyx", levels=3)
    here = zom.open_group(sessions.read(), "made/image")
    for name, array in smaller.items():
        equal(here[name][...], array[...])


def as_zarr(sessions: Sessions) -> None:
    session = sessions.write()
    root = zom.open_group(session, mode="r+")
    equal(root.as_zarr()["g/t2m"].shape, VALUES.shape)
    array = root["g/t2m"].as_zarr()
    array[0] = 7
    equal(root["g/t2m"][0], np.full((18, 36), 7))
    equal(type(zom.store(session).as_zarr()) is type(session.store), True)


# A repository in memory is in one process alone.


CHECKS = (
    absent,
    materialize,
    by_xarray,
    create,
    append,
    resize,
    resized_by_zarr,
    attributes,
    rename,
    rearrange,
    consolidate,
    replace,
    delete,
    out,
    replaced,
    within,
    read_only,
    committed,
    formats,
    pickled,
    conflicts,
    forks,
    verbs_on_processes,
    as_zarr,
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        storages = {
            "in memory": icechunk.in_memory_storage(),
            "in a directory": icechunk.local_filesystem_storage(str(Path(folder, "repository"))),
        }
        for name, storage in storages.items():
            print(f"--- a repository {name}, icechunk {icechunk.__version__}")
            sessions = Sessions(storage, is_in_memory=name == "in memory")
            for act in CHECKS:
                # A repository in memory is in one process alone.
                if not (act in {forks, verbs_on_processes} and sessions.is_in_memory):
                    check(act.__name__.replace("_", " "), partial(act, sessions))
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
