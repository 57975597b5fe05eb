"""`omero`: how to show the channels of an image.

https://ngff.openmicroscopy.org/0.5/#omero-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from zom.checks.check import Breach, Site, Skip
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.axes import kind_of
from zom.conventions.ome.edition import arrays_of
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge
    from zom.formats.node_view import Node

__all__ = ["Channel", "Omero", "Window", "as_many_channels"]


class Window(Part):
    """The valid values of a channel, and those that are shown."""

    min: float
    max: float
    start: float
    end: float


class Channel(Part):
    """How a channel is shown."""

    color: str = ""
    window: Window = Field(default_factory=Window.model_construct)
    label: str = ""
    family: str = ""
    active: bool = True


class Omero(Part):
    """How an image is shown."""

    channels: list[Channel]


def as_many_channels(edition: Edition) -> Judge:
    """Check that there are as many channels as the channel axis is long."""

    def as_many_channels(site: Site) -> Iterator[Breach] | Skip:
        channels = site.scope.get("channels") if is_dict(site.scope) else None
        if not is_list(channels):
            return Skip("no channels")
        found = _channel_size(edition, site.node)
        if found is None:
            return Skip("no array with a channel axis is known")
        size, array = found
        if size == len(channels):
            return iter(())
        expected = f"{size}, the number of channels of {array.path}"
        return iter((site.breach(site.at("channels"), expected, str(len(channels)), related=(array,)),))

    return as_many_channels


def _channel_size(edition: Edition, node: Node) -> tuple[int, Node] | None:
    """The length of the channel axis in the first array of the first image, and that array."""
    for _, image in edition.images(node)[:1]:
        axes = image.get("axes")
        places = (
            [place for place, axis in enumerate(axes) if kind_of(axis) == "channel"] if is_list(axes) else []
        )
        for _, array in arrays_of(node, image):
            if len(places) == 1 and array.shape and places[0] < len(array.shape):
                return array.shape[places[0]], array
    return None
