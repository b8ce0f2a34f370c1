"""Explanations of answers, from the results of every stage."""

from collections.abc import Iterator, Mapping, Sequence

from memoria.language.words.analyser import name_key
from memoria.model import PARTS, ExplainedCandidate, Explanation, Part, to_iso
from memoria.retrieval.answer.lines import ToldConditions
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import GRAPH_CEILING, ScoredCandidate
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.ranking.threshold import RelevanceThreshold
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.rows.transaction import Transaction

_TEXT_CHARS = 80
_FORMULA = {"text": "text", "vectors": "meaning", "graph": f"{GRAPH_CEILING:g}·graph"}


def describe_path(sources: SourceScores) -> str:
    """Describe the sources that served, in the order in which they are asked."""
    if _is_time_only(sources):
        return "recent"
    path = " → ".join(_list_served_parts(sources)) or "none"
    return f"{path} → rerank" if _is_reranked(sources) else path


def build_explanation(
    tx: Transaction,
    plan: SearchPlan,
    sources: SourceScores,
    threshold: RelevanceThreshold,
    selection: Selection,
    shown: Sequence[ScoredCandidate],
    told: ToldConditions,
) -> Explanation:
    """Explain the answer; what may be in none is left out.

    Args:
        tx: where it was searched.
        plan: the search.
        sources: what the sources have found.
        threshold: the threshold of the search.
        selection: the hits, and the candidates that are none.
        shown: the candidates in the answer, in its order.
        told: reader of the conditions under which candidates were told.
    """
    time = plan.parsed.time
    outcomes = [
        *((each, "shown") for each in shown),
        *_keep_told(told, list(_list_left_out(plan, selection, shown))),
    ]
    ways = _describe_ways(tx, plan, sources, outcomes)
    return Explanation(
        path=describe_path(sources),
        formula=_describe_formula(sources),
        terms=plan.terms,
        since=_iso(time.from_ms if time else None),
        until=_iso(time.until_ms if time else None),
        task=plan.options.task,
        as_of=_iso(plan.as_of),
        threshold=str(threshold),
        parts=sources.reports,
        candidates=tuple(
            _describe_candidate(each, outcome, ways.get(each.n)) for each, outcome in outcomes
        ),
    )


def _describe_formula(sources: SourceScores) -> str:
    """Return the formula that joins the sources that served."""
    if _is_time_only(sources):
        return "recency"
    terms = [_FORMULA[part] for part in _list_served_parts(sources)]
    joined = f"1 − {''.join(f'(1 − {term})' for term in terms)}" if terms else "none"
    joined = f"½({joined}) + ½·rerank" if terms and _is_reranked(sources) else joined
    return f"{joined}, × boosts" if terms else joined


def _list_served_parts(sources: SourceScores) -> list[Part]:
    served = {report.part for report in sources.reports if report.state in ("used", "idle")}
    return [part for part in PARTS if part in served]


def _is_time_only(sources: SourceScores) -> bool:
    """Return whether the calendar alone has served."""
    return any(each.part == "recent" and each.state == "used" for each in sources.reports)


def _is_reranked(sources: SourceScores) -> bool:
    return any(each.part == "rerank" and each.state == "used" for each in sources.reports)


def _list_left_out(
    plan: SearchPlan, selection: Selection, shown: Sequence[ScoredCandidate]
) -> Iterator[tuple[ScoredCandidate, str]]:
    """Yield every scored candidate that is not shown, with the reason."""
    known = {each.n for each in shown}
    for place, each in enumerate(selection.hits):
        if each.n not in known:
            yield each, "no room" if place < plan.limit else "past limit"
    further = (("repeats", selection.repeats), ("below threshold", selection.below_threshold))
    for outcome, candidates in further:
        yield from ((each, outcome) for each in candidates if each.n not in known)


def _keep_told(
    told: ToldConditions, left_out: Sequence[tuple[ScoredCandidate, str]]
) -> Iterator[tuple[ScoredCandidate, str]]:
    """Yield the candidates that might be in an answer."""
    may_be = told.take([each for each, _ in left_out], len(left_out))
    known = {each.n for each, _ in may_be}
    yield from (one for one in left_out if one[0].n in known)


def _describe_ways(
    tx: Transaction,
    plan: SearchPlan,
    sources: SourceScores,
    outcomes: Sequence[tuple[ScoredCandidate, str]],
) -> Mapping[int, str]:
    """Map candidates to their shortest ways in the graph: names, and what leads on from each.

    A document on the way is quoted only if it is shown itself: others may be kept out of answers.
    """
    expansion = sources.expansion
    shown = (each for each, outcome in outcomes if outcome == "shown")
    texts = {each.n: f"“{_beginning(each.text)}”" for each in shown}
    spellings = {name_key(name): name for name in plan.parsed.names}
    bridges = {*expansion.walk.bridges.values(), *expansion.beside.bridges.values()}
    names = tx.graph.name_entities(sorted(bridges), plan.filters) if bridges else {}
    ways: dict[int, str] = {}
    for each, _ in outcomes:
        steps, origin = expansion.walk.trace(each.n)
        if origin not in expansion.entity_names:
            steps, origin = expansion.beside.trace(each.n)
        named = sorted(expansion.entity_names.get(origin, ()))[:1]
        nodes = [spellings.get(name, name) for name in named]
        for document, bridge in steps:
            nodes += filter(None, (texts.get(document), names.get(bridge)))
        if nodes:
            ways[each.n] = " → ".join(nodes)
    return ways


def _describe_candidate(each: ScoredCandidate, outcome: str, way: str | None) -> ExplainedCandidate:
    return ExplainedCandidate.model_validate(
        {
            "id": each.id,
            "kind": each.kind,
            "text": _beginning(each.text),
            "lexical": round(each.candidate.lexical, 4),
            "cosine": round(each.candidate.cosine, 4),
            "graph": round(each.candidate.graph, 4),
            "way": way,
            "coverage": round(each.signals.coverage, 4),
            "reranked": each.signals.rerank_score and round(each.signals.rerank_score, 4),
            "relevance": round(each.relevance, 4),
            "factors": dict(each.boosts),
            "score": round(each.score, 4),
            "margin": round(each.margin, 4),
            "outcome": outcome,
        }
    )


def _iso(millis: int | None) -> str | None:
    return None if millis is None else to_iso(millis)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARS else f"{line[:_TEXT_CHARS]}…"
