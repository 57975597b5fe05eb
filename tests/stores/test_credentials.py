"""Addresses as messages show them: without what may be secret, and else as they were written."""

from __future__ import annotations

import pytest

from zom.stores.credentials import shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3:///data.zarr", "s3:///data.zarr"),
        ("unknown:///a/b", "unknown:///a/b"),
        ("unknown:////a", "unknown:////a"),
        ("memory://", "memory://"),
        ("memory:", "memory:"),
        ("file:///a/b", "file:///a/b"),
        ("s3://me:secret@bucket/a?key=secret#x", "s3://bucket/a"),
        ("https://host:8080//a", "https://host:8080//a"),
        ("//host/a", "//host/a"),
        ("a/b", "a/b"),
    ],
)
def test_an_address_is_shown_as_it_was_written(url: str, shown: str):
    assert shown_url(url) == shown
