"""`omero`: how to show the channels of an image.

https://ngff.openmicroscopy.org/0.5/#omero-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.values import pattern, required
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.axes import kind_of
from zom.conventions.ome.edition import lists
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.checked_rule import Source
    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["Channel", "Omero", "Window", "omero_rules"]


class Window(Part):
    """The values that a channel may have, and those that are shown."""

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


def omero_rules(edition: Edition, *, needed: Source) -> tuple[CheckedRule, ...]:
    """The rules on `omero`; `needed` tells who states that a channel has a color and a window."""
    link = edition.link("omero-md")
    omero = edition.at("omero")
    channel = f"{omero}.channels[*]"
    return (
        CheckedRule(
            "omero",
            schema(),
            must=f"`{omero}` is an object with `channels`, a list of objects",
            fix="describe each channel by an object in `channels`, or leave `omero` out",
            source="both",
            each=omero,
            link=link,
        ),
        CheckedRule(
            "omero-color",
            required(".channels[*].color"),
            must="Each channel has a `color`",
            fix='add the color as six hexadecimal digits, "00FF00"',
            source=needed,
            each=omero,
            link=link,
        ),
        CheckedRule(
            "omero-color-string",
            schema(),
            must="The `color` of a channel is a string",
            fix='write the color as six hexadecimal digits, "00FF00"',
            source="both",
            each=f"{channel}.color",
            link=link,
        ),
        CheckedRule(
            "omero-color-hex",
            pattern("[0-9A-Fa-f]{6}", at=".channels[*].color"),
            must="The `color` of a channel is six hexadecimal digits",
            fix='write red, green and blue by two digits each, "00FF00", without #',
            each=omero,
            link=link,
        ),
        CheckedRule(
            "omero-window",
            required(".channels[*].window"),
            must="Each channel has a `window`",
            fix="add the window with `min`, `max`, `start` and `end`",
            source=needed,
            each=omero,
            link=link,
        ),
        CheckedRule(
            "omero-window-range",
            schema(),
            must="The `window` of a channel is an object with the numbers `min`, `max`, `start` and `end`",
            fix="write all four as numbers",
            source="both",
            each=f"{channel}.window",
            link=link,
        ),
        *(
            CheckedRule(
                "omero-kinds",
                schema(),
                must="In a channel `label` and `family` are strings, and `active` is true or false",
                fix="write them in these types, or leave them out",
                source="schema",
                each=f"{channel}.{key}",
                link=edition.schema("image"),
            )
            for key in ("label", "family", "active")
        ),
        CheckedRule(
            "omero-count",
            python(_as_many_channels(edition)),
            should=f'There are as many channels in `{omero}` as the axis of type "channel" is long',
            fix="describe each channel once",
            each=omero,
            link=link,
        ),
    )


def _as_many_channels(edition: Edition) -> Judge:
    def as_many_channels(site: Site) -> Iterator[Breach] | Skip:
        channels = site.scope.get("channels") if is_dict(site.scope) else None
        if not is_list(channels):
            return Skip("no channels")
        found = _channel_size(edition, site.node)
        if found is None:
            return Skip("no array with an axis of channels is known")
        size, array = found
        if size == len(channels):
            return iter(())
        expected = f"{size}, as {array.path} has channels"
        return iter((site.breach(site.at("channels"), expected, str(len(channels)), related=(array,)),))

    return as_many_channels


def _channel_size(edition: Edition, node: Node) -> tuple[int, Node] | None:
    """How long the axis of channels is in the first array of the first image."""
    for _, image in edition.images(node)[:1]:
        axes = image.get("axes")
        places = (
            [place for place, axis in enumerate(axes) if kind_of(axis) == "channel"] if is_list(axes) else []
        )
        for _, dataset in lists(image, "datasets"):
            path = dataset.get("path")
            array = node.at(path) if isinstance(path, str) else None
            if len(places) == 1 and isinstance(array, Node) and array.shape and places[0] < len(array.shape):
                return array.shape[places[0]], array
    return None
