"""The reports of several places, one after the other or in parallel processes.

Reports are Python work, so threads would not make them faster.
"""

from __future__ import annotations

import os
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zom.cli.outcome import UNREADABLE, CommandError, note_verb
from zom.cli.parameters import parameters_from
from zom.cli.place_report import choices_from, report_at
from zom.cli.printing import tell

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor, Future
    from typing import TypeAlias

    from zom.cli.place_report import Choices
    from zom.conventions.report import Report

    _Waiting: TypeAlias = list[tuple[str, Future[Report]]]

__all__ = ["reports_of"]


def reports_of(places: Sequence[str], arguments: argparse.Namespace, choices: Choices) -> Iterator[Report]:
    """The report of each place, in order, as soon as it is known."""
    if arguments.jobs != 1 and len(places) > 1 and "-" not in {*places, arguments.like}:
        try:
            pool, waiting = _begun(places, arguments)
        except (ImportError, NotImplementedError, OSError, RuntimeError) as error:
            # WebAssembly and some services don't support processes; others limit their number.
            tell(f"zom validate: running in one process, since no other can be started: {error}")
        else:
            yield from _results(pool, waiting)
            return
    parameters = parameters_from(arguments.parameters)
    yield from (report_at(name, arguments, choices, parameters) for name in places)


def _begun(places: Sequence[str], arguments: argparse.Namespace) -> tuple[Executor, _Waiting]:
    """Start `jobs` processes, or one per core for 0, and submit the reports to them."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only on request
    from multiprocessing import get_context  # noqa: PLC0415 - as above

    jobs = min(arguments.jobs or os.cpu_count() or 1, len(places))
    # A forked process would share the locks of threads in whatever state they are.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (arguments,))
    try:
        return pool, [(place, pool.submit(_report_at, place)) for place in places]
    except BaseException:
        with suppress(RuntimeError):  # a thread that was never started can't be joined
            pool.shutdown(cancel_futures=True)
        raise


def _results(pool: Executor, waiting: _Waiting) -> Iterator[Report]:
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - only on request

    try:
        for place, made in waiting:
            try:
                yield made.result()
            except BrokenProcessPool as cause:
                message = (
                    f"{place}: a process ended before it reported, possibly out of memory; use fewer --jobs"
                )
                raise CommandError(message, UNREADABLE) from cause
    finally:
        pool.shutdown(cancel_futures=True)


_asked: dict[str, Any] = {}
"""The arguments of this worker process."""


def _begin(arguments: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")  # the parent process shows them
    arguments.progress = False
    note_verb("validate")
    parameters = parameters_from(arguments.parameters)
    _asked.update(arguments=arguments, choices=choices_from(arguments), parameters=parameters)


def _report_at(place: str) -> Report:
    return report_at(place, **_asked)
