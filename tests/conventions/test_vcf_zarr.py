"""VCF Zarr's convention: which version is found, and what its messages say.

Its rules' cases are in tests/conformance/conventions/vcf-zarr*.json; what bio2zarr writes is validated in
tests/interop/conventions_vcf_zarr.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import zom

CASES = Path(__file__).parent.parent / "conformance" / "conventions"


def hierarchy(version: str = "0.4", name: str = "full") -> dict[str, Any]:
    file = "vcf-zarr.json" if version == "0.4" else "vcf-zarr-0.5.json"
    return json.loads((CASES / file).read_text(encoding="utf-8"))["documents"][name]


def codes(subject: object, conventions: Any = ("vcf-zarr",)) -> list[str]:
    return [problem.code for problem in zom.validate(subject, conventions=conventions)]


@pytest.mark.parametrize(("version", "name"), [("0.4", "full"), ("0.5", "full"), ("0.5", "full-v3")])
def test_the_version_that_a_group_names_is_found(version: str, name: str):
    report = zom.validate(hierarchy(version, name), conventions=["vcf-zarr"])
    assert [(each.convention, each.nodes) for each in report.conventions] == [(f"vcf-zarr/{version}", 1)]
    assert list(report) == []


@pytest.mark.parametrize("version", ["0.1", "0.3", "0.6", "1.0", 4, None, ["0.4"]])
def test_another_version_is_one_loud_finding(version: object):
    document = hierarchy()
    document["attributes"]["vcf_zarr_version"] = version
    (problem,) = zom.validate(document, conventions=["vcf-zarr"])
    assert (problem.code, problem.severity) == ("convention/unknown-version", "error")
    assert problem.expected == "a known version of vcf-zarr: 0.4, 0.5"
    assert problem.pointer == "/attributes/vcf_zarr_version"


def test_arrays_without_a_version_are_found_by_their_names():
    document = hierarchy()
    document["attributes"] = {}
    (problem,) = zom.validate(document, conventions=["vcf-zarr"])
    assert (problem.code, problem.pointer) == ("vcf-zarr/attributes", "/attributes/vcf_zarr_version")


def test_zarr_v3_is_of_version_0_5():
    document = hierarchy("0.5", "full-v3")
    document["attributes"]["vcf_zarr_version"] = "0.4"
    (problem,) = [
        each
        for each in zom.validate(document, conventions=["vcf-zarr"])
        if each.code == "vcf-zarr/zarr-format"
    ]
    assert problem.fix == "write Zarr v2, or VCF Zarr 0.5, which supports Zarr v3 experimentally"


def test_a_missing_array_suggests_a_near_name():
    document = hierarchy()
    document["members"]["variant_positions"] = document["members"].pop("variant_position")
    (problem,) = [
        each
        for each in zom.validate(document, conventions=["vcf-zarr"])
        if each.code == "vcf-zarr/variant-position"
    ]
    assert problem.found == "nothing of that name"
    assert problem.fix is not None
    assert problem.fix.startswith("did you mean 'variant_positions'")


def test_a_dimension_of_two_sizes_names_the_other_array():
    document = hierarchy()
    document["members"]["call_PL"]["shape"][1] = 5
    (problem,) = zom.validate(document, conventions=["vcf-zarr"])
    assert problem.expected == '2 for the dimension "samples", as in /call_DP'
    assert problem.related == ("/call_DP",)


def test_chunks_need_not_agree_where_there_is_no_region_index():
    document = hierarchy()
    document["members"]["call_DP"]["chunks"] = [1, 2]
    assert codes(document) == ["vcf-zarr/region-index-chunks"]
    del document["members"]["region_index"]
    assert codes(document) == []


@pytest.mark.parametrize("value", [None, True, 7, "x", [], {}, [None], [["a"]], {"a": []}])
@pytest.mark.parametrize("name", ["_ARRAY_DIMENSIONS", "vcf_meta_information", "source", "contigs"])
def test_any_json_in_any_attribute_is_a_finding_or_nothing_but_never_an_exception(name: str, value: object):
    document = hierarchy()
    for node in (document, document["members"]["call_genotype"], document["members"]["region_index"]):
        node["attributes"][name] = value
    zom.validate(document, conventions=["vcf-zarr"])


def test_most_rules_can_be_run_in_other_languages():
    rules = zom.validate(hierarchy(), conventions=["vcf-zarr/0.4"]).rules
    assert sum(rule.portable for rule in rules) >= 20


def test_an_index_is_not_held_against_positions_of_no_known_type():
    document = hierarchy()
    position = document["members"]["variant_position"]
    document["members"]["region_index"] = {**position, "shape": [1, 6], "chunks": [1, 6]}
    document["members"]["variant_position"] = {
        name: each for name, each in position.items() if name != "dtype"
    }
    assert "vcf-zarr/region-index-dtype" not in {
        each.code for each in zom.validate(document, conventions=["vcf-zarr"])
    }
