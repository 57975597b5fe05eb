"""Heeding: which services were seen to heed the conditions of puts.

Amazon S3, Google Cloud Storage and Azure do. Others that speak S3 may put the object whatever the condition says, and
answer as if it had held: then nobody learns that a lock or an update of another was lost. So each of them is asked once
in a process to do what it must refuse.
"""

from __future__ import annotations

import os
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

__all__ = ["OTHER_VERSION", "Condition", "has_shown", "note_shown", "service_of"]

Condition: TypeAlias = Literal["create", "replace"]

OTHER_VERSION: Final = {"e_tag": '"00000000000000000000000000000000"'}
"""A version that no object has."""

_shown: set[tuple[str, Condition]] = set()


def service_of(inner: Any) -> str | None:
    """The address and bucket of a service that may pass over conditions; None where it is known that it doesn't.

    >>> service_of(object()) is None
    True
    """
    if type(inner).__name__ != "S3Store":
        return None
    config: Any = getattr(inner, "config", None) or {}
    address = (
        config.get("endpoint") or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    )
    host = urlsplit(str(address or "")).hostname or ""
    if not address or host.endswith((".amazonaws.com", ".amazonaws.com.cn")):
        return None
    return f"{address} {config.get('bucket')}"


def has_shown(service: str | None, condition: Condition) -> bool:
    """Whether puts on this condition need no more proof."""
    return service is None or (service, condition) in _shown


def note_shown(service: str | None, condition: Condition) -> None:
    """Note that the service refused what the condition forbids."""
    if service is not None:
        _shown.add((service, condition))
