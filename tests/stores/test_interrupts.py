"""Interrupts wait while a lock is taken, held for one value, and given back; whoever waits for others is let go."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import zom
from zom.stores.interrupts import Uninterrupted, interruptible, many_uninterrupted
from zom.stores.local.lock_files import lock_name
from zom.stores.system.whole_locks import lock

PROGRAM = """
import faulthandler, os, signal, sys, zom
from zom import v3
faulthandler.register(signal.SIGUSR1)
store = zom.store(sys.argv[1])
spec = v3.ArraySpec.build(shape=(8, 8), dtype="int16", chunks=(2, 2))
array = zom.create_array(store, spec).with_options(threads=2)
array[:] = 1
array[1:7, 1:7] = 2  # what is imported late is imported now: an interrupt of an import can hang in Python 3.11
print("ready", flush=True)
number = 0
while True:
    try:
        while True:
            number += 1
            array[:] = number
            array[1:7, 1:7] = -number
            array.attrs["number"] = number
            os.write(1, b".")
    except KeyboardInterrupt:
        os.write(1, b"!")
"""


@pytest.fixture(autouse=True)
def usual_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), Uninterrupted():  # noqa: PT012 - all of it is done
        done.append(1)
        with Uninterrupted():
            interrupt()
            done.append(2)
        done.append(3)
    assert done == [1, 2, 3]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), Uninterrupted():  # noqa: PT012 - some of it is done
        interrupt()
        done.append(1)
        interrupt()
        done.append(2)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_that_comes_with_an_error_is_raised_and_the_error_is_its_context():
    with pytest.raises(KeyboardInterrupt) as caught, Uninterrupted():  # noqa: PT012
        interrupt()
        raise ValueError("first")
    assert isinstance(caught.value.__context__, ValueError)


def test_without_an_interrupt_an_error_is_what_it_was():
    with pytest.raises(ValueError, match="first"), Uninterrupted():
        raise ValueError("first")


def test_what_waits_for_others_can_be_interrupted():
    done = []
    with pytest.raises(KeyboardInterrupt), Uninterrupted(), interruptible():  # noqa: PT012
        interrupt()
        done.append(1)
    assert done == []


def test_an_interrupt_from_before_the_wait_ends_it_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), Uninterrupted():  # noqa: PT012
        interrupt()
        with interruptible():
            done.append(1)
    assert done == []


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_signal_that_python_does_not_handle_is_left_alone(handler):
    signal.signal(signal.SIGINT, handler)
    with Uninterrupted():
        assert signal.getsignal(signal.SIGINT) is handler


def test_a_handler_of_the_users_own_is_called_behind_the_block():
    called = []
    signal.signal(signal.SIGINT, lambda *what: called.append(what[0]))
    with Uninterrupted():
        interrupt()
        assert called == []
    assert called == [signal.SIGINT]


def test_between_many_blocks_an_interrupt_is_raised_at_once():
    before = signal.getsignal(signal.SIGINT)
    done = []
    with pytest.raises(KeyboardInterrupt), many_uninterrupted():  # noqa: PT012 - it ends where it comes
        for number in range(3):
            with Uninterrupted():
                done.append(number)
            if number == 1:
                interrupt()
    assert done == [0, 1]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_in_one_of_many_blocks_waits_for_its_end():
    done = []
    with pytest.raises(KeyboardInterrupt), many_uninterrupted():  # noqa: PT012 - it ends where it comes
        for number in range(3):
            with Uninterrupted():
                with Uninterrupted():
                    interrupt()
                done.append(number)
            done.append("behind")
    assert done == [0]


def test_waiting_between_many_blocks_leaves_them_as_they_were():
    done = []
    with pytest.raises(KeyboardInterrupt), many_uninterrupted():  # noqa: PT012 - it ends where it comes
        with interruptible():
            done.append(1)
        with Uninterrupted(), interruptible():
            done.append(2)
        interrupt()
        done.append(3)
    assert done == [1, 2]


def test_other_threads_have_nothing_to_do_with_it():
    seen = []

    def look():
        with Uninterrupted(), interruptible():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_write_that_waits_for_another_process_can_be_interrupted(tmp_path):
    store = zom.store(tmp_path)
    store.set("a", b"1")
    descriptor = os.open(tmp_path / lock_name("a"), os.O_RDWR | os.O_CREAT)
    lock(descriptor, wait=True)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        store.set("a", b"2")
    timer.join()
    os.close(descriptor)
    assert store.get("a") == b"1"
    store.set("a", b"3")
    assert store.get("a") == b"3"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


@pytest.mark.slow
def test_whoever_goes_on_after_an_interrupt_never_waits_for_himself(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "a.zarr")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        for attempt in range(150):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.002 + 0.0003 * (attempt % 20))
            process.send_signal(signal.SIGINT)
            for _ in range(2):  # the interrupt is caught, and the next round is made
                if not select.select([process.stdout], [], [], 60)[0]:
                    process.send_signal(signal.SIGUSR1)  # tells where it hangs
                    time.sleep(1)
                    process.kill()
                    pytest.fail(f"it hangs after {attempt} interrupts: {process.stderr.read().decode()}")
                os.read(process.stdout.fileno(), 1 << 16)
            if process.poll() is not None:  # one came while the program caught another
                break
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    assert attempt > 3
