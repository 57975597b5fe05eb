"""Stores that answer late: zom beside tensorstore and zarr-python, against one server, in one run.

    python benchmarks/far.py [--delay 0.03] [--rounds 5] [--only WORD] [--json FILE]

Starts `slow_server.py`, which lets each request wait for DELAY seconds. The contestants of a workload take
turns; the figures are medians, with the requests and the round trips that the server counted, and the
ratio to the first contestant. Needs obstore, tensorstore and zarr; icechunk where it is installed.
Ends with 1 where zom misses a target.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import statistics
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import obstore.store
import tensorstore as ts
import zarr
from zarr.storage import MemoryStore, ObjectStore, WrapperStore

import zom
from zom import v3
from zom.stores.http import HTTPStore
from zom.stores.object import ObjectStore as FarStore

Act = Callable[[], Any]

ARRAYS = 100


class Figures(NamedTuple):
    """What one contestant took."""

    seconds: float
    requests: int
    trips: int


class Server:
    """The server's process, and what it is asked besides."""

    def __init__(self, delay: float) -> None:
        command = [sys.executable, str(Path(__file__).with_name("slow_server.py")), str(delay)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def order(self, what: str) -> dict[str, int]:
        """Tell the server, and what it counted."""
        with urllib.request.urlopen(f"{self.url}/_/{what}") as answer:  # our own server
            found: dict[str, int] = json.load(answer)
        return found

    def close(self) -> None:
        """End the process."""
        self.process.communicate()

    def bucket(self) -> Any:
        """The bucket, by obstore."""
        return obstore.store.S3Store(
            "bucket",
            endpoint=self.url,
            region="us-east-1",
            skip_signature=True,
            client_options={"allow_http": True},
        )

    def far(self, prefix: str = "") -> FarStore:
        """The bucket as a store of zom."""
        return FarStore(self.bucket(), prefix)

    def zarr(self, *, read_only: bool = False) -> Any:
        """The bucket as a store of zarr-python."""
        return ObjectStore(self.bucket(), read_only=read_only)

    def tensorstore(self, path: str) -> Any:
        """What opens an array of the bucket with tensorstore."""
        return {
            "driver": "zarr3",
            "kvstore": {
                "driver": "s3",
                "bucket": "bucket",
                "endpoint": self.url,
                "aws_region": "us-east-1",
                "aws_credentials": {"type": "anonymous"},
                "path": path,
            },
        }


class Late(WrapperStore):  # type: ignore[misc,type-arg,unused-ignore]
    """A store of zarr-python that answers late."""

    def __init__(self, inner: Any, delay: float) -> None:
        super().__init__(inner)
        self.delay = delay

    def _with_store(self, store: Any) -> Late:
        return Late(store, self.delay)

    async def get(self, *given: Any, **named: Any) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.get(*given, **named)

    async def set(self, *given: Any, **named: Any) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.set(*given, **named)

    async def set_if_not_exists(self, *given: Any, **named: Any) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.set_if_not_exists(*given, **named)

    async def delete(self, key: str) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.delete(key)

    async def exists(self, key: str) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.exists(key)

    async def getsize(self, key: str) -> Any:
        await asyncio.sleep(self.delay)
        return await self._store.getsize(key)

    async def list_dir(self, prefix: str) -> Any:
        await asyncio.sleep(self.delay)
        async for name in self._store.list_dir(prefix):
            yield name

    async def list_prefix(self, prefix: str) -> Any:
        await asyncio.sleep(self.delay)
        async for key in self._store.list_prefix(prefix):
            yield key


def measured(server: Server, contestants: dict[str, Act], rounds: int) -> dict[str, Figures]:
    """The medians of each contestant; all take turns."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    counts: dict[str, dict[str, int]] = {}
    for turn in range(rounds + 1):
        for name, act in contestants.items():
            server.order("reset")
            start = time.perf_counter()
            act()
            seconds = time.perf_counter() - start
            counts[name] = server.order("counts")
            if turn:
                taken[name].append(seconds)
    return {
        name: Figures(statistics.median(times), counts[name]["requests"], counts[name]["round trips"])
        for name, times in taken.items()
    }


# --- workloads ------------------------------------------------------------------------------------------


class Workload(NamedTuple):
    """What is measured, and what zom must reach."""

    title: str
    contestants: dict[str, Act]
    most_seconds: float | None = None
    """What the first contestant may take; of all contestants of zom, where `each`."""
    most_ratio: float | None = None
    """What the first may take of the fastest peer."""
    rate: float = 0
    """The bytes a second that one connection carries; any number where that is 0."""


def tree(count: int = ARRAYS) -> Any:
    array = v3.ArraySpec.build(shape=(48, 181, 360), dtype="float32", chunks=(24, 91, 180))
    return v3.GroupSpec(members={f"a{n:03d}": array for n in range(count)})


def fresh() -> Callable[[], str]:
    """Names that were not used before."""
    numbers = iter(range(1_000_000))
    return lambda: f"new{next(numbers)}/"


def creating(server: Server) -> Workload:
    spec, name = tree(), fresh()
    documents = flat(spec)
    contestants: dict[str, Act] = {
        "zom, S3": lambda: zom.materialize(spec, server.far(name())),
        "zom, zarr-python's store": lambda: zom.materialize(
            spec, zom.store(Late(MemoryStore(), server_delay))
        ),
        "zarr-python, its own store": lambda: list(
            zarr.create_hierarchy(store=Late(MemoryStore(), server_delay), nodes=documents)
        ),
    }
    if importlib.util.find_spec("icechunk"):
        contestants |= in_sessions(server, spec, name)
    return Workload(f"create {ARRAYS} arrays", contestants, most_seconds=0.3)


def in_sessions(server: Server, spec: Any, name: Callable[[], str]) -> dict[str, Act]:
    """The same in sessions of icechunk, whose repository is in the bucket."""
    import icechunk

    repository = icechunk.Repository.create(
        icechunk.s3_storage(
            bucket="bucket",
            prefix="repository",
            endpoint_url=server.url,
            allow_http=True,
            force_path_style=True,
            region="us-east-1",
            access_key_id="a",
            secret_access_key="b",
        )
    )

    def session() -> None:
        zom.materialize(spec, repository.writable_session("main"), name())

    def committed() -> None:
        opened = repository.writable_session("main")
        zom.materialize(spec, opened, name())
        opened.commit("arrays")

    return {"zom, icechunk's session": session, "zom, icechunk's session, committed": committed}


def flat(spec: Any) -> dict[str, Any]:
    """The documents of a tree, as zarr-python takes them."""
    from zarr.core.group import ArrayV3Metadata, GroupMetadata

    found: dict[str, Any] = {"": GroupMetadata(zarr_format=3)}
    for path, node in spec.members.items():
        found[path] = ArrayV3Metadata.from_dict(json.loads(node.to_json()))
    return found


def shapes(store: Any) -> list[tuple[int, ...]]:
    return [each.shape for each in zom.open_group(store).values() if isinstance(each, zom.Array)]


def listing(server: Server) -> Workload:
    zom.materialize(tree(), server.far("members/"))
    late = Late(MemoryStore(), server_delay)
    zom.materialize(tree(), zom.store(late))

    def by_zarr() -> list[Any]:
        group = zarr.open_group(server.zarr(), path="members", mode="r", use_consolidated=False)
        return [member.shape for _, member in group.members()]

    contestants: dict[str, Act] = {
        "zom, S3": lambda: shapes(server.far("members/")),
        "zom, S3: names": lambda: list(zom.open_group(server.far("members/"))),
        "zom, S3: as a spec": lambda: zom.read(server.far("members/")),
        "zom, zarr-python's store": lambda: shapes(zom.store(late)),
        "zarr-python, S3": by_zarr,
    }
    return Workload(f"the members of a group of {ARRAYS} arrays", contestants, most_seconds=0.3)


def deep(server: Server) -> Workload:
    groups = {f"g{n:03d}": tree(2) for n in range(ARRAYS)}
    zom.materialize(v3.GroupSpec(members=groups), server.far("deep/"))

    def by_zarr() -> int:
        group = zarr.open_group(server.zarr(), path="deep", mode="r", use_consolidated=False)
        return len(list(group.members(max_depth=None)))

    contestants = {"zom, S3": lambda: zom.read(server.far("deep/")), "zarr-python, S3": by_zarr}
    return Workload(f"a tree of {ARRAYS} groups of 2 arrays", contestants, most_ratio=1.0)


def peers(server: Server, path: str, cut: Any) -> dict[str, Act]:
    """Reading a part of an array, with everybody; it is opened beforehand."""
    mine = zom.open_array(server.far(), path)
    theirs = zarr.open_array(server.zarr(read_only=True), path=path, mode="r")
    fast = ts.open(server.tensorstore(f"{path}/"), open=True, read=True).result()
    web = zom.open_array(HTTPStore(f"{server.url}/bucket"), path)
    expected = mine[cut]
    for found in (theirs[cut], fast[cut].read().result(), web[cut]):
        assert np.array_equal(found, expected)
    return {
        "zom": lambda: mine[cut],
        "tensorstore": lambda: fast[cut].read().result(),
        "zarr-python": lambda: theirs[cut],
        "zom, HTTP": lambda: web[cut],
    }


def filled(server: Server, path: str, *, noise: int = 30, **facts: Any) -> None:
    """An array of numbers that compress a little, made once: the less, the more noise there is."""
    if server.far().exists(f"{path}/zarr.json"):
        return
    spec = v3.ArraySpec.build(dtype="int16", **facts)
    server.order("delay/0")
    held = zom.store("memory://")
    array = zom.create_array(held, spec, path)
    rows = np.add.outer(np.arange(spec.shape[0]), np.arange(spec.shape[1]))
    array[:] = (rows + np.random.default_rng(1).integers(0, noise, spec.shape)).astype("i2")
    for key in held.list():
        obstore.put(server.bucket(), key, held.get(key), use_multipart=False)  # the server knows no parts
    server.order(f"delay/{server_delay}")


def whole_chunks(server: Server) -> Workload:
    filled(server, "chunks", shape=(5120, 6400), chunks=(256, 256))
    return Workload("500 whole chunks", peers(server, "chunks", np.s_[:]), most_ratio=1.0)


SHARDED = {"shape": (5120, 5120), "shards": (1280, 1280), "chunks": (64, 64), "compress": "zstd"}


def cut(server: Server) -> Workload:
    filled(server, "shards", **SHARDED)
    area = np.s_[1000:1100, 1300:3700]
    return Workload("100 x 2,400 out of shards", peers(server, "shards", area), most_ratio=1.2)


def column(server: Server) -> Workload:
    filled(server, "shards", **SHARDED)
    return Workload("5,120 x 10 out of shards", peers(server, "shards", np.s_[:, 700:710]), most_ratio=1.1)


def whole_shards(server: Server) -> Workload:
    filled(server, "shards", **SHARDED)
    return Workload("a whole sharded array", peers(server, "shards", np.s_[:]), most_ratio=1.1)


def large_shard(server: Server) -> Workload:
    side = 8192
    filled(server, "large", noise=20_000, shape=(side, side), shards=(side, side), chunks=(512, 512))
    contestants = peers(server, "large", np.s_[:])
    return Workload("one shard of 128 MiB, 100 MB/s a connection", contestants, most_ratio=1.0, rate=1e8)


WORKLOADS = (creating, listing, deep, whole_chunks, cut, column, whole_shards, large_shard)


# --- the run --------------------------------------------------------------------------------------------


def told(work: Workload, found: dict[str, Figures]) -> list[str]:
    """Print a table; what is missed."""
    first, *_ = found.values()
    print(f"\n## {work.title}\n\n| | ms | ratio | requests | round trips |\n| --- | --- | --- | --- | --- |")
    for name, each in found.items():
        ratio = each.seconds / first.seconds
        print(
            f"| {name} | {each.seconds * 1e3:.0f} | {ratio:.2f} | {each.requests} | {each.trips} |",
            flush=True,
        )
    missed: list[str] = []
    if work.most_seconds is not None:
        missed += [
            f"{work.title}, {name}: {each.seconds:.2f} s, at most {work.most_seconds}"
            for name, each in found.items()
            if name.startswith("zom") and each.seconds > work.most_seconds
        ]
    others = [each.seconds for name, each in found.items() if not name.startswith("zom")]
    if work.most_ratio is not None and first.seconds > work.most_ratio * min(others):
        ratio = first.seconds / min(others)
        missed.append(f"{work.title}: {ratio:.2f} of the fastest peer, at most {work.most_ratio}")
    return missed


def main() -> None:
    global server_delay  # noqa: PLW0603 - of the whole run
    options = argparse.ArgumentParser()
    options.add_argument("--delay", type=float, default=0.03)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--only", default="")
    options.add_argument("--json", default="")
    given = options.parse_args()
    words = given.only.split(",")
    chosen = [each for each in WORKLOADS if given.only in each.__name__ or each.__name__ in words]
    if not chosen:
        options.error(f"--only: expected some of {', '.join(each.__name__ for each in WORKLOADS)}")
    server_delay = given.delay
    warnings.simplefilter("ignore")
    server = Server(given.delay)
    missed: list[str] = []
    figures: dict[str, Any] = {}
    try:
        print(f"# {given.delay * 1e3:g} ms a request")
        for make in chosen:
            work = make(server)
            server.order(f"rate/{work.rate}")
            found = measured(server, work.contestants, given.rounds)
            figures[work.title] = {name: each._asdict() for name, each in found.items()}
            missed += told(work, found)
            server.order("rate/0")
    finally:
        server.close()
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=2), encoding="utf-8")
    print("\n" + "\n".join(f"- MISSED: {each}" for each in missed) if missed else "\nall targets met")
    sys.exit(1 if missed else 0)


server_delay = 0.03

if __name__ == "__main__":
    main()
