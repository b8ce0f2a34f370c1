"""Candidates: the best documents of all sources, fused to one list and read.

Text and meaning come joined already, in the context of their conversation (`evidence`). The graph
is one more independent witness (noisy-or, as there): alone it makes a weak hit, together with
words or meaning a surer one. A sum with fixed weights (λ1·BM25 + λ2·vector + λ3·graph) would need
other weights for every source that is absent; here the scores of the others stay as they are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar, overload

from memoria.language.asking.parse import ParsedQuery
from memoria.language.reading.excerpt import Span, find_excerpt, weigh_evenly
from memoria.language.words.analyser import distinct_tokens
from memoria.language.words.document import full_text
from memoria.model import Memory, MemoryVersion, StoredTurn, Validity
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.threshold import RelevanceSignals, RelevanceThreshold
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.features import IndexTokens, list_words
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Filters, Frequencies

if TYPE_CHECKING:
    from memoria.retrieval.ranking.evidence.columns import Floats


RANK_DEPTH = 100
"""Number of the best documents that are ranked by their priors, however many are wanted."""
MOST_CHARS = 8_000
"""Most characters of a document whose words are counted anew."""
_WITHOUT_PHRASE = 0.1
"""Factor of a turn that lacks what the query quotes, where another has it."""


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """A query for a ranking by words and meaning."""

    parsed: ParsedQuery
    filters: Filters
    frequencies: Frequencies
    """Frequencies of its terms."""


class RankedDocument(NamedTuple):
    """A document with its score and the parts of the score."""

    n: int
    score: float
    lexical: float
    """Score by words, context included, 0 to 1, relative to the best of this search."""
    cosine: float
    """Cosine; for a document that is not among the nearest, the cosine of the last of these."""
    trust: float = 1.0
    """Share of the query's words that the best document holds in its context, 0 to 1."""
    indexed: IndexTokens | None = None
    """Tokens, where they were read."""


class Ranking(NamedTuple):
    """Results of a search, by words and meaning."""

    best: Sequence[RankedDocument] = ()
    """Best first; ties by age, oldest first."""
    passed: frozenset[int] = frozenset()
    """Documents that cannot come among the best, whatever they say."""


def phrase_share(holding: Set[int], n: int) -> float:
    """Return a document's factor: less than 1 if only other documents hold a quoted phrase."""
    return 1.0 if not holding or n in holding else _WITHOUT_PHRASE


_Score = TypeVar("_Score", float, "Floats")
GRAPH_CEILING = 0.3
"""Highest score of a document that only the graph has found."""
_GRAPH_ONLY_MOST = 30
"""Most documents that only the graph has found and that are looked at."""


class FusedCandidate(NamedTuple):
    """A document with its score by each source, 0 to 1."""

    n: int
    score: float
    """Score of text and meaning in context, joined with that of the graph."""
    lexical: float = 0.0
    cosine: float = 0.0
    graph: float = 0.0
    context: float = 0.0
    """Share of the query's words in the document and around it, without names of speakers."""
    entity_names: frozenset[str] = frozenset()
    """Names in the query that the graph links with the document directly."""
    via: int | None = None
    """Number of the found document from which the graph leads to this one."""
    leader: int | None = None
    """Number of the document from which a walk from a name in the query leads to this one."""
    is_indexed: bool = True
    """True if an index found the document; False if only the graph or the calendar did."""
    indexed: IndexTokens | None = None
    """Tokens, where they were read."""
    phrase: float = 1.0
    """Factor, less than 1 if only other documents hold a phrase that the query quotes."""
    passage: Span | None = None
    """Part of a long turn's whole text that is nearest to the question by meaning."""


def fuse(
    plan: SearchPlan, sources: SourceScores, ranking: Ranking, most: int
) -> list[FusedCandidate]:
    """Fuse the best candidates, best first: `most` at most, and those that only the graph knows.

    Args:
        plan: the search.
        sources: what the sources have found.
        ranking: the best documents by words and meaning, `most` of them or more.
        most: how many are wanted.
    """
    if plan.parsed.is_time_only:
        return [FusedCandidate(n, 1 / (1 + place), is_indexed=False)
                for place, n in enumerate(sources.recent[:most])]  # fmt: skip
    expansion = sources.expansion
    found = ranking.best[: _depth(sources, most)]
    scores = {item.n: add_graph_score(item.score, expansion.scores.get(item.n, 0.0))
              for item in found}  # fmt: skip
    best = sorted(found, key=lambda item: (-scores[item.n], item.n))[:most]
    fused = [
        FusedCandidate(
            item.n,
            scores[item.n],
            item.lexical,
            item.cosine,
            expansion.scores.get(item.n, 0.0),
            item.trust * item.lexical,
            expansion.entity_names.get(item.n, frozenset()),
            expansion.via.get(item.n),
            expansion.walk.leaders.get(item.n),
            indexed=item.indexed,
            phrase=phrase_share(sources.holding_phrase, item.n),
            passage=sources.passages.get(item.n),
        )
        for item in best
    ]
    if not plan.filters.is_narrow:  # the graph knows no filters
        fused += _graph_only_candidates(sources, ranking.passed | {item.n for item in found})
    return sorted(fused, key=lambda item: (-item.score, item.n))


def _depth(sources: SourceScores, most: int) -> int:
    """Return the number of ranked documents to look at: the graph may lift those far down."""
    return max(most, RANK_DEPTH) if sources.expansion.scores else most


def add_graph_score(score: _Score, graph: _Score) -> _Score:
    """Join a score, or each score of a column, with the score of the graph."""
    return 1 - (1 - score) * (1 - GRAPH_CEILING * graph)


def _graph_only_candidates(sources: SourceScores, known: Set[int]) -> list[FusedCandidate]:
    expansion = sources.expansion
    others = sorted(
        (n for n in expansion.scores if n not in known), key=lambda n: (-expansion.scores[n], n)
    )
    return [
        FusedCandidate(
            n,
            add_graph_score(0.0, expansion.scores[n]),
            graph=expansion.scores[n],
            entity_names=expansion.entity_names.get(n, frozenset()),
            via=expansion.via.get(n),
            leader=expansion.walk.leaders.get(n),
            cosine=sources.cosine.get(n, 0.0),
            is_indexed=False,
        )
        for n in others[:_GRAPH_ONLY_MOST]
    ]


READ_CHARS = 4000
"""Most characters of a document read for its words: of a long one, the part that answers."""


@dataclass(frozen=True, slots=True)
class MemoryWording:
    """A memory in one of its wordings."""

    memory: Memory
    version: MemoryVersion


def read_documents(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    known: Mapping[int, StoredTurn],
) -> dict[int, StoredTurn | MemoryWording]:
    """Map the candidates that may be seen to their documents; `known` turns are not read again."""
    indexed = [item.n for item in fused if item.is_indexed or _includes_unindexed(plan)]
    turns = {n: known[n] for n in indexed if n in known}
    turns |= tx.conversations.turns([n for n in indexed if n not in turns])
    documents: dict[int, StoredTurn | MemoryWording] = {
        n: turn for n, turn in turns.items() if _may_be_shown(turn, plan)
    }
    if "memory" in plan.kinds:
        ns = [item.n for item in fused if item.n not in turns]
        for n, memory in tx.memories.by_version_numbers(ns).items():
            version = _wording_to_show(memory, n, plan)
            if version is not None:
                documents[n] = MemoryWording(memory, version)
    return documents


def _includes_unindexed(plan: SearchPlan) -> bool:
    """Return whether a search shows turns that no index, but the calendar or graph, has found."""
    has_no_index = {"text", "vectors"} <= plan.options.without
    return plan.parsed.is_time_only or plan.profile.includes_linked_turns or has_no_index


def _may_be_shown(turn: StoredTurn, plan: SearchPlan) -> bool:
    """Return whether a turn was said by the moment asked for, and may be a hit.

    Among memories a turn may until memories have been made of the turn, and after that for what no
    memory keeps: an error code, a path, an address.
    """
    if plan.as_of is not None and not (turn.current and turn.at <= plan.as_of):
        return False
    if turn.suppressed and not plan.profile.shows_suppressed_turns:
        return False
    stands_for_itself = not (plan.profile.only_unprocessed_turns and turn.processed)
    return stands_for_itself or plan.parsed.occurs_in(full_text(turn))


def _wording_to_show(memory: Memory, n: int, plan: SearchPlan) -> MemoryVersion | None:
    """Return the wording with number `n`, or the wording valid at the moment asked for, if any."""
    moment = plan.now if plan.as_of is None else plan.as_of
    is_over = memory.expires_at is not None and memory.expires_at <= moment
    if is_over and (plan.as_of is not None or not plan.filters.include_history):
        return None  # it was meant to count until then
    if plan.as_of is None:
        return next(version for version in memory.versions if version.n == n)
    if not _is_active_at(memory, moment):
        return None
    valid = (version for version in memory.versions if _is_valid_at(version, moment))
    return next((version for version in valid if passes_filters(version, plan.filters)), None)


def _is_active_at(memory: Memory, moment: int) -> bool:
    """Return whether a memory was active at a moment: it is active, or ended only later."""
    if memory.validity in (Validity.ARCHIVED, Validity.SUPERSEDED):
        ever = memory.updated_at > memory.created_at  # some are kept for the history alone
        return ever and moment < memory.updated_at
    return memory.validity is Validity.ACTIVE


def _is_valid_at(version: MemoryVersion, moment: int) -> bool:
    return version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)


def passes_filters(version: MemoryVersion, filters: Filters) -> bool:
    """Return whether a wording passes the filters; the index has put them to another wording."""
    early = filters.since is not None and version.valid_from < filters.since
    late = filters.until is not None and version.valid_from >= filters.until
    return not early and not late and filters.session_id in (None, version.provenance.session_id)


def read_words(
    tx: Transaction, plan: SearchPlan, fused: Sequence[FusedCandidate], texts: Mapping[int, str]
) -> dict[int, frozenset[str]]:
    """Map each document to its tokens; a long document to those of the part that answers."""
    stored: dict[int, frozenset[str]] = {}
    if "text" not in plan.options.without and plan.as_of is None:
        short = [item for item in fused if len(texts[item.n]) <= READ_CHARS]
        stored = {item.n: frozenset(list_words(item.indexed)) for item in short if item.indexed}
        stored |= tx.documents.distinct_words([item.n for item in short if item.n not in stored])
    return {n: stored.get(n) or _excerpt_words(text, plan) for n, text in texts.items()}


def _excerpt_words(text: str, plan: SearchPlan) -> frozenset[str]:
    start, end = find_excerpt(text, weigh_evenly(plan.terms), READ_CHARS)
    return distinct_tokens(text[start:end])


def read_text(document: StoredTurn | MemoryWording) -> str:
    """Return all words of a document."""
    return document.version.content if isinstance(document, MemoryWording) else full_text(document)


class ScoredCandidate(NamedTuple):
    """A document with its score, which can be compared within one search."""

    document: StoredTurn | MemoryWording
    candidate: FusedCandidate
    signals: RelevanceSignals
    relevance: float
    """Match with the query, 0 to 1."""
    boosts: Mapping[str, float]
    score: float
    words: frozenset[str]
    margin: float
    """Excess over the demand of the relevance threshold; below 0 the document does not fit."""

    @property
    def n(self) -> int:
        """Number of the document."""
        return self.candidate.n

    @property
    def kind(self) -> DocumentKind:
        """Kind of document."""
        return "turn" if isinstance(self.document, StoredTurn) else "memory"

    @property
    def id(self) -> str:
        """Id of the memory or turn."""
        document = self.document
        return document.id if isinstance(document, StoredTurn) else document.memory.id

    @property
    def task(self) -> str | None:
        """Task that a memory belongs to; None for one of no task, and for a turn."""
        document = self.document
        return None if isinstance(document, StoredTurn) else document.memory.task

    @property
    def identity(self) -> tuple[str, int]:
        """Key of a version of a message, or of a wording of a memory."""
        document = self.document
        return (document.id, document.n) if isinstance(document, StoredTurn) else (
            document.memory.id, document.version.n)  # fmt: skip

    def with_margin(self, threshold: RelevanceThreshold) -> Self:
        """Return this candidate with the margin that its signals have by a threshold."""
        return self._replace(margin=threshold.margin(self.kind, self.signals))

    @property
    def text(self) -> str:
        """All words of the document."""
        return read_text(self.document)


class LazyCandidates(Sequence[ScoredCandidate]):
    """Candidates that are read only as far as somebody looks.

    A search uses these where the words of a candidate do not change its place.
    """

    def __init__(
        self,
        fused: Sequence[FusedCandidate],
        score: Callable[[Sequence[FusedCandidate]], list[ScoredCandidate]],
        first: int,
    ) -> None:
        """Create the sequence without reading any.

        Args:
            fused: the candidates, best first.
            score: reads some of them while the transaction lasts, and keeps their order.
            first: how many are read together when somebody looks at the first.
        """
        self._unread = fused
        self._score = score
        self._first = first
        self._read: list[ScoredCandidate] = []

    def __len__(self) -> int:
        return len(self._read_until(None))

    def __bool__(self) -> bool:
        return bool(self[:1])

    def __iter__(self) -> Iterator[ScoredCandidate]:
        yield from self[: self._first]
        yield from self[self._first :]

    @overload
    def __getitem__(self, at: int) -> ScoredCandidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[ScoredCandidate]: ...
    def __getitem__(self, at: int | slice) -> ScoredCandidate | list[ScoredCandidate]:
        part = at if isinstance(at, slice) else slice(at, at + 1)
        ends = part.start or 0, part.stop, part.step or 1
        is_counted_from_first = part.stop is not None and min(ends) >= 0
        return self._read_until(part.stop if is_counted_from_first else None)[at]

    def _read_until(self, most: int | None) -> list[ScoredCandidate]:
        """Read the first `most` candidates that may be seen, or all."""
        most = len(self._unread) + len(self._read) if most is None else max(most, self._first)
        while self._unread and len(self._read) < most:
            many = most - len(self._read)
            part, self._unread = self._unread[:many], self._unread[many:]
            self._read += self._score(part)
        return self._read
