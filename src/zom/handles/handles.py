"""Opening arrays and groups to read or change them, or to create missing ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from zom.dataclass import dataclass
from zom.errors import ConflictError, NotFound, StoreNotFound
from zom.handles.creation import create_array, create_group
from zom.handles.group import handle_of
from zom.hierarchy.change.conflicts import EXISTS
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.pending import check_settled
from zom.hierarchy.stored.read import read_tree
from zom.hierarchy.stored.spec_class import as_class, form_of_class, names_members
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.construction import outside
from zom.stores import opening

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Unpack

    from zom.handles.array import Array
    from zom.handles.group import ArrayClass, Group, GroupClass
    from zom.handles.handle import Mode
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.spec import Spec
    from zom.problems import Level, Problem
    from zom.stores.interface import Store

__all__ = ["OpenMode", "open", "open_array", "open_group"]

OpenMode: TypeAlias = Literal["r", "r+", "a", "w", "w-"]
"""The mode of an open node: "r" reads, "r+" changes, "a" also creates, "w" replaces, "w-" only creates."""

_MODES: Final = ("r", "r+", "a", "w", "w-")


@overload
def open(  # noqa: A001 - as below
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[ArrayClass],
    mode: Mode = "r",
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> Array[ArrayClass]: ...
@overload
def open(  # noqa: A001 - as below
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[GroupClass],
    mode: Mode = "r",
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> Group[GroupClass]: ...
@overload
def open(  # noqa: A001 - as below
    store: opening.Place,
    path: str = "",
    *,
    spec_class: None = None,
    mode: OpenMode = "r",
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
    **new: Any,
) -> Array | Group: ...
def open(  # noqa: A001, PLR0913 - each is a choice of the caller
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[Spec] | None = None,
    mode: OpenMode = "r",
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
    **new: Any,
) -> Array | Group:
    """Open the array or group at `path` in `store` (a store, a path or a URL), and read its document.

    It is read-only by default. With the `mode` "r+" it may be changed; "a" also creates it if missing. "w-"
    creates a new node, and "w" replaces everything there with one. The new node is an array if `new` contains
    `shape` or `data`, as for `zom.create_array`, and a group otherwise.

    With a `spec_class`, an existing node is opened as that class, like the result of `zom.materialize`: its
    `spec` has typed attributes. If the class declares the members of a group, all of them are read. SpecError
    if the hierarchy doesn't fit the class.

    If v2 and v3 nodes are side by side, v3 is opened, or the format of `form` or the class. Problems that
    `level` only warns of, such as a duplicate name in the document, go to `on_warning`; without it they
    become a `SpecWarning`.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open(made.store, "a").shape, list(zom.open(made.store))
    ((4,), ['a'])
    >>> zom.open(made.store, "b", mode="a", shape=(3,), dtype="int16")
    <zom.Array memory:// /b (3,) int16 mode='r+'>
    >>> class Site(zom.v3.GroupSpec[dict[str, int], zom.v3.ArraySpec]):
    ...     pass
    >>> zom.open(made.store, spec_class=Site).spec.members["a"].shape
    (4,)
    """
    kind = "array" if new.keys() & {"shape", "data"} else "group"
    return _opened(store, path, mode, kind, new, _How(form, level, limits, on_warning, spec_class))


class _Options(TypedDict, total=False):
    """Options of `open_array` and `open_group` for reading an existing node."""

    form: FormatName | None
    level: Level
    limits: Limits
    on_warning: Callable[[Problem], None] | None


@dataclass(frozen=True, slots=True)
class _How:
    """Options for reading an existing node."""

    form: FormatName | None = None
    level: Level = "lenient"
    limits: Limits = DEFAULT_LIMITS
    on_warning: Callable[[Problem], None] | None = None
    spec_class: type[Spec] | None = None


def _opened(  # noqa: PLR0913, PLR0917 - as above
    store: opening.Place, path: str, mode: OpenMode, kind: str, new: Mapping[str, Any], how: _How
) -> Array | Group:
    """Open a node in a mode: the existing one, or a new one of a kind."""
    if mode not in _MODES:
        raise ValueError(f"mode: expected one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    how = replace(how, form=form_of_class(how.spec_class, how.form))
    if mode in {"r", "r+"}:
        if new:
            names = ", ".join(sorted(new))
            raise TypeError(
                f"unknown argument {names} with mode={mode!r}; only the modes a, w and w- create a node"
            )
        return _existing(store, path, mode, how)
    if how.spec_class is not None:
        raise TypeError(
            f"spec_class: expected mode='r' or 'r+', got {mode!r}; zom.materialize(spec, ...) creates the nodes of a spec"
        )
    if mode != "a":
        return _new(store, path, kind, new, how, overwrite=mode == "w")
    try:
        return _existing(store, path, "r+", how)
    except (NotFound, StoreNotFound):
        pass
    try:
        return _new(store, path, kind, new, how)
    except ConflictError as error:
        # Another process may have created it meanwhile.
        if any(each.code != EXISTS.code for each in error.problems):
            raise
        return _existing(store, path, "r+", how)


def _new(  # noqa: PLR0913 - as above
    store: opening.Place, path: str, kind: str, new: Mapping[str, Any], how: _How, *, overwrite: bool = False
) -> Array | Group:
    form: Any = how.form
    if kind == "array":
        return create_array(store, path=path, overwrite=overwrite, form=form, **new)
    return create_group(store, path=path, overwrite=overwrite, form=form, **new)


def _existing(store: opening.Place, path: str, mode: OpenMode, how: _How) -> Array | Group:
    to_write = mode != "r"
    opened_here = opening.opened(
        store, read_only=not to_write if opening.is_name(store) else None, existing=True
    )
    try:
        if to_write:
            check_settled(opened_here, path)
        node = _read(opened_here, path, how)
        spec = node.spec if how.spec_class is None else as_class(node, how.spec_class, how.level, how.limits)
        found = handle_of(
            spec,
            node.store,
            node.path,
            node.layout,
            mode="r+" if to_write else "r",
            limits=how.limits,
        )
        if to_write:
            found.check_writable()
        warn(opened_here.url, node.warned, how.on_warning, outside())
    except BaseException:
        if opening.is_name(store):
            opened_here.close()
        raise
    return found


def _read(store: Store, path: str, how: _How) -> StoredTree:
    """The existing node alone, or with everything below it if a class declares members."""
    if how.spec_class is None or not names_members(how.spec_class):
        return read_node(store, path, form=how.form, level=how.level, limits=how.limits)
    return read_tree(store, path, form=how.form, level=how.level, limits=how.limits)


@overload
def open_array(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[ArrayClass],
    mode: Mode = "r",
    **options: Unpack[_Options],
) -> Array[ArrayClass]: ...
@overload
def open_array(
    store: opening.Place, path: str = "", *, spec_class: None = None, mode: OpenMode = "r", **options: Any
) -> Array: ...
def open_array(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[Spec] | None = None,
    mode: OpenMode = "r",
    **options: Any,
) -> Array[Any]:
    """Open the array at `path` in `store`, like `zom.open`; a group raises, and a new node is an array.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open_array(made.store, "a", mode="r+")
    <zom.Array memory:// /a (4,) int8 mode='r+'>
    """
    return cast("Array", _of_kind("array", store, path, mode, {**options, "spec_class": spec_class}))


@overload
def open_group(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[GroupClass],
    mode: Mode = "r",
    **options: Unpack[_Options],
) -> Group[GroupClass]: ...
@overload
def open_group(
    store: opening.Place, path: str = "", *, spec_class: None = None, mode: OpenMode = "r", **options: Any
) -> Group: ...
def open_group(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[Spec] | None = None,
    mode: OpenMode = "r",
    **options: Any,
) -> Group[Any]:
    """Open the group at `path` in `store`, like `zom.open`; an array raises, and a new node is a group.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open_group(made.store, "a")
    Traceback (most recent call last):
    zom.errors.NotFound: memory://: expected a group at /a, found an array; see zom.open_array
    >>> zom.open_group(made.store, "g", mode="a", attributes={"n": 1})
    <zom.Group memory:// /g mode='r+'>
    """
    return cast("Group", _of_kind("group", store, path, mode, {**options, "spec_class": spec_class}))


_HOW: Final = ("form", "level", "limits", "on_warning", "spec_class")
"""The options of opening; all others are for new nodes."""


def _of_kind(
    kind: str, store: opening.Place, path: str, mode: OpenMode, options: Mapping[str, Any]
) -> Array | Group:
    how = {name: value for name, value in options.items() if name in _HOW}
    new = {name: value for name, value in options.items() if name not in _HOW}
    found = _opened(store, path, mode, kind, new, _How(**how))
    if found.spec.kind == kind:
        return found
    wanted, there = (f"an {each}" if each == "array" else f"a {each}" for each in (kind, found.spec.kind))
    url, at = found.store.url, found.path
    if opening.is_name(store):
        found.store.close()
    raise NotFound(f"{url}: expected {wanted} at {at}, found {there}; see zom.open_{found.spec.kind}")
