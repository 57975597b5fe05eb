"""Codecs of an encoding as documents, from mappings or from objects of zarr-python and numcodecs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from zom.model.builders.chunking import refuse

if TYPE_CHECKING:
    from zom.extension.datatype import DataType

__all__ = ["codec_documents", "document_of", "separator_of"]

_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "blosc": {"cname": "zstd", "clevel": 5, "blocksize": 0},
    "gzip": {"level": 5},
    "zstd": {"level": 0, "checksum": False},
}
"""Defaults that zarr-python adds to codecs of v3."""


def codec_documents(  # noqa: PLR0913, PLR0917 - codecs and their context
    name: str, what: str, given: Any, default: list[Any], kind: DataType, key: Literal["id", "name"]
) -> list[Any]:
    """Return the codecs of an encoding; `key` is the member that names a codec, "id" in v2, "name" in v3.

    >>> from zom.extension.resolve import data_type
    >>> codec_documents("t", "compressors", {"name": "gzip"}, [], data_type("int8"), "name")
    [{'name': 'gzip', 'configuration': {'level': 5}}]
    """
    if isinstance(given, str) and given == "auto":
        return default
    if given is None:
        return default if what == "serializer" else []
    single = isinstance(given, (str, Mapping)) or not isinstance(given, Iterable)
    many: list[Any] = [given] if single else list(cast("Iterable[Any]", given))
    found: list[Any] = []
    for each in many:
        plain = document_of(each)
        if not isinstance(plain, Mapping) or key not in plain:
            expected = f"codecs of v{2 if key == 'id' else 3}, each with its {key!r}"
            raise refuse(f"{name}.encoding[{what!r}]", expected, cast("Any", plain))
        found.append(_completed(cast("Any", plain), each, kind) if key == "name" else plain)
    return found


def document_of(value: Any) -> Any:
    """Return the document of a codec object; any other value is returned unchanged.

    >>> document_of({"id": "zlib"})
    {'id': 'zlib'}
    """
    for method in ("to_dict", "get_config"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def separator_of(given: Any) -> str:
    """Return the separator of chunk keys in v2.

    >>> separator_of(None), separator_of({"name": "v2", "separator": "/"})
    ('.', '/')
    """
    plain = document_of(given)
    if not isinstance(plain, Mapping):
        return "."
    whole = cast("Mapping[str, Any]", plain)
    return str(whole.get("configuration", whole).get("separator", "."))


def _completed(document: Mapping[str, Any], given: Any, kind: DataType) -> dict[str, Any]:
    """Return a v3 codec with the defaults that zarr-python fills in for an array of this type."""
    name = document["name"]
    own: dict[str, Any] = dict(document.get("configuration") or {})
    if name == "blosc":
        # zarr-python's object lists the options that it will choose once it has the array.
        for open_choice in getattr(given, "_tunable_attrs", ()):
            own.pop(open_choice, None)
        size = kind.itemsize or 1
        own.setdefault("typesize", size)
        own.setdefault("shuffle", "bitshuffle" if size == 1 else "shuffle")
    whole = {**_DEFAULTS.get(name, {}), **own}
    return {"name": name, "configuration": whole} if whole else {"name": name}
