"""Printing of `--explain`: the path a search took, and what every stage gave each document."""

from collections.abc import Iterator

from memoria.model import ExplainedCandidate, Explanation, PartReport, SearchResult
from memoria.store.rows.short_ids import INDEXED_CHARS
from memoria.surface.cli.answer_text import render_answer
from memoria.surface.cli.console import show
from memoria.surface.cli.layout import columns, entry_lines, wrap_text
from memoria.surface.documents import Document
from memoria.surface.text import quantity

_HEAD = " #  outcome          words   text  meaning  graph  match  weight  score"
_COLUMNS = (
    "words: share of what was asked that it holds; text: BM25 in its context; meaning: cosine; "
    "graph: share of the graph expansion; match: all of these; weight: product of the factors below"
)
_INDENT = 4
_REJECTED_SHOWN = 8
"""Candidates that did not become hits, and are listed."""


def print_answer(result: SearchResult, document: Document, *, as_json: bool) -> None:
    """Print an answer, and how it came about where that was asked for."""
    explanation = result.explanation
    text = render_answer(result, columns())
    if explanation is not None:
        text = "\n".join([text, "", *explanation_lines(explanation)])
        document = {**document, "explanation": explanation.to_json()}
    show(document, text, as_json=as_json)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yield an explanation's lines for a terminal."""
    width = columns()
    for label, said in _facts(explanation):
        yield from entry_lines(label, [said], width)
    for report in explanation.parts:
        yield from entry_lines(report.part, [_source_state(report)], width)
    yield ""
    yield from entry_lines("columns", [_COLUMNS], width)
    yield _HEAD
    rejected = 0
    for place, each in enumerate(explanation.candidates, 1):
        rejected += each.outcome != "shown"
        if each.outcome == "shown" or rejected <= _REJECTED_SHOWN:
            yield from _candidate_lines(place, each, width)
    if rejected > _REJECTED_SHOWN:
        yield f"… and {rejected - _REJECTED_SHOWN} more that were not shown"


def _facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    yield "path", explanation.path
    yield "match", explanation.formula
    yield "terms", " ".join(explanation.terms) or "none"
    if explanation.since or explanation.until:
        yield "time", f"{explanation.since or '…'} to {explanation.until or '…'}"
    if explanation.as_of:
        yield "as of", explanation.as_of
    if explanation.task:
        yield "task", explanation.task
    yield "threshold", explanation.threshold


def _source_state(report: PartReport) -> str:
    said = quantity(report.found, "candidate", "candidates") if report.state == "used" else ""
    return " ".join(filter(None, [report.state, said, f"({report.why})" if report.why else ""]))


def _candidate_lines(place: int, each: ExplainedCandidate, width: int) -> Iterator[str]:
    weight = each.score / each.relevance if each.relevance else 1.0
    yield (
        f"{place:>2}  {each.outcome:<15}{_column(each.coverage, 7)}{_column(each.lexical, 7)}"
        f"{_column(each.cosine, 9)}{_column(each.graph, 7)}{_column(each.relevance, 7)}"
        f"{f'×{weight:.2f}':>8}{each.score:>7.3f}"
    )
    yield from wrap_text(each.text, width, _INDENT)
    yield from wrap_text(f"{each.kind} {each.id[-INDEXED_CHARS:]}", width, _INDENT)
    asked = [] if each.reranked is None else [f"rerank {each.reranked:.2f}"]
    named = [*asked, *(f"{name} ×{factor:g}" for name, factor in each.factors.items())]
    if named:
        yield from wrap_text(", ".join(named), width, _INDENT)


def _column(share: float, width: int) -> str:
    return f"{share:.2f}".rjust(width) if share else "·".rjust(width)
