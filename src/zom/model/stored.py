"""Stored documents: how a spec lies in a store, node by node, and consolidated.

A stored document can have a member with a name that the object model uses itself (`members`; in v2
`attributes`, too). ZEP 6 puts an underscore before it; so that this can be undone, every name that is
such a word after any number of underscores gets one more.

Consolidated metadata is a hierarchy, flattened: v2 keeps it in `.zmetadata`, v3 in the root's own
`zarr.json`. https://github.com/zarr-developers/zarr-specs/pull/309
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.errors import ConversionError, PathError, SpecError
from zom.json.value import JSONDict, thaw
from zom.model.assembly import assemble
from zom.model.tree import flatten, unflatten, with_members
from zom.paths import parse_path
from zom.problems import Fault, Problem, pointer_of, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.model.family import Family
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = [
    "check_consolidated",
    "consolidated_entries",
    "consolidated_entries_by",
    "from_consolidated",
    "frozen_documents",
    "model_document",
    "to_consolidated",
    "to_documents",
]

CONSOLIDATED = rule(
    "stored/consolidated",
    "consolidated metadata holds the documents of a hierarchy by their keys",
    source="https://github.com/zarr-developers/zarr-specs/pull/309 and zarr-python's .zmetadata",
)
NO_CONSOLIDATED = rule(
    "stored/no-consolidated-form",
    "only v2 and v3 have consolidated metadata",
    source="https://github.com/zarr-developers/zarr-specs/pull/309",
)


def _is_reserved(name: str, family: Family) -> bool:
    return name.lstrip("_") in family.reserved


def _to_stored(document: JSONDict, family: Family) -> JSONDict:
    """A node's document with the underscore taken from reserved names again."""
    if not any(name.startswith("_") for name in document):
        return document
    return JSONDict(
        {
            (name[1:] if name.startswith("_") and _is_reserved(name, family) else name): value
            for name, value in document.items()
        }
    )


def _to_model(
    document: Mapping[str, Any], family: Family, *, plain: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    """A stored document with an underscore more before reserved names, but for those in `plain`."""
    names = "\n".join(document)
    if not any(word in names for word in family.reserved if word not in plain):
        return document
    return {
        (f"_{name}" if _is_reserved(name, family) and name not in plain else name): value
        for name, value in document.items()
    }


def to_documents(spec: Spec) -> dict[str, dict[str, Any]]:
    """The documents of one node by the end of their key; its members have documents of their own.

    >>> from zom import v2
    >>> to_documents(v2.GroupSpec(attributes={"a": 1}))
    {'.zgroup': {'zarr_format': 2}, '.zattrs': {'a': 1}}
    """
    return {
        end: {name: thaw(value) for name, value in document.items()}
        for end, document in frozen_documents(spec).items()
    }


def frozen_documents(spec: Spec) -> dict[str, JSONDict]:
    """As `to_documents`, of JSON that can't change: nothing is copied that needn't be.

    >>> from zom import v3
    >>> group = v3.GroupSpec()
    >>> frozen_documents(group)["zarr.json"] is group.document
    True
    """
    document = spec.document
    form = spec.family.form
    if form == "v3" or spec.kind == "entry point":
        return {"zarr.json": _to_stored(document, spec.family)}
    if form == "v2":
        name = ".zarray" if spec.kind == "array" else ".zgroup"
        attributes = document.get("attributes")
        own = JSONDict({name: value for name, value in document.items() if name != "attributes"})
        documents = {name: _to_stored(own, spec.family)}
        if attributes is not None:
            documents[".zattrs"] = attributes
        return documents
    if spec.kind == "group" and "attributes" not in document:
        return {}  # an implicit group
    return {f".{spec.kind}.json": _to_stored(document, spec.family)}


def model_document(family: Family, documents: Mapping[str, Any]) -> Any:
    """One node's document as the object model has it, from its stored documents.

    >>> from zom.formats.v2 import V2
    >>> model_document(V2, {".zgroup": {"zarr_format": 2}, ".zattrs": {"a": 1}})
    {'zarr_format': 2, 'attributes': {'a': 1}}
    """
    nothing: dict[str, Any] = {}
    main: Any = next((value for name, value in documents.items() if name != ".zattrs"), nothing)
    if not isinstance(main, dict):
        return main
    plain = () if family.form == "v2" else ("attributes",)
    document = _to_model(cast("dict[str, Any]", main), family, plain=plain)
    if ".zattrs" not in documents:
        return document
    return {**document, "attributes": documents[".zattrs"]}


# --- consolidated metadata ---------------------------------------------------------------------------


def to_consolidated(spec: Spec) -> dict[str, Any]:
    """The stored document that holds the whole hierarchy: `.zmetadata`, or the root's `zarr.json`.

    >>> from zom import v2
    >>> sorted(to_consolidated(v2.GroupSpec(members={"a": v2.GroupSpec()}))["metadata"])
    ['.zgroup', 'a/.zgroup']
    """
    if spec.family.form == "v2":
        metadata: dict[str, Any] = {}
        for path, node in flatten(spec).items():
            prefix = path.strip("/")
            for name, document in to_documents(node).items():
                metadata[f"{prefix}/{name}" if prefix else name] = document
        return {"zarr_consolidated_format": 1, "metadata": metadata}
    if spec.family.form == "v3" and spec.kind == "group":
        entries: dict[str, dict[str, Any]] = {}
        for path, node in flatten(spec).items():
            entry = to_documents(node)["zarr.json"]
            if node.kind == "group":
                entry.pop("consolidated_metadata", None)  # it would speak of nodes that may be gone
            entries[path.strip("/")] = entry
        document = entries.pop("")
        document["consolidated_metadata"] = {
            "kind": "inline",
            "must_understand": False,
            "metadata": entries,
        }
        return document
    what = f"a {spec.family.form} {spec.kind}"
    fault = Fault(NO_CONSOLIDATED, (), "a v2 node or a v3 group", what)
    raise ConversionError([_problem(fault)], "consolidated metadata")


def _problem(fault: Fault) -> Problem:
    code, pointer = fault.rule.code, pointer_of(fault.path)
    return Problem(code, "error", "/", pointer, fault.path, fault.expected, fault.found, fault.fix)


def from_consolidated(family: Family, document: Mapping[str, Any], level: Level = "strict") -> Any:
    """The hierarchy that consolidated metadata describes: `.zmetadata`, or the root's `zarr.json`.

    The blocks of consolidated metadata themselves, the root's and those that other writers nest in
    the entries of groups, are not part of the hierarchy.

    >>> from zom import v3
    >>> from zom.formats.v3 import V3
    >>> tree = v3.GroupSpec(members={"a": v3.GroupSpec(members={})})
    >>> from_consolidated(V3, to_consolidated(tree)) == tree
    True
    """
    specs, problems = _assembled(family, document, level)
    if any(problem.severity == "error" for problem in problems):
        raise SpecError(problems, "consolidated metadata")
    if not specs:
        fault = Fault(CONSOLIDATED, ("metadata",), "the document of at least one node", "none")
        raise SpecError([_problem(fault)], "consolidated metadata")
    return unflatten(specs)


def check_consolidated(
    family: Family, document: Mapping[str, Any], level: Level = "strict"
) -> tuple[Problem, ...]:
    """What is wrong with the hierarchy that consolidated metadata describes.

    >>> from zom.formats.v2 import V2
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
    """The nodes that can be made, by path, and what is wrong with any of them."""
    nodes = consolidated_entries(family, document)
    specs: dict[str, Spec] = {}
    problems: list[Problem] = []
    for path, documents in nodes.items():
        try:
            parse_path(path)
        except PathError:
            key = path[1:] if family.form == "v3" else f"{path[1:]}/{next(iter(documents))}"
            block = () if family.form == "v2" else ("consolidated_metadata",)
            fault = Fault(CONSOLIDATED, (*block, "metadata", key), "the key of a node's document", show(key))
            problems.append(_problem(fault))
            continue
        spec, found = assemble(family, model_document(family, documents), level)
        problems.extend(_moved(problem, family, path, documents) for problem in found)
        if spec is not None:
            known = spec.kind == "group" and spec.__dict__.get("members") is None
            specs[path] = with_members(spec, {}) if known else spec
    return specs, problems


def consolidated_entries(family: Family, document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The stored documents in consolidated metadata, by the path of their node and the end of their key.

    Blocks of consolidated metadata that stand in them are left out.

    >>> from zom.formats.v2 import V2
    >>> consolidated_entries(V2, {"zarr_consolidated_format": 1, "metadata": {"a/.zgroup": {"zarr_format": 2}}})
    {'/a': {'.zgroup': {'zarr_format': 2}}}
    """
    return _entries_v2(document) if family.form == "v2" else _entries_v3(document)


def consolidated_entries_by(
    node_of: Callable[[str], tuple[str, str] | None], document: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """As `consolidated_entries`, for keys of which `node_of` knows the path and the end.

    >>> whole = {"zarr_consolidated_format": 1, "metadata": {"a:x": {}, "b": 1}}
    >>> consolidated_entries_by(lambda key: tuple(key.split(":")) if ":" in key else None, whole)
    {'/a': {'x': {}}}
    """
    _check_format(document)
    nodes: dict[str, dict[str, Any]] = {}
    for key, value in _metadata(document, ("metadata",)).items():
        found = node_of(key)
        if found is not None:
            nodes.setdefault(f"/{found[0]}", {})[found[1]] = value
    return nodes


def _check_format(document: Mapping[str, Any]) -> None:
    if document.get("zarr_consolidated_format") != 1:
        found = show(document.get("zarr_consolidated_format"))
        raise SpecError(
            [_problem(Fault(CONSOLIDATED, ("zarr_consolidated_format",), "1", found))],
            "consolidated metadata",
        )


def _moved(problem: Problem, family: Family, path: str, documents: Mapping[str, Any]) -> Problem:
    """`problem` of the node at `path`, pointing into the consolidated document."""
    inside, prefix = problem.inside, path.strip("/")
    if family.form == "v3":
        steps = ("consolidated_metadata", "metadata", prefix) if prefix else ()
        return replace(problem, node=path, pointer=pointer_of((*steps, *inside)))
    name = next(name for name in documents if name != ".zattrs")
    if inside[:1] == ("attributes",):
        name, inside = ".zattrs", inside[1:]
    key = f"{prefix}/{name}" if prefix else name
    return replace(problem, node=path, key=key, pointer=pointer_of(("metadata", key, *inside)))


def _entries_v2(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    _check_format(document)
    nodes: dict[str, dict[str, Any]] = {}
    for key, value in _metadata(document, ("metadata",)).items():
        path, _, name = key.rpartition("/")
        if name in {".zarray", ".zgroup", ".zattrs"}:
            # zarr-python 3 nests a block of v3 in the groups of v2, too.
            entry = _without_block(value) if name == ".zgroup" else value
            nodes.setdefault(f"/{path}", {})[name] = entry
    for documents in nodes.values():
        if documents.keys() >= {".zarray", ".zgroup"}:
            del documents[".zgroup"]  # every reader opens the array
    return {path: documents for path, documents in nodes.items() if documents.keys() != {".zattrs"}}


def _entries_v3(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    block: Any = document.get("consolidated_metadata")
    if not isinstance(block, dict):
        fault = Fault(CONSOLIDATED, ("consolidated_metadata",), "an object", show(block))
        raise SpecError([_problem(fault)], "consolidated metadata")
    nodes: dict[str, dict[str, Any]] = {"/": {"zarr.json": _without_block(document)}}
    metadata = _metadata(cast("dict[str, Any]", block), ("consolidated_metadata", "metadata"))
    for path, value in metadata.items():
        nodes[f"/{path.strip('/')}"] = {"zarr.json": _without_block(value)}
    return nodes


def _without_block(value: Any) -> Any:
    """A document without the consolidated metadata in it."""
    document = cast("dict[str, Any]", value)
    if not isinstance(value, dict) or "consolidated_metadata" not in document:
        return document
    return {name: item for name, item in document.items() if name != "consolidated_metadata"}


def _metadata(document: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    found = document.get("metadata")
    if not isinstance(found, dict):
        fault = Fault(CONSOLIDATED, path, "an object of documents by key", show(found))
        raise SpecError([_problem(fault)], "consolidated metadata")
    return cast("dict[str, Any]", found)
