"""The attributes by which xarray decodes an array, and misspellings of them."""

from __future__ import annotations

from base64 import b64decode
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Skip
from zom.misspelling import meant
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach, Site
    from zom.formats.node_view import Node

__all__ = ["keys_spelled"]

_DECODED: Final = ("coordinates", "calendar", "units", "scale_factor", "add_offset", "_FillValue")


def keys_spelled(site: Site) -> Iterator[Breach] | Skip:
    """Check that no attribute is a near miss of one that xarray decodes the array by."""
    attributes = site.node.attributes
    if not attributes:
        return Skip("no attributes")
    slips = {key: known for key in attributes if (known := _meant(key)) and known not in attributes}
    slips = {key: known for key, known in slips.items() if _could_be(site.node, known, attributes[key])}
    return (
        site.breach(
            ("attributes", key),
            f"{show(known)}, or a clearly different name",
            show(key),
            fix=f"did you mean {known!r}?",
        )
        for key, known in slips.items()
    )


def _is_float(value: Any) -> bool:
    """Whether it is a float as xarray writes it into v3: the bytes of a double, in base64."""
    try:
        return isinstance(value, str) and len(b64decode(value, validate=True)) == 8
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _meant(key: str) -> str | None:
    return meant(key, _DECODED)


def _could_be(node: Node, known: str, value: Any) -> bool:
    """Whether xarray would use the value to decode the array: other values belong to unrelated attributes."""
    if known in {"scale_factor", "add_offset", "_FillValue"}:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if known == "_FillValue":
            # The fill value of Zarr v2 is in the array's metadata; xarray ignores the attribute there.
            return node.form == "v3" and (is_number or _is_float(value))
        return is_number
    if not isinstance(value, str):
        return False
    if known == "units":  # other than for times, `unit` is for people
        return " since " in value
    if known == "calendar":
        return " since " in str(node.attributes.get("units"))
    around = node.parent
    return around is not None and any(word in around.arrays for word in value.split())
