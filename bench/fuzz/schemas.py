"""From a JSON schema to arguments that fit it, nearly fit it, or don't."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bench.fuzz.values import dates, json_values, junk, names, paths, replaced, texts, weighted

Schema = Mapping[str, Any]
Arguments = dict[str, object]
_TIMES = ("at", "since", "until", "valid_from", "valid_to")
_SMALL = weighted((3, st.integers(0, 5)), (2, st.integers(1, 60)), (1, st.integers(50, 3_000)))
_TOKENS = st.integers(50, 3_000)
_MOST_ITEMS = 4


class Spoiling(StrEnum):
    """What is done to arguments that fit."""

    OTHER_VALUE = "other value"
    OTHER_INSIDE = "other inside"
    LEFT_OUT = "left out"
    UNKNOWN = "unknown"


def arguments(
    schema: Schema, other: SearchStrategy[object] | None = None
) -> SearchStrategy[Arguments]:
    """Arguments for an object's schema: half of them fit, the rest are spoilt in one place.

    Args:
        schema: of type `object`, with `properties`.
        other: what a value may be instead of what it should be; JSON by default.
    """
    wrong = junk() if other is None else other
    properties = sorted(schema.get("properties", {}))
    fitting = _object(schema, schema)
    if not properties:
        return st.just({}) | st.dictionaries(st.text(max_size=5), wrong, max_size=1)
    spoilt = st.builds(
        _spoilt, fitting, st.sampled_from(Spoiling), st.sampled_from(properties), paths(), wrong
    )
    return weighted((1, fitting), (1, spoilt))


def instance(schema: Schema, root: Schema, name: str = "") -> SearchStrategy[object]:
    """A value that fits a schema, as far as the schema says."""
    match schema:
        case {"$ref": str(ref)}:
            return instance(root["$defs"][ref.rpartition("/")[2]], root, name)
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            return st.one_of([instance(choice, root, name) for choice in choices])
        case {"enum": list(values)}:
            return st.sampled_from(values)
        case {"type": "array"}:
            items = instance(schema.get("items", {}), root, name.removesuffix("s"))
            return st.lists(items, max_size=_MOST_ITEMS)
        case {"type": "object", "properties": dict()}:
            return _object(schema, root)
        case _:
            return _scalar(schema, name)


def _scalar(schema: Schema, name: str) -> SearchStrategy[object]:
    match schema.get("type"):
        case "string":
            return _text(name, schema.get("description", ""))
        case "integer":
            return _TOKENS if name == "max_tokens" else _integer(schema)
        case "number":
            return st.floats(schema.get("minimum", 0), schema.get("maximum", 1))
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case _:
            return json_values()


def _object(schema: Schema, root: Schema) -> SearchStrategy[Arguments]:
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    values = {name: instance(part, root, name) for name, part in sorted(properties.items())}
    return st.fixed_dictionaries(
        {name: value for name, value in values.items() if name in required},
        optional={name: value for name, value in values.items() if name not in required},
    )


def _spoilt(
    fitting: Arguments, how: Spoiling, name: str, path: tuple[int, ...], wrong: object
) -> Arguments:
    match how:
        case Spoiling.OTHER_VALUE:
            return {**fitting, name: wrong}
        case Spoiling.OTHER_INSIDE:
            return {**fitting, name: replaced(fitting.get(name), path, wrong)}
        case Spoiling.LEFT_OUT:
            return {key: value for key, value in fitting.items() if key != name}
        case Spoiling.UNKNOWN:
            return {**fitting, f"{name}_": wrong}


def _text(name: str, description: str) -> SearchStrategy[object]:
    if name in _TIMES or "ISO 8601" in description:
        return dates()
    if name in ("id", "session", "tool") or name.endswith("_id"):
        return names()
    return texts()


def _integer(schema: Schema) -> SearchStrategy[int]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None and most is None:
        return _SMALL
    return st.integers(least, most)
