"""`zom dingus`: validate OME-Zarr for the runner of OME's conformance suite, as one line of JSON.

The runner calls it with a path and reads `{"valid": ..., "message": ...}`. The exit code is 0 for any
verdict. It differs only without one: if nothing can be read at the path, or the arguments are wrong.
The suite follows the published JSON Schemas, and so does the verdict. With `--profile strict`, it follows
the strict schemas, which also require every SHOULD; with `--profile text`, the specification's text, with
nodes compared with each other.

https://github.com/ome/ngff-spec/tree/main/conformance
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.cli.outcome import CLEAN, UNREADABLE, CommandError
from zom.cli.printing import say_data

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zom.checks.checked_rule import Profile
    from zom.problems import Problem

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    about = "a JSON file with the attributes of one group, or a store"
    parser.add_argument("mode", choices=["attributes", "zarr"], help=about)
    parser.add_argument("path", metavar="PATH", help="the JSON file or the store")
    rules = (
        "rules to check: of the published schemas (the default), of the schemas with SHOULD as "
        "MUST (strict), of the specification's text, or all with SHOULD as MUST (full)"
    )
    parser.add_argument(
        "--profile", choices=["schema", "strict", "text", "full"], default="schema", help=rules
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict."""
    from zom.json.write import ascii_json  # noqa: PLC0415 - slow to import

    judge = _of_attributes if arguments.mode == "attributes" else _of_store
    problems = judge(arguments.path, arguments.profile)
    errors = [problem for problem in problems if problem.severity == "error"]
    say_data(ascii_json({"valid": not errors, "message": _message(errors, problems)}))
    return CLEAN


def _message(errors: Sequence[Problem], problems: Sequence[Problem]) -> str:
    """The first error and the number of others, or else the number of warnings and notes."""
    if not errors:
        more = "warning or note" if len(problems) == 1 else "warnings or notes"
        return f"no errors, {len(problems)} {more}" if problems else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0].code}: {errors[0]}{more}"


def _of_store(path: str, profile: Profile) -> Sequence[Problem]:
    import zom  # noqa: PLC0415 - slow to import

    report = zom.validate(path, conventions=["ome"], profile=profile)
    return report.problems


def _of_attributes(path: str, profile: Profile) -> Sequence[Problem]:
    """Problems in the attributes of an otherwise unknown group, as `zom validate` reports them."""
    from zom.hierarchy.check.validate import validate_attributes  # noqa: PLC0415 - slow to import

    return validate_attributes(_text(path), conventions=["ome"], profile=profile).problems


def _text(path: str) -> bytes:
    """The bytes of a file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            return file.read()
    except (OSError, ValueError) as cause:  # a ValueError if the name holds NUL
        from zom.reason import reason_of  # noqa: PLC0415 - only on errors

        message = f"{path}: cannot be read: {reason_of(cause)}; name a JSON file"
        raise CommandError(message, UNREADABLE) from cause
