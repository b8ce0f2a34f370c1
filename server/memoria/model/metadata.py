"""Metadata: a caller's own fields of a turn or a memory, and the fields of an episode."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import quote_value
from memoria.model.base import UNLESS_EMPTY

MOST_KEYS = 16
MOST_BYTES = 2048
"""Most bytes of metadata as JSON in UTF-8."""
_MOST_WHOLE = 2**53
"""Least whole number that JSON's readers may round."""
_KEY = lazy_regex(r"[\w.-]{1,64}")
MetadataValue: TypeAlias = str | bool | int | float | list[str]


def _read_metadata(value: object) -> object:
    """Return metadata whose texts any store can hold; anything but an object as it is.

    Raises:
        ValueError: it has too many keys or bytes, or a key or value that is none.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError('give an object of names and values: {"ticket": "T-12"}')  # noqa: TRY004  (pydantic takes no other)
    if len(value) > MOST_KEYS:
        raise ValueError(f"there are {len(value)} keys; {MOST_KEYS} is the most. Leave some out")
    read = {_read_key(key): _read_value(key, one) for key, one in value.items()}
    size = len((write_metadata(read) or "").encode())
    if size > MOST_BYTES:
        raise ValueError(
            f"it has {size:,} bytes; {MOST_BYTES:,} is the most. Keep long texts as turns"
        )
    return read


def _read_key(key: object) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError(
            f"{quote_value(key)} is no key. Give 1 to 64 letters, digits, dots, dashes or _"
        )
    return key


def _read_value(key: object, value: object) -> MetadataValue:
    from memoria.model.parse import replace_unfit  # noqa: PLC0415  (which reads turns)

    match value:
        case str():
            return replace_unfit(value)
        case bool():
            return value
        case int() if abs(value) < _MOST_WHOLE:
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple() if all(isinstance(one, str) for one in value):
            return [replace_unfit(str(one)) for one in value]
        case _:
            raise ValueError(
                f"{key}: give a text, a number, true or false, or a list of texts; leave the key "
                "out for nothing"
            )


Metadata = Annotated[Mapping[str, MetadataValue], BeforeValidator(_read_metadata), UNLESS_EMPTY]
"""Values by their names, as a caller gives them. Of a turn or a memory without any it is empty."""
NO_METADATA: Mapping[str, MetadataValue] = {}


def write_metadata(metadata: Mapping[str, MetadataValue] | None) -> str | None:
    """Return metadata as the JSON that is stored; None for none."""
    if not metadata:
        return None
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def parse_metadata(stored: str | None) -> dict[str, MetadataValue]:
    """Return metadata from the JSON that was stored; empty for None.

    Raises:
        ValueError: it is no object.
    """
    read = json.loads(stored) if stored else {}
    if not isinstance(read, dict):
        raise ValueError("metadata is no object")  # noqa: TRY004  (as of all that can't be read)
    return read


def map_texts(
    metadata: Mapping[str, MetadataValue], change: Callable[[str, str], str | None]
) -> dict[str, MetadataValue]:
    """Return metadata with each text, given with its key, as `change` has it; without None."""
    changed: dict[str, MetadataValue] = {}
    for key, value in metadata.items():
        match value:
            case str():
                text = change(key, value)
                if text is not None:
                    changed[key] = text
            case list():
                texts = [change(key, one) for one in value]
                changed[key] = [one for one in texts if one is not None]
            case _:
                changed[key] = value
    return changed


def list_texts(metadata: Mapping[str, MetadataValue]) -> list[str]:
    """List the texts in metadata."""
    listed: list[str] = []
    map_texts(metadata, lambda _, text: listed.append(text))
    return listed
