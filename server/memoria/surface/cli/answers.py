"""Answers of a search as a terminal shows them: words first and ids last, and a sign on hits.

Turns of one session and day stand together in the order in which they were said, with those beside
them. The further lines of stored words stand further in than any line of ours. `--explain` adds the
path that a search took.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoria.language.reading.fences import join_lines
from memoria.language.words.document import as_text
from memoria.model import (
    AdjacentTurn,
    ExplainedCandidate,
    Explanation,
    Hit,
    PartReport,
    SearchResult,
    parse_instant,
)
from memoria.retrieval.answer.form import (
    LATER,
    NEAREST,
    group_runs,
    list_marks,
    list_shared_marks,
    order_run,
    short_id,
    split_nearest,
    write_words,
)
from memoria.retrieval.answer.notes import FOR_SHELL, describe_fit, list_notes_below
from memoria.retrieval.answer.outcome_lines import write_outcomes
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli import times
from memoria.surface.cli.console import show
from memoria.surface.cli.layout import (
    DETAILS,
    columns,
    detail_lines,
    entry_lines,
    hang_text,
    wrap_text,
)
from memoria.surface.documents import Document
from memoria.surface.text import quantity, tell_place

_FURTHER_WORDS = 6
_LATER, _LATER_DETAILS, _LATER_FURTHER = 4, 6, 8
"""Indents of a turn said later: its first line, its details, and its further lines."""
_MARK = ">"
_LEGEND = f"{_MARK} marks what matches; the other turns were said beside it."


@dataclass(frozen=True, slots=True)
class _Page:
    """Facts that hold for all lines of an answer."""

    width: int
    id_chars: int
    shared: Sequence[str]
    """Notes that apply to every hit."""
    has_neighbours: bool


def render_answer(result: SearchResult, width: int) -> str:
    """Render the hits of an answer, and the notes on it."""
    hits = tuple(map(_tell_place, result.hits))
    has_neighbours = any(hit.before or hit.after for hit in hits)
    page = _Page(width, result.id_chars, list_shared_marks(hits), has_neighbours)
    lines = describe_fit(result, FOR_SHELL)
    if page.shared:
        lines += wrap_text(join_lines(f"All: {', '.join(page.shared)}."), width)
    outcomes = write_outcomes(result.calls, result.id_chars)
    lines += [part for line in outcomes for part in hang_text(line, width)]
    lines += [""] if outcomes and hits else []
    above, below = split_nearest(hits)
    lines += [*_lines_of(above, page), *([NEAREST] if below else []), *_lines_of(below, page)]
    notes = [*([_LEGEND] if has_neighbours else []), *list_notes_below(result, FOR_SHELL)]
    lines += [""] if hits and notes else []
    return "\n".join([*lines, *(line for note in notes for line in hang_text(note, width))])


def _tell_place(hit: Hit) -> Hit:
    """Return a hit that names the folder in which its project is now."""
    project = hit.source.workspace
    if project is None or (place := tell_place(project)) == project:
        return hit
    return hit.model_copy(update={"source": hit.source.model_copy(update={"workspace": place})})


def keep_within(result: SearchResult, limit: int | None) -> SearchResult:
    """Cut an answer to its limit of hits; turns said later are dropped before hits are."""
    if limit is None or len(result.hits) <= limit:
        return result
    room = limit - sum(hit.shown_as != "later" for hit in result.hits)
    later = [hit for hit in result.hits if hit.shown_as == "later"]
    left_out = {hit.id for hit in later[max(room, 0) :]}
    hits = tuple(hit for hit in result.hits if hit.shown_as != "later" or hit.id not in left_out)
    return result.model_copy(update={"hits": hits})


def _lines_of(hits: Sequence[Hit], page: _Page) -> Iterator[str]:
    for run in group_runs(hits):
        yield from _run_lines(run, page)


def _run_lines(run: Sequence[Hit], page: _Page) -> Iterator[str]:
    """Yield the lines of a group of hits: a session's turns below a heading, or one memory."""
    first = min(run, key=lambda hit: hit.source.turn_index or 0)
    is_further_in = first.later_than is not None
    if first.kind == "turn" and first.source.session_id is not None and not is_further_in:
        at = times.moment(parse_instant(first.source.at))
        yield from wrap_text(join_lines(f"{at} · session {first.source.session_id}"), page.width)
    for turn in order_run(run):
        if isinstance(turn, Hit):
            yield from _hit_lines(turn, page)
        else:
            yield from _neighbour_lines(turn, page)


def _hit_lines(hit: Hit, page: _Page) -> Iterator[str]:
    words = write_words(hit).strip()
    if hit.tool is not None:
        args, result = as_text(hit.tool.args), as_text(hit.tool.result)
        call = f"tool {join_lines(hit.tool.name)}({args}) → {result}{' …' if hit.tool.cut else ''}"
        words = f"{words}\n{call}".strip()
    if hit.later_than is not None:
        yield from _later_lines(words, page.width)
    else:
        yield from _word_lines(words, page.width, _MARK if page.has_neighbours else "")
    later = ["later"] if hit.shown_as == "later" and hit.later_than is None else []
    marks = [*later, *list_marks(hit, page.shared)]
    details = [*_describe_place(hit), *marks, short_id(hit.id, page.id_chars)]
    inward = DETAILS if hit.later_than is None else _LATER_DETAILS
    yield from detail_lines(details, page.width, inward)
    yield from _doubt_lines(hit, page, inward)


def _describe_place(hit: Hit) -> list[str]:
    """List a hit's type and day, or its place in the session and its speaker."""
    source = hit.source
    if hit.kind == "memory":
        kind = [hit.type.value.replace("_", " ")] if hit.type else []
        return [*kind, times.day(parse_instant(source.at))]
    if hit.later_than is not None:
        day = times.day(parse_instant(source.at))
        return list(filter(None, [source.speaker or source.role, day]))
    place = [] if source.turn_index is None else [f"#{source.turn_index}"]
    return [*place, *filter(None, [source.speaker or source.role])]


def _doubt_lines(hit: Hit, page: _Page, inward: int) -> Iterator[str]:
    """Yield lines on what speaks against a hit, such as a contradiction."""

    def name(ids: Iterable[str]) -> str:
        return ", ".join(short_id(one, page.id_chars) for one in ids)

    doubts = []
    if hit.restated_by:
        doubts.append(f"out of date: {name([hit.restated_by])} says it anew")
    if hit.contradicts:
        doubts.append(f"contradicts: {name(hit.contradicts)}; both cannot be true (memoria review)")
    if hit.outdated_by:
        doubts.append(f"outdated: it rests on what has changed since, see {name(hit.outdated_by)}")
    for doubt in doubts:
        yield from wrap_text(doubt, page.width, inward)


def _neighbour_lines(beside: AdjacentTurn, page: _Page) -> Iterator[str]:
    yield from _word_lines(beside.text, page.width, "")
    who, mark = beside.speaker or beside.role, [beside.condition] if beside.condition else []
    details = [f"#{beside.turn_index}", who, *mark, short_id(beside.id, page.id_chars)]
    yield from detail_lines(details, page.width)


def _later_lines(words: str, width: int) -> Iterator[str]:
    """Yield the words of a turn said later than the hit above, indented further than the hit."""
    first, *further = words.strip().split("\n")
    opening, *rest = wrap_text(f"{LATER.strip()} {first.strip()}", width, _LATER)
    yield opening
    yield from rest
    for line in further:
        yield from wrap_text(line.rstrip(), width, _LATER_FURTHER)


def _word_lines(words: str, width: int, sign: str) -> Iterator[str]:
    """Yield stored words: the first line behind its sign, further lines indented more."""
    first, *further = words.strip().split("\n")
    opening, *rest = wrap_text(first.strip(), width, 2)
    yield f"{sign:<2}{opening[2:]}"
    yield from rest
    for line in further:
        yield from wrap_text(line.rstrip(), width, _FURTHER_WORDS)


_HEAD = " #  outcome          words   text  meaning  graph  match  weight  score"
_COLUMNS = (
    "words: share of what was asked that it holds; text: BM25 in its context; meaning: cosine; "
    "graph: share of the graph expansion; match: all of these; weight: product of the factors below"
)
_INDENT = 4
_REJECTED_SHOWN = 8
"""Most candidates to list that did not become hits."""


def print_answer(result: SearchResult, document: Document, *, as_json: bool) -> None:
    """Print an answer, with the explanation of the search if there is one."""
    explanation = result.explanation
    text = render_answer(result, columns())
    if explanation is not None:
        text = "\n".join([text, "", *explanation_lines(explanation)])
        document = {**document, "explanation": explanation.to_json()}
    show(document, text, as_json=as_json)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yield the lines of an explanation."""
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
    if each.way is not None:
        yield from wrap_text(f"way: {each.way} → this", width, _INDENT)
    asked = [] if each.reranked is None else [f"rerank {each.reranked:.2f}"]
    named = [*asked, *(f"{name} ×{factor:g}" for name, factor in each.factors.items())]
    if named:
        yield from wrap_text(", ".join(named), width, _INDENT)


def _column(share: float, width: int) -> str:
    return f"{share:.2f}".rjust(width) if share else "·".rjust(width)
