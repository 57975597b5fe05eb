"""Which conventions are imported: those that are asked for, or, where none is named, those that may be there."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys, zom
from zom import v3
group = v3.GroupSpec(attributes={{"title": "t", "Conventoins": "CF-1.8", **{attributes}}}, members={{}})
report = zom.validate(group, {asked})
print(*sorted(name.split(".")[2] for name in sys.modules if name.startswith("zom.conventions.") and name.count(".") == 2))
print(*sorted({{each.convention for each in report.rules}}))
"""
FRAMEWORK = {"framework", "report", "shipped"}


def loaded(asked, attributes=None):
    """The modules of conventions that a process has in the end, and the conventions of the report."""
    command = [sys.executable, "-c", SCRIPT.format(asked=asked, attributes=attributes or {})]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules, names = done.stdout.splitlines()
    return set(modules.split()) - FRAMEWORK, names.split()


@pytest.mark.parametrize(
    ("asked", "modules", "names"),
    [
        ("conventions=()", set(), []),
        ("conventions=['xarray']", {"xarray"}, ["xarray"]),
        ("conventions=['ome/0.5']", {"ome", "affine"}, ["ome/0.5"]),
        ("conventions=['vcf-zarr/0.4']", {"vcf_zarr"}, ["vcf-zarr/0.4"]),
    ],
)
def test_what_is_asked_for_by_name_loads_nothing_else(asked, modules, names):
    found, said = loaded(asked)
    assert found <= modules
    assert said == names


def test_where_none_is_named_those_are_loaded_that_may_be_there():
    # Near the name of CF's attribute, and what functions find.
    assert {"cf", "nz", "xarray"} <= loaded("")[0] <= {"cf", "nz", "xarray", "consolidated", "nczarr"}


def test_where_conventions_are_declared_all_are_loaded():
    assert {"anndata", "cf", "ome", "xarray", "zarr_conventions"} <= loaded("", {"zarr_conventions": []})[0]


def test_each_file_is_named_after_the_id_of_a_convention():
    from zom.conventions import conventions
    from zom.conventions.shipped import FILES

    ids = {each.id.replace("-", "_") for each in conventions.own()}
    assert set(FILES) == ids


def test_versions_of_an_id_are_found_without_the_others():
    from zom.conventions import conventions

    assert [each.id for each in conventions.versions_of({"ome", "no-such"})].count("ome") == len(
        conventions.versions_of({"ome"})
    )
    assert conventions.versions_of(()) == ()


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["", "conventions=['ome']"])
def test_no_model_is_defined_but_that_of_the_version_of_the_nodes(asked):
    script = SCRIPT + "print(*(name for name in sys.modules if name.startswith('zom.conventions.ome.')))"
    for version, wanted in (
        ("0.5", "keys"),
        ("0.6", "v06_form"),
        ("0.6.dev4", "v06_dev4"),
        ("0.6.dev1", "older_form"),
    ):
        group = {"ome": {"version": version}}
        command = [sys.executable, "-c", script.format(asked=asked, attributes=group)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        _, names, modules = done.stdout.splitlines()
        assert [name for name in names.split() if name.startswith("ome/")] == [f"ome/{version}"]
        found = {each.rpartition(".")[2] for each in modules.split()}
        assert wanted in found
        if version == "0.5":
            assert not found & {"transformations", "v06_form", "v06_dev4", "older_form", "spatialdata_form"}


def test_rules_of_versions_that_are_not_there_are_told_where_no_version_is():
    import zom
    from zom import v3

    def versions(attributes, asked):
        report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), conventions=asked)
        return {each.convention for each in report.rules}, {each.code for each in report.problems}

    assert {"ome/0.4", "ome/0.5", "ome/0.6"} <= versions({}, ["ome"])[0]
    # Who names a version asks for that one.
    names, codes = versions({"ome": {"version": "0.5"}}, ["ome/0.4", "ome/0.6"])
    assert names == {"ome/0.4", "ome/0.6"}
    assert codes == {"convention/other-version"}


def test_a_function_that_defines_a_model_is_called_once_and_late():
    from zom.conventions import Attributes, Convention

    calls = []

    def define():
        class See(Attributes):
            see: str

        calls.append(See)
        return See

    made = Convention("see", owns=("see",), attributes=define)
    assert calls == []
    assert made.models == {"group": calls[0], "array": calls[0]}
    assert [code for code, _ in made.codes()] == ["see/attributes"]
    assert len(calls) == 1
    # Without `owns`, what it owns is asked of the model.
    assert Convention("see", attributes=define).owns == ("see",)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "attributes",
    [int, {"group": int}, lambda: int, lambda: None],
    ids=["class", "by kind", "function", "nothing"],
)
def test_what_is_no_model_of_attributes_is_refused(attributes):
    from zom.conventions import Convention
    from zom.errors import ExtensionError

    message = (
        r"^convention 'see': expected subclasses of Attributes as attributes, found (<class 'int'>|None)$"
    )
    with pytest.raises(ExtensionError, match=message):
        Convention("see", attributes=attributes)
    if isinstance(attributes, (type, dict)):
        with pytest.raises(ExtensionError, match=message):
            Convention("see", owns=("see",), attributes=attributes)
    else:
        late = Convention("see", owns=("see",), attributes=attributes)
        with pytest.raises(ExtensionError, match=message):
            late.models  # noqa: B018 - it is asked here
