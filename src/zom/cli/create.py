"""`zom create`: create a hierarchy in a store, all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN, FINDINGS
from zom.cli.plan import declare_plan, plan_from, print_plan, wanted
from zom.cli.printing import say, say_data, tell
from zom.cli.terminal import Progress, declare_progress
from zom.count import count_of

if TYPE_CHECKING:
    import argparse

    from zom.cli.operand import Operand
    from zom.handles.plan import Plan

__all__ = ["declare", "done", "run", "show_change"]

_DONE = {
    "create": "created",
    "update attributes": "updated",
    "rewrite document": "rewritten",
    "write values": "written",
    "resize": "resized",
    "replace": "replaced",
    "delete": "deleted",
    "move": "moved",
    "keep": "kept",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    declare_plan(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan without writing anything, as zom plan does"
    )
    declare_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan and apply it; on conflicts, write nothing and return FINDINGS."""
    from zom.cli.operand import target_at  # noqa: PLC0415 - slow to import

    spec = wanted(arguments.spec, arguments.parameters)
    place = target_at(arguments.store)
    with place.surveyed() if arguments.dry_run else place.opened(write=True) as store:
        made = plan_from(arguments, spec, place, store)
        if made.problems or arguments.dry_run:
            print_plan(made, arguments.format)
            if made.problems:
                tell(f"zom create: {place.name}: nothing was written; see --on-conflict")
            return FINDINGS if made.problems else CLEAN
        with Progress("creating", arguments.progress) as progress:
            made.apply(progress=progress)
    _print_warnings(arguments, place, made)
    if arguments.format == "json":
        say_data(made.to_json(indent=2))
    else:
        say(done(made))
    return CLEAN


def show_change(arguments: argparse.Namespace, place: Operand, plan: Plan[Any]) -> int:
    """Apply a plan unless it is a dry run, and print it; return FINDINGS on conflicts."""
    from dataclasses import replace  # noqa: PLC0415 - slow to import

    from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - slow to import

    shown = replace(plan, url=place.store)
    if plan.problems or arguments.dry_run:
        print_plan(shown, arguments.format)
        if plan.problems:
            tell(f"zom {arguments.verb}: {place.name}: nothing was written")
        return FINDINGS if plan.problems else CLEAN
    carry_out(plan)
    _print_warnings(arguments, place, plan)
    if arguments.format == "json":
        say_data(shown.to_json(indent=2))
    else:
        say(done(shown))
    return CLEAN


def _print_warnings(arguments: argparse.Namespace, place: Operand, plan: Plan) -> None:
    for problem in plan.warnings:
        tell(f"zom {arguments.verb}: {place.name}: warning: {problem}")


def done(plan: Plan) -> str:
    """One line with what was done."""
    if plan.is_empty:
        return f"{plan.url}: up to date; nothing was written"
    counts = plan.counts
    parts = [f"{counts[verb]} {word}" for verb, word in _DONE.items() if verb in counts]
    chunks = sum(action.chunks for action in plan.actions)
    if chunks:
        parts.append(f"{count_of(chunks, 'chunk')} removed")
    return f"{plan.url}: {', '.join(parts)}"
