"""Executors: share work on chunks with other processes or machines.

By default, operations on many chunks run on threads of this process. With an executor (a
`distributed.Client`, or anything else with the `submit` of `concurrent.futures`), they submit units of work:
a module-level function, a context, and the keys or numbers of the unit. Chunks never travel: each process
reads and writes the stores itself. No two units write into one chunk or shard.
"""

from __future__ import annotations

import pickle
from collections import deque
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from zom.engine.workers import processors
from zom.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.stores.interface import Store

__all__ = ["Executor", "Pool", "check_target", "grouped", "pool_of"]

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2
"""Units in flight per thread of the executor: one runs, the next one waits."""

_CONTEXTS = 8
"""The number of contexts that a process keeps; more than the arrays it works on at a time."""


class _Future(Protocol):
    """The result of `submit`, of `concurrent.futures` or of distributed."""

    def result(self) -> Any: ...


class Executor(Protocol):
    """Runs functions elsewhere: a `distributed.Client`, a `concurrent.futures.Executor`, or the like."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """A future of `fn(*args)`; its `result()` waits for it."""
        ...


class Pool:
    """An executor with a limit on the units submitted at once.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     list(Pool(threads).run(pow, 2, [1, 2, 3]))
    [2, 4, 8]
    """

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        self._executor = executor
        self._is_client = hasattr(executor, "get_executor")
        self._jobs = jobs
        self._pickles = self._is_client or not _shares_memory(executor)
        self._fork: Store | None = None
        """The target, if each process writes into its own copy of it."""

    @property
    def executor(self) -> Executor:
        """The executor that runs the units."""
        return self._executor

    def check(self, *stores: Store, target: Store | None = None) -> None:
        """Raise StoreError if the executor's processes can't read a store, or can't write the target.

        >>> import zom
        >>> from concurrent.futures import ProcessPoolExecutor
        >>> with ProcessPoolExecutor(1) as processes:
        ...     Pool(processes).check(zom.store("memory://example-of-executor"))
        Traceback (most recent call last):
        zom.errors.StoreError: memory://example-of-executor: cannot pickle: a store in memory belongs to its process; use one that processes share, such as a directory
        """
        if self._pickles:
            for store in stores:
                pickle.dumps(store)
            if target is not None:
                check_target(target)
                self._fork = target if target.capabilities.merges else None

    def run(self, work: Callable[[C, T], R], context: C, units: Iterable[T]) -> Iterator[R]:
        """Yield `work(context, unit)` for each unit, in order.

        At most a few units per thread of the executor are in flight, and `units` is consumed no faster. After
        an error, this waits for them, so none writes chunks after the caller has undone the operation.
        """
        sent = self._sent(context)
        waiting: deque[_Future] = deque()
        rest = iter(units)
        try:
            most = self._most()
            for unit in islice(rest, most):
                waiting.append(self._submit(work, sent, unit))
            while waiting:
                found = waiting[0].result()
                waiting.popleft()
                yield self._merged(found)
                for unit in islice(rest, 1):
                    waiting.append(self._submit(work, sent, unit))
        finally:
            _wait(waiting)

    def _sent(self, context: C) -> C | _Sent | _SentFork:
        """The context in the form sent to a process; with a fork if the target needs one."""
        if self._fork is not None:
            return _SentFork(pickle.dumps((context, self._fork)))
        return _Sent(pickle.dumps(context)) if self._pickles else context

    def _merged(self, found: Any) -> Any:
        """The result of the work, after merging what it has written."""
        if self._fork is None:
            return found
        result, copy = found
        self._fork.absorb(copy)
        return result

    def _submit(self, work: Callable[[C, T], R], sent: C | _Sent | _SentFork, unit: T) -> _Future:
        if self._is_client:
            # Not pure: a unit that ran once may have to run again.
            client = cast("Any", self._executor)
            return cast("_Future", client.submit(_run, work, sent, unit, pure=False))
        return cast("_Future", self._executor.submit(_run, work, sent, unit))

    def _most(self) -> int:
        """The number of units in flight."""
        if self._jobs is not None:
            return max(1, self._jobs)
        if not self._is_client:
            return max(2, _AHEAD * processors())
        threads: dict[str, int] = cast("Any", self._executor).nthreads()
        return max(2, _AHEAD * sum(threads.values()))


def check_target(target: Store) -> None:
    """Raise StoreError if other processes can't write into a store, or their writes would be lost.

    >>> from zom.stores.memory import MemoryStore
    >>> check_target(MemoryStore())
    Traceback (most recent call last):
    zom.errors.StoreError: memory://: cannot pickle: a store in memory belongs to its process; use one that processes share, such as a directory
    """
    pickle.dumps(target)
    if target.capabilities.transactional and not target.capabilities.merges:
        reason = "writes of other processes go to copies of it and are lost: use threads"
        raise StoreError(target.url, "", "share", reason)


def pool_of(executor: Any, jobs: int | None = None) -> Pool | None:
    """The pool of a caller's `executor`, or None for threads of this process.

    >>> pool_of(None) is None
    True
    >>> pool_of("tcp://10.0.0.1:8786")
    Traceback (most recent call last):
    TypeError: executor: expected a distributed.Client or a concurrent.futures.Executor, got 'tcp://10.0.0.1:8786'
    """
    if executor is None:
        return None
    if isinstance(executor, Pool):
        return executor
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"executor: expected a distributed.Client or a concurrent.futures.Executor, got {executor!r}"
        )
    if getattr(executor, "asynchronous", False):
        raise TypeError("executor: expected a synchronous client, got Client(asynchronous=True)")
    return Pool(executor, jobs)


def grouped(items: Iterable[T], count: int) -> Iterator[list[T]]:
    """Lists of `count` items; the last one may be shorter.

    >>> list(grouped("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while some := list(islice(rest, count)):
        yield some


class _Sent(bytes):
    """A pickled context: sent with each unit, unpickled once per process."""

    __slots__ = ()


class _SentFork(bytes):
    """A pickled context and the fork that it writes into: each unit has its own fork, and returns it."""

    __slots__ = ()


def _run(work: Callable[[Any, T], R], sent: Any, unit: T) -> Any:
    if isinstance(sent, _SentFork):
        context, fork = pickle.loads(sent)  # noqa: S301 - made above, and sent to the caller's own workers
        return work(context, unit), fork
    return work(_received(sent) if isinstance(sent, _Sent) else sent, unit)


@lru_cache(_CONTEXTS)
def _received(sent: bytes) -> Any:
    return pickle.loads(sent)  # noqa: S301 - made above, and sent to the caller's own workers


def _shares_memory(executor: Executor) -> bool:
    """Whether the executor runs functions in this process."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only for callers with an executor

    return isinstance(executor, ThreadPoolExecutor)


def _wait(futures: Iterable[_Future]) -> None:
    """Wait for everything in flight, whatever the result; raise an interrupt only after all have ended."""
    interrupt: BaseException | None = None
    for future in futures:
        while True:
            try:
                future.result()
            except Exception:  # noqa: BLE001 - the first error is already being raised
                break
            except BaseException as error:  # noqa: BLE001 - as above
                if interrupt is not None:
                    break
                interrupt = error
            else:
                break
    if interrupt is not None:
        raise interrupt
