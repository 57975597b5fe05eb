"""Heeding: the services that were seen to respect the conditions of puts.

Amazon S3, Google Cloud Storage and Azure do. Other S3 services may ignore a condition, put the object and
report success: then a lost lock or update goes unnoticed. So each of them gets one request per process that
it must refuse.
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
    """Return the address and bucket of a service that may ignore conditions; None if it respects them.

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
    """Whether the service is known to respect this condition."""
    return service is None or (service, condition) in _shown


def note_shown(service: str | None, condition: Condition) -> None:
    """Record that the service refused a put that the condition forbids."""
    if service is not None:
        _shown.add((service, condition))
