"""What the three model APIs have in common, as far as a test needs it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # it needs this module itself
    from tests.e2e.stand_in.script import Reply

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What goes back over HTTP."""

    content_type: str
    content: bytes


class Dialect(Protocol):
    """How one API is spoken."""

    def is_turn(self, path: str, body: Body) -> bool:
        """Whether the request continues the conversation, rather than ask for a title."""

    def answer(self, path: str, body: Body, reply: "Reply", number: int) -> Answer:
        """The reply as the API would send it."""

    def tools(self, body: Body) -> Sequence[str]:
        """The names of all tools that the model is told of with their schemas."""

    def results(self, body: Body) -> Sequence[str]:
        """The words of all results of tools."""


def stream(events: Sequence[Mapping[str, object]], *, named: bool) -> Answer:
    """Server-sent events, each under the name of its type where the API does so."""
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        lines.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n")
    return Answer("text/event-stream", "".join(lines).encode())


def document(value: object) -> Answer:
    """A JSON document."""
    return Answer("application/json", json.dumps(value, ensure_ascii=False).encode())


def strings(value: object) -> Iterator[str]:
    """Every string in a JSON value, however deep."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from strings(item)
        case list():
            for item in value:
                yield from strings(item)
