"""The attributes of CF and their types: Appendix A.

https://cfconventions.org/cf-conventions/cf-conventions.html#attribute-appendix

Types are JSON types. Rules check attributes that have the type of their variable, together with the variable.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from zom.conventions.framework.attributes import Attributes

__all__ = ["GroupAttributes", "VariableAttributes"]

Number = int | float


class GroupAttributes(Attributes):
    """The group attributes that CF defines.

    >>> from zom.conventions.framework.attributes import faults_in
    >>> [fault.path for fault in faults_in(GroupAttributes, {"title": 7})]
    [('title',)]
    """

    conventions: str = Field("", alias="Conventions")
    title: str = ""
    history: str = ""
    institution: str = ""
    source: str = ""
    references: str = ""
    comment: str = ""
    external_variables: str = ""
    feature_type: str = Field("", alias="featureType")


class VariableAttributes(Attributes):
    """The variable attributes that CF defines.

    >>> from zom.conventions.framework.attributes import faults_in
    >>> [fault.path for fault in faults_in(VariableAttributes, {"units": 1, "valid_min": "0"})]
    [('units',), ('valid_min',)]
    """

    actual_range: list[Number] = Field(default_factory=list[Number])
    add_offset: Number = 0
    aggregated_data: str = ""
    aggregated_dimensions: str = ""
    ancillary_variables: str = ""
    axis: str = ""
    bounds: str = ""
    bounds_tie_points: str = ""
    calendar: str = ""
    cell_measures: str = ""
    cell_methods: str = ""
    cf_role: str = ""
    climatology: str = ""
    comment: str = ""
    compress: str = ""
    computed_standard_name: str = ""
    coordinate_interpolation: str = ""
    coordinates: str = ""
    dimensions: str = ""
    flag_masks: Any = None
    flag_meanings: str = ""
    flag_values: Any = None
    formula_terms: str = ""
    geometry: str = ""
    geometry_type: str = ""
    grid_mapping: str = ""
    grid_mapping_name: str = ""
    instance_dimension: str = ""
    institution: str = ""
    interior_ring: str = ""
    interpolation_parameters: str = ""
    long_name: str = ""
    node_coordinates: str = ""
    node_count: str = ""
    nodes: str = ""
    part_node_count: str = ""
    positive: str = ""
    quantization: str = ""
    references: str = ""
    sample_dimension: str = ""
    scale_factor: Number = 1
    source: str = ""
    standard_error_multiplier: Number = 1
    standard_name: str = ""
    tie_point_mapping: str = ""
    units: str = ""
    units_metadata: str = ""
    valid_max: Number = 0
    valid_min: Number = 0
    valid_range: list[Number] = Field(default_factory=list[Number])
