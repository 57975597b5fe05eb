"""Documents in the spelling that every reader supports: names as objects, data types as strings.

Zarr v3.1 lets an extension without a configuration be a string: "bytes" for {"name": "bytes"}. Readers of
3.0, such as zarr-python, tensorstore and GDAL, reject it. They also reject {"name": "int32"} for a data
type, and tensorstore rejects `must_understand` if it is true, which is its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from zom.extension.inner_codecs import holds_codecs, with_inner_codecs
from zom.extension.resolve import parse_v3
from zom.json.python_value import is_dict
from zom.json.value import thaw
from zom.problems import Path, dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.model.spec import Spec

__all__ = ["Spelling", "check_spelling", "spelled_in_full"]

Spelling: TypeAlias = Literal["full", "given"]
"""How to write documents: as every reader supports them, or exactly as the spec spells them."""


def check_spelling(spelling: object) -> None:
    """Raise ValueError unless `spelling` is one of the two.

    >>> check_spelling("short")
    Traceback (most recent call last):
    ValueError: spelling: expected 'full' or 'given', got 'short'
    """
    if spelling not in {"full", "given"}:
        raise ValueError(f"spelling: expected 'full' or 'given', got {spelling!r}")


def spelled_in_full(spec: Spec) -> tuple[Spec, tuple[str, ...]]:
    """Return the spec of one node in full spelling, and the places that differ.

    >>> from zom import v3
    >>> spec = v3.ArraySpec.build(shape=(4,), dtype="uint8", codecs=["bytes"])
    >>> full, places = spelled_in_full(spec)
    >>> full.codecs, places
    (({'name': 'bytes'},), ('codecs[0]',))
    >>> spelled_in_full(full)[0] is full
    True
    """
    if spec.family.form != "v3" or spec.kind != "array":
        return spec, ()
    document, places = spec.document, list[str]()
    made: dict[str, Any] = {}
    for name in ("data_type", "chunk_grid", "chunk_key_encoding", "codecs"):
        value = document[name]
        if name == "data_type":
            full = _data_type(value)
        else:
            full = value if _is_full(value, holds=name == "codecs") else _full(value, (name,), places)
        if full is not value:
            made[name] = full
            if name == "data_type":
                places.append(name)
    return (cast("Any", spec).replace(**made), tuple(places)) if made else (spec, ())


def _data_type(value: Any) -> Any:
    """Return the name of a data type that is an object with only a name, otherwise `value` itself."""
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if members.get("configuration") or members.keys() - {"name", "configuration", "must_understand"}:
        return members
    parsed = parse_v3(thaw(members), [])
    name = members.get("name")
    return name if parsed is not None and isinstance(parsed.to_json("v3"), str) else members


def _is_full(value: Any, *, holds: bool) -> bool:
    """Whether a definition, or a list of them, is in full spelling; most are, and `_full` is slower.

    Pass `holds` if the definitions are codecs: the answer is then False if they contain other codecs.
    """
    values = cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else (value,)
    for each in values:
        if not is_dict(each) or each.get("must_understand") is True or (holds and holds_codecs(each)):
            return False
    return True


def _full(value: Any, path: Path, places: list[str]) -> Any:
    """Return a definition, or a list of them, in full spelling; `value` itself if it already is."""
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        made = [_full(item, (*path, number), places) for number, item in enumerate(items)]
        return made if any(new is not old for new, old in zip(made, items, strict=True)) else items
    if isinstance(value, str):
        places.append(dotted(path))
        return {"name": value}
    if not isinstance(value, dict):
        return value
    definition = cast("dict[str, Any]", value)
    if definition.get("must_understand") is True:
        places.append(dotted((*path, "must_understand")))
        definition = {name: item for name, item in definition.items() if name != "must_understand"}
    if path[0] != "codecs":
        return definition  # its configuration has no codecs
    inside = (*path, "configuration")
    return with_inner_codecs(definition, lambda name, inner: _full(inner, (*inside, name), places))
