"""Machines that give no thread, or no more than a few: everything is done all the same, by the threads that there are."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

import zom
from zom import v3
from zom.engine import workers
from zom.stores.object.in_flight import run_apart
from zom.threads import Threads

REFUSED = "can't start new thread"


@pytest.fixture(params=[0, 1, 2])
def allowed(request, monkeypatch):
    """How many threads may still be started."""
    left, start = [request.param], threading.Thread.start

    def limited(thread):
        if not left[0]:
            raise RuntimeError(REFUSED)
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    monkeypatch.setattr(workers, "processors", lambda: 4)
    return request.param


@pytest.fixture
def cells():
    return np.random.default_rng(0).normal(size=(1024, 1024)).cumsum(0)


def test_every_call_is_made_once(allowed):
    made, guard = [], threading.Lock()

    def call(number):
        with guard:
            made.append(number)
        return -number

    with Threads(4) as threads:
        assert list(threads.map(call, range(50))) == [-number for number in range(50)]
        assert threads.submit(call, number=50).result(10) == -50
    assert sorted(made) == list(range(51))


def test_an_error_of_a_call_comes_with_its_result(allowed):
    with Threads(2) as threads:
        waiting = [threads.submit(int, text) for text in ("1", "x", "3")]
        assert waiting[0].result(10) == 1
        with pytest.raises(ValueError, match="'x'"):
            waiting[1].result(10)
        assert waiting[2].result(10) == 3


def test_workers_do_all(allowed):
    done = []
    workers.run(iter(range(100)), 100, done.extend, threads=4)
    assert sorted(done) == list(range(100))
    with pytest.raises(ZeroDivisionError):
        workers.run(iter(range(8)), 8, lambda items: [1 // (item - 5) for item in items], threads=4)


@pytest.mark.parametrize(
    ("chunks", "shards"), [((128, 128), None), ((64, 64), (512, 512)), ((64, 64), (1024, 1024))]
)
def test_arrays_are_written_read_copied_and_checked(allowed, cells, tmp_path, chunks, shards):
    group = zom.create_group(tmp_path / "a.zarr")
    array = group.create_array("x", data=cells, chunks=chunks, shards=shards)
    assert (array[...] == cells).all()
    zom.copy(tmp_path / "a.zarr", tmp_path / "b.zarr.zip")
    assert not zom.diff(tmp_path / "a.zarr", tmp_path / "b.zarr.zip")
    assert (zom.open(tmp_path / "b.zarr.zip")["x"][...] == cells).all()
    assert zom.validate(tmp_path / "a.zarr", data=True).ok


@pytest.fixture
def served(cells, tmp_path):
    """A hierarchy in a folder, and the address of its web server, which has one thread."""
    group = zom.create_group(tmp_path)
    for name in "abc":
        group.create_group(name).create_array("x", data=cells[:64], chunks=(8, 64))
    with http.server.HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", tmp_path
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


# The server is started before threads are refused.
def test_stores_that_answer_late_are_read(served, allowed, cells):
    obstore = pytest.importorskip("obstore.store", reason="pip install 'zom[cloud]'")
    folder = obstore.LocalStore(served[1])
    assert [path for path, _ in zom.read(folder).walk() if path.endswith("x")] == ["/a/x", "/b/x", "/c/x"]
    for place in (served[0], folder):
        assert (zom.open(place)["b/x"][...] == cells[:64]).all()


def test_requests_in_flight_run_where_they_are_asked_for(allowed):
    async def work():
        return threading.current_thread() is threading.main_thread()

    assert run_apart(work()) is (allowed == 0)


def test_a_python_without_processes_validates_all_places(tmp_path):
    places = [str(tmp_path / name) for name in "ab"]
    for place in places:
        zom.materialize(v3.GroupSpec(), place)
    command = [sys.executable, "-c", WITHOUT_PROCESSES, "validate", *places, "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    first, last = done.stderr.splitlines()
    assert first.startswith("zom validate: running in one process, since no other can be started: ")
    assert last == "2 stores: no problems; no convention was found"


WITHOUT_PROCESSES = """
import sys
sys.modules["_multiprocessing"] = None  # as in WebAssembly
from zom.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
