"""Lines of an answer: the hits that may be told, what is nearest by meaning, what was said later.

The order is that of reading: the hits, best first, then what is nearest; and below each of the
first of either what the same speaker said later that is nearest to it. Nothing stands there twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from memoria.memories.conditions import conditions_of_memories, conditions_of_turns
from memoria.model import StoredTurn
from memoria.model.memory import Condition
from memoria.retrieval.lookup.newer import put_newer_first
from memoria.retrieval.query.plan import SearchPlan, is_of_another_task
from memoria.retrieval.ranking.candidates import FusedCandidate, MemoryWording, ScoredCandidate
from memoria.retrieval.ranking.nearest import LaterSearch, Said, find_nearest
from memoria.retrieval.ranking.score import score_candidates
from memoria.retrieval.ranking.selection import count_hits
from memoria.retrieval.snapshot import ScoredSearch
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Match

Told = tuple[ScoredCandidate, Condition | None]


class ToldConditions:
    """Reader of the conditions under which candidates were told."""

    def __init__(self, tx: Transaction, plan: SearchPlan) -> None:
        self._tx = tx
        self._hidden = {Condition.WITHHELD}
        if not plan.profile.shows_confidences:
            self._hidden.add(Condition.CONFIDED)

    def take(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first `most` candidates that may be in an answer, with their conditions."""
        return self._take(candidates, most, self._hidden)

    def take_open(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first `most` candidates that were told openly."""
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
        wordings = [
            each.document for each in candidates if isinstance(each.document, MemoryWording)
        ]
        of_memories = conditions_of_memories(self._tx, [one.memory for one in wordings])
        for each in candidates:
            match each.document:
                case MemoryWording(memory, _):
                    yield each, of_memories[memory.id]
                case turn:
                    yield each, of_turns[turn.n]


_BESIDE_HITS = (3, 1)
_BESIDE_NEAREST = (1,)
"""Numbers of later statements shown beside the first hit that tells something, and the second; the
numbers for hits and for the nearest by meaning."""
_LOOKED_AT = 12
"""Number of later statements that are looked at, nearest first: some may be shown already."""
_SPARE = 4
"""Number of spare results read with the nearest, as some may not be shown."""
_NEAR = 0.3
"""Cosine below which a later statement is about something else."""
_ALIKE = 0.4
"""Least cosine with which a line that is shown anyway stands below the line it may correct."""
ShownAs = Literal["nearest", "later"]


class AnswerLine(NamedTuple):
    """Line of an answer, before it is cited."""

    candidate: ScoredCandidate
    condition: Condition | None
    shown_as: ShownAs | None = None
    """None for a hit."""
    later_than: str | None = None
    """Id of the line below which this line stands."""


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """Lines of an answer, each once, not yet in their places."""

    lines: Sequence[AnswerLine]
    """Hits, then the nearest by meaning, then other statements that were said later."""
    later: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Documents that were said later than each document, nearest first."""


def list_lines(
    tx: Transaction, found: ScoredSearch, hits: Sequence[ScoredCandidate], told: ToldConditions
) -> AnswerLines:
    """List the lines of an answer, and what was said later than each.

    Args:
        tx: where it was searched.
        found: what was found.
        hits: all hits, best first.
        told: reads the conditions under which candidates were told.
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
    """Return the most hits to show, and the most lines for the nearest by meaning."""
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
    known = {each.candidate.n for each in shown}
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
    """Return the lines, with the nearest later statements for the first of each group."""
    plan = found.plan
    wide = plan.with_processed_turns()
    search = LaterSearch(tx, asked[0].model, plan.calibration, wide.filters)
    counts = _count_beside(search, groups)
    lines = {line.candidate.n: line for group in groups for line in group}
    matches = search.find(list(counts), _LOOKED_AT, [each.vector for each in asked])
    later = {one.n: _take_new(matches.get(one.n, ()), most, lines) for one, most in counts.items()}
    new = dict.fromkeys(match.n for matches in later.values() for match in matches)
    wanted = [FusedCandidate(n, 0.0) for n in new if n not in lines]
    read = read_visible(tx, found, wide, wanted)
    added = (AnswerLine(*each, "later") for each in told.take_open(read, len(read)))
    lines |= {line.candidate.n: line for line in added}
    return AnswerLines(
        list(lines.values()), {n: [match.n for match in ones] for n, ones in later.items()}
    )


def _count_beside(search: LaterSearch, groups: Sequence[Sequence[AnswerLine]]) -> dict[Said, int]:
    """Map the first statements of each group to the number of later statements to show beside."""
    counts: dict[Said, int] = {}
    for group, places in zip(groups, (_BESIDE_HITS, _BESIDE_NEAREST), strict=True):
        said = list(filter(None, (Said.of_candidate(line.candidate) for line in group)))
        counts |= dict.fromkeys(said[: len(places)], 0)  # what is shown anyway has its place
        counts.update(zip(search.keep_telling(said), places, strict=False))
    return counts


def _take_new(matches: Sequence[Match], most: int, shown: Collection[int]) -> tuple[Match, ...]:
    """Return the matches that are shown anyway and alike, and `most` others that are near."""
    near = [match for match in matches if match.n not in shown and match.score >= _NEAR]
    new = {match.n for match in near[:most]}
    return tuple(
        match for match in matches if match.n in new or (match.n in shown and match.score >= _ALIKE)
    )


def read_visible(
    tx: Transaction, found: ScoredSearch, plan: SearchPlan, wanted: Sequence[FusedCandidate]
) -> list[ScoredCandidate]:
    """Read the wanted documents that may be seen, in their order, without those of other tasks."""
    read = score_candidates(tx, plan, wanted, found.threshold)
    scored = {each.n: each for each in read if not is_of_another_task(plan, each.task)}
    return [scored[each.n] for each in wanted if each.n in scored]


def place_lines(answer: AnswerLines, earlier: Mapping[int, int]) -> list[AnswerLine]:
    """Return the lines in the order of reading, later statements right below the earlier line.

    A newer memory that is like an older memory stands by itself, above the older.

    Args:
        answer: the lines, and what was said later than each.
        earlier: the newer memory's document by the older memory's document.
    """
    by_n = {line.candidate.n: line for line in answer.lines}
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
