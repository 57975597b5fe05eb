"""Imports go one way, form no circle, and stay light.

    ground <- json <- extension <- {dtypes codecs grids chunk_keys}
    extension <- model <- formats <- {conversion schema checks}; checks <- {template conventions}
    formats <- engine <- hierarchy <- handles <- {integrations views cli}

Conventions see documents only: formats, what lies below them, checks, and schemas; stores see the ground and JSON
only; the engine sees a store's interface only. `zom.testing` is for tests and may see everything but the
command line; `zom/__init__.py`, and `zom.v2`, `v3`, `draft`, `builtin`, `xarray` and `dask` beside it, only gather names
and may see everything. `pyramids` stands beside `integrations`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import zom
from zom import v3

SOURCE = Path(__file__).parent.parent / "src"

GROUND = {
    "brief",
    "columns",
    "count",
    "dataclass",
    "digests",
    "errors",
    "interpreter_lock",
    "next_steps",
    "packages",
    "plugins",
    "problems",
    "limits",
    "looks",
    "file_url",
    "reason",
    "misspelling",
    "numpy_later",
    "paths",
    "patterns",
    "portable",
    "threads",
}
EXTENSIONS = {"dtypes", "codecs", "grids", "chunk_keys"}
STORE_INTERFACE = "zom.stores.interface"

DOCUMENTS = {"ground", "json", "extension", "model", "formats"}
ENGINE = {"ground", "json", "extension", "model", "formats", *EXTENSIONS, "engine"}
HIERARCHY = ENGINE | {"conversion", "checks", "template", "declaration", "hierarchy", "conventions", "stores"}
TOP = HIERARCHY | {"handles", "schema", "integrations", "pyramids", "views"}

# What the modules of each part may import; a part may always import itself.
ALLOWED = {
    "ground": set(),
    "json": {"ground"},
    "extension": {"ground", "json"},
    **{part: {"ground", "json", "extension"} for part in EXTENSIONS},
    "model": {"ground", "json", "extension"},
    "formats": DOCUMENTS,
    "conversion": DOCUMENTS,
    "checks": DOCUMENTS,
    "template": DOCUMENTS | {"checks"},
    "schema": DOCUMENTS | {"template"},
    "declaration": DOCUMENTS | {"checks", "template", "schema", "conventions"},
    "stores": {"ground", "json"},
    "schemas": {"ground"},  # files, and nothing that makes them
    "conventions": DOCUMENTS | {"checks", "schema"},
    "engine": ENGINE,
    "hierarchy": HIERARCHY,
    "handles": HIERARCHY,
    "integrations": TOP,
    "pyramids": TOP,
    "views": TOP,
    "cli": {*TOP, "root"},
    "testing": {*TOP, "root"},
    "root": {*TOP, "testing"},
}

PLACES = {
    **dict.fromkeys(GROUND, "ground"),
    **dict.fromkeys(
        ["", "v2", "v3", "draft", "builtin", "xarray", "dask"], "root"
    ),  # names gathered, nothing else
    "__main__": "cli",
}


@dataclass(frozen=True)
class Import:
    importer: str
    imported: str
    line: int
    when: str
    """"load", with the module; "call", inside a function; "typing", never."""


def name_of(file, source=SOURCE):
    parts = file.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in sorted((SOURCE / "zom").rglob("*.py"))}


def part_of(module):
    first = module.partition(".")[2].partition(".")[0]
    return PLACES.get(first, first)


def is_type_checking(test):
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def literal_import(node):
    """The name in `importlib.import_module("name")` or `__import__("name")`."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in {"import_module", "__import__"} and node.args and isinstance(node.args[0], ast.Constant):
        return node.args[0].value
    return None


def imported_by(node, importer, modules, *, is_package):
    """The modules that a statement imports, each by its full name."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.Call):
        name = literal_import(node)
        return [name] if name else []
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        above = importer.split(".")[: len(importer.split(".")) - node.level + is_package]
        base = ".".join([*above, *base.split(".")]).rstrip(".")
    inner = [f"{base}.{alias.name}" for alias in node.names]
    # `from zom.model import codec` needs the module codec; what is no module comes from the package.
    return sorted({name if name in modules else base for name in inner})


def imports_in(text, importer, modules, *, is_package=False):
    found = []

    def visit(node, when):
        names = imported_by(node, importer, modules, is_package=is_package)
        own = (name for name in names if name.partition(".")[0] == "zom")
        found.extend(Import(importer, name, node.lineno, when) for name in own)
        if isinstance(node, ast.If) and is_type_checking(node.test):
            for child in node.body:
                visit(child, "typing")
            for child in node.orelse:
                visit(child, when)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and when == "load":
            when = "call"
        for child in ast.iter_child_nodes(node):
            visit(child, when)

    visit(ast.parse(text), "load")
    return found


def forbidden(arrow):
    source, target = part_of(arrow.importer), part_of(arrow.imported)
    if source == "engine" and arrow.imported == STORE_INTERFACE:
        return False
    return source != target and target not in ALLOWED.get(source, set())


@cache
def all_imports():
    return [
        found
        for name, file in FILES.items()
        for found in imports_in(file.read_text(), name, FILES, is_package=file.name == "__init__.py")
    ]


def test_every_module_has_a_place_in_the_design():
    assert [name for name in FILES if part_of(name) not in ALLOWED] == []


def test_no_import_goes_against_the_arrows():
    wrong = [f"{a.importer}:{a.line} imports {a.imported}" for a in all_imports() if forbidden(a)]
    assert wrong == []


def circle(arrows):
    """The modules of a circle, in order; empty where there is none."""
    done, path = set(), []

    def walk(module):
        if module in path:
            return [*path[path.index(module) :], module]
        if module not in done:
            path.append(module)
            for target in sorted(arrows.get(module, ())):
                found = walk(target)
                if found:
                    return found
            done.add(path.pop())
        return []

    return next((found for found in map(walk, sorted(arrows)) if found), [])


def test_no_modules_need_each_other_in_a_circle():
    # What a function imports when it is called counts, too: only names of types may lead back.
    arrows = {}
    for found in all_imports():
        if found.when != "typing" and found.imported != found.importer:
            arrows.setdefault(found.importer, set()).add(found.imported)
    assert circle(arrows) == []


# -- the checks themselves find what they look for ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("import zom.codecs.gzip", "load"),
        ("from zom.codecs.gzip import GzipConfig", "load"),
        ("from zom.codecs import gzip", "load"),
        ("from ..codecs import gzip", "load"),
        ("from ..codecs.gzip import GzipConfig", "load"),
        ("def f():\n    import zom.codecs.gzip", "call"),
        ("if TYPE_CHECKING:\n    import zom.codecs.gzip", "typing"),
        ("import importlib\nimportlib.import_module('zom.codecs.gzip')", "load"),
        ("try:\n    import zom.codecs.gzip as g\nexcept ImportError:\n    pass", "load"),
        ("class A:\n    async def f(self):\n        from zom.codecs import gzip", "call"),
        ("x = lambda: __import__('zom.codecs.gzip')", "call"),
    ],
)
def test_every_way_to_import_is_seen(text, when):
    (found,) = imports_in(text, "zom.formats.v3", {"zom.codecs.gzip"})
    assert found.imported == "zom.codecs.gzip"
    assert found.when == when
    assert forbidden(found)


def test_a_relative_import_in_a_package_starts_at_the_package():
    (found,) = imports_in("from . import gzip", "zom.codecs", {"zom.codecs.gzip"}, is_package=True)
    assert found.imported == "zom.codecs.gzip"


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("zom.problems", "zom.formats.v3"),
        ("zom.extension.codec", "zom.codecs"),
        ("zom.formats.v3", "zom.conventions.xarray"),
        ("zom.codecs.gzip", "zom.dtypes.core"),
        ("zom.codecs.gzip", "zom.engine.plan"),
        ("zom.stores.local", "zom.formats.v3"),
        ("zom.conventions.xarray", "zom.codecs.gzip"),
        ("zom.engine.chunks", "zom.stores.local"),
        ("zom.engine.chunks", "zom.handles.array"),
        ("zom.handles.array", "zom.views.text"),
        ("zom.views.text", "zom.cli.main"),
        ("zom.formats.v3", "zom"),
        ("zom.hierarchy.stored.open", "zom.testing.stores"),
        ("zom.hierarchy.change.apply", "zom.handles.array"),
    ],
)
def test_arrows_that_are_not_in_the_design_are_forbidden(importer, imported):
    assert forbidden(Import(importer, imported, 1, "load"))


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("zom.formats.v3", "zom.problems"),
        ("zom.codecs.gzip", "zom.extension.codec"),
        ("zom.engine.chunks", "zom.codecs.gzip"),
        ("zom.engine.chunks", STORE_INTERFACE),
        ("zom.handles.array", "zom.hierarchy.stored.open"),
        ("zom.hierarchy.stored.open", "zom.stores.local"),
        ("zom.cli.main", "zom.views.text"),
        ("zom", "zom.codecs.gzip"),
    ],
)
def test_arrows_of_the_design_are_allowed(importer, imported):
    assert not forbidden(Import(importer, imported, 1, "load"))


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


# -- import zom stays light --------------------------------------------------------------------------

HEAVY = ("numcodecs", "jsonschema", "ml_dtypes", "asyncio", "concurrent.futures", "zarr", "xarray", "dask")

# Stores that keep many requests in flight, loaded when one is opened: zom.stores.opening is light.
CONCURRENT = (
    "zom.threads",
    *(f"zom.stores.{name}" for name in ("fsspec.at_once", "http", "object", "zarr_python")),
)

# numpy and pydantic are dependencies; what they load themselves is not zom's to avoid.
PROBE = """
import sys, threading
import numpy, pydantic, pydantic_core
before = set(sys.modules)
{imports}
after = set(sys.modules) - before
print(*sorted(name for name in {heavy!r} if name in after))
print(threading.active_count())
"""


def light(imports):
    code = PROBE.format(imports=imports, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:2]


def test_importing_zom_loads_no_heavy_module_and_starts_no_thread():
    assert light("import zom") == ["", "1"]


def test_the_command_heeds_ctrl_c_before_it_imports_anything():
    """What comes before `heed()` ends by a traceback where it is interrupted."""
    code = (
        "import sys; before = {*sys.modules}; import zom.cli.start; print(*sorted({*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[str(SOURCE)]!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {*done.stdout.split()} - {"__future__", "_signal"} == {"zom", "zom.cli", "zom.cli.start"}


def test_importing_the_model_and_its_extensions_loads_no_heavy_module():
    wanted = {"root", "ground", "model", "stores", "engine", "hierarchy", *EXTENSIONS}
    names = [name for name in FILES if part_of(name) in wanted and not name.startswith(CONCURRENT)]
    assert light("\n".join(f"import {name}" for name in names)) == ["", "1"]


def test_a_heavy_module_would_be_seen():
    assert light("import asyncio, threading; threading.Timer(0.5, print).start()") != [
        "",
        "1",
    ]
    assert "asyncio" in light("import asyncio")[0]


def test_a_store_is_shown_and_checked_without_numpy(tmp_path):
    array = v3.ArraySpec.build(shape=(4,), dtype="float32", chunks=(2,), fill_value=float("nan"))
    other = v3.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,), compress="blosc")
    shards = v3.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,), shards=(4,))
    more = {kind: v3.ArraySpec.build(shape=(4,), dtype=kind) for kind in ("<U4", "<M8[s]", "complex64")}
    members = {
        "a": array,
        "b": other,
        "shards": shards,
        **{f"x{kind[1]}": each for kind, each in more.items()},
    }
    zom.materialize(v3.GroupSpec(members=members), tmp_path / "a.zarr")
    code = (
        "import sys; from zom.cli.main import main; "
        "main(['tree', sys.argv[1]]); main(['validate', sys.argv[1]]); import zom.builtin; "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.zarr")], capture_output=True, text=True, check=True
    )
    assert "float32" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_the_architecture_page_lists_the_modules_of_the_ground_layer():
    page = (Path(__file__).parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| ground |"))
    assert set(re.findall(r"`(\w+)`", row)) == GROUND


def test_specs_are_described_and_compared_without_numpy():
    code = (
        "import sys; from zom import v3\n"
        "spec = v3.GroupSpec(attributes={'a': [1.5, 'b', None, True]}, members={'g': v3.GroupSpec()})\n"
        "spec == v3.parse(spec.to_json()), spec.diff(v3.GroupSpec()), hash(spec)\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
