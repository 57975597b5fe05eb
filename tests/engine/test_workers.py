"""Workers end with the operation, however it ends."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from zom.engine.workers import run


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
