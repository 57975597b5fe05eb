"""`zom schema`: list, export, infer and check JSON Schemas.

`list` names them, `export` prints one of them or one inferred from examples, and `check` validates a
document with Python's jsonschema, as a program in another language would. `report` shows where the rules
of conventions are expressed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli import schema_report
from zom.cli.outcome import CLEAN, FINDINGS, UNREADABLE, USAGE, CommandError
from zom.cli.printing import say, tell
from zom.count import count_of

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb, and its own verbs."""
    verbs = parser.add_subparsers(
        prog=parser.prog,
        title="verbs",
        metavar="VERB",
        dest="action",
        required=True,
        parser_class=type(parser),
    )
    verbs.add_parser("list", help="list the names and titles of all schemas")
    _declare_export(verbs.add_parser("export", help="print a schema as JSON"))
    report = verbs.add_parser("report", help="show where each rule of a convention is expressed")
    schema_report.declare(report)
    check = verbs.add_parser("check", help="report every error of a document with line and column")
    check.add_argument("file", metavar="FILE", help="a JSON document, or - for standard input")
    check.add_argument(
        "--schema", required=True, metavar="NAME|FILE", help="a name from zom schema list, or a schema file"
    )


def _declare_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a name from zom schema list")
    parser.add_argument(
        "--infer",
        nargs="+",
        metavar="PLACE",
        help="infer the schema from these example documents and stores instead of NAME",
    )
    parser.add_argument("--draft", choices=["2020-12", "draft-07"], default="2020-12")
    parser.add_argument(
        "--flavour",
        choices=["validation", "codegen"],
        default="validation",
        help="optimize for validators and editors (the default), or for type generators",
    )
    parser.add_argument(
        "--base-url", metavar="URL", help="base URL where the schemas are published (default: a urn:)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Run the inner verb."""
    actions = {"list": _list, "export": _export, "check": _check, "report": schema_report.run}
    return actions[arguments.action](arguments)


def _list(arguments: argparse.Namespace) -> int:
    from zom.schema import json_schema, schema_names  # noqa: PLC0415 - slow to import

    del arguments
    names = schema_names()
    width = max(map(len, names))
    for name in names:
        say(f"{name:<{width}}  {json_schema(name)['title']}")
    return CLEAN


def _export(arguments: argparse.Namespace) -> int:
    from zom.cli.file import write_text  # noqa: PLC0415 - slow to import
    from zom.json.write import write_json  # noqa: PLC0415 - --help does not need it
    from zom.schema import json_schema  # noqa: PLC0415 - slow to import

    if (arguments.name is None) == (arguments.infer is None):
        message = "export takes either a name or --infer; run zom schema list for the names"
        raise CommandError(message, USAGE)
    target: Any = _inferred(arguments.infer) if arguments.infer else _known(arguments.name)
    schema = json_schema(target, arguments.draft, arguments.flavour, base_url=arguments.base_url)
    text = write_json(schema, indent=2) + "\n"
    write_text(arguments.output, text)
    for loss in schema.get("x-zom-not-expressed", ()):
        tell(f"not expressed: {loss['where']}: {loss['what']}")
    return CLEAN


def _known(name: str) -> str:
    from zom.extension.registry import did_you_mean, near  # noqa: PLC0415 - slow to import
    from zom.schema import schema_names  # noqa: PLC0415 - slow to import

    names = schema_names()
    if name not in names:
        ends = [f"{known!r}" for known in names if known.endswith(f"/{name}")]
        hint = f"did you mean {' or '.join(ends)}?" if ends else did_you_mean(near(name, names), names)
        hint = hint or "run zom schema list for the names"
        message = f"no schema is named {name!r}; {hint}"
        raise CommandError(message, USAGE)
    return name


def _inferred(examples: list[str]) -> Any:
    from zom import template  # noqa: PLC0415 - slow to import
    from zom.cli.operand import spec_at  # noqa: PLC0415 - slow to import

    return template.infer(*map(spec_at, examples))


def _check(arguments: argparse.Namespace) -> int:
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.cli.schema_check import schema_problems  # noqa: PLC0415 - slow to import
    from zom.cli.validate import problem_parts  # noqa: PLC0415 - slow to import

    schema = _schema(arguments.schema)
    document = read_document(arguments.file)
    try:
        problems = schema_problems(document, schema)
    except ValueError as error:
        message = f"{arguments.schema}: {error}"
        raise CommandError(message, UNREADABLE) from None
    for problem in problems:
        say(*problem_parts(document.name, problem))
    count = len(problems)
    shown = count_of(count, "error") if count else "no errors"
    tell(f"{document.name}: {shown}, checked against {arguments.schema}")
    return FINDINGS if problems else CLEAN


def _schema(name: str) -> Any:
    from zom.cli.document import read_document  # noqa: PLC0415 - slow to import
    from zom.looks import is_file  # noqa: PLC0415 - help needs none of it
    from zom.schema import json_schema, schema_names  # noqa: PLC0415 - slow to import

    if name in schema_names():
        return json_schema(name)
    if not is_file(name):
        try:
            _known(name)
        except CommandError as error:
            message = f"no such file, and {error}"
            raise CommandError(message, USAGE) from None
    schema = read_document(name).value
    if not isinstance(schema, (dict, bool)):
        message = f"{name}: expected a JSON Schema (an object); name another file"
        raise CommandError(message, UNREADABLE)
    return schema  # pyright: ignore[reportUnknownVariableType]
