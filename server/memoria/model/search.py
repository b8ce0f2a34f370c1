"""Results of a search: hits that cite their sources, explanations, and context packages."""

from typing import Annotated, Any, Literal

from pydantic import JsonValue

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.calls import CallOutcome
from memoria.model.grounds import GroundMark
from memoria.model.memory import Condition, Trust, Validity
from memoria.model.memory_types import MemoryType
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.turn import Role

Part = Literal["text", "vectors", "graph"]
"""A source of candidates that a search can do without."""
PARTS: tuple[Part, ...] = ("text", "vectors", "graph")


class PartReport(Value):
    """Outcome of one part of a search."""

    part: Part | Literal["recent", "rerank"]
    state: Literal["used", "idle", "off", "missing"]
    """`idle`: nothing to do. `off`: switched off. `missing`: unavailable."""
    found: int = 0
    """Number of candidates found."""
    why: str | None = None


class ExplainedCandidate(Value):
    """A document that was scored, and everything that decided its rank.

    Scores of parts are 0 to 1 and comparable within one search; `relevance` combines them, and
    candidates are sorted by `score`.
    """

    id: str
    kind: Literal["memory", "turn"]
    text: str
    """Beginning of the text."""
    lexical: float
    """BM25 score, surrounding turns included."""
    cosine: float
    graph: float
    way: str | None = None
    """Shortest way through the graph, from a name in the question or from what was found; None for
    what was found by words and meaning alone."""
    coverage: float
    """Share of the question's words in the document."""
    reranked: float | None = None
    """Score by a reranker; None if none scored the document."""
    relevance: float
    factors: dict[str, float]
    """Factors other than 1 of importance, use, recency, feedback, trust, task and time."""
    score: float
    margin: float
    """Excess over the relevance threshold; below 0 the document is not shown."""
    outcome: Literal["shown", "no room", "past limit", "repeats", "below threshold"]
    """`repeats`: another hit says the same. `below threshold`: below the relevance threshold."""


class Explanation(Value):
    """Sources, formula and scores by which an answer came about.

    The same search of the same store has the same explanation.
    """

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
    """Candidates that were scored, the best first; those not shown included."""


FULL_ID = 36
"""Number of characters of a whole id."""


class HitSource(Value):
    """Place of a hit's text, enough to find the text again."""

    at: str
    """Time at which the text was said, ISO 8601 in UTC."""
    session_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    turn_index: int | None = None
    role: Role | None = None
    speaker: str | None = None
    client: str | None = None
    trust: Trust | None = None
    """Trust of the channel."""
    workspace: str | None = None
    """Project of the hit; in a search, only if another than the project asked from."""
    account: Literal["agent"] | None = None
    """`agent` if only an agent told the turn, in a session that the client tells too."""

    def to_json_beside(self, record_id: str) -> dict[str, Any]:
        """Return the source as JSON, without the turn's id if it is the id of the record."""
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
    """A turn beside a hit, shown for context."""

    id: str
    turn_index: int
    role: Role
    speaker: str | None = None
    text: str
    """Text; of a long text the part that answers, with signs where cut."""
    condition: Condition | None = None
    """Condition under which it was told."""


class Hit(Value):
    """One result. `text` is the stored text itself, or a span of it (then `excerpt` says which)."""

    id: str
    kind: Literal["memory", "turn"]
    text: str
    score: float
    """Score, comparable within one answer only."""
    source: HitSource
    validity: Annotated[
        Validity | None, Shown(write=lambda state: None if state == "active" else state)
    ] = None
    """`contradicted`: the hit and a contradicting statement both hold, as far as is known."""
    version: Annotated[
        int | None, Shown(write=lambda version: None if version == 1 else version)
    ] = None
    excerpt: tuple[int, int] | None = None
    """Span [start, end) in characters of the stored text, if only a part is shown."""
    total_chars: int | None = None
    """Number of characters of the stored text, if only a part is shown."""
    superseded_part: str | None = None
    """Sentence of a turn that no longer holds, if the rest of the turn does."""
    contradicts: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Ids of memories and turns that contradict the hit."""
    outdated_by: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Ids of newer memories in place of the hit's sources."""
    ground: GroundMark | None = None
    """State of the files that carry a memory or that a turn shows; None if it has none."""
    restated_by: str | None = None
    """Id of a hit above that says the same anew, mostly a later turn."""
    condition: Condition | None = None
    """Condition under which it was told."""
    shown_as: Literal["nearest", "later"] | None = None
    """Reason for showing what is no hit: nearest by meaning, or said later by the same speaker."""
    later_than: str | None = None
    """Id of the hit above, which the same speaker said earlier."""
    is_earlier: Annotated[bool, Shown("earlier", when_empty=False)] = False
    """True if a similar newer memory stands above."""
    clock: Annotated[str | None, HIDDEN] = None
    """Local time, if the day alone does not show which of two statements is later."""
    is_verified: Annotated[bool | None, HIDDEN] = None
    """True for a memory that the user has confirmed; None for a turn."""
    type: MemoryType | None = None
    status: Literal["unprocessed", "verbatim", "outdated", "over"] | None = None
    """State of the hit. A turn in a first-level answer: no chat model has read it yet, or it holds,
    word for word, a code, a path or an address that was asked for. An episode or a concept:
    something that it rests on has changed since. Any memory: its end is over."""
    metadata: Metadata = NO_METADATA
    """The caller's own fields, or those of an episode."""
    tool: ToolCall | None = None
    before: Annotated[tuple[AdjacentTurn, ...], UNLESS_EMPTY] = ()
    after: Annotated[tuple[AdjacentTurn, ...], UNLESS_EMPTY] = ()

    def _write_fields(self) -> dict[str, Any]:
        """Return every field as JSON; a turn's own id is not said twice."""
        shown = super()._write_fields()
        return {**shown, "source": self.source.to_json_beside(self.id)}


class OtherProjects(Value):
    """Documents about the question that only other projects see."""

    matches: int
    """Number of documents that hold the words that tell the question apart; 21 stands for more."""
    projects: tuple[str, ...] = ()
    """Names of some of the projects, if the user allows naming them."""
    holders: tuple[str, ...] = ()
    """Names of all such projects, never shown: one may be the present project's former name."""


class SearchResult(Value):
    """Hits, best first, and remarks on how they were found.

    Texts that are nearest by meaning alone, or were said later, have `shown_as` set.
    """

    query: str
    hits: tuple[Hit, ...]
    calls: Annotated[tuple[CallOutcome, ...], UNLESS_EMPTY] = ()
    """What failed and what worked, where a file, an error or a command was asked for."""
    tokens: int = 0
    """Estimated tokens of the hits as shown."""
    answered: bool
    """True if anything shown fits well enough to be an answer; else the nearest are shown."""
    max_tokens: int
    """Most tokens that the whole answer may have as a text."""
    id_chars: int = FULL_ID
    """Number of last characters that tell every id in the answer apart in the whole memory."""
    omitted: Annotated[int, UNLESS_EMPTY] = 0
    """Number of results beyond `max_tokens`; of the record, only with a `limit`."""
    beyond_limit: Annotated[int, UNLESS_EMPTY] = 0
    """Number of results of a first-level answer that a `limit` left out."""
    hidden: Annotated[int, UNLESS_EMPTY] = 0
    """Number of superseded or archived results left out; ask with `include_history`."""
    notes: tuple[str, ...] = ()
    """Missing parts of the search, and why."""
    is_empty: bool = False
    """True if nothing at all is on record."""
    is_narrow: bool = False
    """True if one wording was searched and nothing fits well: other wordings may help."""
    unmet: str = ""
    """Remark that no call failed or was run as asked."""
    hint: str | None = None
    """Advice where the second level has more."""
    elsewhere: OtherProjects | None = None
    """Matches in other projects, if fewer than asked for were found here."""
    explanation: Explanation | None = None
    """Explanation of the answer, if asked for."""


class ContextPackage(Value):
    """A package for a prompt. Blocks are plain text; `text` is all of them, fenced as data."""

    persona: str
    """Identity of the assistant and the user, and standing rules."""
    short_term: str
    """Task in hand, and tasks finished lately."""
    last_turns: str
    """The last turns of the session, as far as they fit."""
    recall: str
    """Memories that bear on the query, one a line, with ids."""
    evidence: str
    """Verbatim turns; only where the query asks for the record or recall is unsure."""
    citations: tuple[str, ...]
    """Source of every line of recall and evidence: id, session, role, date."""
    text: str
    """All blocks for a prompt, fenced; no text inside can end the fence."""
    tokens: int
    """Estimated tokens of `text`."""
    notes: tuple[str, ...] = ()
    """Missing parts of the search, and blocks that did not fit."""
