"""CF: where it is found, how names are resolved, and its grammars; its rules have cases of their own.

What IOOS's compliance-checker says of the same is asked in tests/interop/conventions_cf.py.
"""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path

import pytest

import zom
from zom import v2, v3
from zom.conventions import cf
from zom.conventions.cf import units
from zom.conventions.cf.cell_methods import parse_cell_methods
from zom.conventions.cf.dataset import cf_version, dataset_of, resolve
from zom.conventions.cf.missing import representable
from zom.conventions.cf.time_units import TimeUnits, parse_time_units, wrong_date
from zom.conventions.cf.units import has_temperature, is_pressure, wrong_units
from zom.conventions.cf.words import entries, pairs
from zom.errors import ExtensionError
from zom.formats.node_view import document_tree, spec_tree


def array(*dims: str, dtype: str = "float32", **attributes: object) -> v3.ArraySpec:
    return v3.ArraySpec.build(
        shape=(2,) * len(dims), dtype=dtype, dimension_names=dims, attributes=attributes
    )


def dataset(members: dict[str, object], **attributes: object) -> v3.GroupSpec:
    return v3.GroupSpec(attributes={"Conventions": "CF-1.13", **attributes}, members=members)


def texts(spec: object, code: str) -> list[str]:
    return [
        str(problem) for problem in zom.validate(spec, conventions=["cf"]) if problem.code == f"cf/{code}"
    ]


def nodes(spec: object) -> int:
    return sum(each.nodes for each in zom.validate(spec).conventions if each.convention == "cf")


# --- where it is found ----------------------------------------------------------------------------------


def test_cf_is_found_by_the_conventions_of_the_root() -> None:
    assert nodes(dataset({"g": v3.GroupSpec(members={"t": array("x")})})) == 3


def test_cf_is_found_in_a_group_that_names_it_and_not_beside_it() -> None:
    other = v3.GroupSpec(members={"t": array("x")})
    assert nodes(v3.GroupSpec(members={"model": dataset({"t": array("x")}), "other": other})) == 2


def test_no_other_conventions_are_taken_for_cf() -> None:
    assert nodes(v3.GroupSpec(attributes={"Conventions": "ACDD-1.3"}, members={"t": array("x")})) == 0


def test_v2_and_v3_are_judged_alike() -> None:
    old = v2.ArraySpec.build(shape=(2,), dtype="float32", dimension_names=("x",), attributes={"units": ""})
    found = [
        [problem.code for problem in zom.validate(each, conventions=["cf"])]
        for each in (
            v2.GroupSpec(attributes={"Conventions": "CF-1.13"}, members={"t": old}),
            dataset({"t": array("x", units="")}),
        )
    ]
    assert found[0] == found[1]


def test_rules_that_need_other_variables_do_not_apply_to_an_array_alone() -> None:
    declared = [{"uuid": "77c308c7-4db2-4774-8b2d-aa37e9997db6"}]
    report = zom.validate(
        array("x", coordinates="nowhere", axis="Q", zarr_conventions=declared), conventions=["cf"]
    )
    reasons = {each.code: each for each in report.rules}
    assert reasons["cf/coordinates-exist"].passed == reasons["cf/coordinates-exist"].failed == 0
    assert reasons["cf/axis"].failed == 1


def test_a_tree_that_was_judged_is_not_kept() -> None:
    root = spec_tree(dataset({"t": array("x", coordinates="a"), "a": array("x")}))
    assert dataset_of(root.arrays["t"]) is not None
    alive = weakref.ref(root)
    del root
    gc.collect()
    assert alive() is None


# --- messages -------------------------------------------------------------------------------------------


def test_a_name_that_is_not_there_is_told_with_those_that_are_near() -> None:
    spec = dataset({"lat": array("x"), "lon": array("x"), "t": array("x", coordinates="latt lon")})
    (text,) = texts(spec, "coordinates-exist")
    assert text == (
        "/t: attributes.coordinates: expected the name of a variable of the dataset, found 'latt'; did you mean 'lat'?"
    )


def test_a_coordinate_on_a_misspelt_dimension_is_told_by_its_name() -> None:
    time = array("tme", units="days since 2000-01-01", calendar="standard", standard_name="time", axis="T")
    (text,) = texts(dataset({"time": time}), "axis-of-coordinates")
    assert text == (
        "/time: dimension_names[0]: expected 'time', the variable's name, because axis marks it as a coordinate, "
        "found 'tme'; did you mean 'time'?"
    )
    # A second time on the dimension of the first is no slip.
    first = array("time", units="days since 2000-01-01", calendar="standard", standard_name="time", axis="T")
    (text,) = texts(dataset({"time": first, "time2": first}), "axis-of-coordinates")
    assert text == (
        "/time2: attributes.axis: expected a variable with a dimension of its own name, "
        "or one that another variable names in coordinates, found neither; "
        "remove axis, or name the variable in the attribute coordinates of the data"
    )


def test_what_is_wrong_with_time_units_is_told() -> None:
    (text,) = texts(dataset({"time": array("time", units="days sinc 2000-01-01", axis="T")}), "time-units")
    assert text == (
        "/time: attributes.units: expected '<unit> since <date>', as in 'days since 2000-01-01', "
        "found 'days sinc 2000-01-01': no 'since' between a unit and a date; "
        "write units such as 'days since 2000-01-01'"
    )


def test_a_calendar_is_suggested() -> None:
    (text,) = texts(
        dataset({"time": array("time", units="days since 2000-01-01", calendar="no_leap")}), "calendar"
    )
    assert text.endswith("found 'no_leap'; did you mean 'noleap'?")


def test_a_version_from_the_future_is_told_with_those_that_are_known() -> None:
    (text,) = texts(dataset({}, Conventions="CF-3.0"), "version")
    assert "expected a version of CF from CF-1.0 to CF-1.14, found CF-3.0" in text


# --- names ----------------------------------------------------------------------------------------------

ARRAY = {"zarr_format": 3, "node_type": "array", "shape": [2]}
TREE = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {"Conventions": "CF-1.13"},
    "members": {
        "lat": ARRAY,
        "a": {
            "zarr_format": 3,
            "node_type": "group",
            "members": {
                "t": ARRAY,
                "lat": ARRAY,
                "b": {"zarr_format": 3, "node_type": "group", "members": {"u": ARRAY}},
            },
        },
        "c": {
            "zarr_format": 3,
            "node_type": "group",
            "members": {"x": {**ARRAY, "dimension_names": ["x"]}, "aux": {**ARRAY, "dimension_names": ["x"]}},
        },
    },
}


@pytest.mark.parametrize(
    ("word", "path", "how"),
    [
        ("lat", "/a/lat", "above"),
        ("u", "/a/b/u", "here"),
        ("/lat", "/lat", "path"),
        ("../lat", "/a/lat", "path"),
        ("../../c/aux", "/c/aux", "path"),
        ("x", "/c/x", "aside"),
    ],
)
def test_a_name_is_found_as_cf_finds_it(word: str, path: str, how: str) -> None:
    found, way = resolve(document_tree(TREE).at("a/b/u"), word)
    assert (found.path, way) == (path, how)


@pytest.mark.parametrize("word", ["aux", "../../../lat", "/a", "b", "", "//", "lat/"])
def test_a_name_leads_nowhere_where_cf_has_no_way_to_it(word: str) -> None:
    found, _ = resolve(document_tree(TREE).at("a/b/u"), word)
    assert found is None or found.path == "/a/lat"
    assert found is None or word == "lat/"


# --- grammars -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", "a:", ": a", "a: b c:", "a:b", "a :b"])
def test_what_has_no_key_or_no_word_is_no_entry(text: str) -> None:
    assert entries(text) is None


def test_a_pair_is_one_key_and_one_word() -> None:
    assert pairs("a: b  c: d") == [("a", "b"), ("c", "d")]
    assert pairs("a: b c") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mean", "'mean' is not a dimension with a colon"),
        ("time:", "no method follows 'time:'"),
        ("time: mean (", "a parenthesis is not closed, or is inside another"),
        ("time: mean max", "unexpected 'max' where the next entry should begin"),
        ("time: mean where", "nothing follows 'where'"),
        ("time: mean within weeks", "within 'weeks': expected days or years"),
        ("time: (x)", "no method follows 'time:'"),
        ("time: anomaly", "'anomaly' is not followed by 'wrt' and a name"),
        ("time: anomaly wrt", "'anomaly' is not followed by 'wrt' and a name"),
        ("time: anomaly of climatology", "'anomaly' is not followed by 'wrt' and a name"),
        ("time: anomaly wrt (of what)", "'anomaly' is not followed by 'wrt' and a name"),
        ("time: anomaly wrt time: mean", "'anomaly' is not followed by 'wrt' and a name"),
    ],
)
def test_what_is_no_cell_method_says_why(text: str, problem: str) -> None:
    assert parse_cell_methods(text) == problem


def test_an_anomaly_has_a_norm() -> None:
    found = parse_cell_methods("time: mean time: lat: anomaly wrt normal (comment: x) area: mean where sea")
    assert not isinstance(found, str)
    assert [(each.dims, each.method, each.norm) for each in found] == [
        (("time",), "mean", None),
        (("time", "lat"), "anomaly", "normal"),
        (("area",), "mean", None),
    ]


def test_a_cell_method_is_taken_apart() -> None:
    found = parse_cell_methods(
        "area: mean where land over all_area_types time: minimum within days (interval: 1 hr comment: x)"
    )
    assert not isinstance(found, str)
    area, time = found
    assert (area.dims, area.method, area.where, area.over) == (("area",), "mean", "land", "all_area_types")
    assert (time.climate, time.intervals, time.wrong_interval) == ((("within", "days"),), [("1", "hr")], None)


@pytest.mark.parametrize(
    "text",
    [
        "days since 2000-01-01",
        "Days Since 2000-1-1 0:0:0",
        "hr since 1-1-1 00:00:00.5 -6",
        "milliseconds since 1970-01-01T00:00:00Z",
        "seconds since 1992-10-8 15:15:42.5 -6:00",
        "d since 2000-01-01 12",
        "gregorian_years since -100-1-1",
        "fortnights since 2000-01-01 00:00:00 UTC",
        "days@2000-01-01",
    ],
)
def test_time_units_that_udunits_reads_are_read(text: str) -> None:
    assert isinstance(parse_time_units(text), TimeUnits)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "days",
        "since 2000-01-01",
        "days since",
        "days since 2000",
        "D since 2000-01-01",
        "days since 1/1/2000",
    ],
)
def test_other_units_are_none_of_time(text: str) -> None:
    assert isinstance(parse_time_units(text), str)


@pytest.mark.parametrize(
    ("date", "calendar", "legal"),
    [
        ("2000-02-29", "standard", True),
        ("1900-02-29", "standard", False),
        ("1900-02-29", "julian", True),
        ("1500-02-29", "standard", True),
        ("1500-02-29", "proleptic_gregorian", False),
        ("1582-10-04", "standard", True),
        ("1582-10-05", "standard", False),
        ("1582-10-05", "proleptic_gregorian", True),
        ("1900-02-29", "all_leap", True),
        ("2000-02-29", "365_day", False),
        ("2000-02-30", "360_day", True),
        ("2000-01-31", "360_day", False),
        ("1957-12-31", "utc", False),
        ("1958-01-01", "tai", True),
        ("-1-01-01", "standard", False),
        ("-1-01-01", "noleap", True),
    ],
)
def test_a_date_is_legal_in_its_calendar(date: str, calendar: str, *, legal: bool) -> None:
    time = parse_time_units(f"days since {date}")
    assert isinstance(time, TimeUnits)
    assert (wrong_date(time, calendar) is None) == legal


@pytest.mark.parametrize(
    ("text", "version"),
    [("CF-1.8", (1, 8)), ("ACDD-1.3, CF-1.10", (1, 10)), ("xCF-1.8", None), ("CF-1", None)],
)
def test_the_version_is_read_from_conventions(text: str, version: object) -> None:
    assert cf_version(text) == version


@pytest.mark.parametrize(
    "units", ["m s-1", "kg m-2", "W/(m2.K)", "%", "1", "1e-3", "degrees_north", "m^2", "°C"]
)
def test_units_of_the_right_form_are_not_refused(units: str) -> None:
    assert wrong_units(units) is None


@pytest.mark.parametrize("units", ["m/", "(m", "m//s", "[m]", "m;s"])
def test_units_that_udunits_could_never_read_are_refused(units: str) -> None:
    assert wrong_units(units) is not None


def test_units_of_temperature_and_pressure_are_told_from_others() -> None:
    assert [each for each in ("K", "degC", "kg", "J K-1", "km", "Kelvin") if has_temperature(each)] == [
        "K",
        "degC",
        "J K-1",
        "Kelvin",
    ]
    assert [each for each in ("hPa", "Pa s", "dbar", "bar", "barn") if is_pressure(each)] == [
        "hPa",
        "dbar",
        "bar",
    ]


@pytest.mark.parametrize(
    ("value", "dtype", "fits"),
    [
        (127, "int8", True),
        (128, "int8", False),
        (1 << 64, "uint64", False),
        (1.5, "int16", False),
        (1e39, "float32", False),
        (1e39, "float64", True),
        ("AAAAAAAA+H8=", "float64", True),
        ("none", "float64", False),
        (True, "int8", False),
        ("x", "string", True),
        (1, "string", False),
        ({}, None, True),
    ],
)
def test_a_value_is_one_of_a_type(value: object, dtype: str | None, *, fits: bool) -> None:
    assert representable(value, dtype) == fits


# --- the standard name table ----------------------------------------------------------------------------

TABLE = """<?xml version="1.0"?><standard_name_table>
<entry id="air_temperature"><canonical_units>K</canonical_units></entry>
<entry id="time"><canonical_units>s since 1958-1-1</canonical_units></entry>
<alias id="temperature_of_air"><entry_id>air_temperature</entry_id></alias>
</standard_name_table>"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.xml"
    path.write_text(TABLE)
    return cf.standard_names(path)


def named(table: object, **attributes: object) -> list[str]:
    return [
        problem.code for problem in zom.validate(dataset({"t": array(**attributes)}), conventions=[table])
    ]


def test_a_standard_name_of_the_table_is_known(table) -> None:
    assert named(table, standard_name="air_temperature", units="K") == []
    assert named(table, standard_name="temperature_of_air standard_error", units="K") == []


def test_a_standard_name_that_is_not_in_the_table_is_refused(table) -> None:
    assert named(table, standard_name="air_temp", units="K") == ["cf-standard-names/known"]


def test_a_quantity_of_the_table_has_units(table) -> None:
    assert named(table, standard_name="air_temperature") == ["cf-standard-names/units-given"]


def test_time_since_a_date_is_no_duration(table) -> None:
    assert named(table, standard_name="time", units="days") == ["cf-standard-names/units"]
    assert named(table, standard_name="time", units="days since 2000-01-01") == []


def test_units_that_measure_something_else_are_refused(table) -> None:
    pytest.importorskip("cf_units", reason="cf-units is not installed: pip install cf-units")
    assert named(table, standard_name="air_temperature", units="m") == ["cf-standard-names/units"]


def test_what_is_no_table_is_refused(tmp_path) -> None:
    path = tmp_path / "table.xml"
    path.write_text("<a/>")
    with pytest.raises(ExtensionError, match="found no entry with a name"):
        cf.standard_names(path)
    path.write_text("no XML")
    with pytest.raises(ExtensionError, match="expected the XML of a standard name table"):
        cf.standard_names(path)


@pytest.mark.parametrize("names", [["CF-1.8"], ["ACDD-1.3", "CF-1.8"]])
def test_conventions_in_a_list_are_found_and_refused(names) -> None:
    array = v3.ArraySpec.build(shape=(2,), dtype="int16", dimension_names=("t",), attributes={"units": 7})
    inner = v3.GroupSpec(attributes={"Conventions": names}, members={"t": array})
    report = zom.validate(v3.GroupSpec(members={"a": inner}))
    assert [each.first for each in report.conventions if each.convention == "cf"] == ["/a"]
    (problem,) = (each for each in report if each.pointer == "/members/a/attributes/Conventions")
    assert (problem.code, problem.severity) == ("cf/attributes", "error")


def test_a_dataset_may_lie_1500_groups_deep() -> None:
    node: dict[str, object] = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {"Conventions": "CF-1.8"},
    }
    for _ in range(1500):
        node = {"zarr_format": 3, "node_type": "group", "members": {"g": node}}
    (found,) = zom.validate(node, conventions=["cf"]).conventions
    assert (found.nodes, found.first) == (1, "/g" * 1500)


def test_a_version_of_thousands_of_digits_is_none() -> None:
    assert cf_version(f"CF-{'9' * 5000}.1") is None


# --- UDUNITS, and what is not asked ---------------------------------------------------------------------

CANONICAL = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "cf" / "canonical_units.json").read_text(encoding="utf-8")
)["units"]


def measured(units, **attributes):
    """A dataset of three variables in these units."""
    variable = v3.ArraySpec.build(
        shape=(), dtype="float32", attributes={"long_name": "x", "units": units, **attributes}
    )
    members = dict.fromkeys("abc", variable)
    return v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members=members)


@pytest.fixture
def without_udunits(monkeypatch):
    """cf-units is not installed."""
    monkeypatch.setattr(units, "_cf_units", lambda: None)
    units.wrong_units.cache_clear()
    units.measures.cache_clear()
    yield
    units.wrong_units.cache_clear()
    units.measures.cache_clear()


@pytest.mark.parametrize("text", CANONICAL)
def test_the_units_of_the_standard_name_table_are_units(text) -> None:
    pytest.importorskip("cf_units", reason="cf-units is not installed: pip install 'zom[cf]'")
    assert units.wrong_units(text) is None


@pytest.mark.parametrize("text", ["Kelvinn", "metre per", "KK", "no_unit", "unknown", "furlongz s-1", "none"])
def test_what_udunits_does_not_know_is_refused(text) -> None:
    pytest.importorskip("cf_units", reason="cf-units is not installed: pip install 'zom[cf]'")
    found = [str(each) for each in zom.validate(measured(text)) if each.code == "cf/units-known"]
    assert found[0] == (
        f"/a: attributes.units: expected units that UDUNITS recognizes, found {text!r}: unknown unit; spell the units as "
        "UDUNITS does, as in 'm s-1'"
    )


@pytest.mark.usefixtures("without_udunits")
def test_without_udunits_the_rule_says_once_that_it_was_not_checked() -> None:
    report = zom.validate(measured("Kelvinn"))
    (rule,) = (each for each in report.rules if each.code == "cf/units-known")
    assert (rule.outcome, rule.skipped) == ("not applicable", 3)
    assert report.not_checked[0] == "UDUNITS, which checks units: install it with pip install 'zom[cf]'"
    assert report.text().count("not checked: UDUNITS") == 1
    assert report.to_dict()["not_checked"] == list(report.not_checked)


@pytest.mark.usefixtures("without_udunits")
def test_without_udunits_the_form_of_units_is_judged() -> None:
    found = [each.found for each in zom.validate(measured("kg (m-2")) if each.code == "cf/units-known"]
    assert set(found) == {"'kg (m-2': a parenthesis is not closed"}


@pytest.mark.usefixtures("without_udunits")
def test_without_udunits_units_of_cell_measures_are_not_checked() -> None:
    cell = v3.ArraySpec.build(shape=(), dtype="float32", attributes={"units": "hectare"})
    data = v3.ArraySpec.build(shape=(), dtype="float32", attributes={"cell_measures": "area: cell"})
    spec = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={"cell": cell, "data": data})
    rules = {each.code: each for each in zom.validate(spec).rules}
    assert units.NOT_CHECKED.why in rules["cf/cell-measures-units"].reasons


def test_with_udunits_it_is_not_said_to_be_missing() -> None:
    pytest.importorskip("cf_units", reason="cf-units is not installed: pip install 'zom[cf]'")
    assert not [each for each in zom.validate(measured("K")).not_checked if "UDUNITS" in each]


def test_without_a_table_a_report_says_once_that_standard_names_were_not_checked(table) -> None:
    said = "the standard name table: pass its file with --standard-names FILE, or "
    spec = measured("K", standard_name="air_temperature")
    assert [each for each in zom.validate(spec).not_checked if each.startswith(said)]
    assert not [each for each in zom.validate(spec, conventions=["cf", table]).not_checked if said in each]
    assert zom.validate(v3.GroupSpec()).not_checked == ()


@pytest.mark.parametrize(("version", "told"), [("CF-1.7", []), ("CF-1.10", []), ("CF-1.11", ["error"])])
def test_bounds_may_have_a_long_name_of_their_own_before_1_11(version, told) -> None:
    lat = {"units": "degrees_north", "standard_name": "latitude", "axis": "Y", "bounds": "lat_bnds"}
    bounds = v3.ArraySpec.build(
        shape=(2, 2),
        dtype="float64",
        dimension_names=("lat", "nv"),
        attributes={"long_name": "bounds of lat"},
    )
    axis = v3.ArraySpec.build(shape=(2,), dtype="float64", dimension_names=("lat",), attributes=lat)
    spec = v3.GroupSpec(attributes={"Conventions": version}, members={"lat": axis, "lat_bnds": bounds})
    found = [each for each in zom.validate(spec) if each.code.startswith("cf/bounds")]
    assert [each.severity for each in found] == told


# --- missing values of coordinates ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("_FillValue", "AAAAAAAA+H8=", "cf/coordinate-without-nan-fill"),  # as xarray writes it by default
        ("missing_value", "NaN", "cf/coordinate-without-nan-fill"),
        ("_FillValue", "AAAAAAA4j8A=", "cf/coordinate-without-fill"),  # -999.0
        ("missing_value", -999.0, "cf/coordinate-without-fill"),
        ("missing_value", [-9999.0, -999.0], "cf/coordinate-without-fill"),
    ],
)
def test_a_fill_value_of_a_coordinate_is_an_error_where_it_marks_numbers(name, value, code) -> None:
    attributes = {"units": "degrees_north", "standard_name": "latitude", "axis": "Y", name: value}
    lat = v3.ArraySpec.build(shape=(2,), dtype="float64", dimension_names=("lat",), attributes=attributes)
    spec = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={"lat": lat})
    severity = "note" if "nan" in code else "error"
    found = [(each.code, each.severity) for each in zom.validate(spec, conventions=["cf"])]
    assert found == [(code, severity)]
    full = zom.validate(spec, conventions=["cf"], profile="full")
    assert (code, "error") in [(each.code, each.severity) for each in full]


def test_a_nan_fill_value_of_a_coordinate_is_told_with_what_to_do() -> None:
    attributes = {"units": "degrees_east", "standard_name": "longitude", "axis": "X", "_FillValue": "NaN"}
    lon = v3.ArraySpec.build(shape=(2,), dtype="float32", dimension_names=("lon",), attributes=attributes)
    spec = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={"lon": lon})
    assert [str(each) for each in zom.validate(spec, conventions=["cf"])] == [
        (
            '/lon: attributes._FillValue: expected no _FillValue of NaN, found "NaN"; remove the attribute; in xarray, write '
            "with encoding={'_FillValue': None}"
        )
    ]
