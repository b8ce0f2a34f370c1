"""Cleaning: what is taken out of every turn before anything else sees it.

Private spans and our own injected blocks are taken out, secrets are redacted, and broken characters
are replaced. Calls of our own tools are no turns, or a search would find what was searched for. A
client names a tool after the server that has it, and the user names the server. So a tool of ours
is known by its name where the server is called after us, and under any other server's name by the
shape of its answer as well. The same goes for a client's search among tools that finds ours.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from memoria.bare.lazy_regex import lazy_regex
from memoria.bare.own_tools import OUR_TOOLS, is_our_tool
from memoria.language.lazy import remember_results
from memoria.language.reading.fences import strip
from memoria.language.secrets.redact import redact
from memoria.language.words.document import as_text
from memoria.model import Role, Turn
from memoria.model.metadata import MetadataValue
from memoria.model.parse import replace_lone_surrogates, replace_unfit

_NAMES_REMEMBERED = 512
_PLAIN_NAME = lazy_regex(
    r"[a-z0-9]{1,8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE
)
"""Names too short to be a secret, and UUIDs: nearly every message has one of its own."""


@dataclass(slots=True)
class Tally:
    """Counts of the things taken out while cleaning."""

    redactions: Counter[str] = field(default_factory=Counter)
    stripped: int = 0


def clean_text(text: str, tally: Tally) -> str:
    """Return the text without private spans, injected blocks, secrets and broken characters."""
    stripped = strip(replace_lone_surrogates(text))
    redacted = redact(stripped.text)
    tally.stripped += stripped.blocks
    for redaction in redacted.redactions:
        tally.redactions[redaction.kind] += redaction.count
    return redacted.text


def clean_name(name: str, tally: Tally) -> str:
    """Return a name or id without secrets and broken characters; never empty."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    fit = replace_unfit(name)
    return fit if _is_clean(fit) else clean_text(fit, tally) or "[private]"


@remember_results(_NAMES_REMEMBERED)
def _is_clean(name: str) -> bool:
    """Check that nothing has to be taken out of a name. The same few come with every turn."""
    return bool(name) and clean_text(name, Tally()) == name


_DECODER = json.JSONDecoder()
_TOOL_SEARCH = "toolsearch"
_ANSWERS = (
    {"receipt_id", "turn_ids"},
    {"session_id", "completed"},
    {"id", "kind", "text", "source"},
    {"id", "validity", "version", "upvotes"},
)
"""Sets of fields, one for each kind of Memoria's answers except those of a search."""
_HIT_FIELDS = {"id", "kind", "text", "score", "source"}
_HIT = lazy_regex(r"\[(?:memory|turn) [0-9a-f]{8,32}\] ")
"""Matches the beginning of a hit in a search's answer in words."""


def is_own_call(turn: Turn) -> bool:
    """Check whether a turn is a call of a Memoria tool, or a client's search for such tools."""
    if turn.role is not Role.TOOL:
        return False
    name = turn.tool_name
    if name is None:
        return _has_own_shape(turn.tool_result)
    if is_our_tool(name):
        return True
    plain = name.lower().replace("_", "")
    if plain.endswith(_TOOL_SEARCH):
        return _names_our_tools(as_text(turn.tool_args) + as_text(turn.tool_result))
    is_named_alike = any(name.endswith(f"_{tool}") or name == tool for tool in OUR_TOOLS)
    return is_named_alike and _is_own_answer(turn.tool_result)


def _names_our_tools(words: str) -> bool:
    return "memoria" in words.lower() or any(tool in words for tool in OUR_TOOLS if "_" in tool)


def _is_own_answer(result: JsonValue) -> bool:
    """Check whether a tool's result is an answer of Memoria's, in JSON or in words."""
    return _has_own_shape(result) or _HIT.search(as_text(result)) is not None


def _has_own_shape(result: JsonValue) -> bool:
    """Check whether a result has the shape of an answer of Memoria's in JSON."""
    fields = _fields_of(_read_json(result) if isinstance(result, str) else result)
    hits = fields.get("hits")
    if isinstance(hits, list):
        return all(_fields_of(hit).keys() >= _HIT_FIELDS for hit in hits)
    return any(answer <= fields.keys() for answer in _ANSWERS)


def _fields_of(value: JsonValue) -> dict[str, JsonValue]:
    """Return the value if it is an object; otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def _read_json(words: str) -> JsonValue:
    """Read the object in a text, which a client may have put some words before."""
    begins = words.find("{")
    try:
        value: JsonValue = _DECODER.raw_decode(words, begins)[0] if begins >= 0 else None
    except (ValueError, RecursionError):
        return None
    return value


_DEEPEST = 100
"""Deepest nesting of a tool call that is accepted; reading it back recurses as deep."""


def clean_json(value: JsonValue, tally: Tally) -> JsonValue:
    """Return a value of JSON with every text cleaned.

    Raises:
        RecursionError: it is nested too deeply.
    """
    return None if value is None else _clean_value(value, "", tally)


def clean_metadata(metadata: Mapping[str, MetadataValue], tally: Tally) -> dict[str, MetadataValue]:
    """Return metadata with every key and text cleaned."""
    cleaned: Any = _clean_value({**metadata}, "", tally)  # type: ignore[dict-item]  # lists of texts
    return dict(cleaned)


def _clean_value(value: JsonValue, key: str, tally: Tally, depth: int = _DEEPEST) -> JsonValue:
    """Clean every text in a value; a key such as "password" counts as its context."""
    if depth == 0:
        raise RecursionError("nested too deeply")
    match value:
        case dict():
            # {"name": "DB_PASSWORD", "value": "…"} is how environment variables are written.
            named = {"value": str(value.get("name", "value"))}
            return {
                clean_text(name, tally): _clean_value(item, named.get(name, name), tally, depth - 1)
                for name, item in value.items()
            }
        case list():
            flags = [key, *(_flag(item) or key for item in value)]
            pairs = zip(value, flags, strict=False)
            return [_clean_value(item, flag, tally, depth - 1) for item, flag in pairs]
        case str():
            return _clean_keyed(value, key, tally)
        case int() | float() if not isinstance(value, bool) and (key or value >= _LONG_NUMBER):
            cleaned = _clean_keyed(str(value), key, tally)
            return value if cleaned == str(value) else cleaned
        case _:
            return value


def _flag(item: JsonValue) -> str:
    """Return the name of an option such as `--password`, the key of the argument after it."""
    is_flag = isinstance(item, str) and item.startswith("-") and "=" not in item
    return item.lstrip("-") if is_flag and isinstance(item, str) else ""


def _clean_keyed(text: str, key: str, tally: Tally) -> str:
    """Clean a text as the value of a key: `{"password": "x"}` is a secret, "x" alone is not."""
    if key and len(text) <= _KEYED_CHARS and "\n" not in text:
        label = f'"{key}": "'
        whole = redact(f'{label}{text}"')
        if whole.redactions and whole.text.startswith(label) and whole.text.endswith('"'):
            for redaction in whole.redactions:
                tally.redactions[redaction.kind] += redaction.count
            return whole.text[len(label) : -1]
    return clean_text(text, tally)


_KEYED_CHARS = 500
_LONG_NUMBER = 10**13
"""Least number that may be a payment card's."""
