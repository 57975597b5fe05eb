"""The functions that OME-Zarr rules call, by their names in rulebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.conventions.ome.axes import one_of_another_type, space_in_order, two_or_three_of_space
from zom.conventions.ome.bioformats2raw import numbered, series_beside_plate
from zom.conventions.ome.identity import KEY_SPELLING, in_zarr_v3, same_version
from zom.conventions.ome.label_groups import all_listed, nothing_between, with_list
from zom.conventions.ome.label_images import as_many_levels, same_shape, source_is_image, whole
from zom.conventions.ome.multiscales import no_scale_shrinks
from zom.conventions.ome.omero import as_many_channels
from zom.conventions.ome.paths import leads_to
from zom.conventions.ome.plate_wells import indices_in_range, no_empty, path_agrees
from zom.conventions.ome.plates import no_names_by_case
from zom.conventions.ome.stored_values import values_colored
from zom.conventions.ome.wells import acquisition_known, acquisition_told

if TYPE_CHECKING:
    from zom.checks.check import Check
    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["axes_functions", "shared_functions", "zarr_v3_functions"]


def shared_functions(edition: Edition) -> dict[str, Judge | Check]:
    """The functions of all editions."""
    return {
        "space_in_order": space_in_order,
        "as_many_channels": as_many_channels(edition),
        "with_list": with_list(edition),
        "leads_to": leads_to(edition),
        "whole": whole,
        "source_is_image": source_is_image(edition),
        "as_many_levels": as_many_levels(edition),
        "same_shape": same_shape(edition),
        "values_colored": values_colored(edition),
        "no_names_by_case": no_names_by_case,
        "indices_in_range": indices_in_range,
        "path_agrees": path_agrees,
        "no_empty": no_empty(edition),
        "acquisition_told": acquisition_told(edition),
        "acquisition_known": acquisition_known(edition),
        "numbered": numbered(edition),
        "series_beside_plate": series_beside_plate(edition),
    }


def axes_functions() -> dict[str, Judge]:
    """The functions for axes of images, as in 0.4 and 0.5."""
    return {
        "two_or_three_of_space": two_or_three_of_space,
        "one_of_another_type": one_of_another_type,
        "no_scale_shrinks": no_scale_shrinks,
    }


def zarr_v3_functions(edition: Edition) -> dict[str, Judge | Check]:
    """The functions new in 0.5: metadata under `ome`, and the group of label images."""
    return {
        "key_spelling": KEY_SPELLING,
        "same_version": same_version,
        "in_zarr_v3": in_zarr_v3,
        "all_listed": all_listed(edition),
        "nothing_between": nothing_between(edition),
    }
