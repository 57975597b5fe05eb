"""Users' spec classes as JSON Schema: the format's own schema, narrowed by the class's annotations.

Attributes come from the type that the class declares, members from its plan of members (names,
required ones, others), and every other redeclared field from its annotation. Checks in Python code
are reported as losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.extension.field import annotated
from zom.json.python_value import is_dict, is_list
from zom.model import attributes
from zom.model.members import member_plan
from zom.schema.annotation import annotation_schema
from zom.schema.codegen import codegen_schema
from zom.schema.loss import Loss
from zom.schema.standard import MODULES, SchemaPart, node_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.model.spec import Spec
    from zom.schema import Flavour

__all__ = ["Builder", "class_part", "safe"]


def class_part(cls: type[Spec], flavour: Flavour) -> tuple[SchemaPart, list[Loss]]:
    """Return the schema of documents that `cls` reads, and its losses.

    >>> from zom import v3
    >>> part, losses = class_part(v3.GroupSpec, "validation")
    >>> part.name, losses
    ('v3/group', [])
    """
    form, kind = cls.family.form, cls.kind
    if cls is cls.family.classes.get(kind):
        name = f"{form}/{kind.replace(' ', '-')}"
        if flavour == "validation":
            return node_part(form, kind.replace(" ", "-")), []
        title, root, definitions = codegen_schema(name)
        return SchemaPart(name, title, node_part(form, kind).description, root, definitions), []
    builder = Builder(form, flavour)
    root = builder.root(cls)
    about = _about(cls)
    name = f"class/{safe(f'{cls.__module__}.{cls.__qualname__}')}"
    title = cls.__name__ if flavour == "validation" else safe(cls.__name__)
    return SchemaPart(name, title, about, root, builder.definitions), builder.losses


def _about(cls: type[Spec]) -> str:
    """Return the first paragraph of a class's docstring, or a default."""
    text = (cls.__doc__ or "").strip().split("\n\n")[0] or f"A {cls.family.form} {cls.kind}."
    return " ".join(text.split())


def safe(text: str) -> str:
    """Convert a class name to a definition name.

    >>> safe("ArraySpec[Measured]")
    'ArraySpec_Measured'
    """
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in text).strip("_")


class Builder:
    """Builds schemas of classes of one format that refer to each other; `losses` lists what they lack."""

    def __init__(self, form: str, flavour: Flavour) -> None:
        self.form = form
        self.flavour = flavour
        self.losses: list[Loss] = []
        self.definitions: dict[str, Any] = {}
        self._names: dict[type[Spec], str] = {}
        if flavour == "validation":
            self.definitions |= node_part(form, "group").definitions
        else:
            title, root, definitions = codegen_schema(f"{form}/node")
            renamed = {"#": f"#/$defs/{title}"}
            self.definitions |= {name: _renamed(schema, renamed) for name, schema in definitions.items()}
            self.definitions[title] = _renamed(root, renamed)
            self._typed_node = title

    def root(self, cls: type[Spec]) -> dict[str, Any]:
        """Return the schema of `cls` as root, which its descendants refer to as "#"."""
        self._names[cls] = "#"
        return self._node(cls)

    def refer(self, cls: type[Spec]) -> dict[str, Any]:
        """Return a reference to the schema of `cls`, which is built on first use."""
        if cls is cls.family.classes.get(cls.kind):
            return self._plain(cls.kind)
        if cls not in self._names:
            name = safe(cls.__name__)
            while name in self.definitions:
                name += "_"
            self._names[cls] = f"#/$defs/{name}"
            self.definitions[name] = {}
            self.definitions[name] = self._node(cls)
        return {"$ref": self._names[cls]}

    def any_node(self) -> dict[str, Any]:
        """Return a reference to any node of the format."""
        return {"$ref": f"#/$defs/{'node' if self.flavour == 'validation' else self._typed_node}"}

    def _plain(self, kind: str) -> dict[str, Any]:
        if self.flavour == "codegen":
            title = codegen_schema(f"{self.form}/{kind}")[0]
            return {"$ref": f"#/$defs/{title}"}
        if kind not in self.definitions:
            module = MODULES[self.form]
            self.definitions[kind] = module.array() if kind == "array" else module.group(self.any_node())
        return {"$ref": f"#/$defs/{kind}"}

    def base(self, kind: str) -> dict[str, Any]:
        """Return the format's own schema of a node of this kind."""
        if self.flavour == "codegen":
            title = codegen_schema(f"{self.form}/{kind}")[0]
            made = self.definitions[title]
        elif kind == "array":
            made = MODULES[self.form].array()
        else:
            made = MODULES[self.form].group(self.any_node())
        return {**made, "properties": dict(made["properties"]), "required": list(made.get("required", ()))}

    def _node(self, cls: type[Spec]) -> dict[str, Any]:
        made: dict[str, Any] = {
            "title": safe(cls.__name__),
            "description": _about(cls),
            **self.base(cls.kind),
        }
        made["title"] = safe(cls.__name__)
        own = cls.family.classes[cls.kind].model_fields
        for name, field in cls.model_fields.items():
            if name == "attributes":
                self._attributes(cls, made)
            elif name == "members":
                made["properties"]["members"] = self.members(cls, made["properties"]["members"])
                if field.is_required() or member_plan(cls).are_needed:
                    made["required"].append("members")
            elif (
                name not in own
                or own[name].annotation != field.annotation
                or own[name].metadata != field.metadata
            ):
                self._narrow(cls, name, made)
        self._note_validators(cls)
        if not made["required"]:
            del made["required"]
        return made

    def _attributes(self, cls: type[Spec], made: dict[str, Any]) -> None:
        annotation: Any = cls.model_fields["attributes"].annotation
        if attributes.plain(annotation):
            return
        where = f"{cls.__name__}.attributes"
        prefix = f"{safe(cls.__name__)}.attributes"
        schema = annotation_schema(annotation, where, prefix, self.definitions, self.losses)
        schema = self._named(schema)
        made["properties"]["attributes"] = schema
        if self._asks(schema) and "attributes" not in made["required"]:
            made["required"].append("attributes")

    def _named(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Define a schema with a class name and return a reference: generators name types by definitions."""
        name = safe(str(schema.get("title", "")))
        if not name or self.definitions.get(name, schema) != schema:
            return schema
        self.definitions[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    def _asks(self, schema: dict[str, Any]) -> bool:
        """Whether `schema` rejects an empty object: attributes are then required."""
        reference = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        return bool(self.definitions.get(reference, schema).get("required"))

    def _narrow(self, cls: type[Spec], name: str, made: dict[str, Any]) -> None:
        field = cls.model_fields[name]
        where, prefix = f"{cls.__name__}.{name}", f"{safe(cls.__name__)}.{name}"
        schema = annotation_schema(annotated(field), where, prefix, self.definitions, self.losses)
        before = made["properties"].get(name, True)
        if name not in made["properties"] and isinstance(made.get("additionalProperties"), dict):
            before = made["additionalProperties"]
        plain = before is True or before == {} or self.flavour == "codegen"
        made["properties"][name] = schema if plain else {"allOf": [before, schema]}
        if field.is_required() and name not in made["required"]:
            made["required"].append(name)

    def members(self, cls: type[Spec], before: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of the members of a group of `cls`, by its plan."""
        plan = member_plan(cls)
        made = {"type": "object", "propertyNames": before["propertyNames"]}
        if plan.named:
            made["properties"] = {name: self.union(found) for name, found in plan.named.items()}
        if plan.required:
            made["required"] = sorted(plan.required)
        if plan.others is None:
            made["additionalProperties"] = False
        elif plan.others or plan.named:
            made["additionalProperties"] = self.union(plan.others)
        else:
            made["additionalProperties"] = before["additionalProperties"]
        return made

    def union(self, candidates: Sequence[type[Spec]]) -> dict[str, Any]:
        """Return a schema for any of the classes, which selects by the kind of node first."""
        if not candidates:
            return self.any_node()
        found = [self.refer(cls) for cls in candidates]
        if len(found) == 1:
            return found[0]
        kinds = {cls.kind for cls in candidates}
        if self.flavour == "codegen" or len(kinds) == 1:
            return {"anyOf": found}
        sides = {
            kind: [ref for cls, ref in zip(candidates, found, strict=True) if cls.kind == kind]
            for kind in ("array", "group")
        }
        then, other = (each[0] if len(each) == 1 else {"anyOf": each} for each in sides.values())
        made: dict[str, Any] = MODULES[self.form].apart(then, other)
        return made

    def _note_validators(self, cls: type[Spec]) -> None:
        decorators = cls.__pydantic_decorators__
        for found in (decorators.field_validators, decorators.model_validators, decorators.validators):
            for name in cast("dict[str, Any]", found):
                self.losses.append(Loss(cls.__name__, f"the validator {name}"))


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    if is_dict(schema):
        return {
            key: names.get(value, value) if key == "$ref" else _renamed(value, names)
            for key, value in schema.items()
        }
    return [_renamed(item, names) for item in schema] if is_list(schema) else schema
