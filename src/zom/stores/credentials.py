"""Credentials, and functions that keep them out of messages, `repr`, logs and pickles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from zom.patterns import compiled_later

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["hidden", "is_secret", "secrets_in", "shown_url", "without_secrets"]

_SECRET = compiled_later(
    r"secret|token|passw|credential|sas|access_key|account_key|api_?key|bearer|authorization|cookie"
    r"|service_account|client_id|signature(?<!skip_signature)|session",
    re.IGNORECASE,
)
_PLAIN_OPTIONS = {
    "account_name",
    "allow_http",
    "allow_invalid_certificates",
    "bucket",
    "client_options",
    "config",
    "conditional_put",
    "connect_timeout",
    "container_name",
    "default_region",
    "endpoint",
    "endpoint_url",
    "express",
    "http1_only",
    "http2_only",
    "pool_idle_timeout",
    "pool_max_idle_per_host",
    "region",
    "request_payer",
    "retry_config",
    "skip_signature",
    "timeout",
    "unsigned_payload",
    "use_emulator",
    "virtual_hosted_style_request",
}
"""The options of obstore that hold no secret: pickles include only these."""
_USERINFO = re.compile(r"(?<=://)[^/\s@]*@")
_QUERY = re.compile(r"(?<=[^\s?])\?[^\s\"'`)>,]*=[^\s\"'`)>]*")
_HEADER = compiled_later(r"(?i)\b(authorization|cookie|x-amz-[a-z-]*token|x-goog-[a-z-]*)\b\s*[:=].*")


def is_secret(name: str) -> bool:
    """Whether an option of that name may hold a credential.

    >>> is_secret("aws_secret_access_key"), is_secret("region")
    (True, False)
    """
    return _SECRET.search(name) is not None


def shown_url(url: str) -> str:
    """Return the URL without user, password, query and fragment: any of them may be secret.

    >>> shown_url("https://me:secret@example.org/data.zarr?sig=secret")
    'https://example.org/data.zarr'
    >>> shown_url("https://me:sec#ret@example.org/")
    'https://...'
    >>> shown_url("s3:///data.zarr")
    's3:///data.zarr'
    """
    try:
        parts = urlsplit(url)
        whole = parts.port is None or parts.port >= 0
    except ValueError:
        whole = False
        parts = urlsplit("")
    # What follows "#" or "?" may be the rest of an unescaped password.
    if not whole or (":" in parts.netloc and "@" in parts.query + parts.fragment and "@" not in parts.netloc):
        return f"{url.partition('://')[0]}://..."
    # Not urlunsplit: its treatment of slashes without a host differs between Python versions.
    scheme, rest = (f"{parts.scheme}:", url.partition(":")[2]) if parts.scheme else ("", url)
    slashes = "//" if parts.netloc or rest.startswith("//") else ""
    return f"{scheme}{slashes}{parts.netloc.rpartition('@')[2]}{parts.path}"


def hidden(text: str, secrets: Iterable[str] = ()) -> str:
    """Remove known secrets, and likely ones in URLs and headers, from another library's message.

    >>> hidden("GET https://me:pw@example.org/a?X-Sig=1 failed: k1", ["k1"])
    'GET https://example.org/a?... failed: ...'
    """
    for secret in sorted((each for each in secrets if each), key=len, reverse=True):
        text = text.replace(secret, "...")
    return _HEADER.sub(r"\1: ...", _QUERY.sub("?...", _USERINFO.sub("", text)))


def secrets_in(options: Any, *, every: bool = False) -> list[str]:
    """List the values of all options that may be secret, or of every option.

    >>> secrets_in({"region": "eu", "client_options": {"authorization": "Bearer x"}})
    ['Bearer x']
    """
    if not isinstance(options, dict):
        return []
    found: list[str] = []
    for name, value in cast("dict[str, Any]", options).items():
        if isinstance(value, dict):
            found.extend(secrets_in(value, every=every))
        elif isinstance(value, str) and len(value) > 3 and (every or is_secret(name)):
            found.append(value)
    return found


def _is_plain(name: str) -> bool:
    return re.sub(r"^(aws|google|azure)_", "", name.lower()) in _PLAIN_OPTIONS


def without_secrets(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of obstore that are known to hold no secret.

    >>> without_secrets({"region": "eu", "secret_access_key": "x"})
    {'region': 'eu'}
    """
    kept: dict[str, Any] = {}
    for name, value in options.items():
        if _is_plain(name):
            kept[name] = (
                without_secrets(cast("dict[str, Any]", value))
                if isinstance(value, dict) and name != "retry_config"
                else value
            )
    return {name: shown_url(value) if "endpoint" in name else value for name, value in kept.items()}
