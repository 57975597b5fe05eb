"""Requests and answers of obstore: ranges, sizes, versions, and short reasons for exceptions.

The text of obstore's exceptions contains whole requests. It is parsed, and never passed on.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from zom.stores.credentials import hidden, shown_url
from zom.stores.interface import ByteRange, Range, Suffix

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CLOUDS",
    "covers",
    "end_options",
    "get_options",
    "is_missing",
    "is_unconditional",
    "not_implemented",
    "reason_of",
    "size_of",
    "tag_of",
    "url_of",
    "version_of",
    "was_repeated",
]

CLOUDS = {"S3Store": "s3", "GCSStore": "gs", "AzureStore": "az"}
"""The store classes of obstore for cloud services, with their URL schemes."""


def get_options(byte_range: ByteRange | None, tag: str | None = None) -> dict[str, Any]:
    """Return the options of a request for a byte range; with a tag, only for the object that has it.

    >>> get_options(Range(4, 2), "1")
    {'range': (4, 6), 'if_match': '1'}
    """
    same = {} if tag is None else {"if_match": tag}
    if byte_range is None:
        return same
    if byte_range.length == 0:
        byte_range = Range(0, 1)  # no service supports empty ranges
    if isinstance(byte_range, Suffix):
        return {"range": {"suffix": byte_range.length}, **same}
    start, length = byte_range
    return {"range": {"offset": start} if length is None else (start, start + length), **same}


def end_options(byte_range: Suffix, meta: Any) -> dict[str, Any] | None:
    """Return the options of a request for the end of the object with this `meta`; None if that is empty.

    >>> end_options(Suffix(2), {"size": 5, "e_tag": "1"})
    {'range': (3, 5), 'if_match': '1'}
    """
    size = size_of(meta)
    if not covers(byte_range, size):
        return None
    return get_options(Range(max(size - byte_range.length, 0), min(byte_range.length, size)), tag_of(meta))


def size_of(meta: Any) -> int:
    """Return the size of an object in bytes."""
    return int(meta["size"])


def tag_of(meta: Any) -> str | None:
    """Return the strong ETag of an object, which can be requested; None if it has none.

    >>> tag_of({"e_tag": '"1"'}), tag_of({"e_tag": 'W/"1"'}), tag_of({"e_tag": None})
    ('"1"', None, None)
    """
    tag = meta.get("e_tag")
    return None if tag is None or tag.startswith("W/") else str(tag)


def covers(byte_range: ByteRange, size: int) -> bool:
    """Whether the range contains any byte of a value of that size."""
    if isinstance(byte_range, Suffix):
        return byte_range.length > 0 and size > 0
    return byte_range.length != 0 and byte_range.start < size


def was_repeated(cause: Exception) -> bool:
    """Whether obstore may have sent a request more than once, according to its message.

    >>> was_repeated(OSError("Error performing PUT http://x/y in 1ms - Server returned non-2xx: 412"))
    False
    >>> was_repeated(OSError("Error performing PUT http://x/y in 1ms, after 1 retries, max_retries: 10"))
    True
    """
    first = str(cause).strip().partition("\n")[0]
    return "Error performing" not in first or re.search(r"after [1-9]\d* retries", first) is not None


def is_missing(cause: Exception) -> bool:
    """Whether `cause` reports a missing object or bucket."""
    return isinstance(cause, FileNotFoundError)


def is_unconditional(inner: Any) -> bool:
    """Whether conditional puts are disabled by an option: Backblaze and some Ceph versions lack them."""
    config: Any = getattr(inner, "config", None) or {}
    stated: Any = config.get("conditional_put")
    if stated is None and type(inner).__name__ == "S3Store":
        stated = os.environ.get("AWS_CONDITIONAL_PUT")
    return str(stated).lower() == "disabled"


def not_implemented(cause: Exception) -> bool:
    """Whether `cause` reports that the service doesn't support the request.

    >>> not_implemented(OSError("Server returned non-2xx status code: 501 Not Implemented: <Error>"))
    True
    """
    return "501 Not Implemented" in str(cause) or "<Code>NotImplemented</Code>" in str(cause)


def version_of(meta: Any) -> tuple[tuple[str, str], ...]:
    """Return the identifiers of this version of an object."""
    return tuple((name, meta[name]) for name in ("e_tag", "version") if meta.get(name) is not None)


def reason_of(cause: BaseException, secrets: Iterable[str]) -> str:
    """Return the first line and the service's code, without the rest, which has headers and addresses."""
    text = str(cause).strip()
    first = text.partition("\n")[0].partition("<?xml")[0].rstrip(" :")
    code = re.search(r"<Code>(\w+)</Code>", text)
    reason = f"{type(cause).__name__}: {first}" if first else type(cause).__name__
    return hidden(f"{reason} ({code[1]})" if code else reason, secrets)


def url_of(inner: Any, prefix: str) -> str:
    """Return the URL of an obstore store, without its credentials."""
    kind = type(inner).__name__
    config: dict[str, Any] = getattr(inner, "config", None) or {}
    place = config.get("bucket", config.get("container_name", ""))
    if kind in CLOUDS:
        base = f"{CLOUDS[kind]}://{place}/{getattr(inner, 'prefix', None) or ''}"
    elif kind == "HTTPStore":
        base = shown_url(str(inner.url))
    else:
        base = f"obstore-{kind.removesuffix('Store').lower()}://{getattr(inner, 'prefix', None) or ''}"
    return f"{base.rstrip('/')}/{prefix}".rstrip("/")
