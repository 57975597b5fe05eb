"""Compiles v3 arrays.

Zarr v3 core, array metadata: the members of `zarr.json` that say how chunks are laid out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.engine.plan import ArrayPlan, fill_array
from zom.errors import UnknownName
from zom.extension.bound_chain import bind_chain, parse_links, unusable
from zom.extension.configuration import parse_configuration
from zom.extension.definition import (
    FORM,
    MEMBER,
    name_of,
    parse_definition,
    strange_members,
    suggestion,
)
from zom.extension.grid import chunk_grids
from zom.extension.grid_repair import read_grid
from zom.extension.keys import chunk_key_encodings
from zom.extension.resolve import parse_v3
from zom.formats.v3_rules import not_understood
from zom.json.python_value import is_dict
from zom.model.assembly import assemble
from zom.problems import dotted, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.extension.axis import Axis
    from zom.extension.bound import Block
    from zom.extension.bound_chain import BoundChain
    from zom.extension.configuration import Configuration
    from zom.extension.keys import KeyForm
    from zom.extension.registry import Registry
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = ["compile_v3", "refuse_unknown_members"]


def compile_v3(spec: Spec, limits: Limits) -> ArrayPlan:
    """The plan of a v3 array."""
    document = spec.document
    shape = cast("tuple[int, ...]", spec.__dict__["shape"])
    refuse_unknown_members(not_understood("array", document), document)
    _refuse_transformers(document.get("storage_transformers"))
    if strange_members(document):
        _refuse_strange_members(spec)
    faults: list[Fault] = []
    data_type = parse_v3(document["data_type"], faults, ("data_type",))
    if data_type is None:
        raise unknown("data type", name_of(document["data_type"]), "data_type")
    fill = data_type.parse_fill(document["fill_value"], "v3", faults, ("fill_value",))
    values: Any = document["codecs"]

    def bind(block: Block) -> BoundChain:
        return bind_chain(parse_links(values), block, limit=limits.chunk_bytes)

    return ArrayPlan(
        shape,
        data_type,
        data_type.numpy(),
        fill_array(data_type, fill),
        _axes(read_grid(document["chunk_grid"], values, shape, []), shape),
        _key_form(document["chunk_key_encoding"]),
        bind,
    )


def unknown(kind: str, name: str | None, member: str, registry: Registry[Any] | None = None) -> UnknownName:
    """The error of a name that nobody has registered, where one must be known."""
    shown = f"no {kind} named {show(name)} is registered"
    hint = suggestion(name, registry) if registry is not None and name is not None else None
    return UnknownName(f"{member}: {shown}; {hint}" if hint else f"{member}: {shown}")


def refuse_unknown_members(names: Sequence[str], document: Mapping[str, Any]) -> None:
    """UnknownName where a document has members that nobody may ignore: its chunks may mean anything.

    >>> refuse_unknown_members(["a"], {"a": {"name": "acme.a"}})
    Traceback (most recent call last):
    zom.errors.UnknownName: a: no extension named "acme.a" is registered, and readers must understand it
    """
    for name in names:
        found = name_of(document[name]) if is_dict(document[name]) else None
        shown = show(name if found is None else found)
        raise UnknownName(f"{name}: no extension named {shown} is registered, and readers must understand it")


def _refuse_strange_members(spec: Spec) -> None:
    """UnknownName where an extension has a member that nobody may ignore: its chunks may mean anything."""
    for problem in assemble(type(spec), spec.document, "strict")[1]:
        value: Any = spec.document
        for step in problem.inside if problem.code == MEMBER.code else ():
            value = value[step]
        if problem.code == MEMBER.code and not (is_dict(value) and value.get("must_understand") is False):
            name = name_of(value) if is_dict(value) else None
            shown = show(problem.inside[-1] if name is None else name)
            where = dotted(problem.inside)
            raise UnknownName(
                f"{where}: no extension named {shown} is registered, and readers must understand it"
            )


def _refuse_transformers(value: Any) -> None:
    for index, item in enumerate(cast("list[Any]", value or ())):
        raise unknown("storage transformer", name_of(item), f"storage_transformers[{index}]")


def _configured(value: Any, registry: Registry[Any], member: str) -> tuple[Any, Configuration]:
    """What `value` names in the registry, and its configuration."""
    faults: list[Fault] = []
    definition = parse_definition(value, faults, (member,), must_understand_allowed=False)
    if definition is None:
        raise unusable(faults)
    found: Any = registry.find(definition.name)
    if found is None:
        raise unknown(registry.kind, definition.name, member, registry)
    path = (member, "configuration")
    configuration = parse_configuration(
        found.configuration, definition.configuration, FORM, faults, path=path
    )
    if configuration is None:
        raise unusable(faults)
    return found, configuration


def _axes(value: Any, shape: tuple[int, ...]) -> tuple[Axis, ...]:
    grid, configuration = _configured(value, chunk_grids, "chunk_grid")
    return cast("tuple[Axis, ...]", grid.axes(configuration, shape))


def _key_form(value: Any) -> KeyForm:
    encoding, configuration = _configured(value, chunk_key_encodings, "chunk_key_encoding")
    return cast("KeyForm", encoding.form(configuration))
