"""Explain: the trace of a search, from what every stage left behind."""

from collections.abc import Collection, Iterator

from memoria.model import PARTS, Part, Trace, Weighed, iso
from memoria.retrieval.candidates import Candidates
from memoria.retrieval.fuse import GRAPH_CEILING
from memoria.retrieval.gate import Threshold
from memoria.retrieval.judge import Judged
from memoria.retrieval.plan import Plan
from memoria.retrieval.select import Selected

_CHARS = 80
_FORMULA = {
    "text": "text",
    "vectors": "meaning",
    "graph": f"{GRAPH_CEILING:g}·graph",
}


def path(candidates: Candidates) -> str:
    """The sources that served, in the order of the design's matrix."""
    if _by_time_alone(candidates):
        return "recent"
    path = " → ".join(_served(candidates)) or "none"
    return f"{path} → rerank" if _reranked(candidates) else path


def explain(
    plan: Plan,
    candidates: Candidates,
    threshold: Threshold,
    selected: Selected,
    shown: Collection[int],
) -> Trace:
    """How the answer came about.

    Args:
        plan: what was asked.
        candidates: what the sources gave.
        threshold: what had to be passed.
        selected: what was found.
        shown: the documents that are in the answer.
    """
    when = plan.question.when
    return Trace(
        path=path(candidates),
        formula=_formula(candidates),
        terms=plan.terms,
        since=_iso(when.from_ms if when else None),
        until=_iso(when.until_ms if when else None),
        task=plan.way.task,
        as_of=_iso(plan.as_of),
        gate=str(threshold),
        parts=candidates.reports,
        judged=tuple(
            _weighed(each, threshold, outcome) for each, outcome in _all(plan, selected, shown)
        ),
    )


def _formula(candidates: Candidates) -> str:
    """How the sources that served are joined."""
    if _by_time_alone(candidates):
        return "recency"
    terms = [_FORMULA[part] for part in _served(candidates)]
    joined = f"1 − {''.join(f'(1 − {term})' for term in terms)}" if terms else "none"
    joined = f"½({joined}) + ½·rerank" if terms and _reranked(candidates) else joined
    return f"{joined}, × weight" if terms else joined


def _served(candidates: Candidates) -> list[Part]:
    served = {report.part for report in candidates.reports if report.state in ("used", "idle")}
    return [part for part in PARTS if part in served]


def _by_time_alone(candidates: Candidates) -> bool:
    """Whether the calendar answers, and the other sources are not looked at."""
    return any(each.part == "recent" and each.state == "used" for each in candidates.reports)


def _reranked(candidates: Candidates) -> bool:
    return any(each.part == "rerank" and each.state == "used" for each in candidates.reports)


def _all(plan: Plan, selected: Selected, shown: Collection[int]) -> Iterator[tuple[Judged, str]]:
    """Every document that was judged, with what became of it."""
    for place, each in enumerate(selected.found):
        if each.fused.n in shown:
            yield each, "shown"
        else:
            yield each, "no room" if place < plan.limit else "past limit"
    yield from ((each, "repeats") for each in selected.repeats)
    yield from ((each, "turned away") for each in selected.turned_away)


def _weighed(each: Judged, threshold: Threshold, outcome: str) -> Weighed:
    return Weighed.model_validate(
        {
            "id": each.id,
            "kind": each.kind,
            "text": _beginning(each.text),
            "lexical": round(each.fused.lexical, 4),
            "cosine": round(each.fused.cosine, 4),
            "graph": round(each.fused.graph, 4),
            "coverage": round(each.support.coverage, 4),
            "reranked": each.support.reranked and round(each.support.reranked, 4),
            "relevance": round(each.relevance, 4),
            "factors": dict(each.factors),
            "score": round(each.score, 4),
            "margin": round(threshold.margin(each.kind, each.support), 4),
            "outcome": outcome,
        }
    )


def _iso(millis: int | None) -> str | None:
    return None if millis is None else iso(millis)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARS else f"{line[:_CHARS]}…"
