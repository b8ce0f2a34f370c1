"""Lines of an answer: the hits that may be told, what is nearest by meaning, what was said later.

The order is that of reading: the hits, best first, then what is nearest; and below each of the
first of either what the same speaker said later that is nearest to it. Nothing stands there twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from memoria.memories.conditions import condition_of_memory, conditions_of_turns
from memoria.model import StoredTurn
from memoria.model.memory import Condition
from memoria.retrieval.lookup.newer import put_newer_first
from memoria.retrieval.query.plan import SearchPlan, is_of_another_task
from memoria.retrieval.ranking.candidates import FusedCandidate, MemoryWording
from memoria.retrieval.ranking.nearest import LaterSearch, Said, find_nearest
from memoria.retrieval.ranking.score import ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import count_hits
from memoria.retrieval.snapshot import ScoredSearch
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Match

Told = tuple[ScoredCandidate, Condition | None]


class ToldConditions:
    """Conditions of candidates, read together as far as they may be shown."""

    def __init__(self, tx: Transaction, plan: SearchPlan) -> None:
        self._tx = tx
        self._hidden = {Condition.WITHHELD}
        if not plan.profile.shows_confidences:
            self._hidden.add(Condition.CONFIDED)

    def take(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first that may be in an answer, each with its condition."""
        return self._take(candidates, most, self._hidden)

    def take_open(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first that were told openly."""
        return self._take(candidates, most, {Condition.WITHHELD, Condition.CONFIDED})

    def _take(
        self, candidates: Sequence[ScoredCandidate], most: int, hidden: set[Condition]
    ) -> list[Told]:
        taken: list[Told] = []
        start = 0
        while len(taken) < most and start < len(candidates):
            part = candidates[start : start + most - len(taken)]
            start += len(part)
            taken += [each for each in self._read(part) if each[1] not in hidden]
        return taken

    def _read(self, candidates: Sequence[ScoredCandidate]) -> Iterator[Told]:
        turns = [each.document for each in candidates if isinstance(each.document, StoredTurn)]
        of_turns = conditions_of_turns(self._tx, turns) if turns else {}
        for each in candidates:
            match each.document:
                case MemoryWording(memory, _):
                    yield each, condition_of_memory(self._tx, memory)
                case turn:
                    yield each, of_turns[turn.n]


_BESIDE_HITS = (3, 1)
_BESIDE_NEAREST = (1,)
"""How much of what was said later, and is not shown anyway, stands beside the first, the second and
so on that tell something. Statements that were corrected are the best hit in two of three cases."""
_LOOKED_AT = 12
"""Later statements that are looked at, nearest first: some of them may be shown already."""
_SPARE = 4
"""Spare results that are read with the nearest, for some of those are not to be shown."""
_NEAR = 0.3
"""A cosine below which what was said later is of something else: none of 39 corrections in other
words lay lower, and of 100 other lines 16."""
_ALIKE = 0.4
"""A cosine from which on what is shown anyway stands below what it may correct."""
ShownAs = Literal["nearest", "later"]


class AnswerLine(NamedTuple):
    """A line of an answer, before it is cited."""

    candidate: ScoredCandidate
    condition: Condition | None
    shown_as: ShownAs | None = None
    """None where it is a hit."""
    later_than: str | None = None
    """The id of the line below which it stands."""


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """The lines of an answer, each once, not yet in their places."""

    lines: Sequence[AnswerLine]
    """The hits, what is nearest, then what was said later and is neither."""
    later: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """By document what was said later than that, nearest first."""


def list_lines(
    tx: Transaction,
    found: ScoredSearch,
    hits: Sequence[ScoredCandidate],
    told: ToldConditions,
) -> AnswerLines:
    """The lines of an answer, with what was said later than which.

    Args:
        tx: where it was searched.
        found: what was found.
        hits: best first; as many are shown as there may be.
        told: on what condition things were told.
    """
    plan = found.plan
    most_hits, most_nearest = count_places(plan)
    shown = [AnswerLine(*each) for each in told.take(hits, most_hits)]
    is_compared = found.statistics.has_vectors and not plan.parsed.is_time_only
    if not (plan.profile.most_nearest and is_compared):
        return AnswerLines(shown)
    asked = found.vectors
    near = _list_nearest(tx, found, asked, shown, told, most_nearest)
    if not asked or plan.as_of is not None:
        return AnswerLines([*shown, *near])
    return _add_later(tx, found, asked, (shown, near), told)


def count_places(plan: SearchPlan) -> tuple[int, int]:
    """Return the most hits to show, and the most lines of what is nearest."""
    nearest = plan.profile.most_nearest
    if not plan.is_limited or plan.parsed.is_time_only:
        return count_hits(plan), nearest
    nearest = min(nearest, plan.limit // 3)
    return plan.limit - nearest, nearest


def _list_nearest(
    tx: Transaction,
    found: ScoredSearch,
    asked: Sequence[QueryVector],
    shown: Sequence[AnswerLine],
    told: ToldConditions,
    most: int,
) -> list[AnswerLine]:
    known = {each.candidate.candidate.n for each in shown}
    sources = _list_sources(shown)
    best = find_nearest(tx, found.plan, asked, known)[: most + _SPARE]
    new = [each for each in read_visible(tx, found, found.plan, best) if each.id not in sources]
    return [AnswerLine(*each, "nearest") for each in told.take_open(new, most)]


def _list_sources(lines: Sequence[AnswerLine]) -> set[str | None]:
    """Return the ids of the turns that the memories among the lines were made of."""
    documents = (each.candidate.document for each in lines)
    return {
        document.version.provenance.turn_id
        for document in documents
        if isinstance(document, MemoryWording)
    }


def _add_later(
    tx: Transaction,
    found: ScoredSearch,
    asked: Sequence[QueryVector],
    groups: Sequence[Sequence[AnswerLine]],
    told: ToldConditions,
) -> AnswerLines:
    """The lines, and for the first of them what was said later that is nearest to each."""
    plan = found.plan
    wide = plan.with_processed_turns()
    search = LaterSearch(tx, asked[0].model, plan.calibration, wide.filters)
    counts = _count_beside(search, groups)
    lines = {line.candidate.candidate.n: line for group in groups for line in group}
    matches = search.find(list(counts), _LOOKED_AT, [each.vector for each in asked])
    later = {one.n: _take_new(matches.get(one.n, ()), most, lines) for one, most in counts.items()}
    new = dict.fromkeys(match.n for matches in later.values() for match in matches)
    wanted = [FusedCandidate(n, 0.0) for n in new if n not in lines]
    read = read_visible(tx, found, wide, wanted)
    added = (AnswerLine(*each, "later") for each in told.take_open(read, len(read)))
    lines |= {line.candidate.candidate.n: line for line in added}
    return AnswerLines(
        list(lines.values()), {n: [match.n for match in ones] for n, ones in later.items()}
    )


def _count_beside(search: LaterSearch, groups: Sequence[Sequence[AnswerLine]]) -> dict[Said, int]:
    """Return the number of later statements wanted, by each first hit and nearest that tells."""
    counts: dict[Said, int] = {}
    for group, places in zip(groups, (_BESIDE_HITS, _BESIDE_NEAREST), strict=True):
        said = list(filter(None, (Said.of_candidate(line.candidate) for line in group)))
        counts |= dict.fromkeys(said[: len(places)], 0)  # what is shown anyway has its place
        counts.update(zip(search.keep_telling(said), places, strict=False))
    return counts


def _take_new(matches: Sequence[Match], most: int, shown: Collection[int]) -> tuple[Match, ...]:
    """Return those that are shown anyway and alike, and so many others that are near, in order."""
    near = [match for match in matches if match.n not in shown and match.score >= _NEAR]
    new = {match.n for match in near[:most]}
    return tuple(
        match for match in matches if match.n in new or (match.n in shown and match.score >= _ALIKE)
    )


def read_visible(
    tx: Transaction, found: ScoredSearch, plan: SearchPlan, wanted: Sequence[FusedCandidate]
) -> list[ScoredCandidate]:
    """Read the documents that may be seen, in their order, and none of another task."""
    read = score_candidates(tx, plan, wanted, found.threshold)
    scored = {each.candidate.n: each for each in read if not is_of_another_task(plan, each.task)}
    return [scored[each.n] for each in wanted if each.n in scored]


def place_lines(answer: AnswerLines, earlier: Mapping[int, int]) -> list[AnswerLine]:
    """Return the lines in their order, each with what was said later right below it.

    A newer memory that is like an older one stands by itself, above it.

    Args:
        answer: the lines, and what was said later than which.
        earlier: by the document of an older memory that of the newer one.
    """
    by_n = {line.candidate.candidate.n: line for line in answer.lines}
    places = {n: place for place, n in enumerate(by_n)}
    alone = {*earlier, *earlier.values()}
    heads: dict[int, int] = {}
    for n in by_n:
        head = heads.get(n, n)
        for newer in answer.later.get(n, ()):
            if newer not in heads and newer not in alone and places.get(newer, 0) > places[head]:
                heads[newer] = head
    below: dict[int, list[AnswerLine]] = defaultdict(list)
    for n, head in heads.items():
        line = by_n[n]._replace(later_than=by_n[head].candidate.id)
        below[head].append(line if line.shown_as is None else line._replace(shown_as="later"))
    own = put_newer_first((n for n in by_n if n not in heads), lambda n: n, earlier)
    return [line for n in own for line in (by_n[n], *below[n])]
