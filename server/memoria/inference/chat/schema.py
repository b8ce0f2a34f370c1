"""Form of an answer, as a JSON schema or in a few words: only what binds an answer.

A schema is sent with every request and can cost more than the text to be read. Titles, descriptions
and defaults bind nobody. Ranges of numbers and least lengths are checked when the answer is read.

Of several kinds of object, told apart by one field, the first two, which make up most of an answer,
are described by themselves, and all others as one object that has the fields of each. The
difference is checked when the answer is read. A strict endpoint requires every field, so for it
each kind is described by itself.

A request without a schema describes the same in words, in less than half of the tokens and in the
way of TypeScript, which models know: `{op: "ADD", content, turn: integer, until?}`. A field without
a type is a text.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel

from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.templates import load_template

_KEPT = ("type", "const", "enum", "items", "anyOf", "maxItems")
_REF = "#/$defs/"
_NULL = {"type": "null"}
_FEW_KINDS = 2
_LONG, _MANY = 500, 10
"""Least limits on texts and lists that are sent; shorter ones are checked in the answer."""
Schema = dict[str, Any]
_TEXT = {"type": "string"}
_PRIVATE_NAMES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
Form = Literal["bounded_schema", "json_schema", "json_object", "text"]
FORMS: tuple[Form, ...] = ("bounded_schema", "json_schema", "json_object", "text")
"""Forms from the surest to what every model understands.

Small models repeat themselves without end where a text has no limit; some strict endpoints take no
limits.
"""


@cache
def schema_without_limits(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the answer's JSON schema in the subset that strict endpoints take.

    Every field is required and no other allowed. Limits on lengths go: they are checked when the
    answer is read. The schema is cached: no caller may change it.
    """
    return _compact_schema(answer, is_strict=True)


@cache
def schema_with_limits(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the answer's JSON schema with its limits on lengths, so that no text goes on for ever.

    A field with a default may be left out: schema and answer are shorter so.
    """
    return _compact_schema(answer, is_strict=False)


@cache
def form_in_words(answer: type[BaseModel]) -> str:
    """Describe the form of an answer in words, for a prompt."""
    schema = schema_with_limits(answer)
    definitions = sorted(schema.get("$defs", {}).items())
    named = (f"{name} = {_describe(inner)}" for name, inner in definitions)
    return "\n".join([_describe(schema), *named])


def _compact_schema(answer: type[BaseModel], *, is_strict: bool) -> Schema:
    schema = answer.model_json_schema()
    return _Compactor(schema.get("$defs", {}), is_strict=is_strict).compact_root(schema)


class _Compactor:
    """Compacts one schema: a definition that is used once is put in the place of its use."""

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
        """Return the kinds of object in a union: the first few, and all others joined into one."""
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
        """Compact a field; a field that may be left out loses its null."""
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
    """Yield a definition's name for each use; the root's own list of definitions is no use."""
    if isinstance(schemas, list):
        for inner in schemas:
            yield from _list_references(inner, root)
    elif isinstance(schemas, dict):
        for name, inner in schemas.items():
            if name == "$ref":
                yield inner.removeprefix(_REF)
            elif not (schemas is root and name == "$defs") and name != "discriminator":
                yield from _list_references(inner, root)


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


def first_form(base_url: str) -> Form:
    """Return the form in which an endpoint is asked first.

    A server in one's own network runs small models, which a schema keeps to their form. Elsewhere
    models are larger and tokens have a price: there the form stands in words, in half the tokens.
    """
    return "bounded_schema" if _is_near(urlsplit(base_url).hostname or "") else "json_object"


def _is_near(host: str) -> bool:
    """Check for this machine or a private network, by a host's address or its plain name."""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_PRIVATE_NAMES)


def response_format(form: Form, request: ChatRequest[AnswerT]) -> dict[str, Any] | None:
    """Return the request's `response_format`; None for the form that needs words alone."""
    match form:
        case "bounded_schema":
            return _json_schema_format(request, schema_with_limits(request.answer))
        case "json_schema":
            return _json_schema_format(request, schema_without_limits(request.answer))
        case "json_object":
            return {"type": "json_object"}
        case "text":
            return None


def _json_schema_format(request: ChatRequest[AnswerT], schema: dict[str, Any]) -> dict[str, Any]:
    named = {"name": request.answer.__name__, "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def longest_form(request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Return the request with the longest schema that may be sent with it, to estimate its cost."""
    schema = json.dumps(schema_without_limits(request.answer), ensure_ascii=False)
    return replace(request, instructions=f"{request.instructions}\n\n{schema}")


def put_form_in_words(form: Form, request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Describe the answer's form in the request's words, unless a schema is sent along."""
    carried = form in ("bounded_schema", "json_schema")
    return request if carried else append_form(request)


def append_form(request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Append a description of the answer's form to a request, unless the request has one.

    The description goes into the instructions, the same in all requests of a kind: endpoints cache
    what requests begin with.
    """
    template, form = load_template("json"), form_in_words(request.answer)
    if form in request.instructions or form in request.text:
        return request
    return replace(
        request,
        instructions=f"{request.instructions}\n\n{template.render(form=form)}",
        text=f"{request.text}\n\n{template.instructions}",
    )
