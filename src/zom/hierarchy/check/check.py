"""`zom.check`: every problem of a document, or of what lies in a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from zom.formats import detection as hierarchy
from zom.hierarchy.change.new_names import names_in_document, names_in_tree
from zom.hierarchy.check import chunk_rules
from zom.json import text as jsontext
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.location import with_lines
from zom.model.output import member_specs
from zom.model.repeats import is_endless
from zom.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.check.store import DataLevel
    from zom.hierarchy.stored.lookup import Form
    from zom.problems import Level, Problem
    from zom.stores.opening import Place
    from zom.template.models import Template

__all__ = ["check", "is_document"]

_JSON = (dict, list, tuple, bool, int, float, type(None))
"""What a document may be as Python has it, a faulty one too."""

_RULES = chunk_rules
"""Imported here so that `zom.rules()` knows them."""


@overload
def check(
    subject: str | bytes | Mapping[str, Any] | Spec,
    level: Level = "strict",
    /,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Problem, ...]: ...


@overload
def check(
    subject: str | bytes | Mapping[str, Any] | Spec,
    /,
    *,
    level: Level,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Problem, ...]: ...


@overload
def check(
    subject: Place,
    /,
    like: Spec | Template | None = None,
    *,
    path: str = "",
    data: DataLevel = "none",
    level: Level = "strict",
    form: Form | None = None,
    limit: int | None = 1000,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Problem, ...]: ...


def check(  # noqa: PLR0913 - each is a choice of the caller's
    subject: Any,
    /,
    like: Spec | Template | Level | None = None,
    *,
    path: str = "",
    data: DataLevel = "none",
    level: Level = "strict",
    form: Form | None = None,
    limit: int | None = 1000,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Problem, ...]:
    """Every problem of a document, or of the hierarchy in a store; empty where there is none.

    A document is a spec, a mapping, bytes, or text that begins with `{`, `[` or a quotation mark; other
    text is the path or URL of a store. A store, or an open array or group, is checked whole: documents,
    consolidated metadata, keys that don't belong, chunks of a size that can't be. With `data="index"` the
    indexes of shards are read, too, with `"all"` every chunk is decoded. What differs from a spec, or
    doesn't fit a template, is told where one is given.

    Of one rule and one node, `limit` problems are listed, and the rest is counted. `progress` is called
    with how many keys or chunks are done, and of how many; 0 while that isn't known.

    >>> import zom
    >>> [problem.code for problem in zom.check('{"zarr_format": 3, "node_type": "group", "x": 1}')]
    ['v3/unknown-member']
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"))
    >>> array[:] = 7
    >>> array.store.set("c/0", b"not a chunk")
    >>> [(problem.code, problem.key) for problem in zom.check(array, data="all")]
    [('chunk/undecodable', 'c/0')]
    """
    if isinstance(like, str):
        level, like = like, None
    if is_document(subject):
        if like is not None or path or form is not None or data != "none":
            message = "a document is checked by itself: `like`, `path`, `form` and `data` are for stores"
            raise TypeError(message)
        return _check_document(subject, level, limits)
    return _check_store(
        subject,
        path,
        like,
        data=data,
        level=level,
        form=form,
        limit=limit,
        limits=limits,
        progress=progress,
    )


def _check_document(subject: Any, level: Level, limits: Limits) -> tuple[Problem, ...]:
    """Every problem of a document, the names that other systems refuse among them."""
    found = hierarchy.check(subject, level, limits=limits)
    if is_endless(found):
        return found
    if isinstance(subject, Spec):
        return (*found, *names_in_tree(subject, member_specs, subject.family.form, level))
    if not isinstance(subject, (str, bytes)):
        return (*found, *names_in_document(subject, level))
    if b'"members"' not in (subject.encode(errors="replace") if isinstance(subject, str) else subject):
        return found
    named = tuple(names_in_document(jsontext.read(subject, [], limits=limits), level))
    return (*found, *with_lines(named, subject))


def is_document(subject: Any) -> bool:
    """Whether a document is meant, and not a store.

    >>> is_document(' {"zarr_format": 3}'), is_document("data.zarr"), is_document(b"data.zarr")
    (True, False, True)
    """
    if isinstance(subject, str):
        text = subject.lstrip(" \t\r\n\ufeff")
        return not text or text[0] in '{["'
    if isinstance(subject, (bytes, bytearray, memoryview, Spec, *_JSON)):
        return True
    # Groups are mappings, and so are those of fsspec, which are stores.
    is_store = hasattr(subject, "store") or hasattr(subject, "fs")
    return isinstance(subject, Mapping) and not is_store


def _check_store(subject: Any, path: str, like: Any, *, form: Any, **choices: Any) -> tuple[Problem, ...]:
    from zom.hierarchy.check.checked_hierarchy import opened  # noqa: PLC0415
    from zom.hierarchy.check.store import check_store  # noqa: PLC0415 - documents are checked without stores

    with opened(subject, path, form) as found:
        return check_store(found.store, found.path, like, form=found.form, **choices)
