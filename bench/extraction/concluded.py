"""What a capable model concludes from the short sessions, written beside them by hand.

So the measure has what such a model causes: statements that are checked, that take the place of
others, and that a summary told before.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoria.model.base import Value

Object = dict[str, Any]

_TURN = re.compile(r"^\[(\d+)\] ([^:\n]{1,40}): (.*?)(?=\n\n|\n```|\Z)", re.MULTILINE | re.DOTALL)
_OBJECT = re.compile(r'^\{".*\}$', re.MULTILINE)
"""Not the form of an answer in words, which is in braces as well."""
_READ = "(read)"


class Concluded(Value):
    """A conclusion from words of a conversation."""

    quote: str
    type: str
    content: str
    subject: str
    predicate: str
    importance: float
    until: str | None = None
    changes: str | None = None
    """The conclusion whose place it takes."""


def load_concluded(name: str) -> tuple[Concluded, ...]:
    """What is concluded from the talk of a name; nothing where nobody has written it down."""
    file = Path(__file__).parent / "talks" / f"{name}.concluded.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return tuple(map(Concluded.model_validate_json, lines))


def propose(text: str, concluded: Sequence[Concluded]) -> Iterator[Object]:
    """The operations on what a text has unread: of what changes within it only the last state."""
    known = {one["content"]: one["id"] for one in list_objects(text) if "id" in one}
    found = [
        (int(number), one)
        for number, who, said in _TURN.findall(text)
        for one in concluded
        if one.quote in said and _READ not in who
    ]
    over = {one.changes for _, one in found}
    for number, one in found:
        if one.content not in over:
            yield _operation(number, one, known)


def rule(text: str, concluded: Sequence[Concluded]) -> list[Object]:
    """What the new statement of each pair is to the known one."""
    changes = {(one.changes, one.content) for one in concluded}
    return [
        {
            "pair": pair["number"],
            "relation": "replaces" if (pair["known"], pair["new"]) in changes else "different",
        }
        for pair in list_objects(text)
        if "known" in pair
    ]


def list_objects(text: str) -> list[Object]:
    """The JSON objects of a text that stand on a line of their own."""
    return [json.loads(line) for line in _OBJECT.findall(text)]


def _operation(number: int, one: Concluded, known: Mapping[str, str]) -> Object:
    said = {"content": one.content, "quote": one.quote, "turn": number}
    ends = {} if one.until is None else {"until": one.until}
    if one.changes is not None and one.changes in known:
        return {"op": "UPDATE", "id": known[one.changes], **said, "reason": "change", **ends}
    own = one.model_dump(include={"type", "subject", "predicate", "importance"})
    return {"op": "ADD", **own, **said, **ends}
