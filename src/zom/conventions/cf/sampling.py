"""Discrete sampling geometries: stations, profiles, trajectories: CF 9.

https://cfconventions.org/cf-conventions/cf-conventions.html#discrete-sampling-geometries
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.conventions.cf.dataset import dataset_of
from zom.conventions.cf.domain import known_dimensions
from zom.conventions.cf.variable import INTEGERS, Variable, judged, judged_text, only
from zom.extension.registry import did_you_mean, near
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "FEATURES"]

FEATURES: Final = ("point", "timeSeries", "trajectory", "profile", "timeSeriesProfile", "trajectoryProfile")
"""The feature types of Table 9.1."""
_TWO_LEVELS: Final = ("timeseriesprofile", "trajectoryprofile")


def _feature(variable: Variable, text: str) -> Iterator[Breach]:
    if text.lower() not in {each.lower() for each in FEATURES}:
        fix = did_you_mean(near(text, FEATURES))
        yield variable.breach("featureType", f"one of {', '.join(FEATURES)}", repr(text), fix=fix)


def _feature_given(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    dataset = dataset_of(group)
    if dataset is None or dataset.root is not group:
        return Skip("not the root of a dataset with known members")
    ragged = dataset.ragged
    if not ragged:
        return Skip("no ragged arrays")
    if "featureType" in group.attributes:
        return ()
    path = ("attributes", "featureType")
    return (
        site.breach(
            path, "the type of the features, as the dataset has ragged arrays", "nothing", related=ragged[:4]
        ),
    )


def _roles(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    dataset = dataset_of(group)
    feature = group.attributes.get("featureType")
    if dataset is None or dataset.root is not group or not isinstance(feature, str):
        return Skip("no featureType")
    carriers = [node for node in dataset.names if "cf_role" in node.attributes]
    if not carriers:
        return Skip("no variable with cf_role")
    allowed = 2 if feature.lower() in _TWO_LEVELS else 1
    if len(carriers) <= allowed:
        return ()
    names = ", ".join(node.path for node in carriers)
    path = ("attributes", "featureType")
    return (
        site.breach(
            path,
            f"variables with cf_role: at most {allowed} for {feature}",
            f"{len(carriers)}: {names}",
            related=carriers,
        ),
    )


def _sample(variable: Variable) -> Iterator[Breach]:
    if variable.dtype not in INTEGERS or len(variable.dims or ()) != 1:
        dims = ", ".join(map(str, variable.dims or ()))
        yield variable.breach(
            "sample_dimension",
            "sample_dimension on a one-dimensional variable of integers",
            f"{variable.dtype} of ({dims})",
        )


def _instance(variable: Variable) -> Iterator[Breach]:
    if variable.dtype not in INTEGERS or len(variable.dims or ()) != 1:
        dims = ", ".join(map(str, variable.dims or ()))
        yield variable.breach(
            "instance_dimension",
            "instance_dimension on a one-dimensional variable of integers",
            f"{variable.dtype} of ({dims})",
        )


def _dimension_exists(variable: Variable) -> Iterator[Breach]:
    known = known_dimensions(variable)
    for name in ("sample_dimension", "instance_dimension"):
        value = variable.attributes.get(name)
        if name in variable.attributes and not (isinstance(value, str) and value in known):
            yield variable.breach(
                name, f"a dimension of the dataset: {', '.join(sorted(known))}", show(value)
            )


@only("not a ragged array")
def _is_ragged(variable: Variable) -> bool:
    return "sample_dimension" in variable.attributes or "instance_dimension" in variable.attributes


CHECKS: Final[Functions] = {
    "feature-type": judged_text(_feature, "featureType", reach="document"),
    "feature-type-given": python(_feature_given),
    "cf-role-once": python(_roles),
    "sample-dimension": judged(_sample, about="sample_dimension", reach="document"),
    "instance-dimension": judged(_instance, about="instance_dimension", reach="document"),
    "ragged-dimension": judged(_dimension_exists, where=_is_ragged),
}
