"""NCZarr's convention: where it is found, and the spellings of older netCDF-C."""

from __future__ import annotations

import copy

import zom

TYPES = {"_nczarr_attr": {"types": {}}}
ARRAY = {
    "zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<f4", "compressor": None, "fill_value": 0.0,
    "order": "C", "filters": None,
}  # fmt: skip
DOCUMENT = {
    "zarr_format": 2,
    "attributes": {
        "_nczarr_superblock": {"version": "2.0.0"},
        "_nczarr_group": {"dimensions": {"x": 3}, "arrays": ["u"], "groups": []},
        **TYPES,
    },
    "members": {"u": {**ARRAY, "attributes": {"_nczarr_array": {"dimension_references": ["/x"]}, **TYPES}}},
}


def codes(document: object, **choices: object) -> list[str]:
    return [problem.code for problem in zom.validate(document, conventions=["nczarr"], **choices)]


def changed(change: object) -> dict[str, object]:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return document


def test_a_hierarchy_with_metadata_of_nczarr_is_found_to_be_nczarrs() -> None:
    assert [each.convention for each in zom.validate(DOCUMENT).conventions] == ["nczarr"]


def test_a_root_without_metadata_is_found_by_those_of_a_member() -> None:
    document = changed(lambda found: found.pop("attributes"))
    assert "nczarr/superblock" in codes(document)


def test_plain_zarr_v2_is_not_nczarrs() -> None:
    report = zom.validate({"zarr_format": 2, "members": {"u": ARRAY}})
    assert report.conventions == ()


def test_metadata_in_members_of_zgroup_are_told_of_and_not_missed_as_attributes() -> None:
    document = {
        "zarr_format": 2,
        "_nczarr_superblock": {"version": "2.0.0"},
        "_nczarr_group": {"dims": {"x": 3}, "vars": ["u"], "groups": []},
        "members": {"u": {**ARRAY, "_nczarr_array": {"dimrefs": ["/x"], "storage": "chunked"}}},
    }
    assert {code for code in codes(document) if code.startswith("nczarr/")} == {"nczarr/old-place"}


def test_a_reference_that_leads_nowhere_is_told_of_with_a_near_one() -> None:
    def change(found: dict[str, object]) -> None:
        found["attributes"]["_nczarr_group"]["dimensions"] = {"time": 3}
        found["members"]["u"]["attributes"]["_nczarr_array"]["dimension_references"] = ["/tim"]

    (problem,) = zom.validate(changed(change), conventions=["nczarr"])
    assert (problem.code, problem.fix) == ("nczarr/references-resolve", "did you mean '/time'?")
