"""The public names are these; a change here is a change for users, and belongs in the changelog."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import zom

PUBLIC = [
    *(
        "ABSENT",
        "AUTO",
        "Array",
        "BrokenNode",
        "Change",
        "ChunkError",
        "CodecError",
        "ConcurrentWriteError",
        "ConflictError",
        "Conversion",
    ),
    *(
        "ConversionError",
        "CopyReport",
        "Declaration",
        "DeclarationError",
        "Difference",
        "ExtensionError",
        "Group",
        "Limits",
        "Migration",
        "MissingChunk",
        "NodeExists",
    ),
    *(
        "NotFound",
        "PathError",
        "Plan",
        "PluginWarning",
        "Problem",
        "ReadOnlyError",
        "Repair",
        "Rule",
        "SelectionError",
        "SpecError",
        "SpecWarning",
    ),
    *(
        "StoreError",
        "StoreNotFound",
        "UnknownName",
        "ZomError",
        "array",
        "check",
        "consolidate",
        "conventions",
        "convert",
        "copy",
    ),
    *(
        "create_array",
        "create_group",
        "dask",
        "data_type",
        "declaration_of",
        "declare",
        "delete",
        "diff",
        "draft",
        "empty",
    ),
    *(
        "explain",
        "from_hdf5",
        "from_xarray",
        "full",
        "json_schema",
        "like",
        "load",
        "load_extensions",
        "materialize",
        "migrate",
    ),
    *(
        "not_expressible",
        "ones",
        "open",
        "open_array",
        "open_group",
        "parse",
        "plan",
        "plan_consolidate",
        "plan_delete",
        "plan_rename",
    ),
    *(
        "plan_repair",
        "pyramid",
        "read",
        "rename",
        "repair",
        "rules",
        "save",
        "schema_names",
        "store",
        "template",
    ),
    *(
        "unflatten",
        "v2",
        "v3",
        "validate",
        "xarray",
        "zeros",
    ),
]

MODULES = {
    "draft": ["ArraySpec", "EntryPoint", "GroupSpec", "check", "parse"],
    "v2": ["ArraySpec", "GroupSpec", "check", "parse"],
    "v3": ["ArraySpec", "GroupSpec", "check", "parse"],
}

# Raised by operations that show them, and nothing a program makes itself.
WITHOUT_EXAMPLE = {
    *(
        "ConcurrentWriteError",
        "MissingChunk",
        "SelectionError",
        "ConversionError",
        "ExtensionError",
        "PathError",
        "Rule",
        "SpecWarning",
        "UnknownName",
    ),
    "ZomError",
}


def test_the_public_names_are_these():
    assert zom.__all__ == PUBLIC


@pytest.mark.parametrize("module", MODULES)
def test_the_names_of_a_format_are_these(module):
    assert getattr(zom, module).__all__ == MODULES[module]


def test_every_public_name_can_be_had():
    assert [name for name in zom.__all__ if not hasattr(zom, name)] == []
    assert set(zom.__all__) <= set(dir(zom))


def test_a_name_that_is_not_public_is_refused_as_python_does():
    with pytest.raises(AttributeError, match=r"^module 'zom' has no attribute 'matrialize'$"):
        _ = zom.matrialize


def documented():
    for name in zom.__all__:
        found = getattr(zom, name)
        if isinstance(found, ModuleType):
            for inner in found.__all__:
                yield f"{name}.{inner}", getattr(found, inner)
        elif inspect.isclass(found) or inspect.isfunction(found):
            yield name, found


CALLABLE = {name: found for name, found in documented() if inspect.isclass(found) or inspect.isroutine(found)}


@pytest.mark.parametrize("name", CALLABLE)
def test_a_public_name_says_what_it_is(name):
    assert inspect.getdoc(CALLABLE[name])


def examples_of(found):
    members = [found]
    if inspect.isclass(found):
        members += [m for m in vars(found).values() if inspect.isroutine(m) or isinstance(m, property)]
    return [
        e for member in members for e in doctest.DocTestParser().get_examples(inspect.getdoc(member) or "")
    ]


@pytest.mark.parametrize("name", [name for name in CALLABLE if name not in WITHOUT_EXAMPLE])
def test_a_public_name_shows_an_example(name):
    # That the examples run is shown where they stand: pytest collects the docstrings of src.
    assert examples_of(CALLABLE[name])


def test_importing_zom_loads_none_of_its_modules_and_nothing_that_it_needs():
    code = "import sys; before = set(sys.modules); import zom; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert [name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names] == ["zom"]


def test_importing_one_format_loads_the_specs_of_no_other():
    code = "import sys; from zom import v3; v3.parse(v3.GroupSpec().to_json()); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "zom.formats.v3" in loaded
    assert loaded.isdisjoint({"zom.formats.v2", "zom.formats.draft", "zom.formats.detection"})
