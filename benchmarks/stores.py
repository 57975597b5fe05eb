"""How fast stores are, beside their peers, all in one run.

    python benchmarks/stores.py [ROUNDS]

Each contestant has its turn in every round, so that a busy machine slows all of them alike; the figures
are medians over the rounds, and what counts is the ratio to the first line of each table. Peers that are
not installed are left out, by name. Ends with 1 where zom misses a target.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zom.stores.http import HTTPStore
from zom.stores.local import LocalStore
from zom.stores.zip import ZipStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELAY = 0.03
VALUES = 300

missed: list[str] = []


def medians(contestants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median time of each contestant, in seconds; all take turns."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for act in contestants.values():
        act()
    for _ in range(rounds):
        for name, act in contestants.items():
            start = time.perf_counter()
            act()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def table(title: str, times: dict[str, float], *, unit: float, of: str, targets: dict[str, float]) -> None:
    print(f"\n{title}\n")
    print(f"| | ms | {of} | target |\n| --- | --- | --- | --- |")
    for name, seconds in times.items():
        target = targets.get(name)
        print(
            f"| {name} | {seconds * 1e3:.1f} | {seconds / unit:.2f} | {'' if target is None else f'≤ {target:g}'} |"
        )
        if target is not None and seconds / unit > target:
            missed.append(f"{title}: {name} took {seconds / unit:.2f}, more than {target:g}")


def installed(*names: str) -> bool:
    absent = [name for name in names if importlib.util.find_spec(name) is None]
    if absent:
        print(f"left out: {', '.join(absent)} not installed")
    return not absent


def local(rounds: int) -> None:
    """Values of 64 KiB, all of them hot."""
    with tempfile.TemporaryDirectory() as folder:
        keys = [f"c/{index // 100}/{index % 100}" for index in range(1000)]
        store = LocalStore(folder)
        store.set_many({key: os.urandom(1 << 16) for key in keys})
        paths = [os.path.join(folder, key) for key in keys]  # noqa: PTH118 - as a bare loop does

        def bare() -> list[bytes]:
            values = []
            for path in paths:
                descriptor = os.open(path, os.O_RDONLY)
                values.append(os.read(descriptor, 1 << 17))
                os.close(descriptor)
            return values

        def opened() -> list[bytes]:
            values = []
            for path in paths:
                with open(path, "rb") as file:  # noqa: PTH123
                    values.append(file.read())
            return values

        contestants: dict[str, Callable[[], Any]] = {
            "bare os.open, os.read, os.close": bare,
            "bare open().read()": opened,
            "zom LocalStore.get": lambda: [store.get(key) for key in keys],
            "zom LocalStore.get_many": lambda: store.get_many(keys),
        }
        if installed("obstore"):
            import obstore
            from obstore.store import LocalStore as Inner

            inner = Inner(folder)
            contestants["obstore LocalStore, one by one"] = lambda: [
                bytes(obstore.get(inner, key).bytes()) for key in keys
            ]
        if installed("fsspec"):
            import fsspec

            contestants["fsspec cat_file"] = partial(_each, fsspec.filesystem("file").cat_file, paths)
        if installed("zarr"):
            contestants["zarr-python LocalStore, gathered"] = _zarr_gets(folder, keys)
        times = medians(contestants, rounds)
        unit = times["bare os.open, os.read, os.close"]
        targets = {"zom LocalStore.get": 1.3, "zom LocalStore.get_many": 1.3}
        table(
            "1,000 values of 64 KiB in a directory, hot",
            times,
            unit=unit,
            of="of the bare loop",
            targets=targets,
        )


def _each(act: Callable[[str], Any], names: list[str]) -> list[Any]:
    return [act(name) for name in names]


def _zarr_gets(folder: str, keys: list[str]) -> Callable[[], Any]:
    import zarr
    from zarr.core.buffer import default_buffer_prototype
    from zarr.core.sync import sync

    store = zarr.storage.LocalStore(folder)
    prototype = default_buffer_prototype()

    async def run() -> list[Any]:
        found = await asyncio.gather(*(store.get(key, prototype) for key in keys))
        return [value.to_bytes() for value in found]

    return lambda: sync(run())


def metadata(rounds: int) -> None:
    """The documents of 10,000 nodes: listed, and read."""
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(folder)
        document = b'{"zarr_format": 3, "node_type": "array", "attributes": {}}' * 10
        store.set_many({f"g{index // 100}/a{index % 100}/zarr.json": document for index in range(10_000)})

        def walked() -> dict[str, bytes]:
            found = {}
            for place, _, names in os.walk(folder):
                for name in names:
                    path = os.path.join(place, name)  # noqa: PTH118 - as a bare loop does
                    with open(path, "rb") as file:  # noqa: PTH123
                        found[path] = file.read()
            return found

        def ours() -> dict[str, bytes | None]:
            keys = list(store.list())
            return dict(zip(keys, store.get_many(keys), strict=True))

        contestants: dict[str, Callable[[], Any]] = {
            "os.walk and open().read()": walked,
            "zom list and get_many": ours,
        }
        times = medians(contestants, rounds)
        unit = times["os.walk and open().read()"]
        title = "Metadata of 10,000 nodes in a directory, listed and read, hot"
        table(title, times, unit=unit, of="of os.walk", targets={"zom list and get_many": 1.5})


class Slow(asyncio.Protocol):
    """Answers every request after 30 ms, however many there are, and counts them; a server of its own."""

    count = 0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.held = b""

    def data_received(self, data: bytes) -> None:
        *requests, self.held = (self.held + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            if path == b"/count":
                self.answer(b"%d" % Slow.count)
                Slow.count = 0
            else:
                Slow.count += 1
                asyncio.get_running_loop().call_later(DELAY, self.answer, path)

    def answer(self, body: bytes) -> None:
        head = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: "1"\r\n' % len(body)
        self.transport.write(head + b"Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n" + body)

    @staticmethod
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Slow, "127.0.0.1", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


@contextmanager
def slow_server() -> Iterator[str]:
    started = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE)
    try:
        assert started.stdout is not None
        yield f"http://127.0.0.1:{int(started.stdout.readline())}"
    finally:
        started.terminate()
        started.communicate()


def latency(rounds: int) -> None:
    """Small values from a server that takes its time."""
    keys = [f"c/{index}" for index in range(VALUES)]
    with slow_server() as url, HTTPStore(url) as store:
        contestants: dict[str, Callable[[], Any]] = {
            "zom HTTPStore, one value": lambda: store.get("c/0"),
            "zom HTTPStore": lambda: store.get_many(keys),
        }
        targets = {"zom HTTPStore": 10.0, "zom ObjectStore": 3.0}
        if installed("obstore"):
            import obstore
            from obstore.store import HTTPStore as WebStore
            from obstore.store import S3Store

            from zom.stores.object import ObjectStore

            plain = {"allow_http": True}
            ours = ObjectStore(
                S3Store("b", endpoint=url, region="x", skip_signature=True, client_options=plain)
            )
            inner = WebStore(url, client_options=plain)

            async def gathered() -> list[bytes]:
                async def one(key: str) -> bytes:
                    return bytes(await (await obstore.get_async(inner, key)).bytes_async())

                return await asyncio.gather(*map(one, keys))

            contestants["zom ObjectStore"] = lambda: ours.get_many(keys)
            contestants["obstore, asyncio.gather"] = lambda: asyncio.run(gathered())
        if installed("fsspec", "aiohttp"):
            import fsspec

            filesystem = fsspec.filesystem("http")
            contestants["fsspec cat_ranges"] = lambda: filesystem.cat_ranges(
                [f"{url}/{key}" for key in keys], None, None
            )
        _count(contestants, store)
        times = medians(contestants, rounds)
        title = f"{VALUES} small values from a server with {DELAY * 1e3:g} ms for each request"
        table(title, times, unit=DELAY, of="round trips", targets=targets)


def _count(contestants: dict[str, Callable[[], Any]], server: HTTPStore) -> None:
    for name, act in contestants.items():
        server.get("count")
        act()
        count = int(server.get("count") or b"")
        print(f"requests of {name}: {count}")
        if name.startswith("zom") and count > VALUES:
            missed.append(f"{name} made {count} requests for {VALUES} values")


def zipped(rounds: int) -> None:
    """A zip file of 100,000 entries: opened and listed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "many.zip")
        with zipfile.ZipFile(path, "w") as file:
            for index in range(100_000):
                file.writestr(zipfile.ZipInfo(f"g{index // 1000}/c/{index % 1000}"), b"12345678")

        def ours() -> int:
            with ZipStore(path, mode="r") as store:
                return len(list(store.list()))

        def directories() -> int:
            with ZipStore(path, mode="r") as store:
                return sum(len(store.list_dir(below).keys) for below in ("g0/c/", "g50/c/", "g99/c/"))

        def peer() -> int:
            with zipfile.ZipFile(path) as file:
                return len(file.namelist())

        contestants: dict[str, Callable[[], Any]] = {
            "zipfile": peer,
            "zom list": ours,
            "zom list_dir, three times": directories,
        }
        times = medians(contestants, min(rounds, 3))
        targets = {"zom list": 2.0, "zom list_dir, three times": 2.0}
        table(
            "A zip file of 100,000 entries, opened and listed", times, unit=1, of="seconds", targets=targets
        )


def main() -> int:
    if sys.argv[1:] == ["serve"]:
        asyncio.run(Slow.serve())
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, {rounds} rounds")
    for part in (latency, local, metadata, zipped):
        part(rounds)
    for line in missed:
        print(f"MISSED {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
