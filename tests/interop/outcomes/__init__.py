"""How the checks of an interop script end: each is told on a line, and counted."""

# ruff: noqa: T201, BLE001 - it tells what it does, and goes on

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check", "counts", "skip"]

counts: Counter[str] = Counter()


def check(what: str, act: Callable[[], None]) -> None:
    try:
        act()
    except Exception as error:
        counts["failed"] += 1
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    else:
        counts["passed"] += 1
        print(f"ok     {what}", flush=True)


def skip(what: str, why: str) -> None:
    counts["skipped"] += 1
    print(f"SKIP   {what}: {why}", flush=True)
