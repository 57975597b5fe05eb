"""The readers that are asked: None where one takes a store for valid, or else what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["READERS", "opened_by_ome_zarr_py"]


def _words(error: BaseException) -> str:
    """What is said, with what led to it."""
    said = [f"{type(error).__name__}: {error}"]
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
        said.append(f"{type(error).__name__}: {error}")
    return "\n".join(said)


def ome_zarr_models(folder: Path, version: str, *, is_plate: bool) -> str | None:
    """A hierarchy and all that it lists."""
    from importlib import import_module

    import zarr

    models = import_module(f"ome_zarr_models.v{version.replace('.', '')}")
    model = models.HCS if is_plate else models.Image
    try:
        model.from_zarr(zarr.open_group(folder, mode="r"))
    except Exception as error:  # noqa: BLE001 - what a reader raises is its verdict
        return _words(error)
    return None


def yaozarrs(folder: Path, version: str, *, is_plate: bool) -> str | None:
    """The same, of the version that it finds."""
    from yaozarrs import validate_zarr_store

    del version, is_plate
    try:
        validate_zarr_store(folder)
    except Exception as error:  # noqa: BLE001 - as above
        return _words(error)
    return None


def opened_by_ome_zarr_py(folder: Path) -> list[tuple[int, ...]]:
    """The shapes of the levels of all images that ome-zarr-py finds."""
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader

    location = parse_url(folder)
    if location is None:
        return []
    return [tuple(array.shape) for node in Reader(location)() for array in node.data]


READERS: dict[str, tuple[Callable[..., str | None], tuple[str, ...]]] = {
    "ome-zarr-models": (ome_zarr_models, ("0.4", "0.5", "0.6")),
    "yaozarrs": (yaozarrs, ("0.4", "0.5")),
}
"""What is asked, and which versions it knows."""
