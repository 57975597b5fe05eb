"""Making nodes in a store, and handles of what was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.errors import NotFound
from zom.handles.group import handle_of
from zom.hierarchy.change.create import check_is_spec, chosen_spelling, create_node
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.pending import check_settled
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.construction import outside
from zom.paths import join, parse_path
from zom.stores import opening

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.formats.full_spelling import Spelling
    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.handles.handle import Mode
    from zom.hierarchy.stored.lookup import FormatName
    from zom.model.spec import Spec
    from zom.problems import Level, Problem

__all__ = ["create_array", "create_group", "open", "open_array", "open_group"]


def create_array(store: opening.Place, spec: Spec, path: str = "", *, spelling: Spelling = "full") -> Array:
    """A new array in `store`, a store, a path or a URL; "memory:" is a new store in memory.

    Short-hand names, which few readers know, are written in full unless `spelling` is "given". Groups above it
    that are missing are made, too. ConflictError, and nothing written, where there is a node already; of several
    who create the same array, in any process, one succeeds.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a/b")
    >>> array.path, sorted(array.store.list())
    ('/a/b', ['a/b/zarr.json', 'a/zarr.json', 'zarr.json'])
    >>> zom.create_array(array.store, array.spec, "a/b/c")
    Traceback (most recent call last):
    zom.errors.ConflictError: memory://: 'a/b/zarr.json': /a/b: expected a group, to hold /a/b/c, found a v3 array; choose another path
    """
    check_is_spec(spec)
    if spec.kind != "array":
        raise TypeError(f"expected the spec of an array, found one of a {spec.kind}; see zom.create_group")
    return cast("Array", _created(store, chosen_spelling(spec, spelling), path))


def create_group(store: opening.Place, spec: Spec, path: str = "") -> Group:
    """A new group without members in `store`, a store, a path or a URL; "memory:" is a new store in memory.

    As `zom.create_array`. A group with members is made by `zom.materialize`.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v3.GroupSpec(attributes={"n": 1}))
    >>> group.attrs["n"]
    1
    """
    check_is_spec(spec)
    if spec.kind != "group":
        raise TypeError(f"expected the spec of a group, found one of an {spec.kind}; see zom.create_array")
    return cast("Group", _created(store, spec, path))


def _created(place: opening.Place, spec: Spec, path: str) -> Array | Group:
    store = opening.opened(place)
    try:
        layout = create_node(store, spec, path)
    except BaseException:
        if opening.is_name(place):
            store.close()
        raise
    return handle_of(spec, store, join(parse_path(path)), layout, mode="r+")


def open(  # noqa: A001, PLR0913 - `zom.open`, whose choices are the caller's
    store: opening.Place,
    path: str = "",
    *,
    mode: Mode = "r",
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> Array | Group:
    """The array or group at `path` in `store`, which is a store, a path or a URL; its document is read.

    It is read-only unless `mode` is "r+". Where nodes of v2 and v3 lie side by side, v3 is opened, or
    what `form` asks for. What the `level` only warns of, such as a name that occurs twice in the document,
    goes to `on_warning`; without one it becomes a `SpecWarning`.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open(made.store, "a").shape, list(zom.open(made.store))
    ((4,), ['a'])
    """
    if mode not in {"r", "r+"}:
        raise ValueError(f'mode: expected "r" or "r+", got {mode!r}; zom.create_array makes new arrays')
    read_only = mode == "r" if opening.is_name(store) else None
    opened_here = opening.opened(store, read_only=read_only, existing=True)
    try:
        if mode == "r+":
            check_settled(opened_here, path)
        node = read_node(opened_here, path, form=form, level=level, limits=limits)
        found = handle_of(node.spec, node.store, node.path, node.layout, mode=mode, limits=limits)
        if mode == "r+":
            found.check_writable()
        warn(opened_here.url, node.warned, on_warning, outside())
    except BaseException:
        if opening.is_name(store):
            opened_here.close()
        raise
    return found


def open_array(store: opening.Place, path: str = "", *, mode: Mode = "r", **options: Any) -> Array:
    """The array at `path` in `store`: as `zom.open`, but a group is an error.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open_array(made.store, "a", mode="r+")
    <zom.Array memory:// /a (4,) int8 mode='r+'>
    """
    found = open(store, path, mode=mode, **options)
    if found.spec.kind != "array":
        raise NotFound(
            f"{found.store.url}: expected an array at {found.path}, found a group; see zom.open_group"
        )
    return cast("Array", found)


def open_group(store: opening.Place, path: str = "", *, mode: Mode = "r", **options: Any) -> Group:
    """The group at `path` in `store`: as `zom.open`, but an array is an error.

    >>> import zom
    >>> made = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.open_group(made.store, "a")
    Traceback (most recent call last):
    zom.errors.NotFound: memory://: expected a group at /a, found an array; see zom.open_array
    """
    found = open(store, path, mode=mode, **options)
    if found.spec.kind != "group":
        raise NotFound(
            f"{found.store.url}: expected a group at {found.path}, found an array; see zom.open_array"
        )
    return cast("Group", found)
