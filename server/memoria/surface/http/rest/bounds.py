"""Bounds of arguments in the OpenAPI document, as JSON Schema says them.

The operations check them; of several statements each is so refused by itself. An order of the REST
face has them in its types. The arguments that it shares with the tools of an
agent have them in `SHARED`: every keyword there would cost an agent tokens.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, WithJsonSchema

from memoria.ingest.turn_draft import MOST_ID_CHARS, NAMES_OF_TURNS
from memoria.model import PARTS
from memoria.model.listing import MemoryListing, SessionListing
from memoria.model.query import MAX_QUERIES, MemoryQuery, TranscriptQuery
from memoria.retrieval.query.options import STAGES
from memoria.surface.documents import Document
from memoria.surface.http.rest.conversations import IngestedTurn
from memoria.surface.mcp.tools import NamedEntity

_DAY_OF_YEAR = (
    "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8])"
)
_LEAP_DAY = "([12][0-9](0[48]|[2468][048]|[13579][26])|(1[26]|2[048])00)-02-29"
_HOUR = "([01][0-9]|2[0-3]):[0-5][0-9]"
_INSTANT_PATTERN = (
    f"^([12][0-9]{{3}}-({_DAY_OF_YEAR})|{_LEAP_DAY})"
    f"([T ]{_HOUR}(:[0-5][0-9](\\.[0-9]{{1,9}})?)?(Z|[+-]{_HOUR})?)?$"
)
"""Days of the years 1000 to 2999, and times of them; a server takes other forms of ISO 8601 too."""
_INSTANT: Document = {"pattern": _INSTANT_PATTERN}
_WORDS: Document = {"pattern": r"\S"}
_NAME: Document = {"minLength": 1, "maxLength": MOST_ID_CHARS}

InstantText = Annotated[str, WithJsonSchema({"type": "string", **_INSTANT})]
"""A date or time, ISO 8601."""
EndText = Annotated[str, WithJsonSchema({"type": "string", "format": "end"})]
"""A date, a duration or words for a moment to come: what is read as one no keyword can say."""
Words = Annotated[str, WithJsonSchema({"type": "string", **_WORDS})]
"""A text with a character that is no space."""

_SPAN: Mapping[str, Document] = {"since": _INSTANT, "until": _INSTANT}
_ASKED: Mapping[str, Document] = {
    **_SPAN,
    "queries": {"maxItems": MAX_QUERIES, "items": _WORDS},
    "without": {"items": {"enum": [*PARTS, *STAGES]}},
}
SHARED: Mapping[type[BaseModel], Mapping[str, Document]] = {
    MemoryQuery: {**_ASKED, "as_of": _INSTANT},
    TranscriptQuery: _ASKED,
    MemoryListing: _SPAN,
    SessionListing: _SPAN,
    IngestedTurn: {"at": _INSTANT} | dict.fromkeys(NAMES_OF_TURNS, _NAME),
    NamedEntity: {"name": {"minLength": 1, "maxLength": 100}},
}
"""Bounds that the server checks and the models' own schemas leave out."""

SAYS_SOMETHING: Document = {
    "anyOf": [
        {"required": ["content"], "properties": {"content": {"minLength": 1}}},
        *(
            {"required": [name], "properties": {name: {"not": {"type": "null"}}}}
            for name in ("tool_args", "tool_result")
        ),
    ]
}
"""Rule of a turn, which is refused where it is empty."""


ASKS_SOMETHING: Document = {
    "anyOf": [
        {"required": [name], "properties": {name: {"type": "string", "pattern": r"\S"}}}
        for name in ("query", "file", "error", "command")
    ]
}
"""Rule of a search: words, or a file, an error or a command in their place."""


def add_bounds(schema: Document, bounds: Mapping[str, Document]) -> None:
    """Add keywords to the schemas of a model's fields."""
    for name, further in bounds.items():
        field: dict[str, Any] = schema["properties"][name]
        items = field.get("items", {}) | further.get("items", {})
        field |= further | ({"items": items} if items else {})
