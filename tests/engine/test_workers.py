"""Workers end with the operation, however it ends."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import zom
from zom import v3
from zom.engine import workers
from zom.engine.workers import Cost, run


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals are sent to a thread")
def test_ctrl_c_is_raised_when_no_thread_works_any_more():
    main = threading.current_thread()
    busy = threading.Event()
    ended = []

    def work(items):
        if threading.current_thread() is main:
            assert busy.wait(10)
            return  # it waits for the other one now
        for _ in items:
            busy.set()
            time.sleep(0.1)
            signal.pthread_kill(main.ident, signal.SIGINT)
            time.sleep(0.1)
            ended.append(threading.current_thread())

    with pytest.raises(KeyboardInterrupt):
        run(iter(range(5)), 5, work, threads=2)
    assert len(ended) == 1
    assert not ended[0].is_alive()


def test_an_error_of_a_thread_is_raised_when_no_thread_works_any_more():
    ended = []

    def work(items):
        for item in items:
            time.sleep(0.05)
            ended.append(item)
            raise ValueError(item)

    with pytest.raises(ValueError, match=r"^\d$"):
        run(iter(range(9)), 9, work, threads=3)
    assert set(ended) <= {0, 1, 2}
    assert not [thread for thread in threading.enumerate() if thread.name == "zom-chunks"]


class Clock:
    """The time, which passes only where work is done: `alone` or `together` seconds an item."""

    def __init__(self, monkeypatch, alone, together, *, lock=True):
        self.now = 0.0
        self.alone = alone
        self.together = together
        self.threaded = []
        monkeypatch.setattr(workers, "processors", lambda: 2)
        monkeypatch.setattr(workers, "has_lock", lambda: lock)
        monkeypatch.setattr(workers.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(workers, "_run_threads", self.run_threads)

    def work(self, items):
        for item in items:
            self.now += self.alone(item)
            self.threaded.append((item, False))

    def run_threads(self, items, most, work):
        assert most == 2
        for item in items:
            self.now += self.together(item)
            self.threaded.append((item, True))

    def share(self, low, high):
        """Which share of the items from `low` to `high` was done by threads."""
        found = [threaded for item, threaded in self.threaded if low <= item < high]
        return sum(found) / len(found)


@pytest.mark.parametrize(
    ("alone", "together", "least", "most"),
    [
        (1e-5, 1e-6, 0, 0),  # too little to hand over
        (7e-5, 14e-5, 0, 0.1),
        (7e-5, 5e-5, 0.9, 1),
        (5e-4, 2.5e-4, 0.98, 1),
        (2e-3, 1e-3, 0.99, 1),  # not tried at all
    ],
)
def test_what_takes_less_time_is_chosen(monkeypatch, alone, together, least, most):
    clock = Clock(monkeypatch, lambda _: alone, lambda _: together)
    run(iter(range(1000)), 1000, clock.work)
    assert [item for item, _ in clock.threaded] == list(range(1000))
    assert least <= clock.share(0, 1000) <= most


@pytest.mark.parametrize("faster", [True, False])
def test_short_work_is_tried_where_no_lock_makes_threads_wait(monkeypatch, faster):
    monkeypatch.setattr(workers, "_outcomes", {})
    alone = 2.5e-5
    together = alone / 2 if faster else alone * 2
    for lock in (True, False):
        clock = Clock(monkeypatch, lambda _: alone, lambda _: together, lock=lock)
        run(iter(range(4000)), 4000, clock.work)
        assert [item for item, _ in clock.threaded] == list(range(4000))
        assert (clock.share(1000, 4000) == 1) == (faster and not lock)


def test_what_threads_cost_at_their_start_is_no_part_of_a_trial(monkeypatch):
    """Three milliseconds to start them, then half of the time for each."""
    clock = Clock(monkeypatch, lambda _: 8e-5, lambda item: 4e-5)
    started = clock.run_threads

    def run_threads(items, most, work):
        clock.now += 3e-3
        started(items, most, work)
        clock.now += 3e-3

    monkeypatch.setattr(workers, "_run_threads", run_threads)
    run(iter(range(1000)), 1000, clock.work)
    assert clock.share(0, 1000) > 0.9


def test_a_trial_that_ends_early_loses_nothing(monkeypatch):
    """Whoever says that there are more items than there are gets those that there are."""
    for there in (1, 5, 20, 60, 70, 100, 110, 120):
        clock = Clock(monkeypatch, lambda _: 8e-5, lambda _: 4e-5)
        run(iter(range(there)), 1000, clock.work)
        assert [item for item, _ in clock.threaded] == list(range(there))


def trials(monkeypatch, *runs):
    """Of each run, (kind, alone, together): whether items were done in both ways to learn which is faster."""
    for kind, alone, together in runs:
        clock = Clock(monkeypatch, lambda _, each=alone: each, lambda _, each=together: each)
        run(iter(range(1000)), 1000, clock.work, cost=Cost(kind=lambda kind=kind: kind))
        assert [item for item, _ in clock.threaded] == list(range(1000))
        assert clock.share(500, 1000) == (together < alone)
        by_threads = sum(threaded for _, threaded in clock.threaded)
        yield by_threads > 0 and 1000 - by_threads > workers._FIRST + workers._SAMPLE / alone + 1


@pytest.mark.parametrize("together", [4e-5, 2e-4], ids=["threads", "alone"])
def test_an_outcome_holds_for_operations_of_its_kind(monkeypatch, together):
    monkeypatch.setattr(workers, "_outcomes", {})
    runs = [("a", 8e-5, together), ("a", 8e-5, together), ("b", 8e-5, together), ("a", 7e-5, together)]
    assert list(trials(monkeypatch, *runs)) == [True, False, True, False]


def test_an_outcome_is_tried_again_after_some_operations(monkeypatch):
    monkeypatch.setattr(workers, "_outcomes", {})
    again = list(trials(monkeypatch, *[("a", 7e-5, 2e-4)] * (workers._LASTS + 3)))
    assert again.count(True) == 2


def test_outcomes_are_bounded(monkeypatch):
    monkeypatch.setattr(workers, "_outcomes", {})
    monkeypatch.setattr(workers, "_KINDS", 3)
    list(trials(monkeypatch, *[(number, 8e-5, 2e-4) for number in range(8)]))
    assert len(workers._outcomes) == 2


@pytest.mark.parametrize("times", [0.1, 4.9, 6, 7, 9, 40, 200])
@pytest.mark.parametrize("overhead", [1e-5, 1e-3, 1e-2], ids=["chunks", "small shards", "shards"])
def test_every_number_of_items_is_done(monkeypatch, overhead, times):
    for faster in (0.5, 2):
        for count in (*range(120), 999, 3000):
            clock = Clock(
                monkeypatch,
                lambda _: overhead * times,
                lambda _, faster=faster: overhead * times * faster,
            )
            run(iter(range(count)), count, clock.work, cost=Cost(overhead))
            assert [item for item, _ in clock.threaded] == list(range(count))


def test_items_that_become_others_are_measured_again(monkeypatch):
    """The first chunks of an array are missing, the others take a millisecond each."""
    clock = Clock(
        monkeypatch,
        lambda item: 1e-6 if item < 3000 else 2e-3,
        lambda item: 1e-5 if item < 3000 else 1e-3,
    )
    run(iter(range(20_000)), 20_000, clock.work)
    assert clock.share(0, 3000) == 0
    assert clock.share(6000, 20_000) == 1


def test_threads_are_given_up_where_chunks_become_small(monkeypatch):
    clock = Clock(
        monkeypatch,
        lambda item: 2e-3 if item < 2000 else 1e-6,
        lambda item: 1e-3 if item < 2000 else 1e-5,
    )
    run(iter(range(20_000)), 20_000, clock.work)
    assert clock.share(10, 2000) == 1
    assert clock.share(6000, 20_000) == 0


def test_heavy_items_are_shared_from_the_first_on(monkeypatch):
    clock = Clock(monkeypatch, lambda _: 1e-2, lambda _: 5e-3)
    run(iter(range(2)), 2, clock.work, cost=Cost(0))
    assert clock.share(0, 2) == 1


def test_the_share_of_few_items_is_guessed(monkeypatch):
    for seconds, share in ((7e-5, 0), (4e-4, 14 / 16)):
        clock = Clock(monkeypatch, lambda _, each=seconds: each, lambda _, each=seconds: each / 2)
        run(iter(range(16)), 16, clock.work)
        assert clock.share(0, 16) == share


def test_no_thread_is_started_for_two_milliseconds(monkeypatch):
    for count, share in ((5, 0), (40, 1)):
        clock = Clock(monkeypatch, lambda _: 4e-4, lambda _: 2e-4)
        run(iter(range(count)), count, clock.work)
        assert clock.share(count - 3, count) == share


def test_a_slow_first_chunk_tells_nothing_of_the_others(monkeypatch):
    """The first one of a write makes directories."""
    slow = {0: 5e-4, 1: 1e-4, 2: 7e-5}
    clock = Clock(monkeypatch, lambda item: slow.get(item, 2e-5), lambda _: 6e-5)
    run(iter(range(4000)), 4000, clock.work)
    assert clock.share(0, 4000) == 0


@pytest.mark.parametrize("count", [1, 5, 100, 5000])
def test_every_item_is_done_however_many_were_counted(count):
    done = []
    run(iter(range(1000)), count, done.extend)
    assert sorted(done) == list(range(1000))


@pytest.mark.parametrize(
    ("compress", "inner", "rows", "shared"),
    [
        (None, 64, slice(None), True),
        (None, 64, slice(0, 64), False),
        (None, 16, slice(None), False),
        ("zstd", 64, slice(None), True),
        ("lz4", 64, slice(None), False),
        ("lz4", 128, slice(None), True),
    ],
    ids=["large inner chunks", "few of them", "small ones", "slow codecs", "fast codecs", "large for those"],
)
def test_shards_are_shared_by_threads_from_the_first_one_on_where_much_of_them_is_wanted(
    monkeypatch, tmp_path, compress, inner, rows, shared
):
    spec = v3.ArraySpec.build(
        shape=(1024, 1024),
        dtype="float32",
        chunks=(inner, inner),
        shards=(512, 512),
        compress=compress,
        checksum=False,
    )
    array = zom.materialize(spec, tmp_path)
    array[...] = np.ones((1024, 1024), "f4")
    asked = []
    monkeypatch.setattr(workers, "processors", lambda: 2)
    monkeypatch.setattr(workers, "_run_threads", lambda items, most, work: (asked.append(most), work(items)))
    array[rows]
    assert bool(asked) == shared
