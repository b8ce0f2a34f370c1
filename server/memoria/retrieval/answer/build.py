"""Build: from the hits that were chosen to the answer, as much of it as its budget holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoria.model import Hit, PartReport, SearchResult
from memoria.model.grounds import GroundMark
from memoria.model.search import OtherProjects
from memoria.retrieval.answer.calls import answer_calls
from memoria.retrieval.answer.cite import cite_candidate, read_neighbours
from memoria.retrieval.answer.explain import build_explanation
from memoria.retrieval.answer.fit import find_elsewhere, find_hint, is_answered
from memoria.retrieval.answer.form import ID_CHARS, list_ids
from memoria.retrieval.answer.grounds import ReadGrounds, mark_grounds, read_line_grounds, step_back
from memoria.retrieval.answer.lines import (
    AnswerLine,
    AnswerLines,
    ToldConditions,
    count_places,
    list_lines,
    place_lines,
    read_visible,
)
from memoria.retrieval.answer.marks import (
    find_earlier,
    mark_earlier,
    mark_outdated,
    mark_restated,
    mark_superseded,
)
from memoria.retrieval.answer.marks import mark_contradicted as mark_hits
from memoria.retrieval.answer.notes import is_in_one_wording, price_fit, price_notes
from memoria.retrieval.answer.outcome_lines import fit_outcomes, list_outcome_ids
from memoria.retrieval.answer.pack import PackedHits, Packer
from memoria.retrieval.lookup.records import count_id_chars
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import FusedCandidate, ScoredCandidate
from memoria.retrieval.ranking.selection import HALF_AS_GOOD, ChosenHits, Selection
from memoria.retrieval.ranking.successors import Successors, list_superseded
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_NOTES_SHARE = 0.3
"""Greatest share of the budget for the notes below the hits, if not all hits have room."""
_OUTCOMES_SHARE = 0.6
"""Greatest share of the budget for what failed and what worked, above the hits."""
_NEWEST = 4
"""Most of the latest statements that are shown if nothing was found."""
_FEW_HITS = 8
"""Number of hits below which the matches of other projects are counted."""


def build_answer(
    tx: Transaction,
    found: ScoredSearch,
    chosen: ChosenHits,
    read_grounds: ReadGrounds | None = None,
    *,
    names_projects: bool,
) -> SearchResult:
    """Build the answer to a search.

    Args:
        tx: where it was searched.
        found: what was found.
        chosen: the hits.
        read_grounds: reads how the files stand that carry memories.
        names_projects: whether the answer may name other projects that have a match.
    """
    plan, selection = found.plan, chosen.selection
    told = ToldConditions(tx, plan)
    about = None if plan.calls is None else answer_calls(tx, found, told, plan.calls)
    if about is None:
        listed = list_lines(tx, found, selection.hits, told)
    else:
        listed = AnswerLines(about.lines)
    if not listed.lines:
        listed = AnswerLines(_list_newest(tx, found, told))
    marks = _read_grounds(tx, plan, listed.lines, read_grounds)
    listed = replace(listed, lines=step_back(listed.lines, marks))
    earlier = {} if about else find_earlier(tx, found, listed.lines)
    lines = place_lines(listed, earlier)
    shown = [line.candidate for line in lines]
    fitting = [line.candidate for line in lines if line.shown_as != "later"]
    unmet = about.unmet if about else ""
    answered = not unmet and (bool(about and about.lines) or is_answered(tx, found, fitting))
    fits = sum(line.shown_as is None for line in lines) if answered else 0
    hint = None
    if plan.profile.hints_at_transcript:
        hint = find_hint(tx, found, shown, told, is_answered=answered)
    hits = mark_earlier(_cite_lines(tx, found, chosen, lines), lines, earlier)
    whole = SearchResult(
        query=plan.asked,
        hits=mark_grounds(hits, marks),
        calls=fit_outcomes(about.outcomes, round(_OUTCOMES_SHARE * plan.max_tokens))
        if about
        else (),
        answered=answered,
        max_tokens=plan.max_tokens,
        id_chars=ID_CHARS,
        omitted=len(lines),
        beyond_limit=_count_beyond(plan, selection),
        hidden=_count_hidden(tx, plan),
        notes=_list_notes(tx, plan, found.sources.reports, is_silent=not answered),
        is_empty=not lines and not _has_anything(tx, plan),
        is_narrow=not answered and is_in_one_wording(plan),
        unmet=unmet,
        hint=hint,
        elsewhere=_find_elsewhere(tx, found, fits, names_projects=names_projects),
    )
    result = _fit(tx, plan, whole, shown, found.weights)
    return _explain(tx, found, selection, shown, told, result) if plan.options.explain else result


def _explain(
    tx: Transaction,
    found: ScoredSearch,
    selection: Selection,
    shown: Sequence[ScoredCandidate],
    told: ToldConditions,
    result: SearchResult,
) -> SearchResult:
    """Return the answer with how its hits came about."""
    ids = {hit.id for hit in result.hits}
    told_of = [each for each in shown if each.id in ids]
    explanation = build_explanation(
        tx, found.plan, found.sources, found.threshold, selection, told_of, told
    )
    return result.model_copy(update={"explanation": explanation})


def _read_grounds(
    tx: Transaction, plan: SearchPlan, lines: Sequence[AnswerLine], read: ReadGrounds | None
) -> Mapping[str, GroundMark]:
    """Return how the files stand that carry memories among lines; of a past moment, nothing."""
    if read is None or plan.as_of is not None:
        return {}
    return read_line_grounds(tx, read, lines)


def _list_newest(tx: Transaction, found: ScoredSearch, told: ToldConditions) -> list[AnswerLine]:
    """List the newest statements, to be shown for a question that found nothing."""
    plan = found.plan
    if not plan.profile.is_asked or plan.parsed.is_time_only:
        return []
    most = min(_NEWEST, plan.limit)
    newest = tx.documents.recent(plan.kinds, plan.filters, most)
    wanted = [FusedCandidate(n, 0.0) for n in newest]
    read = read_visible(tx, found, plan, wanted)
    return [AnswerLine(*each, "nearest") for each in told.take_open(read, most)]


def _has_anything(tx: Transaction, plan: SearchPlan) -> bool:
    """Return whether anything is on record in any project, if somebody has asked."""
    everything = Filters(everywhere=True, include_history=True, include_processed=True)
    return bool(tx.documents.recent(("memory", "turn"), everything, 1)) or not plan.profile.is_asked


def _count_beyond(plan: SearchPlan, selection: Selection) -> int:
    """Count the memories that fit, beyond the most that a search shows."""
    if not plan.profile.every_hit_must_fit:
        return 0
    best = selection.hits[0].score if selection.hits else 0.0
    beyond = selection.hits[count_places(plan)[0] :]
    return sum(each.score >= HALF_AS_GOOD * best for each in beyond)


def _cite_lines(
    tx: Transaction, found: ScoredSearch, chosen: ChosenHits, lines: Sequence[AnswerLine]
) -> tuple[Hit, ...]:
    """Cite the lines, with their sources and marks of what no longer holds."""
    plan, successors = found.plan, chosen.successors
    shown = [line.candidate for line in lines]
    cited = mark_superseded(
        [_cite(found, line, successors) for line in lines],
        shown,
        list_superseded(tx, plan, shown, successors),
    )
    cited = mark_restated(cited, shown, successors)
    return mark_outdated(tx, plan, mark_hits(tx, cited, plan.filters))


def _cite(found: ScoredSearch, line: AnswerLine, successors: Successors) -> Hit:
    spared = successors.spared.get(line.candidate.n)
    hit = cite_candidate(found.plan, line.candidate, found.weights, spared)
    marks = {"condition": line.condition, "shown_as": line.shown_as, "later_than": line.later_than}
    told = {name: mark for name, mark in marks.items() if mark is not None}
    return hit.model_copy(update=told) if told else hit


def _find_elsewhere(
    tx: Transaction, found: ScoredSearch, fits: int, *, names_projects: bool
) -> OtherProjects | None:
    """Return the matches of other projects; None for none, or if enough hits fit here."""
    plan = found.plan
    if not plan.profile.is_asked or fits >= min(count_places(plan)[0], _FEW_HITS):
        return None
    return find_elsewhere(tx, plan, found.statistics, name_projects=names_projects)


def _fit(
    tx: Transaction,
    plan: SearchPlan,
    whole: SearchResult,
    found: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> SearchResult:
    """Fit as many hits as the budget holds beside its notes.

    Args:
        tx: where the turns beside the hits are read.
        plan: the search.
        whole: the answer with every hit whole.
        found: the candidates of its hits.
        weights: the terms asked for, with their weights where a hit is cut.
    """
    if not whole.hits:
        chars = count_id_chars(tx, list_outcome_ids(whole.calls))
        return whole.model_copy(update={"id_chars": chars})
    most = plan.max_tokens - price_fit(whole)
    room = most - min(price_notes(whole), round(_NOTES_SHARE * plan.max_tokens))
    focuses = [
        each.candidate.passage if hit.excerpt is None else None
        for each, hit in zip(found, whole.hits, strict=True)
    ]

    def pack(room: int, id_chars: int) -> PackedHits:
        packer = Packer(whole.hits, room, weights, focuses, id_chars, plan.profile.line_tokens)
        admitted = packer.admit()
        if plan.context:
            packer.add_neighbours(read_neighbours(tx, found[:admitted], plan.context))
        return packer.finish()

    packed = pack(room, ID_CHARS)
    if not packed.hits:  # so small a budget is for the best hit, not for notes
        room = most
        packed = pack(room, ID_CHARS)
    ids = (*list_ids(packed.hits), *list_outcome_ids(whole.calls))
    id_chars = count_id_chars(tx, ids)
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
    """Yield a note if vectors are still being made."""
    is_used = any(each.part == "vectors" and each.state == "used" for each in reports)
    if is_used and tx.backlog.awaits_vector():
        yield "searched without vectors of what came in last: they are being made"
