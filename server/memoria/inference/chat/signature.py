"""The form of an answer in a few words, for requests that carry no JSON schema.

It says what the schema says in less than half of its tokens, in the way of TypeScript, which models
know: `{op: "ADD", content, turn: integer, until?}`. A field that nothing stands behind is a text.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_REF = "#/$defs/"
_TEXT = {"type": "string"}

Schema = Mapping[str, Any]


def describe_form(schema: Schema) -> str:
    """Describe a schema that `compact_schema` has made, in words; its definitions stand below."""
    named = (
        f"{name} = {_describe(inner)}" for name, inner in sorted(schema.get("$defs", {}).items())
    )
    return "\n".join([_describe(schema), *named])


def _describe(schema: Schema) -> str:
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


def _describe_object(fields: Mapping[str, Schema], required: Sequence[str]) -> str:
    return f"{{{', '.join(_describe_field(*one, required) for one in fields.items())}}}"


def _describe_field(name: str, field: Schema, required: Sequence[str]) -> str:
    mark = "" if name in required else "?"
    return f"{name}{mark}" if field == _TEXT else f"{name}{mark}: {_describe(field)}"
