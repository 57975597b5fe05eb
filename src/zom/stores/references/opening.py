"""Opening references: a dict, a JSON file, or a directory of parquet files, local or remote."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from zom.errors import StoreError, StoreNotFound
from zom.looks import is_file
from zom.paths import DOCUMENT_NAMES
from zom.stores.credentials import shown_url, without_secrets
from zom.stores.local import LocalStore
from zom.stores.references.document import is_references, parse_references, read_text
from zom.stores.references.store import ReferenceStore
from zom.stores.references.targets import Targets, is_far

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.stores.interface import Store
    from zom.stores.references.document import Reference

__all__ = ["are_references", "at_path", "from_document", "from_place", "is_named"]

_NAMES = (".json", ".parq", ".parquet")
_BEGINNING = 1 << 16


class _Choices(TypedDict, total=False):
    allow: Iterable[str] | None
    remote_options: dict[str, Any] | None


def is_named(place: str) -> bool:
    """Whether a path or URL has a name for references.

    >>> is_named("a/refs.json"), is_named("refs.parq"), is_named("a/zarr.json"), is_named("a.zarr")
    (True, True, False, False)
    """
    name = place.rstrip("/").rpartition("/")[2].lower()
    return name.endswith(_NAMES) and name not in DOCUMENT_NAMES


def are_references(path: str) -> bool:
    """Whether a path is a reference document: a JSON file, or a directory of parquet files.

    >>> are_references("no/such/file.json")
    False
    """
    return is_named(path) and (_is_parquet(path) or _document_at(path) is not None)


def at_path(path: str, options: dict[str, Any]) -> ReferenceStore | None:
    """Open the references at a path as a store; None if there are none.

    >>> at_path("no/such/file.json", {})
    """
    if not is_named(path):
        return None
    document = _document_at(path)
    return from_place(path, document, **options) if document is not None or _is_parquet(path) else None


def _is_parquet(path: str) -> bool:
    """Whether `path` is a directory of references in parquet."""
    try:
        with Path(path, ".zmetadata").open("rb") as file:
            return b'"record_size"' in file.read()
    except OSError:
        return False


def _document_at(path: str) -> dict[str, Any] | None:
    """Return the references in a JSON file, or None; other files are only read at their beginning."""
    try:
        if not is_file(path):
            return None
        with Path(path).open("rb") as file:
            beginning = file.read(_BEGINNING)
            if b'"refs"' not in beginning and not any(
                f'{name}"'.encode() in beginning for name in DOCUMENT_NAMES
            ):
                return None
            document: Any = read_text(beginning + file.read(), path)
    except (OSError, StoreError):
        return None
    return cast("dict[str, Any]", document) if is_references(document) else None


def from_document(document: Mapping[str, Any], **options: Any) -> ReferenceStore:
    """Return the store of a parsed document; `options` are `allow` and `remote_options` of `ReferenceStore`.

    >>> from_document({"version": 1, "refs": {".zgroup": '{"zarr_format": 2}'}}).get(".zgroup")
    b'{"zarr_format": 2}'
    """
    choices = _choices(options)
    _refuse_others("reference://", options)
    if not is_references(document):
        reason = (
            "expected a dict of kerchunk references, with `version` and `refs`, or keys such as '.zgroup' and 'a/0'; "
            "pass zom.stores.memory.MemoryStore(values) for a dict of bytes"
        )
        raise StoreError("reference://", "", "open", reason)
    reopen = (_from_document_again, (dict(document), _travelling(choices)))
    return ReferenceStore(parse_references(document, "reference://"), reopen=reopen, **choices)


def from_place(place: str, document: dict[str, Any] | None = None, **options: Any) -> ReferenceStore:
    """Open the references at a path or URL as a store; other `options` go to the store of the document.

    Pass a `document` that was read already to avoid reading it again.
    """
    choices = _choices(options)
    place = place.rstrip("/")
    if is_far(place):
        shown, home = shown_url(place), f"{place.rpartition('/')[0]}/"
    else:
        _refuse_others(place, options)
        place = shown = os.path.abspath(place)  # noqa: PTH100 - links stay as they are
        home = posixpath.dirname(place)
    reopen = (_from_place_again, (place, _travelling(choices), without_secrets(options)))
    references: Mapping[str, Reference]
    if document is not None:
        references = parse_references(document, shown)
        return ReferenceStore(references, url=shown, home=home, reopen=reopen, **choices)
    holder, key = _holder(place, home, options)
    if key.lower().endswith(".json"):
        references = _in_json(holder, key, shown)
    else:
        from zom.stores.references.parquet import ParquetReferences  # noqa: PLC0415 - needs pyarrow

        references = ParquetReferences(holder, f"{key}/", shown)
    return ReferenceStore(references, url=shown, home=home, reopen=reopen, **choices)


def _holder(place: str, home: str, options: dict[str, Any]) -> tuple[Store, str]:
    """Return the store that holds the document, and the document's key there."""
    if is_far(place):
        return Targets(home, options=options).find(place)
    return LocalStore(home, read_only=True), place.rpartition("/")[2]


def _in_json(holder: Store, key: str, shown: str) -> dict[str, Reference]:
    with holder:
        text = holder.get(key)
    if text is None:
        raise StoreNotFound(shown, "", "open", "there is no such file")
    return parse_references(read_text(text, shown), shown)


def _choices(options: dict[str, Any]) -> _Choices:
    """Remove the options of the references from `options` and return them."""
    allow, remote = options.pop("allow", None), options.pop("remote_options", None)
    if isinstance(allow, str):
        raise StoreError("reference://", "", "open", f"expected a list of places to allow, found {allow!r}")
    return {"allow": None if allow is None else tuple(allow), "remote_options": remote}


def _travelling(choices: _Choices) -> dict[str, Any]:
    """Return the choices for a pickle, without options that may be secret."""
    remote = choices.get("remote_options")
    return {**choices, "remote_options": None if remote is None else without_secrets(remote)}


def _refuse_others(where: str, options: dict[str, Any]) -> None:
    if options:
        names = ", ".join(sorted(options))
        reason = f"expected no options but allow and remote_options, found {names}"
        raise StoreError(where, "", "open", reason)


def _from_document_again(document: dict[str, Any], choices: dict[str, Any]) -> ReferenceStore:
    return from_document(document, **choices)


def _from_place_again(place: str, choices: dict[str, Any], options: dict[str, Any]) -> ReferenceStore:
    return from_place(place, **choices, **options)
