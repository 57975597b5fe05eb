"""A plugin of pytest: the metadata documents that a suite hands to the software that it tests.

    COLLECTED=documents.jsonl python -m pytest -p collected ...

Each document is written once, with the peer's verdict: None where it accepts it, else what it says. Of
zarr-python the documents that it writes are taken along, and the fill values that its data types read, each in
the document of an array. zarr-metadata is asked for its own verdict on the cases that it keeps in JSON files.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

FOUND: dict[tuple[str, str], str | None] = {}
"""By form and text of a document: why the peer refuses it."""


def pytest_unconfigure(config: Any) -> None:
    """Write what was collected."""
    del config
    with Path(os.environ["COLLECTED"]).open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"form": form, "document": text, "refused": refused}) + "\n"
            for (form, text), refused in FOUND.items()
        )


def note(form: str, document: Any, refused: str | None) -> None:
    """Keep a document that is JSON; the first verdict counts."""
    try:
        text = json.dumps(plain(document))
    except (TypeError, ValueError, RecursionError):
        return
    FOUND.setdefault((form, text), refused)


def plain(value: Any) -> Any:
    """A JSON value as dicts and lists; a TypeError for what is none."""
    if isinstance(value, Mapping) and all(type(key) is str for key in value):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or type(value) in {bool, int, float, str}:
        return value
    raise TypeError(type(value))


def said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


# --- zarr-python -------------------------------------------------------------------------------------


def watch_zarr() -> None:
    from zarr.core.dtype.wrapper import ZDType
    from zarr.core.group import GroupMetadata
    from zarr.core.metadata.v2 import ArrayV2Metadata
    from zarr.core.metadata.v3 import ArrayV3Metadata

    for owner in (ArrayV2Metadata, ArrayV3Metadata, GroupMetadata):
        _watch_reading(owner)
        _watch_writing(owner)
    waiting = list(ZDType.__subclasses__())
    for family in waiting:
        waiting.extend(family.__subclasses__())
        if "from_json_scalar" in vars(family):
            _watch_scalars(family)


def _watch_reading(owner: Any) -> None:
    inner = vars(owner)["from_dict"].__func__

    @wraps(inner)
    def from_dict(cls: Any, data: Any, *more: Any, **named: Any) -> Any:
        # A group's class takes the members of both formats, and fills in what is the same for all groups.
        given = {"node_type": "group", **data} if owner.__name__ == "GroupMetadata" else data
        form = "v2" if data.get("zarr_format") == 2 else "v3"
        if form == "v2":
            given = data
        try:
            made = inner(cls, data, *more, **named)
        except Exception as error:
            note(form, given, said(error))
            raise
        note(form, given, None)
        return made

    owner.from_dict = classmethod(from_dict)


def _watch_writing(owner: Any) -> None:
    inner = owner.to_buffer_dict

    @wraps(inner)
    def to_buffer_dict(self: Any, *more: Any, **named: Any) -> Any:
        made = inner(self, *more, **named)
        for key, buffer in made.items():
            name = key.rpartition("/")[2]
            form = {"zarr.json": "v3", ".zarray": "v2", ".zgroup": "v2", ".zmetadata": "consolidated"}.get(
                name
            )
            if form is not None:
                note(form, json.loads(buffer.to_bytes()), None)
        return made

    owner.to_buffer_dict = to_buffer_dict


def _watch_scalars(family: Any) -> None:
    inner = vars(family)["from_json_scalar"]

    @wraps(inner)
    def from_json_scalar(self: Any, data: Any, *, zarr_format: Any) -> Any:
        refused = None
        try:
            return inner(self, data, zarr_format=zarr_format)
        except Exception as error:
            refused = said(error)
            raise
        finally:
            try:
                spelled = self.to_json(zarr_format)
            except Exception:  # noqa: BLE001 - a type that has no spelling is no document
                spelled = None
            if spelled is not None:
                note(f"v{zarr_format}", _around(spelled, data, zarr_format), refused)

    family.from_json_scalar = from_json_scalar


def _around(data_type: Any, fill: Any, zarr_format: int) -> dict[str, Any]:
    """An array of one chunk with a data type and a fill value."""
    if zarr_format == 2:
        codec = data_type["object_codec_id"]
        made = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": data_type["name"], "compressor": None}
        return {**made, "fill_value": fill, "order": "C", "filters": [{"id": codec}] if codec else None}
    name = data_type if isinstance(data_type, str) else data_type["name"]
    codec = {"string": "vlen-utf8", "bytes": "vlen-bytes", "variable_length_bytes": "vlen-bytes"}.get(name)
    chain = [{"name": codec} if codec else {"name": "bytes", "configuration": {"endian": "little"}}]
    return v3_array(data_type=data_type, fill_value=fill, codecs=chain)


def v3_array(**members: Any) -> dict[str, Any]:
    """A v3 array of bytes, with other members."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes"}],
        **members,
    }


# --- zarr-metadata -----------------------------------------------------------------------------------

_FUNCTIONS = {
    "read_array_metadata_v2": "v2",
    "read_group_metadata_v2": "v2",
    "read_node_metadata_v2": "v2",
    "read_repaired_node_metadata_v2": "v2",
    "read_consolidated_metadata_v2": "consolidated",
    "read_repaired_consolidated_metadata_v2": "consolidated",
    "read_array_metadata_v3": "v3",
    "read_group_metadata_v3": "v3",
    "read_node_metadata_v3": "v3",
    "read_repaired_node_metadata_v3": "v3",
}
_CLASSES = {
    "ZarrV2ArrayMetadata": "v2",
    "ZarrV2GroupMetadata": "v2",
    "ZarrV2ConsolidatedMetadata": "consolidated",
    "ZarrV3ArrayMetadata": "v3",
    "ZarrV3GroupMetadata": "v3",
}


def watch_zarr_metadata() -> None:
    package = import_module("zarr_metadata")
    model = import_module("zarr_metadata.model")
    for name, form in _CLASSES.items():
        _watch_class(getattr(package, name), form)
    ask = model.read_node_metadata_v3
    for name, form in _FUNCTIONS.items():
        _watch_function(getattr(model, name), name, form)
    for document in _cases(Path.cwd() / "tests" / "v3"):
        problems = ask(document).problems
        note("v3", document, "; ".join(map(str, problems)) or None)


def _watch_class(owner: Any, form: str) -> None:
    inner = vars(owner)["from_json"].__func__

    @wraps(inner)
    def from_json(cls: Any, data: Any, *, context: Any = None) -> Any:
        try:
            made = inner(cls, data, context=context)
        except Exception as error:
            if context is None:
                note(form, data, said(error))
            raise
        if context is None:
            note(form, data, None)
        return made

    owner.from_json = classmethod(from_json)


def _watch_function(inner: Any, name: str, form: str) -> None:
    @wraps(inner)
    def read(value: Any, *more: Any, context: Any = None) -> Any:
        reading = inner(value, *more, context=context)
        # A context brings names of its own: what it says holds for nobody else.
        if context is None:
            problems = getattr(reading, "reading", reading).problems
            note(form, value, "; ".join(map(str, problems)) or None)
        return reading

    for module in list(sys.modules.values()):
        if module.__name__.startswith("zarr_metadata") and getattr(module, name, None) is inner:
            setattr(module, name, read)


def _cases(folder: Path) -> list[dict[str, Any]]:
    """The arrays that the JSON files speak of: a grid, a key encoding, a codec, or a type and a fill value."""
    made: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*/*/*.json")):
        point, name = path.parts[-3:-1]
        cases = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "fill_values.json":
            spelled = path.with_name("data_type.json")
            named = "r32" if name == "raw" else name
            data_type = json.loads(spelled.read_text(encoding="utf-8")) if spelled.exists() else named
            codec = {"string": "vlen-utf8", "bytes": "vlen-bytes"}.get(name)
            chain = [{"name": codec} if codec else {"name": "bytes", "configuration": {"endian": "little"}}]
            made += [v3_array(data_type=data_type, fill_value=fill, codecs=chain) for fill in cases.values()]
        elif path.name == "cases.json" and point == "codec":
            made += [v3_array(codecs=_chain_with(codec)) for codec in cases.values()]
        elif path.name == "cases.json":
            made += [v3_array(**{point: case}) for case in cases.values()]
    return made


def _chain_with(codec: Any) -> list[Any]:
    name = codec if isinstance(codec, str) else codec["name"]
    if name in {"bytes", "sharding_indexed"}:
        return [codec]
    before = name in {"transpose", "cast_value", "scale_offset"}
    return [codec, {"name": "bytes"}] if before else [{"name": "bytes"}, codec]


# --- pydantic-zarr -----------------------------------------------------------------------------------


def watch_pydantic_zarr() -> None:
    from zarr.core.dtype import Int32, Struct

    # Its suite makes one of each data type; it is older than the one that needs fields.
    Struct.__init__.__kwdefaults__ = {"fields": (("a", Int32()),)}
    for name in ("v2", "v3", "experimental.v2", "experimental.v3"):
        module = import_module(f"pydantic_zarr.{name}")
        for owner in (module.ArraySpec, module.GroupSpec):
            _watch_spec(owner, name[-2:])


def _watch_spec(owner: Any, form: str) -> None:
    inner_init, inner_validate = owner.__init__, owner.model_validate.__func__
    same = {"zarr_format": int(form[1])}
    if form == "v3":
        same["node_type"] = "array" if "Array" in owner.__name__ else "group"

    @wraps(inner_init)
    def init(self: Any, /, **data: Any) -> None:
        # Python's arguments have defaults, which a document spells.
        try:
            inner_init(self, **data)
        except Exception as error:
            note(form, {**same, **data}, said(error))
            raise
        note(form, self.model_dump(mode="json"), None)

    @wraps(inner_validate)
    def model_validate(cls: Any, obj: Any, **named: Any) -> Any:
        try:
            made = inner_validate(cls, obj, **named)
        except Exception as error:
            note(form, obj, said(error))
            raise
        note(form, obj, None)
        return made

    owner.__init__ = init
    owner.model_validate = classmethod(model_validate)


# Before the suite's own conftest.py is read, which takes what it needs of the package.
{"zarr": watch_zarr, "zarr_metadata": watch_zarr_metadata, "pydantic_zarr": watch_pydantic_zarr}[
    os.environ["COLLECTED_PEER"]
]()
