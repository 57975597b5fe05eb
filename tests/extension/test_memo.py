"""Remembered verdicts, and threads that ask for them and register meanwhile."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest

from zom.errors import ExtensionError
from zom.extension import registry
from zom.extension.memo import Memo
from zom.extension.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator


class Thing:
    aliases: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*acts: object) -> None:
    """Do all of these at once, each in a thread of its own."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(acts))

    def attempt(act: object) -> None:
        start.wait()
        try:
            act()  # type: ignore[operator]
        except BaseException as error:  # noqa: BLE001 - raised below
            failures.append(error)

    threads = [threading.Thread(target=attempt, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_a_verdict_is_made_once() -> None:
    memo: Memo[int] = Memo()
    assert [memo.get("a", lambda: 1), memo.get("a", lambda: 2)] == [1, 1]


def test_a_verdict_from_before_a_registration_is_not_kept() -> None:
    """It was, where another thread asked while it was made."""
    memo: Memo[str] = Memo()
    things: Registry[Thing] = Registry("thing", "zom.things")

    def verdict() -> str:
        things.register(Thing("new"))
        memo.get("other", lambda: "in another thread, after the registration")
        return "before"

    assert memo.get("key", verdict) == "before"
    assert memo.get("key", lambda: "after") == "after"


def test_a_full_memo_is_emptied() -> None:
    memo: Memo[int] = Memo(room=2)
    for number in range(5):
        assert memo.get(number, lambda number=number: number) == number  # type: ignore[misc]
    assert len(memo.current()) <= 2


@pytest.mark.usefixtures("hasty")
def test_of_threads_that_register_one_name_one_succeeds() -> None:
    for _ in range(50):
        things: Registry[Thing] = Registry("thing", "zom.things")
        refused: list[str] = []

        def register(things: Registry[Thing] = things, refused: list[str] = refused) -> None:
            for number in range(20):
                try:
                    things.register(Thing(f"t{number}"))
                except ExtensionError as error:
                    refused.append(str(error))

        together(*[register] * 4)
        assert [thing.name for thing in things] == sorted(f"t{number}" for number in range(20))
        assert len(refused) == 60


@pytest.mark.usefixtures("hasty")
def test_every_registration_is_counted() -> None:
    before = registry.revision()
    things: Registry[Thing] = Registry("thing", "zom.things")
    together(
        *[
            lambda of=of: [things.register(Thing(f"{of}-{number}")) for number in range(200)]  # type: ignore[misc]
            for of in range(4)
        ]
    )
    assert registry.revision() - before == 800
