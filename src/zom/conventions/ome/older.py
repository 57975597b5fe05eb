"""OME-Zarr 0.1, 0.2 and 0.3, which archives hold and every viewer reads, and the drafts of 0.6.

https://ngff.openmicroscopy.org/0.3/. Their metadata is that of 0.4 without transformations: 0.1 and 0.2 have
five dimensions in a fixed order, 0.3 has the names of axes. Rules that they share with 0.4 are reused from
0.4. The drafts of 0.6 changed the form of transformations from one draft to the next: those are not checked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule
from zom.conventions.framework.registered import register
from zom.conventions.ome.edition import arrays_of, lists
from zom.conventions.ome.v04 import V04
from zom.conventions.ome.v06 import V06
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.attributes import Attributes
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node

__all__ = ["V01", "V02", "V03", "V06DEV1", "V06DEV2", "V06DEV3"]

_AXES: Final = ("t", "c", "z", "y", "x")
_PAGE: Final = "https://ngff.openmicroscopy.org/"


def _form() -> type[Attributes]:
    from zom.conventions.ome.older_form import OmeBefore04  # noqa: PLC0415 - only if a node has the version

    return OmeBefore04


def _form_of_drafts() -> type[Attributes]:
    from zom.conventions.ome.older_form import OmeDraft  # noqa: PLC0415 - only if a node has the version

    return OmeDraft


def _arrays(site: Site) -> list[Node]:
    """The known arrays of a node's images."""
    images = lists(site.node.attributes, "multiscales")
    return [array for _, image in images for _, array in arrays_of(site.node, image)]


def _five_dimensions(site: Site) -> Iterator[Breach] | Skip:
    arrays = _arrays(site)
    if not arrays:
        return Skip("no array is known")
    return (
        Breach(array, ("shape",), "at most five dimensions: t, c, z, y and x", show(array.shape))
        for array in arrays
        if array.ndim is not None and array.ndim > len(_AXES)
    )


def _axes_named(site: Site) -> Iterator[Breach]:
    found = site.scope.get("axes") if is_dict(site.scope) else None
    ranks = [_AXES.index(each) for each in found if each in _AXES] if is_list(found) else []
    if is_list(found) and 2 <= len(found) == len(ranks) and ranks == sorted(set(ranks)):
        return
    has_axes = is_dict(site.scope) and "axes" in site.scope
    expected = 'a list of two or more of "t", "c", "z", "y" and "x", in this order'
    yield site.breach(site.at("axes"), expected, show(found) if has_axes else "nothing")


_DIMENSIONS: Final = CheckedRule(
    "dimensions",
    python(_five_dimensions),
    must="The arrays of an image have at most five dimensions",
    fix="write the image as OME-Zarr 0.4 or newer, which name their axes",
    link=f"{_PAGE}0.2/#image-layout",
)
_NAMES: Final = CheckedRule(
    "axes-named",
    python(_axes_named),
    must='An image has `axes`, a list of the names "t", "c", "z", "y" and "x", each once and in this order',
    fix="list the names of the dimensions of its arrays",
    source="both",
    each="multiscales[*]",
    link=f"{_PAGE}0.3/#multiscale-md",
)

_NEW_IN_04: Final = frozenset(
    {
        *("version", "scale-order", "label-shape", "omero-count"),
        *("multiscales-version", "label-version", "plate-version", "well-version", "label-has-colors"),
        *("plate-well-agrees", "plate-well-index", "plate-well-range"),
    }
)


def _is_old(rule: CheckedRule) -> bool:
    """Whether a rule of 0.4 also applies to earlier versions."""
    is_new = rule.id.startswith(("transform", "axes", "bf2raw")) and rule.id != "axes-ndim"
    return rule.id not in _NEW_IN_04 and not is_new


def _before_04(version: str, own: CheckedRule, *but: str) -> Convention:
    rules = (own, *(each for each in V04.rules if _is_old(each) and each.id not in but))
    return register(
        replace(
            V04,
            version=version,
            title=f"OME-Zarr {version}",
            link=f"{_PAGE}{version}/",
            attributes=_form,
            owns=V04.owns,
            assumed=False,
            rules=rules,
        )
    )


# Chunk keys in 0.1 are joined by dots, and axes have no names before 0.3.
V01: Final = _before_04("0.1", _DIMENSIONS, "dimension-separator", "axes-ndim")
V02: Final = _before_04("0.2", _DIMENSIONS, "axes-ndim")
V03: Final = _before_04("0.3", _NAMES)


# --- the drafts of 0.6 -------------------------------------------------------------------------------------


def _is_draft(site: Site) -> Iterator[Breach] | Skip:
    if not is_dict(site.scope):
        return Skip("no object")
    if not {"multiscales", "scene"} & site.scope.keys():
        return iter(())
    version = show(site.scope.get("version"))
    expected = "a released version, whose transformations are checked"
    return iter((site.breach(site.at("version"), expected, f"{version}, a draft"),))


_DRAFT: Final = CheckedRule(
    "draft",
    python(_is_draft),
    note="The transformations of drafts of 0.6 are not checked: each draft writes them differently",
    fix="write the image as OME-Zarr 0.5 or 0.6",
    each="ome",
    link=V06.link,
)
_KEPT: Final = (
    *("version", "key-spelling", "version-consistent", "zarr-format", "metadata"),
    *(
        "multiscales",
        "datasets",
        "dataset-has-path",
        "dataset-path",
        "dataset-path-form",
        "dataset-once",
        "dataset-order",
    ),
)
_KEPT_OF: Final = ("label", "plate", "well", "bf2raw")


def _draft(version: str) -> Convention:
    kept = (each for each in V06.rules if each.id in _KEPT or each.id.startswith(_KEPT_OF))
    made = replace(
        V06, version=version, title=f"OME-Zarr {version}, a draft", attributes=_form_of_drafts, owns=("ome",)
    )
    return register(replace(made, assumed=False, rules=(_DRAFT, *kept)))


V06DEV1: Final = _draft("0.6.dev1")
V06DEV2: Final = _draft("0.6.dev2")
V06DEV3: Final = _draft("0.6.dev3")
