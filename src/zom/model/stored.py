"""Stored documents: how a store holds a spec, node by node and consolidated.

A stored document may have a member whose name the object model uses itself (`members`; in v2 also
`attributes`). ZEP 6 prefixes it with an underscore. To make this reversible, a reserved word after any
number of underscores gets one more.

Consolidated metadata is a flattened hierarchy: v2 stores it in `.zmetadata`, v3 in the root's own
`zarr.json`. https://github.com/zarr-developers/zarr-specs/pull/309
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.errors import ConversionError, PathError, SpecError
from zom.json.value import JSONDict, thaw
from zom.model.assembly import assemble
from zom.model.tree import flatten, unflatten, with_members
from zom.paths import parse_path
from zom.problems import Fault, Problem, pointer_of, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.model.family import Consolidation, Family, NodeKind
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = [
    "CONSOLIDATED",
    "check_consolidated",
    "check_consolidated_format",
    "consolidated_entries",
    "consolidated_entries_by",
    "consolidated_pointer",
    "consolidated_problem",
    "from_consolidated",
    "metadata_in",
    "model_document",
    "stored_names",
    "to_consolidated",
    "to_documents",
    "without_block",
]

CONSOLIDATED = rule(
    "stored/consolidated",
    "consolidated metadata contains the documents of a hierarchy by key",
    source="https://github.com/zarr-developers/zarr-specs/pull/309 and zarr-python's .zmetadata",
)
NO_CONSOLIDATED = rule(
    "stored/no-consolidated-form",
    "only v2 and v3 have consolidated metadata",
    source="https://github.com/zarr-developers/zarr-specs/pull/309",
)


def _is_reserved(name: str, family: Family) -> bool:
    return name.lstrip("_") in family.reserved


def stored_names(document: JSONDict, family: Family) -> JSONDict:
    """Return a node's document with one underscore removed from reserved names.

    >>> from zom.formats.families import V3
    >>> stored_names(JSONDict({"_members": 1, "members_": 2}), V3)
    {'members': 1, 'members_': 2}
    """
    for name in document:
        if name[:1] == "_":
            break
    else:
        return document
    return JSONDict(
        {
            (name[1:] if name.startswith("_") and _is_reserved(name, family) else name): value
            for name, value in document.items()
        }
    )


def _to_model(document: Mapping[str, Any], family: Family) -> Mapping[str, Any]:
    """Return a stored document with one underscore added to reserved names."""
    names = "\n".join(document)
    for word in family.reserved:
        if word in names:
            break
    else:
        return document
    return {(f"_{name}" if _is_reserved(name, family) else name): value for name, value in document.items()}


def to_documents(spec: Spec) -> dict[str, dict[str, Any]]:
    """Return the documents of one node by the end of their key; members have their own documents.

    >>> from zom import v2
    >>> to_documents(v2.GroupSpec(attributes={"a": 1}))
    {'.zgroup': {'zarr_format': 2}, '.zattrs': {'a': 1}}
    """
    return {
        end: {name: thaw(value) for name, value in document.items()}
        for end, document in spec.family.documents_of(spec).items()
    }


def model_document(family: Family, documents: Mapping[str, Any]) -> Any:
    """Combine one node's stored documents into its document in the object model.

    >>> from zom.formats.families import V2
    >>> model_document(V2, {".zgroup": {"zarr_format": 2}, ".zattrs": {"a": 1}})
    {'zarr_format': 2, 'attributes': {'a': 1}}
    """
    if not isinstance(documents, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may not be checked
        message = "documents: expected a mapping from names such as 'zarr.json' to documents"
        raise TypeError(f"{message}, got {show(documents)}")
    nothing: dict[str, Any] = {}
    main: Any = next((value for name, value in documents.items() if name != ".zattrs"), nothing)
    if not isinstance(main, dict):
        return main
    document = _to_model(cast("dict[str, Any]", main), family)
    if ".zattrs" not in documents:
        return document
    return {**document, "attributes": documents[".zattrs"]}


# --- consolidated metadata ---------------------------------------------------------------------------


def to_consolidated(spec: Spec) -> dict[str, Any]:
    """Return the stored document of the whole hierarchy: `.zmetadata`, or the root's `zarr.json`.

    >>> from zom import v2
    >>> sorted(to_consolidated(v2.GroupSpec(members={"a": v2.GroupSpec()}))["metadata"])
    ['.zgroup', 'a/.zgroup']
    """
    return _consolidation_of(spec.family, spec.kind).write(flatten(spec))


def _consolidation_of(family: Family, kind: NodeKind = "group") -> Consolidation:
    found = family.consolidation
    if found is None or kind not in found.kinds:
        fault = Fault(NO_CONSOLIDATED, (), "a v2 node or a v3 group", f"a {family.form} {kind}")
        raise ConversionError([consolidated_problem(fault)], "consolidated metadata")
    return found


def consolidated_problem(fault: Fault) -> Problem:
    """Return the error of a fault in consolidated metadata, which belongs to no node.

    >>> consolidated_problem(Fault(CONSOLIDATED, ("metadata",), "an object", "1")).pointer
    '/metadata'
    """
    return fault.problem()


def from_consolidated(family: Family, document: Mapping[str, Any], level: Level = "strict") -> Any:
    """Parse the hierarchy that consolidated metadata describes: `.zmetadata`, or the root's `zarr.json`.

    Blocks of consolidated metadata are not part of the hierarchy, neither the root's nor those that
    other writers nest in the entries of groups.

    >>> from zom import v3
    >>> from zom.formats.families import V3
    >>> tree = v3.GroupSpec(members={"a": v3.GroupSpec(members={})})
    >>> from_consolidated(V3, to_consolidated(tree)) == tree
    True
    """
    specs, problems = _assembled(family, document, level)
    if any(problem.severity == "error" for problem in problems):
        raise SpecError(problems, "consolidated metadata")
    if not specs:
        fault = Fault(CONSOLIDATED, ("metadata",), "the document of at least one node", "none")
        raise SpecError([consolidated_problem(fault)], "consolidated metadata")
    return unflatten(specs)


def check_consolidated(
    family: Family, document: Mapping[str, Any], level: Level = "strict"
) -> tuple[Problem, ...]:
    """Return the problems of the hierarchy that consolidated metadata describes.

    >>> from zom.formats.families import V2
    >>> check_consolidated(V2, {"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}})
    ()
    """
    try:
        specs, problems = _assembled(family, document, level)
        if not any(problem.severity == "error" for problem in problems):
            unflatten(specs)
    except SpecError as error:
        return error.problems
    return tuple(problems)


def _assembled(
    family: Family, document: Mapping[str, Any], level: Level
) -> tuple[dict[str, Spec], list[Problem]]:
    """Return the nodes that could be made, by path, and the problems of all nodes."""
    consolidation = _consolidation_of(family)
    if not isinstance(document, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - a document may be any JSON
        fault = Fault(CONSOLIDATED, (), "an object", show(document))
        raise SpecError([consolidated_problem(fault)], "consolidated metadata")
    nodes = consolidation.entries(document)
    specs: dict[str, Spec] = {}
    problems: list[Problem] = []
    for path, documents in nodes.items():
        try:
            parse_path(path)
        except PathError:
            steps = consolidation.steps(document, path[1:], ())
            fault = Fault(CONSOLIDATED, steps, "the key of a node's document", show(steps[-1]))
            problems.append(consolidated_problem(fault))
            continue
        spec, found = assemble(family, model_document(family, documents), level)
        problems.extend(_moved(replace(problem, node=path), family, document) for problem in found)
        if spec is not None:
            known = spec.kind == "group" and spec.__dict__.get("members") is None
            specs[path] = with_members(spec, {}) if known else spec
    return specs, problems


def consolidated_entries(family: Family, document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the stored documents in consolidated metadata, by node path and the end of their key.

    Nested blocks of consolidated metadata are removed.

    >>> from zom.formats.families import V2
    >>> consolidated_entries(V2, {"zarr_consolidated_format": 1, "metadata": {"a/.zgroup": {"zarr_format": 2}}})
    {'/a': {'.zgroup': {'zarr_format': 2}}}
    """
    return _consolidation_of(family).entries(document)


def consolidated_entries_by(
    node_of: Callable[[str], tuple[str, str] | None], document: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Like `consolidated_entries`; `node_of` splits a key into path and end.

    >>> whole = {"zarr_consolidated_format": 1, "metadata": {"a:x": {}, "b": 1}}
    >>> consolidated_entries_by(lambda key: tuple(key.split(":")) if ":" in key else None, whole)
    {'/a': {'x': {}}}
    """
    check_consolidated_format(document)
    nodes: dict[str, dict[str, Any]] = {}
    for key, value in metadata_in(document, ("metadata",)).items():
        found = node_of(key)
        if found is not None:
            nodes.setdefault(f"/{found[0]}", {})[found[1]] = value
    return nodes


def check_consolidated_format(document: Mapping[str, Any]) -> None:
    """Raise SpecError unless the `zarr_consolidated_format` of a `.zmetadata` document is 1."""
    if document.get("zarr_consolidated_format") != 1:
        found = show(document.get("zarr_consolidated_format"))
        raise SpecError(
            [consolidated_problem(Fault(CONSOLIDATED, ("zarr_consolidated_format",), "1", found))],
            "consolidated metadata",
        )


def _moved(problem: Problem, family: Family, document: Mapping[str, Any]) -> Problem:
    consolidation = _consolidation_of(family)
    steps = consolidation.steps(document, problem.node.strip("/"), problem.inside)
    key = str(steps[1]) if consolidation.by_key else problem.key
    return replace(problem, key=key, pointer=pointer_of(steps))


def consolidated_pointer(problem: Problem, family: Family, document: Mapping[str, Any]) -> str:
    """Translate the pointer of a node's `problem` into a pointer into consolidated metadata.

    >>> from zom.formats.families import V3
    >>> problem = Problem("v3/shape", "error", "/a", "/shape", ("shape",), "a list", "1")
    >>> consolidated_pointer(problem, V3, {})
    '/consolidated_metadata/metadata/a/shape'
    """
    if problem.code == CONSOLIDATED.code:
        return problem.pointer  # not a problem of a node
    return _moved(problem, family, document).pointer


def without_block(value: Any) -> Any:
    """Return a document without its consolidated metadata."""
    document = cast("dict[str, Any]", value)
    if not isinstance(value, dict) or "consolidated_metadata" not in document:
        return document
    return {name: item for name, item in document.items() if name != "consolidated_metadata"}


def metadata_in(document: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the member `metadata` of `document`; raise SpecError at `path` if it is no object."""
    found = document.get("metadata")
    if not isinstance(found, dict):
        fault = Fault(CONSOLIDATED, path, "an object of documents by key", show(found))
        raise SpecError([consolidated_problem(fault)], "consolidated metadata")
    return cast("dict[str, Any]", found)
