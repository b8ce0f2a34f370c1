"""Build: from the hits that were chosen to the answer, as much of it as its budget holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoria.model import Hit, PartReport, SearchResult
from memoria.model.condition import Condition
from memoria.model.search import OtherProjects
from memoria.retrieval.answer.cite import cite_candidate
from memoria.retrieval.answer.conditions import list_answerable, list_open
from memoria.retrieval.answer.contradictions import mark_hits
from memoria.retrieval.answer.elsewhere import find_elsewhere
from memoria.retrieval.answer.explain import build_explanation
from memoria.retrieval.answer.form import ID_CHARS, list_ids
from memoria.retrieval.answer.hint import find_hint
from memoria.retrieval.answer.nearest_topics import list_nearest_topics
from memoria.retrieval.answer.neighbours import read_neighbours
from memoria.retrieval.answer.notes import notes_cost
from memoria.retrieval.answer.outdated import mark_outdated
from memoria.retrieval.answer.pack import PackedHits, Packer
from memoria.retrieval.answer.superseded import mark_superseded
from memoria.retrieval.answer.updates import mark_updates
from memoria.retrieval.answer.widen import is_too_narrow
from memoria.retrieval.lookup.short_ids import count_id_chars
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.choice import ChosenHits
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.ranking.successors import list_superseded
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.base import Transaction

_NOTES_SHARE = 0.3
"""Of the budget, what is said beside the hits may take so much where all of it has no room."""
_FEW_HITS = 8
"""Of fewer hits it is said how many matches other projects have."""


def build_answer(
    tx: Transaction, found: ScoredSearch, chosen: ChosenHits, *, names_projects: bool
) -> SearchResult:
    """The answer to a search.

    Args:
        tx: where it was searched.
        found: what was found.
        chosen: what of it are hits.
        names_projects: whether it may name other projects that have a match.
    """
    plan = found.plan
    told = list_answerable(tx, plan, chosen.selection.hits)
    selection = replace(chosen.selection, hits=tuple(one for one, _ in told))
    within_limit = selection.hits[: plan.limit]
    whole = SearchResult(
        query=plan.asked,
        hits=_cite_hits(tx, found, chosen, told[: plan.limit]),
        max_tokens=plan.max_tokens,
        id_chars=ID_CHARS,
        omitted=len(within_limit),
        beyond_limit=len(selection.hits) - len(within_limit),
        hidden=_count_hidden(tx, plan),
        notes=_list_notes(tx, plan, found.sources.reports, is_silent=not within_limit),
        nearest_topics=_list_nearest(tx, plan, selection),
        is_narrow=is_too_narrow(plan, selection),
        hint=find_hint(tx, plan, found, selection) if plan.profile.hints_at_transcript else None,
        elsewhere=_find_elsewhere(tx, found, selection, names_projects=names_projects),
    )
    result = _fit(tx, plan, whole, within_limit, found.weights)
    if not plan.options.explain:
        return result
    shown = {each.candidate.n for each in within_limit[: len(result.hits)]}
    explanation = build_explanation(plan, found.sources, found.threshold, selection, shown)
    return result.model_copy(update={"explanation": explanation})


def _cite_hits(
    tx: Transaction,
    found: ScoredSearch,
    chosen: ChosenHits,
    told: Sequence[tuple[ScoredCandidate, Condition | None]],
) -> tuple[Hit, ...]:
    """The hits, each with its source and with what speaks against it."""
    plan, successors = found.plan, chosen.successors
    shown = [one for one, _ in told]
    cited = mark_superseded(
        [_cite(found, each, condition) for each, condition in told],
        shown,
        list_superseded(tx, plan, shown, successors),
    )
    cited = mark_updates(cited, shown, chosen.updates, successors)
    return mark_outdated(tx, plan, mark_hits(tx, cited, plan.filters))


def _cite(found: ScoredSearch, candidate: ScoredCandidate, condition: Condition | None) -> Hit:
    hit = cite_candidate(found.plan, candidate, found.weights)
    return hit if condition is None else hit.model_copy(update={"condition": condition})


def _find_elsewhere(
    tx: Transaction, found: ScoredSearch, selection: Selection, *, names_projects: bool
) -> OtherProjects | None:
    """What other projects have, where this one has little."""
    plan = found.plan
    if not plan.profile.counts_elsewhere or len(selection.hits) >= min(plan.limit, _FEW_HITS):
        return None
    return find_elsewhere(tx, plan, found.statistics, name_projects=names_projects)


def _fit(
    tx: Transaction,
    plan: SearchPlan,
    whole: SearchResult,
    found: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> SearchResult:
    """The answer with as much of its hits as the budget holds beside what is said of them.

    Args:
        tx: where the turns beside the hits are read.
        plan: the search.
        whole: the answer with every hit whole, and none of them counted as shown.
        found: the candidates that its hits were made of.
        weights: the terms asked for, and what each counts where a hit is cut.
    """
    if not whole.hits:
        return whole
    room = plan.max_tokens - min(notes_cost(whole), round(_NOTES_SHARE * plan.max_tokens))
    focuses = [
        each.candidate.passage if hit.excerpt is None else None
        for each, hit in zip(found, whole.hits, strict=True)
    ]

    def pack(room: int, id_chars: int) -> PackedHits:
        packer = Packer(whole.hits, room, weights, focuses, id_chars)
        admitted = packer.admit()
        if plan.context:
            packer.add_neighbours(read_neighbours(tx, found[:admitted], plan.context))
        return packer.finish()

    packed = pack(room, ID_CHARS)
    if not packed.hits:  # so small a budget is for the best hit, not for notes
        room = plan.max_tokens
        packed = pack(room, ID_CHARS)
    id_chars = count_id_chars(tx, list_ids(packed.hits))
    if id_chars > ID_CHARS:
        packed = pack(room, id_chars)
    is_counted = plan.is_limited or plan.profile.every_hit_must_fit or not packed.hits
    return whole.model_copy(
        update={
            "hits": packed.hits,
            "tokens": packed.tokens,
            "id_chars": id_chars,
            "omitted": packed.omitted if is_counted else 0,
        }
    )


def _count_hidden(tx: Transaction, plan: SearchPlan) -> int:
    if plan.filters.include_history or "text" in plan.options.without:
        return 0
    return tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)


def _list_nearest(tx: Transaction, plan: SearchPlan, selection: Selection) -> tuple[str, ...]:
    if selection.hits:
        return ()
    near = list_open(tx, selection.below_threshold)
    return list_nearest_topics(near, plan.terms, plan.max_tokens)


def _list_notes(
    tx: Transaction, plan: SearchPlan, reports: Sequence[PartReport], *, is_silent: bool
) -> tuple[str, ...]:
    task = () if plan.task_note is None else (plan.task_note,)
    lacking = (each for each in reports if each.state in ("missing", "off"))
    return (
        *task,
        *plan.name_notes,
        *(f"searched without {one.part}: {one.why}" for one in lacking),
        *(_note_late_vectors(tx, reports) if is_silent else ()),
    )


def _note_late_vectors(tx: Transaction, reports: Sequence[PartReport]) -> Iterator[str]:
    """Where nothing was found: that something may be found by its meaning in a moment."""
    is_used = any(each.part == "vectors" and each.state == "used" for each in reports)
    if is_used and tx.backlog.awaits_vector():
        yield "searched without vectors of what came in last: they are being made"
