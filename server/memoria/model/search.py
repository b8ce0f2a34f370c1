"""What a search gives back: hits, each citing its source."""

from typing import Literal

from pydantic import JsonValue

from memoria.model.base import Value
from memoria.model.condition import Condition
from memoria.model.explanation import Explanation
from memoria.model.memory import Trust, Validity
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role

FULL_ID = 36
"""Characters of a whole id."""


class HitSource(Value):
    """Where a hit's words stand: enough to find them again."""

    at: str
    """When it was said: ISO 8601 in UTC."""
    session_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    turn_index: int | None = None
    role: Role | None = None
    speaker: str | None = None
    client: str | None = None
    trust: Trust | None = None
    """How far the channel vouches for it."""
    workspace: str | None = None
    """The project it belongs to; in a search, where that is not the one it was asked from."""
    account: Literal["agent"] | None = None
    """That only an agent has reported it, in a session whose client gives an account of its own."""


class ToolCall(Value):
    """A tool's name, arguments and result, verbatim unless `cut`."""

    name: str
    args: JsonValue = None
    result: JsonValue = None
    cut: bool = False
    """Whether arguments or result are excerpts, as text, to fit the budget."""


class AdjacentTurn(Value):
    """A turn beside a hit, shown so that the hit can be understood."""

    id: str
    turn_index: int
    role: Role
    speaker: str | None = None
    text: str
    """Of a long one the part that answers, with a sign where it is cut."""
    condition: Condition | None = None
    """On what condition it was told."""


class Hit(Value):
    """One result. `text` is the stored text itself, or a span of it (then `excerpt` says which)."""

    id: str
    kind: Literal["memory", "turn"]
    text: str
    score: float
    """Comparable within one answer only."""
    source: HitSource
    type: MemoryType | None = None
    validity: Validity | None = None
    """`contradicted`: it holds as far as is known, and so does something that cannot be true
    together with it."""
    superseded_part: str | None = None
    """The sentence of a turn of the record that no longer holds, where what else it says does."""
    contradicts: tuple[str, ...] = ()
    """Ids of the memories and turns that cannot be true together with it."""
    restated_by: str | None = None
    """The id of what states the same thing anew, a later turn mostly; it stands before this."""
    version: int | None = None
    status: Literal["unprocessed", "verbatim", "outdated", "over"] | None = None
    """A turn in a first-level answer: no chat model has read it yet; or it holds, word for
    word, a code, a path or an address that was asked for. An episode or a concept: something that
    it rests on has changed since. Any memory: its end is over."""
    outdated_by: tuple[str, ...] = ()
    """Ids of the memories that tell by now what it rests on."""
    condition: Condition | None = None
    """On what condition it was told."""
    shown_as: Literal["nearest", "later"] | None = None
    """Why it is shown where it is no hit: it is nearest by meaning, or the same speaker said it
    later than what it is near to."""
    later_than: str | None = None
    """The id of the line below which it stands, because the same speaker said it later."""
    is_earlier: bool = False
    """Whether a newer memory of the answer, which stands above it, is like it."""
    clock: str | None = None
    """The local time, where the day does not tell which of two statements is later."""
    tool: ToolCall | None = None
    excerpt: tuple[int, int] | None = None
    """The span [start, end) in characters of the stored text, where it is not all shown."""
    total_chars: int | None = None
    """How many characters the stored text has, where it is not all shown."""
    before: tuple[AdjacentTurn, ...] = ()
    after: tuple[AdjacentTurn, ...] = ()


class OtherProjects(Value):
    """What only other projects see of what was asked."""

    matches: int
    """How many documents hold the words that tell the question apart; 21 stands for more."""
    projects: tuple[str, ...] = ()
    """Some of them by name, where the user allows it."""
    holders: tuple[str, ...] = ()
    """All of them by name, to see whether one is the former of the project at hand; never shown."""


class SearchResult(Value):
    """Hits, best first, and what the caller should know about how they were found.

    Among them stand what is nearest by meaning alone, and what was said later: `shown_as` tells.
    """

    query: str
    hits: tuple[Hit, ...]
    tokens: int = 0
    """Estimated tokens of the hits as they are written."""
    answered: bool
    """Whether anything shown fits well enough to be an answer; else it is what comes nearest."""
    max_tokens: int
    """Those that the whole answer may have as a text."""
    id_chars: int = FULL_ID
    """How many of an id's last characters tell every id in the answer apart in the whole memory."""
    omitted: int = 0
    """Results that did not fit `max_tokens`; of the record only where a `limit` asked for them."""
    beyond_limit: int = 0
    """Results of a first-level answer that a `limit` left out."""
    hidden: int = 0
    """Superseded or archived results left out; ask with `include_history`."""
    notes: tuple[str, ...] = ()
    """Which parts of the search were missing, and why."""
    is_empty: bool = False
    """Whether nothing at all is on record."""
    is_narrow: bool = False
    """Whether it was asked in one wording and found nothing that fits well: others may find it."""
    hint: str | None = None
    """Where the second level has more, and what to do about it."""
    elsewhere: OtherProjects | None = None
    """Where less was found than asked for: what other projects have; ask with `workspace="*"`."""
    explanation: Explanation | None = None
    """How the answer came about, where that was asked for."""
