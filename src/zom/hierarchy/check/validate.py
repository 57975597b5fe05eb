"""`zom.validate`: every problem of a hierarchy, as Zarr and by the conventions that it follows.

The hierarchy may be a spec, a document, or in a store; the same rules run on the same view of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zom.hierarchy.check.choices import Asked, chosen
from zom.hierarchy.check.document import (
    is_document,
    is_document_file,
    report_of_attributes,
    report_of_document,
    report_of_file,
)
from zom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.checks.checked_rule import Profile
    from zom.conventions.framework.convention import Convention
    from zom.conventions.report import Report
    from zom.hierarchy.check.store import DataScope
    from zom.hierarchy.executor import Executor
    from zom.hierarchy.stored.lookup import FormatName
    from zom.model.spec import Spec
    from zom.problems import Level
    from zom.template.models import Template

__all__ = ["check", "validate", "validate_attributes"]


def validate(  # noqa: PLR0913 - each is a choice of the caller
    subject: Any,
    /,
    *,
    conventions: Asked | Iterable[str | Convention] = "auto",
    profile: Profile = "text",
    suppress: Iterable[str] | str = (),
    level: Level = "strict",
    like: Spec | Template | None = None,
    data: DataScope | bool = "none",
    path: str = "",
    form: FormatName | None = None,
    limit: int | None = 1000,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
) -> Report:
    """A report of every problem: of documents as Zarr, by the conventions they follow, and of stored data.

    The subject is a spec, a document (a mapping, bytes, or text that begins with `{`, `[` or a quotation
    mark), the path of a file that holds one, or a store: a path, a URL, an open array or group.

    `conventions` are names, such as "xarray", "ome" for all versions, and "ome/0.5" for one; a requested
    convention that is missing is an error. With `()`, only Zarr's rules count. The `profile` selects the
    rules: those of the specifications' text ("text"), those of their published schemas ("schema"), the
    schemas' with SHOULD as binding as MUST ("strict"), or all of them, also with SHOULD as MUST ("full").
    `suppress` takes patterns of rules and nodes, such as "cf/*@/raw/**". `level` sets the strictness of
    Zarr's own rules. With `like`, every difference from that spec, or from the requirements of that template,
    is a problem.

    For a store, `data` selects what is read besides documents; each includes those before it: "none";
    "values", or True: of coordinates, bounds, flags, indexes and codes, for the rules that need them, block
    by block however large an array is; "keys": the names and sizes of all chunks, and keys that don't belong;
    "index": the indexes of shards; "all": every chunk is decoded. `path` and `form` choose a node and a
    format. `limit` problems per rule and node are listed for chunks and keys, and the rest is counted.
    `progress` is called with the number of finished keys or chunks, and the total, which is 0 while unknown.
    Threads decode chunks, or the processes of a `distributed.Client` or another `executor`.

    >>> import zom
    >>> from zom import v3
    >>> t = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("time",))
    >>> wrong = v3.GroupSpec(members={"t": t, "time": t.replace(shape=(5,))})
    >>> for problem in zom.validate(wrong, conventions=["xarray"]):
    ...     print(problem)  # doctest: +ELLIPSIS
    /t: shape[0]: expected 5 for the dimension "time", as in /time, found 4...
    >>> array = zom.create_array("memory:", t)
    >>> array[:] = 7
    >>> array.store.set("c/0", b"not a chunk")
    >>> [(problem.code, problem.key) for problem in zom.validate(array, conventions=(), data="all")]
    [('chunk/undecodable', 'c/0')]
    """
    choices = chosen(conventions, profile, suppress, level, like, limits)
    if is_document(subject) or is_document_file(subject):
        if path or form is not None or data not in {"none", False} or executor is not None:
            raise TypeError("`path`, `form`, `data` and `executor` are for stores, not for a single document")
        if is_document(subject):
            return report_of_document(subject, choices)
        return report_of_file(Path(subject), choices)
    from zom.hierarchy.check.checked_hierarchy import opened  # noqa: PLC0415
    from zom.hierarchy.check.store import report_of_store  # noqa: PLC0415 - documents need no stores

    with opened(subject, path, form) as found:
        return report_of_store(found, choices, data=data, limit=limit, progress=progress, executor=executor)


check = validate
"""Alias of `validate`."""


def validate_attributes(  # noqa: PLR0913 - as above
    attributes: Any,
    /,
    *,
    conventions: Asked | Iterable[str | Convention] = "auto",
    profile: Profile = "text",
    suppress: Iterable[str] | str = (),
    level: Level = "strict",
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """Like `validate`, for attributes alone: a Python value, or the text of a `.zattrs`.

    Rules that need other nodes, or the array itself, don't apply.

    >>> [problem.severity for problem in validate_attributes('{"zarr_conventions": 7}')]
    ['error']
    """
    return report_of_attributes(attributes, chosen(conventions, profile, suppress, level, None, limits))
