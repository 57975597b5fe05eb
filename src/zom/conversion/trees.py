"""Convert specs between formats: whole trees, with every loss reported.

    v2 ──> v3 ──> v2        draft ──> v3

Chunks are not touched: the new documents keep them readable wherever the other format can describe
them. Everything it can't describe is refused, in one error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from zom.conversion import (
    draft_to_v3 as convert_draft_v3,
)
from zom.conversion import (
    v2_to_v3 as convert_v2_v3,
)
from zom.conversion import (
    v3_to_v2 as convert_v3_v2,
)
from zom.conversion.losses import ASCII_NAME, FORMATS, INVALID, NAME, Conversion, Report
from zom.errors import ConversionError
from zom.formats.families import DRAFT, V2, V3
from zom.model.construction import assembled
from zom.model.operand import check_is_spec
from zom.model.output import member_specs
from zom.model.tree import walk
from zom.paths import name_faults
from zom.problems import Fault, Problem, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.conversion.losses import Fill
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["convert", "converted_node"]

_Target = Literal["v3", "v2"]

_FAMILIES: dict[str, Family] = {"v2": V2, "v3": V3}
_STEPS: dict[tuple[Family, str], Any] = {
    (V2, "v3"): convert_v2_v3,
    (V3, "v2"): convert_v3_v2,
    (DRAFT, "v3"): convert_draft_v3,
}


def convert(spec: Spec, to: _Target, *, fill: Fill = "default") -> Conversion:
    """Convert `spec`, and everything below it, to the format `to`.

    `fill` says how to convert an undefined fill value: "default" uses the data type's own, "refuse"
    refuses the array, and a function of path and spec returns one for each array.

    >>> from zom import v2
    >>> old = v2.ArraySpec(shape=(4, 6), chunks=(2, 3), dtype=">f4", compressor={"id": "zlib", "level": 1},
    ...                    fill_value=0.0, order="F", filters=None)
    >>> [codec["name"] for codec in convert(old, "v3").spec.codecs]
    ['transpose', 'bytes', 'numcodecs.zlib']
    """
    check_is_spec(spec)
    if spec.family is _FAMILIES.get(to):
        arrays = {path: True for path, node in walk(spec) if node.kind == "array"}
        return Conversion(spec, (), arrays)
    steps = _STEPS.get((spec.family, to))
    if steps is None:
        found = f"a conversion from {spec.family.form} to {show(to)}"
        expected = "one from v2 or the draft to v3, or from v3 to v2"
        raise ConversionError([Problem(FORMATS.code, "error", "/", "", (), expected, found)], "conversion")
    documents, same_chunks, reports = _documents(spec, to, steps, fill)
    refusals = [problem for report in reports for problem in report.refusals]
    if refusals:
        raise ConversionError(refusals, f"conversion to {to}")
    losses = tuple(problem for report in reports for problem in report.losses)
    return Conversion(_made(documents["/"], to, spec), losses, same_chunks)


def converted_node(spec: Spec, names: tuple[str, ...] = ()) -> tuple[Spec, tuple[Problem, ...]]:
    """Return a node in v3 without its members, and the losses; `names` is its path in problems.

    Its own name is not checked. Raises ConversionError for anything that v3 can't express.

    >>> from zom import v2
    >>> converted_node(v2.GroupSpec(attributes={"a": 1}, members={}))[0].to_dict()
    {'zarr_format': 3, 'node_type': 'group', 'attributes': {'a': 1}}
    """
    steps, report = _STEPS[spec.family, "v3"], Report(names)
    array = spec.kind == "array"
    document = steps.array(spec, report, "default")[0] if array else steps.group(spec, report, "default")
    if report.refusals:
        raise ConversionError(report.refusals, "conversion to v3")
    return _made(document, "v3", spec), tuple(report.losses)


def _documents(
    spec: Spec, to: _Target, steps: Any, fill: Fill
) -> tuple[dict[str, dict[str, Any]], dict[str, bool], list[Report]]:
    """Return the new document of each node by path, nested in its group's, with chunk facts and reports."""
    documents: dict[str, dict[str, Any]] = {}
    same_chunks: dict[str, bool] = {}
    reports: list[Report] = []
    for path, node in walk(spec):
        report = Report(tuple(path.split("/")[1:]) if path != "/" else ())
        reports.append(report)
        _check_name(report, to)
        if node.kind == "array":
            documents[path], same_chunks[path] = steps.array(node, report, fill)
        else:
            documents[path] = steps.group(node, report, fill)
            if member_specs(node) is not None:
                documents[path]["members"] = {}
        if path != "/":
            parent, _, name = path.rpartition("/")
            documents[parent or "/"]["members"][name] = documents[path]
    return documents, same_chunks, reports


def _check_name(report: Report, to: _Target) -> None:
    """Refuse a name that the other format forbids; report one that it discourages as a loss."""
    if not report.steps:
        return
    faults: list[Fault] = []
    name_faults(report.steps[-1], to, faults)
    for fault in faults:
        rule = NAME if fault.rule.strict == "error" else ASCII_NAME
        report.add(rule, (), fault.expected, fault.found)


def _made(document: dict[str, Any], to: _Target, source: Spec) -> Spec:
    """Make the spec of the new document; it must be valid at "strict", except for NaN in attributes."""
    family = _FAMILIES[to]
    made, problems = assembled(family.classes[source.kind], document, "strict")
    if made is None:
        raise ConversionError(_at_their_nodes(problems, to), f"conversion to {to}")
    return made


def _at_their_nodes(problems: Sequence[Problem], to: _Target) -> list[Problem]:
    """Move the problems of the new documents to the nodes that they were made from."""
    placed: list[Problem] = []
    for problem in problems:
        if problem.severity != "error":
            continue
        names = problem.node.split("/")[1:] if problem.node != "/" else []
        pointer = pointer_of(step for name in names for step in ("members", name))
        inside = pointer_of(problem.inside)
        found = f"{problem.found}, which {to} would have at {inside} ({problem.code})"
        placed.append(Problem(INVALID.code, "error", problem.node, pointer, (), problem.expected, found))
    return placed
