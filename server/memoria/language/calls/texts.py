"""Texts within a call's arguments or result, however deep they stand."""

from collections.abc import Iterator

from pydantic import JsonValue


def walk_texts(value: JsonValue) -> Iterator[str]:
    """Yield all texts within a value, in their order; keys are none of them."""
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from walk_texts(each)
        case list():
            for each in value:
                yield from walk_texts(each)
