"""Calls that wait beside each other."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from zom.stores.memory import MemoryStore
from zom.stores.together import ahead, together


@pytest.fixture
def far():
    store = MemoryStore()
    store.capabilities = replace(store.capabilities, parallel=8)
    return store


def test_calls_of_a_store_that_answers_late_wait_beside_each_other(far):
    both = threading.Barrier(2, timeout=10)  # broken, unless two calls wait at once
    assert together(far, both.wait, both.wait, lambda: 3)[2] == 3
    with ahead(far, both.wait) as found:
        both.wait()
        assert found() in {0, 1}


@pytest.mark.parametrize("choices", [{"parallel": 1}, {"parallel": 8, "lock_holds_all": True}])
def test_other_stores_are_asked_by_the_same_thread(far, choices):
    far.capabilities = replace(far.capabilities, **choices)
    asked = [threading.get_ident, threading.get_ident]
    assert together(far, *asked) == [threading.get_ident()] * 2
    with ahead(far, threading.get_ident) as found:
        assert found() == threading.get_ident()


def test_the_first_error_in_the_order_of_the_calls_is_raised(far):
    def fail(text):
        raise ValueError(text)

    with pytest.raises(ValueError, match="one"):
        together(far, lambda: 1, lambda: fail("one"), lambda: fail("two"))
    with ahead(far, lambda: fail("ahead")) as found, pytest.raises(ValueError, match="ahead"):
        found()
