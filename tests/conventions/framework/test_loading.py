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
