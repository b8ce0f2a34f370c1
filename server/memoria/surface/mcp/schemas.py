"""JSON schemas of tools, shortened: what a model pays to know a tool.

Pydantic writes a title beside every field, a null beside every optional one and a definition for
whatever is used once. Over all tools that is a third of the tokens, so it goes.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

_NULL = {"type": "null"}
_ANY_PROPERTY = ("additionalProperties", True)
_DEFINITION = "#/$defs/"


def shorten_input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Shorten the schema of a tool's arguments as far as clients accept it.

    An empty definition stays: of an argument, clients ask at least for the name of a type.
    """
    return inline_definitions(slim_schema(schema), empty=False)


def shorten_output_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Shorten the schema of a tool's answer by our docstrings: a model reads the values."""
    return inline_definitions(slim_schema(_drop_descriptions(schema)), empty=True)


def _drop_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the docstrings of our classes from an output schema: a model reads the values."""
    kept = {name: _drop_descriptions(part) for name, part in schema.get("$defs", {}).items()}
    return {
        **{key: value for key, value in schema.items() if key != "description"},
        **({"$defs": kept} if kept else {}),
    }


def slim_schema(schema: Any) -> Any:  # noqa: ANN401  (JSON schema is free-form)
    """Drop titles, null alternatives and defaults that go without saying from a JSON schema."""
    match schema:
        case {"anyOf": list(choices), **rest} if _NULL in choices:
            kept = [choice for choice in choices if choice != _NULL]
            without = {key: value for key, value in rest.items() if key != "default"}
            return slim_schema({**without, **(kept[0] if len(kept) == 1 else {"anyOf": kept})})
        case dict():
            return {
                key: _slim_properties(value)
                if key in ("properties", "$defs")
                else slim_schema(value)
                for key, value in schema.items()
                if key != "title" and not _goes_without_saying(key, value)
            }
        case list():
            return [slim_schema(item) for item in schema]
        case _:
            return schema


def _goes_without_saying(key: str, value: Any) -> bool:  # noqa: ANN401  (JSON schema is free-form)
    return (key == "default" and _is_nothing(value)) or (key, value) == _ANY_PROPERTY


def _is_nothing(default: Any) -> bool:  # noqa: ANN401  (JSON schema is free-form)
    """Check whether an argument's default is what anybody would take its absence for."""
    return default is False or default in (None, [], "")


def inline_definitions(schema: dict[str, Any], *, empty: bool) -> dict[str, Any]:
    """Put every definition of a JSON schema that is used once where it is used.

    So is one that is `empty`, if that is wanted: of an argument, clients ask at least for a name.
    """
    definitions = schema.get("$defs", {})
    uses = Counter(_references(schema))
    for name, definition in definitions.items():
        if (definition and uses[name] == 1) or (empty and not definition):
            rest = {key: part for key, part in definitions.items() if key != name}
            short = _substitute(name, definition, {**schema, "$defs": rest})
            bare = short if rest else {key: v for key, v in short.items() if key != "$defs"}
            return inline_definitions(bare, empty=empty)
    return schema


def _references(schema: Any) -> Iterator[str]:  # noqa: ANN401  (JSON schema is free-form)
    match schema:
        case {"$ref": str(reference)}:
            yield reference.removeprefix(_DEFINITION)
        case dict():
            for part in schema.values():
                yield from _references(part)
        case list():
            for part in schema:
                yield from _references(part)


def _substitute(name: str, definition: dict[str, Any], schema: Any) -> Any:  # noqa: ANN401
    """Put a definition in place of the references to it."""
    match schema:
        case {"$ref": str(reference)} if reference == _DEFINITION + name:
            return {**definition, **{key: part for key, part in schema.items() if key != "$ref"}}
        case dict():
            return {key: _substitute(name, definition, part) for key, part in schema.items()}
        case list():
            return [_substitute(name, definition, part) for part in schema]
        case _:
            return schema


def _slim_properties(properties: dict[str, Any]) -> dict[str, Any]:
    """Slim each, but keep a property that is itself called `title`."""
    return {name: slim_schema(value) for name, value in properties.items()}
