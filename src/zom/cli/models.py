"""Typed models of a hierarchy as source code: for Python's type checkers, and for TypeScript.

A model describes the hierarchy without sizes: data types, the number and names of dimensions, the names of
members, the names and types of attributes. Equal nodes share a class.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Any

from zom.json.python_value import is_dict
from zom.json.write import write_json
from zom.model.output import member_specs
from zom.model.tree import walk
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.model.spec import Spec

__all__ = ["python_models", "typescript_models"]


_PYTHON_RESERVED = frozenset({"Any", "Literal", "TypedDict", *keyword.kwlist})
_TYPESCRIPT_RESERVED = frozenset({"Record", "schema"})
"""Names that the generated code uses itself, and no class may have."""


class _Names:
    """Unique names of classes; equal nodes share one."""

    def __init__(self, reserved: Iterable[str], root: str) -> None:
        self._taken = set(reserved)
        self._known: dict[object, str] = {}
        self._root = self._new([root])

    def of(self, path: str, content: object) -> tuple[str, bool]:
        """The name for the node at `path`, and whether it is a new one."""
        if path == "/":
            return self._root, True
        if content in self._known:
            return self._known[content], False
        self._known[content] = self._new(re.findall(r"[A-Za-z0-9]+", path.rpartition("/")[2]))
        return self._known[content], True

    def _new(self, words: list[str]) -> str:
        """An unused name made of words."""
        name = "".join(word[:1].upper() + word[1:] for word in words) or "Node"
        name = name if name[0].isalpha() else f"N{name}"
        chosen, number = name, 1
        while {chosen, f"{chosen}Attributes", f"{chosen}Members"} & self._taken:
            number += 1
            chosen = f"{name}{number}"
        self._taken |= {chosen, f"{chosen}Attributes", f"{chosen}Members"}
        return chosen


def _attributes(spec: Spec) -> Mapping[str, Any]:
    found: Any = spec.document.get("attributes")
    return found if is_dict(found) else {}


def _typescript_text(value: Any) -> str:
    """The value as TypeScript, with escapes for invisible characters: code must read as it runs."""
    return one_line(write_json(value))


def _python_text(value: str) -> str:
    """Like `_typescript_text`, for Python, where a surrogate pair of JSON is one escape."""
    text = write_json(value)
    return one_line("".join(each if _is_short(each) else f"\\U{ord(each):08x}" for each in text))


def _is_short(character: str) -> bool:
    return character.isprintable() or ord(character) < 0x10000


def _title(source: str) -> str:
    return one_line(source).replace("\\", "/").replace('"""', "'''").replace("*/", "* /")


# --- Python ----------------------------------------------------------------------------------------------

_PYTHON_HEAD = '''"""Models of {source}, made by `zom codegen`: `{root}.model_validate(zom.read(store))`."""

# Specs are frozen, so a narrower type of a field is safe; type checkers treat fields as mutable.
# pyright: reportIncompatibleVariableOverride=false, reportGeneralTypeIssues=false
from __future__ import annotations

{imports}
from zom import {form}

__all__ = ["{root}"]
'''


def python_models(spec: Spec, root: str, source: str) -> str:
    """A module with a class for the root, named `root`, and for each distinct node below.

    >>> from zom import v3
    >>> print(python_models(v3.GroupSpec(members={}), "Root", "a.zarr").splitlines()[-1])
        members: RootMembers
    """
    form = spec.family.form
    names = _Names({*_PYTHON_RESERVED, form}, root)
    made: dict[str, str] = {}
    parts: list[str] = []
    for path, node in reversed(list(walk(spec))):
        members = _python_members(path, node, made)
        fields = _python_fields(node)
        attributes = {name: _python_type(value) for name, value in _attributes(node).items()}
        content = (
            node.kind,
            tuple(fields),
            tuple(attributes.items()),
            None if members is None else tuple(members.items()),
        )
        name, is_new = names.of(path, content)
        made[path] = name
        if is_new:
            parts.append(_python_class(name, node, fields, attributes, members))
    body = "".join(parts)
    head = _PYTHON_HEAD.format(source=_title(source), root=made["/"], form=form, imports=_imports(body))
    return head + body


def _imports(body: str) -> str:
    """The import lines for the names that the classes use."""
    names = [name for name in ("Any", "Literal") if re.search(rf"\b{name}\b", body)]
    lines = [f"from typing import {', '.join(names)}", ""] if names else []
    lines += ["from typing_extensions import TypedDict", ""] if "TypedDict" in body else []
    return "\n".join(lines)


def _python_members(path: str, node: Spec, made: Mapping[str, str]) -> dict[str, str] | None:
    members = member_specs(node)
    base = "" if path == "/" else path
    return None if members is None else {name: made[f"{base}/{name}"] for name in members}


def _python_fields(node: Spec) -> list[str]:
    if node.kind != "array":
        return []
    document: Any = node.document
    rank = len(document["shape"])
    fields = [f"shape: tuple[{', '.join(['int'] * rank) or '()'}]"]
    field = _type_field(node)
    if isinstance(document.get(field), str):
        fields.append(f"{field}: Literal[{_python_text(document[field])}]")
    names = document.get("dimension_names")
    if names:
        shown = ", ".join("None" if name is None else f"Literal[{_python_text(name)}]" for name in names)
        fields.append(f"dimension_names: tuple[{shown}]")
    return fields


def _python_type(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "dict[str, Any]" if isinstance(value, dict) else "list[Any]"
    return "None" if value is None else type(value).__name__ if type(value) in {bool, int, float} else "str"


def _python_class(
    name: str, node: Spec, fields: list[str], attributes: Mapping[str, str], members: Mapping[str, str] | None
) -> str:
    form = node.family.form
    parts: list[str] = []
    of = "dict[str, Any]"
    if attributes:
        of = f"{name}Attributes"
        parts.append(_typed_dict(of, attributes))
    kind = "ArraySpec" if node.kind == "array" else "GroupSpec"
    lines = list(fields)
    if members is not None:
        parts.append(_typed_dict(f"{name}Members", members))
        lines.append(f"members: {name}Members")
    arguments = of if node.kind == "array" else f"{of}, Any"
    body = "".join(f"    {line}\n" for line in lines) or "    pass\n"
    parts.append(f"\n\nclass {name}({form}.{kind}[{arguments}]):\n{body}")
    return "".join(parts)


def _typed_dict(name: str, fields: Mapping[str, str]) -> str:
    if _are_plain(fields):
        body = "".join(f"    {field}: {kind}\n" for field, kind in fields.items()) or "    pass\n"
        return f"\n\nclass {name}(TypedDict):\n{body}"
    body = "".join(f"        {_python_text(field)}: {kind},\n" for field, kind in fields.items())
    return f'\n\n{name} = TypedDict(\n    "{name}",\n    {{\n{body}    }},\n)\n'


def _are_plain(fields: Mapping[str, str]) -> bool:
    """Whether a class can have these fields: identifiers that Python keeps unchanged, and no type names."""
    types = {word for kind in fields.values() for word in re.findall(r"\w+", kind)}
    return all(
        field.isascii()  # Python converts others to NFKC
        and field.isidentifier()
        and not keyword.iskeyword(field)
        and not field.startswith("__")
        and field not in types
        for field in fields
    )


# --- TypeScript ------------------------------------------------------------------------------------------


def typescript_models(spec: Spec, root: str, source: str) -> str:
    """A module with an interface for the root, named `root`, and for each distinct node, and a schema.

    >>> from zom import v3
    >>> "export interface Root " in typescript_models(v3.GroupSpec(members={}), "Root", "a.zarr")
    True
    """
    names = _Names(_TYPESCRIPT_RESERVED, root)
    made: dict[str, str] = {}
    parts = [f"/** Types of {_title(source)}, made by `zom codegen`. Check documents with `schema`. */\n"]
    for path, node in reversed(list(walk(spec))):
        members = _python_members(path, node, made)
        lines = _typescript_fields(node, members)
        name, is_new = names.of(path, tuple(lines))
        made[path] = name
        if is_new:
            body = "".join(f"  {line}\n" for line in lines)
            parts.append(f"\nexport interface {name} {{\n{body}}}\n")
    # In JavaScript, a plain key "__proto__" of an object would set its prototype.
    lines = write_json(_schema(spec), indent=2).split("\n")
    schema = re.sub(r'(?<!\\)"__proto__":', '["__proto__"]:', "\n".join(map(one_line, lines)))
    about = f"/** The JSON Schema (2020-12) of a {made['/']}, for ajv and similar validators. */"
    parts.append(f"\n{about}\nexport const schema: Record<string, unknown> = {schema};\n")
    return "".join(parts)


def _schema(spec: Spec) -> dict[str, Any]:
    """A schema of the hierarchy and all similar ones."""
    from zom.schema import json_schema  # noqa: PLC0415 - slow to import

    if spec.family.form == "v2":  # templates support v3 only
        schema = json_schema("v2/array" if spec.kind == "array" else "v2/group")
    else:
        from zom.template import infer  # noqa: PLC0415 - slow to import

        schema = json_schema(infer(spec))
    del schema["$id"]
    # Templates only require the kind of a data type; types in TypeScript name the data type itself.
    made: dict[str, dict[str, Any]] = {}
    for path, node in reversed(list(walk(spec))):
        base = "" if path == "/" else path
        members = member_specs(node)
        made[path] = _common(node, members and {name: made[f"{base}/{name}"] for name in members})
    return {**schema, "allOf": [*schema.get("allOf", ()), made["/"]]}


def _common(node: Spec, members: Mapping[str, Any] | None) -> dict[str, Any]:
    """The common schema of a node and all similar ones."""
    document: Any = node.document
    attributes = {name: {"type": _json_type(value)} for name, value in _attributes(node).items()}
    fields: dict[str, Any] = {"shape": False}
    if node.kind == "array":
        rank = len(document["shape"])
        fields = {"shape": {"type": "array", "minItems": rank, "maxItems": rank}}
        field = _type_field(node)
        if isinstance(document.get(field), str):
            fields[field] = {"const": document[field]}
    if attributes:
        fields["attributes"] = _object(attributes)
    if members is not None:
        fields["members"] = {**_object(members), "additionalProperties": False}
    return _object(fields)


def _type_field(node: Spec) -> str:
    return "dtype" if node.family.form == "v2" else "data_type"


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with these members."""
    required = [name for name, schema in fields.items() if schema is not False]
    return {"type": "object", "properties": dict(fields), "required": required}


def _json_type(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "object" if isinstance(value, dict) else "array"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return "string" if isinstance(value, str) else "number"


def _typescript_fields(node: Spec, members: Mapping[str, str] | None) -> list[str]:
    document: Any = node.document
    lines = [f"zarr_format: {document['zarr_format']};"]
    if "node_type" in document:
        lines.append(f"node_type: {_typescript_text(document['node_type'])};")
    if node.kind == "array":
        lines.append(f"shape: [{', '.join(['number'] * len(document['shape']))}];")
        field = _type_field(node)
        said = _typescript_text(document[field]) if isinstance(document.get(field), str) else "unknown"
        lines.append(f"{field}: {said};")
        if document.get("dimension_names"):
            lines.append(f"dimension_names: {_typescript_text(document['dimension_names'])};")
    attributes = _attributes(node)
    if attributes:
        inner = " ".join(
            f"{_typescript_text(name)}: {_typescript_type(value)};" for name, value in attributes.items()
        )
        lines.append(f"attributes: {{ {inner} [name: string]: unknown }};")
    else:
        lines.append("attributes?: Record<string, unknown>;")
    if members is not None:
        inner = " ".join(f"{_typescript_text(name)}: {kind};" for name, kind in members.items())
        lines.append(f"members: {{ {inner} }};" if inner else "members: Record<string, never>;")
    elif node.kind == "group":
        lines.append("members?: Record<string, unknown> | null;")
    lines.append("[name: string]: unknown;")
    return lines


def _typescript_type(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "Record<string, unknown>" if isinstance(value, dict) else "unknown[]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return "string" if isinstance(value, str) else "number"
