"""Operands of comparisons: specs, and objects that have one, such as handles and zarr-python nodes."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from zom.model.bare_spec import is_spec
from zom.model.builders.from_array import document_in
from zom.model.family import family_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.model.family import NodeKind
    from zom.model.spec import Spec

__all__ = ["check_is_spec", "spec_of"]


def check_is_spec(found: object, *others: str) -> None:
    """Raise TypeError unless `found` is a spec; the message says how to make one. `others` are also valid.

    >>> check_is_spec({"zarr_format": 3})
    Traceback (most recent call last):
    TypeError: expected a spec, got a dict; zom.parse makes a spec from a document
    >>> check_is_spec("a.yaml", "a declaration")
    Traceback (most recent call last):
    TypeError: expected a spec or a declaration, got a str; zom.read makes a spec from a store, zom.parse from the text of a document, zom.declare a declaration from a file
    """
    if is_spec(found):
        return
    wanted = " or ".join(("a spec", *others))
    if isinstance(found, type):
        raise TypeError(f"expected {wanted}, got the class {cast('type[object]', found).__name__}; call it")
    step = "ArraySpec.from_array and GroupSpec.from_tree make specs from arrays"
    if is_spec(getattr(found, "spec", None)):
        step = "pass its spec, or the result of its read()"
    elif isinstance(found, Mapping):
        step = "zom.parse makes a spec from a document"
    elif isinstance(found, (str, bytes, PathLike)):
        step = "zom.read makes a spec from a store, zom.parse from the text of a document"
        step += ", zom.declare a declaration from a file" if others else ""
    raise TypeError(f"expected {wanted}, got {_article(type(cast('object', found)).__name__)}; {step}")


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def spec_of(value: object) -> Spec:
    """Return the spec that `value` is or has, including descendants of a group; raise TypeError otherwise.

    >>> spec_of([1])
    Traceback (most recent call last):
    TypeError: expected a spec, an open array or group, or one of zarr-python, got a list: [1]; ArraySpec.from_array and GroupSpec.from_tree make specs
    """
    if is_spec(value):
        return value
    given: Any = value
    own = getattr(given, "spec", None)
    if is_spec(own):
        return cast("Spec", given.read()) if own.kind == "group" else own
    document = document_in(given)
    if document is not None:
        return _parsed(given, document)
    found = f"a {type(given).__name__}: {given!r}"
    found = found if len(found) <= _SHOWN else f"{found[:_SHOWN]}..."
    message = f"expected a spec, an open array or group, or one of zarr-python, got {found}"
    raise TypeError(f"{message}; ArraySpec.from_array and GroupSpec.from_tree make specs")


_SHOWN = 100


def _parsed(node: Any, document: dict[str, Any]) -> Spec:
    """Parse a node of zarr-python from all its documents, combined into one."""
    classes = family_of("v2" if document["zarr_format"] == 2 else "v3").classes
    root = _plain(node, document)
    waiting: list[tuple[Any, dict[str, Any]]] = [(node, root)]
    while waiting:
        here, made = waiting.pop()
        members: Callable[[], Any] | None = getattr(here, "members", None)
        if members is None:
            continue
        made["members"] = {}
        for name, member in cast("Mapping[str, Any]", dict(members())).items():
            below = _plain(member, document_in(member) or {})
            made["members"][name] = below
            waiting.append((member, below))
    kind: NodeKind = "group" if hasattr(node, "members") else "array"
    return classes[kind].parse(root, "lenient")


def _plain(node: Any, document: dict[str, Any]) -> dict[str, Any]:
    """Return a node's document without the extra members that zarr-python adds."""
    made = {name: value for name, value in document.items() if name != "consolidated_metadata"}
    if document.get("zarr_format") == 2:
        made.pop("node_type", None)
        made["attributes"] = dict(node.attrs)
    return made
