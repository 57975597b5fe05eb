"""zom: Zarr hierarchies as documents, declared, checked and compared.

A **spec** says what a hierarchy is: `zom.v3`, `zom.v2` and `zom.draft` each have an `ArraySpec` and a
`GroupSpec` with `members`.

>>> import zom
>>> from zom import v3
>>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(48,), dtype="int64")})
>>> [path for path, node in spec.walk()]
['/', '/t']

`import zom` itself costs nothing: the first name that is asked for loads the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zom import draft, v2, v3
    from zom.errors import (
        ConversionError,
        ExtensionError,
        NotFound,
        PathError,
        ReadOnlyError,
        SpecError,
        SpecWarning,
        StoreError,
        UnknownName,
        ZomError,
    )
    from zom.limits import Limits
    from zom.model.assembly import ABSENT
    from zom.model.build import AUTO
    from zom.model.compare import Change, Difference, diff, like
    from zom.model.hierarchy import check, parse
    from zom.model.plugins import load_extensions
    from zom.model.resolve import data_type
    from zom.model.tree import unflatten
    from zom.problems import Problem, Rule, rules
    from zom.stores.opening import store

__version__ = "0.1.0"

_HOMES = {
    "zom.errors": (
        "ConversionError",
        "ExtensionError",
        "NotFound",
        "PathError",
        "ReadOnlyError",
        "SpecError",
        "SpecWarning",
        "StoreError",
        "UnknownName",
        "ZomError",
    ),
    "zom.limits": ("Limits",),
    "zom.model.assembly": ("ABSENT",),
    "zom.model.build": ("AUTO",),
    "zom.model.compare": ("Change", "Difference", "diff", "like"),
    "zom.model.hierarchy": ("check", "parse"),
    "zom.model.plugins": ("load_extensions",),
    "zom.model.resolve": ("data_type",),
    "zom.model.tree": ("unflatten",),
    "zom.problems": ("Problem", "Rule", "rules"),
    "zom.stores.opening": ("store",),
}

# The rules of a module are known once it is imported, so all of them are, before anybody can ask.
_MODULES = ("zom.builtin", "zom.v2", "zom.v3", "zom.draft")

__all__ = [
    "ABSENT",
    "AUTO",
    "Change",
    "ConversionError",
    "Difference",
    "ExtensionError",
    "Limits",
    "NotFound",
    "PathError",
    "Problem",
    "ReadOnlyError",
    "Rule",
    "SpecError",
    "SpecWarning",
    "StoreError",
    "UnknownName",
    "ZomError",
    "check",
    "data_type",
    "diff",
    "draft",
    "like",
    "load_extensions",
    "parse",
    "rules",
    "store",
    "unflatten",
    "v2",
    "v3",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            message = f"module 'zom' has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=None)
        from importlib import import_module  # noqa: PLC0415 - `import zom` imports nothing

        for module_name in _MODULES:
            import_module(module_name)
        for home, names in _HOMES.items():
            module = import_module(home)
            globals().update({each: getattr(module, each) for each in names})
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
