"""The form of an answer, as a JSON schema and in a few words: only what binds an answer.

A schema is sent with every request and can cost more than the text to be read. Titles, descriptions
and defaults bind nobody. Ranges of numbers and least lengths are checked when the answer is read.

Of several kinds of object, told apart by one field, the first two, which are by far the most of an
answer, are described by themselves, and all others as one whose fields each of them takes some of.
What an answer makes of that is checked when it is read. A strict endpoint requires every field, so
there each kind is described by itself.

Requests that carry no schema have the same in words, in less than half of its tokens and in the way
of TypeScript, which models know: `{op: "ADD", content, turn: integer, until?}`. A field that
nothing stands behind is a text.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_KEPT = ("type", "const", "enum", "items", "anyOf", "maxItems")
_REF = "#/$defs/"
_NULL = {"type": "null"}
_FEW_KINDS = 2
_LONG, _MANY = 500, 10
"""Shorter limits on texts and lists are left to the check of the answer."""
Schema = dict[str, Any]


def compact_schema(schema: Schema, *, is_strict: bool) -> Schema:
    """Return a schema as it is sent.

    Args:
        schema: as pydantic writes it.
        is_strict: whether it must be in the subset that strict endpoints take: every field is
            required, and no text has a limit.
    """
    return _Compactor(schema.get("$defs", {}), is_strict=is_strict).compact_root(schema)


class _Compactor:
    """Compacts one schema. A definition that is used once stands where it is used."""

    def __init__(self, definitions: Mapping[str, Schema], *, is_strict: bool) -> None:
        self._definitions = definitions
        self._is_strict = is_strict

    def compact_root(self, schema: Schema) -> Schema:
        uses = Counter(_list_references([schema, *self._definitions.values()], root=schema))
        self._shared = {name for name, count in uses.items() if count > 1}
        compacted = self._compact(schema)
        if self._shared:
            shared = {name: self._compact(self._definitions[name]) for name in sorted(self._shared)}
            compacted["$defs"] = shared
        return compacted

    def _compact(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REF)
            return dict(schema) if name in self._shared else self._compact(self._definitions[name])
        if "oneOf" in schema:
            schema = {**schema, "anyOf": self._join_kinds(schema)}
        if "properties" in schema:
            return self._compact_object(schema)
        kept = {name: self._compact_keyword(name, schema[name]) for name in _KEPT if name in schema}
        if not self._is_strict:
            if "const" in kept or "enum" in kept:
                kept.pop("type", None)
            if kept.get("maxItems", _MANY) < _MANY:
                kept.pop("maxItems")
            if schema.get("maxLength", 0) >= _LONG:
                kept["maxLength"] = schema["maxLength"]
        return kept

    def _join_kinds(self, schema: Schema) -> list[Schema]:
        """Return the kinds of object in a union, all but the first few joined in one."""
        kinds = schema["oneOf"]
        discriminator = schema.get("discriminator", {}).get("propertyName")
        if self._is_strict or discriminator is None or len(kinds) <= _FEW_KINDS:
            return list(kinds)
        others = (kind["$ref"].removeprefix(_REF) for kind in kinds[_FEW_KINDS:])
        rest = [self._definitions[name] for name in others]
        return [*kinds[:_FEW_KINDS], _join_objects(rest, discriminator)]

    def _compact_keyword(self, name: str, inner: Any) -> Any:  # noqa: ANN401  (any JSON)
        match name:
            case "items":
                return self._compact(inner)
            case "anyOf":
                return [self._compact(each) for each in inner]
            case _:
                return inner

    def _compact_object(self, schema: Schema) -> Schema:
        fields: Mapping[str, Schema] = schema["properties"]
        required = [name for name in fields if self._is_required(name, schema)]
        return {
            "type": "object",
            "properties": {name: self._compact_field(field) for name, field in fields.items()},
            **({"required": required} if required else {}),
            **({"additionalProperties": False} if self._is_strict else {}),
        }

    def _is_required(self, name: str, schema: Schema) -> bool:
        is_const = "const" in schema["properties"][name]
        return self._is_strict or is_const or name in schema.get("required", ())

    def _compact_field(self, field: Schema) -> Schema:
        """Compact a field; one that may be left out need not be null as well."""
        others = [each for each in field.get("anyOf", ()) if each != _NULL]
        if self._is_strict or "default" not in field or len(others) != 1:
            return self._compact(field)
        return self._compact(others[0])


def _join_objects(objects: Sequence[Schema], discriminator: str) -> Schema:
    """Return one object with the fields of several; required is what all of them require."""
    fields: dict[str, Schema] = {}
    for name, field in (item for each in objects for item in each["properties"].items()):
        known = fields.get(name, field)
        words = dict.fromkeys([*_list_words(known), *_list_words(field)])
        fields[name] = {"enum": list(words)} if words else known
    required = [{discriminator, *each.get("required", ())} for each in objects]
    common = set[str].intersection(*required)
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name in common],
    }


def _list_words(field: Schema) -> list[Any]:
    """List the values that a field may have, where they are listed."""
    return [field["const"]] if "const" in field else list(field.get("enum", ()))


def _list_references(schemas: object, root: Schema) -> Iterator[str]:
    """Yield the names of definitions by each use; the root's own list of them is no use."""
    if isinstance(schemas, list):
        for inner in schemas:
            yield from _list_references(inner, root)
    elif isinstance(schemas, dict):
        for name, inner in schemas.items():
            if name == "$ref":
                yield inner.removeprefix(_REF)
            elif not (schemas is root and name == "$defs") and name != "discriminator":
                yield from _list_references(inner, root)


_TEXT = {"type": "string"}
AnySchema = Mapping[str, Any]


def describe_form(schema: AnySchema) -> str:
    """Describe a schema that `compact_schema` has made, in words; its definitions stand below."""
    named = (
        f"{name} = {_describe(inner)}" for name, inner in sorted(schema.get("$defs", {}).items())
    )
    return "\n".join([_describe(schema), *named])


def _describe(schema: AnySchema) -> str:
    match schema:
        case {"$ref": str(name)}:
            said = name.removeprefix(_REF)
        case {"const": value}:
            said = json.dumps(value)
        case {"enum": [*values]}:
            said = "|".join(map(json.dumps, values))
        case {"anyOf": [*kinds]}:
            said = " | ".join(map(_describe, kinds))
        case {"items": inner}:
            most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
            said = f"[{_describe(inner)}{most}]"
        case {"properties": fields}:
            said = _describe_object(fields, schema.get("required", ()))
        case {"type": "string", "maxLength": most}:
            said = f"up to {most} characters"
        case _:
            said = str(schema["type"])
    return said


def _describe_object(fields: Mapping[str, AnySchema], required: Sequence[str]) -> str:
    return f"{{{', '.join(_describe_field(*one, required) for one in fields.items())}}}"


def _describe_field(name: str, field: AnySchema, required: Sequence[str]) -> str:
    mark = "" if name in required else "?"
    return f"{name}{mark}" if field == _TEXT else f"{name}{mark}: {_describe(field)}"
