"""The `dggs` convention: cells of a discrete global grid system."""

from __future__ import annotations

from typing import Annotated

from zom.conventions import Attributes, CheckedRule, Convention, pattern, ref, register, shared_dims

__all__ = ["Dggs", "dggs"]


class Dggs(Attributes, key="dggs"):
    """The grid system of a group of cells."""

    name: Annotated[str, CheckedRule("name-lower", pattern("[a-z0-9_-]+"), must="the name is in lower case")]
    refinement_level: int | None
    spatial_dimension: str
    coordinate: str | None = None


dggs = register(
    Convention(
        id="dggs",
        version="v1",
        uuid="7b255807-140c-42ca-97f6-7a1cfecdbc38",
        attributes=Dggs,
        rules=(
            CheckedRule(
                "coordinate",
                ref("dggs.coordinate", kind="array"),
                must="coordinate names an array of this group",
                fix="add the array or remove 'coordinate'",
            ),
            CheckedRule("dims", shared_dims(), must="arrays sharing a dimension agree on its length"),
        ),
    )
)
"""The `dggs` convention."""
