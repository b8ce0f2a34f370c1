"""Beside: the hits of an answer with what is nearest by meaning, and what was said later.

The order is that of reading: the hits, best first, then what is nearest; and above each of the
first of either what the same speaker said later that is nearest to it. Nothing stands there twice.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from memoria.model import InferredBy
from memoria.model.condition import Condition
from memoria.retrieval.answer.conditions import ToldConditions
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.task import is_of_another_task
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.ranking.later import LaterSearch, Said
from memoria.retrieval.ranking.nearest import find_nearest
from memoria.retrieval.ranking.score import ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import count_hits
from memoria.retrieval.snapshot import ScoredSearch
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Match

_BESIDE_HITS = (3, 1)
_BESIDE_NEAREST = (1, 1)
"""How much of what was said later, and is not shown anyway, stands beside the first, the second and
so on that tell something. Statements that were corrected are the best hit in two of three cases."""
_LOOKED_AT = 12
"""Of what was said later, nearest first: some of it may be shown already."""
_SPARE = 4
"""What is nearest is read together with so much more, for some of it is not to be shown."""

_ALIKE = 0.4
"""A cosine from which on a hit that was said later comes before a better one."""
_ABOVE = 0.25
"""A cosine from which on what was said later stands above what it may correct, else below it.

Where a model has read both, it would have said that one corrects the other: it stands below.
"""

ShownAs = Literal["nearest", "later"]


class AnswerLine(NamedTuple):
    """What is shown in a line of an answer."""

    candidate: ScoredCandidate
    condition: Condition | None
    shown_as: ShownAs | None = None
    """None where it is a hit."""


def list_lines(
    tx: Transaction,
    found: ScoredSearch,
    hits: Sequence[ScoredCandidate],
    told: ToldConditions,
) -> list[AnswerLine]:
    """The lines of an answer, in the order in which they are shown.

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
        return shown
    asked = found.vectors
    near = _list_nearest(tx, found, asked, shown, told, most_nearest)
    lines = [*shown, *near]
    if not asked or plan.as_of is not None:
        return lines
    return _add_later(tx, found, asked, (shown, near), told)


def count_places(plan: SearchPlan) -> tuple[int, int]:
    """How many hits are shown at most, and how much of what is nearest."""
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
    """The ids of the turns that the memories among them were made of."""
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
) -> list[AnswerLine]:
    """The lines, each after what was said later that is nearest to it."""
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
    return list(_place(lines, later))


def _count_beside(search: LaterSearch, groups: Sequence[Sequence[AnswerLine]]) -> dict[Said, int]:
    """How much of what was said later is wanted beside the first hits and the nearest that tell."""
    counts: dict[Said, int] = {}
    for group, places in zip(groups, (_BESIDE_HITS, _BESIDE_NEAREST), strict=True):
        said = list(filter(None, (Said.of_candidate(line.candidate) for line in group)))
        counts |= dict.fromkeys(said[: len(places)], 0)  # what is shown anyway has its place
        counts.update(zip(search.keep_telling(said), places, strict=False))
    return counts


def _take_new(matches: Sequence[Match], most: int, shown: Collection[int]) -> tuple[Match, ...]:
    """Return those that are shown anyway, and so many others, nearest first."""
    new = {match.n for match in [each for each in matches if each.n not in shown][:most]}
    return tuple(match for match in matches if match.n in new or match.n in shown)


def read_visible(
    tx: Transaction, found: ScoredSearch, plan: SearchPlan, wanted: Sequence[FusedCandidate]
) -> list[ScoredCandidate]:
    """Those of the documents that may be seen, in their order, and none of another task."""
    read = score_candidates(tx, plan, wanted, found.threshold)
    scored = {each.candidate.n: each for each in read if not is_of_another_task(plan, each.task)}
    return [scored[each.n] for each in wanted if each.n in scored]


def _place(
    lines: Mapping[int, AnswerLine], later: Mapping[int, Sequence[Match]]
) -> Iterator[AnswerLine]:
    """Each line once, after what was said later; a better hit only after another that is alike."""
    placed: set[int] = set()
    for line in lines.values():
        if line.shown_as != "later":
            yield from _place_with_later(line, lines, later, placed)


def _place_with_later(
    line: AnswerLine,
    lines: Mapping[int, AnswerLine],
    later: Mapping[int, Sequence[Match]],
    placed: set[int],
) -> Iterator[AnswerLine]:
    n = line.candidate.candidate.n
    if n in placed:
        return
    placed.add(n)
    above, below = _list_beside(line, later.get(n, ()), lines)
    for newer in above:
        yield from _place_with_later(newer, lines, later, placed)
    yield line
    for newer in below:
        yield from _place_with_later(newer, lines, later, placed)


def _list_beside(
    line: AnswerLine, matches: Sequence[Match], lines: Mapping[int, AnswerLine]
) -> tuple[list[AnswerLine], list[AnswerLine]]:
    """What was said later than a line, to be shown above it and below it."""
    above, below = [], []
    is_read = _was_read(line)
    for match in matches:
        newer = lines.get(match.n)
        if newer is None:
            continue
        is_settled = is_read and _was_read(newer)
        if newer.shown_as is None:
            above += [newer] if match.score >= _ALIKE else []
        elif match.score >= _ABOVE and not is_settled:
            above.append(newer._replace(shown_as="later"))
        else:
            below.append(newer._replace(shown_as="later"))
    return above, below


def _was_read(line: AnswerLine) -> bool:
    """Whether a model has read what a line shows."""
    document = line.candidate.document
    if isinstance(document, MemoryWording):
        return document.version.inferred_by is InferredBy.MODEL
    return document.processed
