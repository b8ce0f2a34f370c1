"""Arguments of tools: made from the fields of a query, and read as models mean what they write.

Models fill in every optional argument with an empty text or `null`, write a list as a text with
commas, JSON within a text, and a question among its other wordings. What is meant is plain, so an
argument is read as it is meant. A text stays the text that was sent, a required argument stays what
it is, and what fits no form is left for the tool to refuse.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, TypeVar

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.base import Value
from memoria.model.query import is_for_agents, query_parameters

Schema = Mapping[str, Any]
_DEFINITION = "#/$defs/"
_CLEARED_BY_EMPTY = frozenset({"current_focus"})
"""Arguments whose empty text has a meaning."""
_NEVER_NULL = frozenset(
    "since until as_of valid_from at turn_id supersedes token workspace task page".split()
)
"""Arguments whose text is never the word null: moments, ids, names of projects and tasks."""
_NULL = "null"
_BETWEEN_ITEMS = lazy_regex(r"[,，、\n]")


def read_as_meant(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the arguments of an object in the forms of its schema, without those left empty.

    Args:
        arguments: what the model sent.
        schema: the object's; its `$defs` are those of all that is in it.
    """
    return _name_question(_read_object(arguments, schema, schema.get("$defs", {})), schema)


def _name_question(read: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the arguments, the first of `queries` as a missing `query`."""
    given, wordings = read.get("query"), read.get("queries")
    is_missing = given is None or (isinstance(given, str) and not given.strip())
    if "query" not in schema.get("properties", ()) or not is_missing:
        return read
    if not isinstance(wordings, list) or not wordings:
        return read
    return {**read, "query": wordings[0], "queries": wordings[1:]}


def _read_object(given: Mapping[str, Any], schema: Schema, defs: Schema) -> dict[str, Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    read = dict[str, Any]()
    for name, value in given.items():
        forms = _forms_of(properties.get(name, {}), defs)
        if name in required or not forms or not _is_left_out(name, value, forms):
            read[name] = _read_value(value, forms, defs)
    return read


def _is_left_out(name: str, value: object, forms: Sequence[Schema]) -> bool:
    """Check whether an optional argument was filled in with nothing."""
    if value is None:
        return True
    if not isinstance(value, str) or (name in _CLEARED_BY_EMPTY and not value.strip()):
        return False
    word = value.strip()
    is_text = any(form.get("type") == "string" and "enum" not in form for form in forms)
    return not word or (word == _NULL and (name in _NEVER_NULL or not is_text))


def _read_value(value: Any, forms: Sequence[Schema], defs: Schema) -> Any:  # noqa: ANN401  (JSON)
    by_type = {form.get("type"): form for form in forms}
    if "array" in by_type:
        return _read_list(value, by_type["array"], defs)
    if "object" in by_type:
        read = _parse(value) if "string" not in by_type or _looks_like(value, "{") else value
        return _read_object(read, by_type["object"], defs) if isinstance(read, dict) else value
    return value.strip() if isinstance(value, str) and _has_no_text(forms) else value


def _read_list(value: Any, form: Schema, defs: Schema) -> Any:  # noqa: ANN401  (JSON)
    """Return the list that was sent as a list, as a text, or as its only item."""
    items = _forms_of(form.get("items", {}), defs)
    is_of_texts = any(item.get("type") == "string" for item in items)
    read = _parse(value)
    if isinstance(read, str) and is_of_texts:
        read = _BETWEEN_ITEMS.split(read)
    elif isinstance(read, dict):
        read = [read]
    if not isinstance(read, list):
        return value
    kept = [one for one in read if not (is_of_texts and isinstance(one, str) and not one.strip())]
    return [_read_item(one, items, defs) for one in kept]


def _read_item(value: Any, forms: Sequence[Schema], defs: Schema) -> Any:  # noqa: ANN401  (JSON)
    read = _read_value(value, forms, defs)
    return read.strip() if isinstance(read, str) else read


def _forms_of(schema: Schema, defs: Schema) -> list[Schema]:
    """Return the forms that a schema allows, one schema each; empty if it allows any value."""
    if reference := schema.get("$ref"):
        return _forms_of(defs.get(reference.removeprefix(_DEFINITION), {}), defs)
    if choices := schema.get("anyOf"):
        return [form for choice in choices for form in _forms_of(choice, defs)]
    return [schema] if "type" in schema else []


def _has_no_text(forms: Sequence[Schema]) -> bool:
    """Check whether forms allow no free text, only a name, number or boolean in quotes."""
    return bool(forms) and not any(
        form.get("type") == "string" and "enum" not in form for form in forms
    )


def _looks_like(value: object, opening: str) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(opening)


def _parse(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """Return the list or object that a JSON text holds; any other value unchanged."""
    if not (_looks_like(value, "[") or _looks_like(value, "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


_ToolT = TypeVar("_ToolT", bound=Callable[..., Any])
_FIRST = "queries"
"""Argument to list first, as a model fills in first what it reads first."""


def takes_query_arguments(kind: type[Value]) -> Callable[[_ToolT], _ToolT]:
    """Give a tool, which takes a context and `**arguments`, the arguments of a query.

    What else it takes, by name, is not the caller's to give: the SDK resolves it.
    """

    def decorate(tool: _ToolT) -> _ToolT:
        own = signature(tool)
        context, *rest = own.parameters.values()
        resolved = [one for one in rest if one.kind is not Parameter.VAR_KEYWORD]
        shown = {name for name, field in kind.model_fields.items() if is_for_agents(field)}
        fields = sorted(
            (one for one in query_parameters(kind) if one.name in shown), key=_stands_later
        )
        parameters = [
            one.replace(kind=Parameter.KEYWORD_ONLY) for one in (context, *fields, *resolved)
        ]
        annotations = {one.name: one.annotation for one in parameters}
        tool.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        tool.__annotations__ = {**annotations, "return": own.return_annotation}
        return tool

    return decorate


def _stands_later(parameter: Parameter) -> bool:
    """Check whether an argument is listed behind `queries`."""
    return parameter.name != _FIRST
