"""Results of a search: hits that cite their sources, explanations, and context packages."""

from typing import Annotated, Any, Literal

from pydantic import JsonValue

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.memory import Condition, Trust, Validity
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role

Part = Literal["text", "vectors", "graph"]
"""A source of candidates that a search can do without."""
PARTS: tuple[Part, ...] = ("text", "vectors", "graph")


class PartReport(Value):
    """Outcome of one part of a search."""

    part: Part | Literal["recent", "rerank"]
    state: Literal["used", "idle", "off", "missing"]
    """`idle`: it had nothing to do. `off`: switched off. `missing`: it could not serve."""
    found: int = 0
    """Number of candidates it gave."""
    why: str | None = None


class ExplainedCandidate(Value):
    """A document that was scored, and everything that went into its rank.

    Scores of parts are 0 to 1 and comparable within one search; `relevance` joins them, `weight` is
    the product of `factors`, `score` is what is sorted by.
    """

    id: str
    kind: Literal["memory", "turn"]
    text: str
    """Its beginning."""
    lexical: float
    """BM25, what stands around it included."""
    cosine: float
    graph: float
    coverage: float
    """Share of what was asked that it holds in words."""
    reranked: float | None = None
    """Score by a reranker, where one was asked about it."""
    relevance: float
    factors: dict[str, float]
    """Importance, use, recency, feedback, trust, task and time: only those that are not 1."""
    score: float
    margin: float
    """Excess over what the relevance threshold asks; below 0 it is not shown."""
    outcome: Literal["shown", "no room", "past limit", "repeats", "below threshold"]
    """`repeats`: another hit says the same. `below threshold`: it fits less well than the relevance
    threshold asks."""


class Explanation(Value):
    """Origin of an answer. Two searches of the same store give the same explanation."""

    path: str
    """The sources in the order in which they are tried, such as `text → vectors → graph`."""
    formula: str
    """Formula that joins their scores on this path."""
    terms: tuple[str, ...]
    since: str | None = None
    """The beginning of the time that the query asks about, ISO 8601."""
    until: str | None = None
    task: str | None = None
    """The task in hand, which memories of the same task gain by."""
    as_of: str | None = None
    threshold: str
    """Demand of the relevance threshold."""
    parts: tuple[PartReport, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """Best first; beyond those shown, as many as were read."""


FULL_ID = 36
"""Number of characters of a whole id."""


class HitSource(Value):
    """Place of a hit's words: enough to find them again."""

    at: str
    """Time it was said: ISO 8601 in UTC."""
    session_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    turn_index: int | None = None
    role: Role | None = None
    speaker: str | None = None
    client: str | None = None
    trust: Trust | None = None
    """Degree to which the channel vouches for it."""
    workspace: str | None = None
    """Project it belongs to; in a search, where that is not the one it was asked from."""
    account: Literal["agent"] | None = None
    """`agent` if only an agent has reported it, though the client gives an account, too."""

    def to_json_beside(self, record_id: str) -> dict[str, Any]:
        """Return it as JSON beside a record's id: a turn's own id is not said twice."""
        shown = self.to_json()
        if shown.get("turn_id") == record_id:
            del shown["turn_id"]
        return shown


class ToolCall(Value):
    """A tool's name, arguments and result, verbatim unless `cut`."""

    name: str
    args: JsonValue = None
    result: JsonValue = None
    cut: Annotated[bool, UNLESS_EMPTY] = False
    """True if arguments or result are excerpts, as text, to fit the budget."""


class AdjacentTurn(Value):
    """A turn beside a hit, shown so that the hit can be understood."""

    id: str
    turn_index: int
    role: Role
    speaker: str | None = None
    text: str
    """Text; of a long one the part that answers, with a sign where it is cut."""
    condition: Condition | None = None
    """Condition under which it was told."""


class Hit(Value):
    """One result. `text` is the stored text itself, or a span of it (then `excerpt` says which)."""

    id: str
    kind: Literal["memory", "turn"]
    text: str
    score: float
    """Comparable within one answer only."""
    source: HitSource
    validity: Annotated[
        Validity | None, Shown(write=lambda state: None if state == "active" else state)
    ] = None
    """`contradicted`: it holds as far as is known, and so does something that cannot be true
    together with it."""
    version: Annotated[
        int | None, Shown(write=lambda version: None if version == 1 else version)
    ] = None
    excerpt: tuple[int, int] | None = None
    """Span [start, end) in characters of the stored text, where it is not all shown."""
    total_chars: int | None = None
    """Number of characters of the stored text, where it is not all shown."""
    superseded_part: str | None = None
    """Sentence of a turn of the record that no longer holds, where what else it says does."""
    contradicts: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Ids of the memories and turns that cannot be true together with it."""
    outdated_by: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Ids of the memories that tell by now what it rests on."""
    restated_by: str | None = None
    """Id of what states the same thing anew, a later turn mostly; it stands before this."""
    condition: Condition | None = None
    """Condition under which it was told."""
    shown_as: Literal["nearest", "later"] | None = None
    """Reason why it is shown where it is no hit: it is nearest by meaning, or the same speaker said
    it later than what it is near to."""
    later_than: str | None = None
    """Id of the line below which it stands, because the same speaker said it later."""
    is_earlier: Annotated[bool, Shown("earlier", when_empty=False)] = False
    """True if a newer memory of the answer, which stands above it, is like it."""
    clock: Annotated[str | None, HIDDEN] = None
    """Local time, where the day does not tell which of two statements is later."""
    type: MemoryType | None = None
    status: Literal["unprocessed", "verbatim", "outdated", "over"] | None = None
    """State of the hit. A turn in a first-level answer: no chat model has read it yet, or it holds,
    word for word, a code, a path or an address that was asked for. An episode or a concept:
    something that it rests on has changed since. Any memory: its end is over."""
    tool: ToolCall | None = None
    before: Annotated[tuple[AdjacentTurn, ...], UNLESS_EMPTY] = ()
    after: Annotated[tuple[AdjacentTurn, ...], UNLESS_EMPTY] = ()

    def _write_fields(self) -> dict[str, Any]:
        """Return every field as JSON; a turn's own id is not said twice."""
        shown = super()._write_fields()
        return {**shown, "source": self.source.to_json_beside(self.id)}


class OtherProjects(Value):
    """Documents on the question that only other projects see."""

    matches: int
    """Number of documents that hold the words that tell the question apart; 21 stands for more."""
    projects: tuple[str, ...] = ()
    """Names of some of them, where the user allows it."""
    holders: tuple[str, ...] = ()
    """Names of all, to see whether one is the former of the project at hand; never shown."""


class SearchResult(Value):
    """Hits, best first, and what the caller should know about how they were found.

    Among them stand what is nearest by meaning alone, and what was said later: `shown_as` tells.
    """

    query: str
    hits: tuple[Hit, ...]
    tokens: int = 0
    """Estimated tokens of the hits as they are written."""
    answered: bool
    """True if anything shown fits well enough to be an answer; else it is what comes nearest."""
    max_tokens: int
    """Most tokens that the whole answer may have as a text."""
    id_chars: int = FULL_ID
    """Number of last characters that tell every id in the answer apart in the whole memory."""
    omitted: Annotated[int, UNLESS_EMPTY] = 0
    """Number of results beyond `max_tokens`; of the record only where a `limit` asked for them."""
    beyond_limit: Annotated[int, UNLESS_EMPTY] = 0
    """Number of results of a first-level answer that a `limit` left out."""
    hidden: Annotated[int, UNLESS_EMPTY] = 0
    """Number of superseded or archived results left out; ask with `include_history`."""
    notes: tuple[str, ...] = ()
    """Missing parts of the search, and why."""
    is_empty: bool = False
    """True if nothing at all is on record."""
    is_narrow: bool = False
    """True if it was asked in one wording and found nothing that fits well: others may find it."""
    hint: str | None = None
    """Advice where the second level has more."""
    elsewhere: OtherProjects | None = None
    """Finds of other projects where less was found than asked for; ask with `workspace="*"`."""
    explanation: Explanation | None = None
    """Origin of the answer, where that was asked for."""


class ContextPackage(Value):
    """A package for a prompt. Blocks are plain text; `text` is all of them, fenced as data."""

    persona: str
    """Identity of the assistant and the user, and what always matters."""
    short_term: str
    """The task in hand, and those finished lately."""
    last_turns: str
    """The last turns of the session, as far as they fit."""
    recall: str
    """Conclusions that bear on the query, a line each with its id."""
    evidence: str
    """Verbatim turns; only where the query asks for the record or recall is unsure."""
    citations: tuple[str, ...]
    """Source of every line of recall and evidence: id, session, role, date."""
    text: str
    """The package as it goes into a prompt: fenced, with nothing in it that ends the fence."""
    tokens: int
    """Estimated tokens of `text`."""
    notes: tuple[str, ...] = ()
    """Missing parts of the search, and what did not fit."""
