"""zom: Zarr hierarchies as documents, declared, checked and compared.

A **spec** describes a hierarchy: `zom.v3`, `zom.v2` and `zom.draft` each have an `ArraySpec` and a
`GroupSpec` with `members`.

>>> import zom
>>> from zom import v3
>>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(48,), dtype="int64")})
>>> [path for path, node in spec.walk()]
['/', '/t']

`import zom` is cheap: each name loads its module on first use.
"""

from __future__ import annotations

# Like `typing.TYPE_CHECKING`: importing `typing` is slow here, and delays the handling of Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from zom import conventions, dask, draft, template, v2, v3, xarray
    from zom.conventions.framework.explanation import explain
    from zom.conversion.losses import Conversion
    from zom.conversion.trees import convert
    from zom.declaration.declaration import Declaration
    from zom.declaration.declare import declare
    from zom.errors import (
        ChunkError,
        CodecError,
        ConcurrentWriteError,
        ConflictError,
        ConversionError,
        DeclarationError,
        ExtensionError,
        MissingChunk,
        NodeExists,
        NotFound,
        PathError,
        PluginWarning,
        ReadOnlyError,
        SelectionError,
        SpecError,
        SpecWarning,
        StoreError,
        StoreNotFound,
        UnknownName,
        ZomError,
    )
    from zom.extension.resolve import data_type
    from zom.formats.detection import parse
    from zom.handles.array import Array
    from zom.handles.changes import (
        consolidate,
        delete,
        materialize,
        plan,
        plan_consolidate,
        plan_delete,
        plan_rename,
        rename,
    )
    from zom.handles.comparing import diff
    from zom.handles.creation import array, create_array, create_group, empty, full, ones, zeros
    from zom.handles.declaring import declaration_of
    from zom.handles.group import Group
    from zom.handles.handles import open, open_array, open_group  # noqa: A004
    from zom.handles.plan import Plan
    from zom.handles.saving import load, save
    from zom.hierarchy.check.validate import check, validate
    from zom.hierarchy.copy.copy import copy
    from zom.hierarchy.copy.report import CopyReport
    from zom.hierarchy.journal.repair import Repair, plan_repair, repair
    from zom.hierarchy.migrate.migrate import migrate
    from zom.hierarchy.migrate.migration import Migration
    from zom.hierarchy.plugins import load_extensions
    from zom.hierarchy.stored.broken import BrokenNode
    from zom.hierarchy.stored.read import read
    from zom.integrations.hdf5.spec import from_hdf5
    from zom.integrations.xarray.spec import from_xarray
    from zom.limits import Limits
    from zom.model.builders.build import AUTO
    from zom.model.compare import like
    from zom.model.construction import ABSENT
    from zom.model.difference import Change, Difference
    from zom.model.tree import unflatten
    from zom.problems import Problem, Rule, rules
    from zom.pyramids.pyramid import pyramid
    from zom.schema import json_schema, not_expressible, schema_names
    from zom.stores.opening import store

__version__ = "0.1.0"

_HOMES = {
    "zom.handles.array": ("Array",),
    "zom.conventions.framework.explanation": ("explain",),
    "zom.declaration.declaration": ("Declaration",),
    "zom.declaration.declare": ("declare",),
    "zom.errors": (
        "ChunkError",
        "CodecError",
        "ConcurrentWriteError",
        "ConflictError",
        "ConversionError",
        "DeclarationError",
        "ExtensionError",
        "MissingChunk",
        "NodeExists",
        "NotFound",
        "PathError",
        "ReadOnlyError",
        "SelectionError",
        "SpecError",
        "PluginWarning",
        "PluginWarning",
        "SpecWarning",
        "StoreError",
        "StoreNotFound",
        "UnknownName",
        "ZomError",
    ),
    "zom.handles.changes": (
        "consolidate",
        "delete",
        "materialize",
        "plan",
        "plan_consolidate",
        "plan_delete",
        "plan_rename",
        "rename",
    ),
    "zom.handles.declaring": ("declaration_of",),
    "zom.handles.group": ("Group",),
    "zom.hierarchy.stored.broken": ("BrokenNode",),
    "zom.handles.comparing": ("diff",),
    "zom.hierarchy.copy.copy": ("copy",),
    "zom.hierarchy.copy.report": ("CopyReport",),
    "zom.handles.creation": ("array", "create_array", "create_group", "empty", "full", "ones", "zeros"),
    "zom.handles.handles": ("open", "open_array", "open_group"),
    "zom.handles.saving": ("load", "save"),
    "zom.hierarchy.migrate.migrate": ("migrate",),
    "zom.hierarchy.migrate.migration": ("Migration",),
    "zom.handles.plan": ("Plan",),
    "zom.hierarchy.plugins": ("load_extensions",),
    "zom.hierarchy.stored.read": ("read",),
    "zom.integrations.hdf5.spec": ("from_hdf5",),
    "zom.hierarchy.journal.repair": ("Repair", "plan_repair", "repair"),
    "zom.hierarchy.check.validate": ("check", "validate"),
    "zom.integrations.xarray.spec": ("from_xarray",),
    "zom.limits": ("Limits",),
    "zom.model.construction": ("ABSENT",),
    "zom.conversion.losses": ("Conversion",),
    "zom.conversion.trees": ("convert",),
    "zom.model.builders.build": ("AUTO",),
    "zom.model.compare": ("like",),
    "zom.model.difference": ("Change", "Difference"),
    "zom.formats.detection": ("parse",),
    "zom.schema": ("json_schema", "not_expressible", "schema_names"),
    "zom.extension.resolve": ("data_type",),
    "zom.model.tree": ("unflatten",),
    "zom.problems": ("Problem", "Rule", "rules"),
    "zom.pyramids.pyramid": ("pyramid",),
    "zom.stores.opening": ("store",),
}

_MODULES = ("conventions", "dask", "draft", "template", "v2", "v3", "xarray")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# Importing a module registers its rules, so `rules` and `explain` import all of these first.
_WITH_RULES = (
    "zom.builtin",
    *(f"zom.{name}" for name in _MODULES),
    "zom.template.compile",
    "zom.template.document",
    "zom.hierarchy.check.unopened",
    "zom.integrations.dask.alignment",
    "zom.integrations.xarray.writing.existing",
    *_HOMES,
)

__all__ = [
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
    "unflatten",
    "v2",
    "v3",
    "validate",
    "xarray",
    "zeros",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            message = f"module 'zom' has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=None)
        from importlib import import_module  # noqa: PLC0415 - `import zom` imports nothing

        if name in _MODULES:
            return import_module(f"zom.{name}")
        if name in {"explain", "rules"}:
            for module_name in _WITH_RULES:
                import_module(module_name)
        found: object = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
