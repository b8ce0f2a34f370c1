"""Cleaning: secrets and calls of our own tools are removed from a turn before all else.

Every text of the turn is cleaned (`language/reading/clean`), in tool calls too. Without our own
calls no memory is made from a memory, and no search finds what was searched for.
"""

from dataclasses import dataclass

from pydantic import JsonValue

from memoria.language.reading.clean import Tally, clean_text, is_own_call
from memoria.language.secrets.redact import redact
from memoria.model import Turn

_DEEPEST = 100
"""Deepest nesting of a tool call that is accepted; reading it back recurses as deep."""


@dataclass(frozen=True, slots=True)
class CleanTurn:
    """The texts of a turn as they will be stored."""

    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue

    @property
    def is_empty(self) -> bool:
        """True if nothing is left that could be stored."""
        return not self.content.strip() and self.tool_args is None and self.tool_result is None


def clean_turn(turn: Turn, tally: Tally) -> CleanTurn:
    """Return a turn's texts without secrets; none for a call of our own tools."""
    if is_own_call(turn):
        return CleanTurn("", turn.tool_name, None, None)
    return CleanTurn(
        content=clean_text(turn.content, tally),
        tool_name=turn.tool_name,
        tool_args=_clean_json(turn.tool_args, tally),
        tool_result=_clean_json(turn.tool_result, tally),
    )


def _clean_json(value: JsonValue, tally: Tally) -> JsonValue:
    return None if value is None else _clean_value(value, "", tally)


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
