"""`zom dingus`: whether OME-Zarr is valid, as one line of JSON for the runner of OME's conformance suite.

The runner calls it with a path and reads `{"valid": ..., "message": ...}`: whatever the verdict is, the exit
code is 0. It is another one only where there is no verdict: where nothing can be read at the path, or the
command was called wrongly. What the suite calls valid follows the published JSON Schemas, and so does the
verdict: with `--profile text` that of the specification's text is given, with nodes compared with each other.

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
    from zom.problems import Fault, Problem

__all__ = ["declare", "run"]

_KINDS = ("multiscales", "image-label", "labels", "plate", "well", "scene", "series", "bioformats2raw.layout")
"""What metadata of OME-Zarr describes: it has one of these keys."""


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    about = "a JSON file with the attributes of one group, or a store"
    parser.add_argument("mode", choices=["attributes", "zarr"], help=about)
    parser.add_argument("path", metavar="PATH", help="the JSON file or the store")
    rules = "whose rules count: those of the published schemas (the default), the text's, or all with SHOULD as MUST"
    parser.add_argument("--profile", choices=["schema", "text", "full"], default="schema", help=rules)


def run(arguments: argparse.Namespace) -> int:
    """Prints the verdict."""
    from zom.json.write import ascii_json  # noqa: PLC0415 - slow to import

    judge = _of_attributes if arguments.mode == "attributes" else _of_store
    problems = judge(arguments.path, arguments.profile)
    errors = [problem for problem in problems if problem.severity == "error"]
    say_data(ascii_json({"valid": not errors, "message": _message(errors, problems)}))
    return CLEAN


def _message(errors: Sequence[Problem], problems: Sequence[Problem]) -> str:
    """What is wrong; of several errors the first, and how many more there are."""
    if not errors:
        return f"no errors, and {len(problems)} of less weight" if problems else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0].code}: {errors[0]}{more}"


def _of_store(path: str, profile: Profile) -> Sequence[Problem]:
    import zom  # noqa: PLC0415 - slow to import

    report = zom.validate(path, conventions=["ome"], profile=profile)
    return report.problems


def _of_attributes(path: str, profile: Profile) -> Sequence[Problem]:
    """What is wrong with the attributes of a group of which nothing else is known."""
    from zom.conventions.framework.convention import conventions  # noqa: PLC0415 - slow to import
    from zom.conventions.framework.detection import judge  # noqa: PLC0415 - slow to import
    from zom.formats.node_view import attributes_node  # noqa: PLC0415 - slow to import
    from zom.json.python_value import is_dict  # noqa: PLC0415 - slow to import
    from zom.problems import Problem, show  # noqa: PLC0415 - slow to import

    attributes = _read(path)
    if isinstance(attributes, Problem):
        return [attributes]
    if not is_dict(attributes):
        return [_said((), "an object of attributes", show(attributes))]
    node = attributes_node(attributes, "v3" if "ome" in attributes else "v2")
    found = list(judge(node, conventions.of_id("ome"), profile=profile).problems)
    metadata = attributes.get("ome", attributes)
    if not found and is_dict(metadata) and not any(kind in metadata for kind in _KINDS):
        found.append(_said(("ome",), f"one of {', '.join(_KINDS)}", show(list(metadata))))
    return found


def _said(inside: tuple[str | int, ...], expected: str, found: str) -> Problem:
    from zom.problems import Problem, pointer_of  # noqa: PLC0415 - slow to import

    return Problem("ome/metadata", "error", "/", pointer_of(inside), inside, expected, found)


def _read(path: str) -> object:
    """The JSON of a file, or what is wrong with it."""
    from zom.json.read import read_json  # noqa: PLC0415 - slow to import

    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            text = file.read()
    except OSError as cause:
        message = f"{path}: cannot be read: {cause.strerror or cause}; see that it is the path of a JSON file"
        raise CommandError(message, UNREADABLE) from cause
    faults: list[Fault] = []
    value = read_json(text, faults)
    for fault in faults:
        return fault.problem()
    return value
