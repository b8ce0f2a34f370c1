"""Notes on an answer beside its hits, a line each, within what is left of the budget.

The most important come first, for in a small budget the last ones make room. A question that was
asked in one wording and found little is told to add others: what was said may share no word with
the question, and whoever asks knows other words for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from string import punctuation

from memoria.language.budget import PARTS, count_parts, price_text
from memoria.language.reading.fences import join_lines
from memoria.language.words.analyser import list_stop_words
from memoria.language.words.characters import is_cjk
from memoria.model import OtherProjects, SearchResult
from memoria.retrieval.answer.form import indent_words, write_hits
from memoria.retrieval.answer.outcome_lines import price_outcomes, write_outcomes
from memoria.retrieval.query.plan import SearchPlan, reword

_MOST_WORDS = 3
_MOST_CHARS = 24


def is_in_one_wording(plan: SearchPlan) -> bool:
    """Return whether a question was asked in one wording, and other wordings may find more."""
    if not plan.profile.is_asked or plan.is_reworded or plan.parsed.literals:
        return False
    return not reword(plan, plan.query).parsed.is_time_only


def shorten_question(question: str) -> str:
    """Return the first telling words of a question; of a Chinese question its beginning."""
    if is_cjk(question):
        return join_lines(question[:_MOST_CHARS])
    words = (word.strip(punctuation) for word in question.split())
    telling = (word for word in words if word and word.lower() not in list_stop_words())
    first = " ".join(islice(telling, _MOST_WORDS))
    whole = first if len(first) <= _MOST_CHARS else first[: _MOST_CHARS + 1].rpartition(" ")[0]
    return whole or first[:_MOST_CHARS] or "it"


MOST_COUNTED = 20
"""Most matches of other projects that are counted: for more, the answer says 20+."""
NOTHING_FITS = "Nothing fits well; nearest:"
_WORDINGS_SHARE = 0.3
"""Greatest share of the budget for advice on other wordings."""
_NOTHING_RECORDED = "Nothing is recorded yet."
_NOTHING_SEEN = (
    "Nothing on record passes the filters of this search: turns have no type, and other projects"
    " are not asked."
)


@dataclass(frozen=True, slots=True)
class NextSteps:
    """Advice on asking for more, for a kind of reader."""

    wordings: str
    """Advice on other wordings; `{words}` stands for those of the question."""
    record: str
    tokens: str
    limit: str
    history: str
    everywhere: str


FOR_AGENTS = NextSteps(
    wordings="Add queries: other words for “{words}”; what would have changed it (moved,"
    " broke up, replaced); for help, wishes that matter (allergies, budget, style, tools).",
    record="call search_conversation_traces",
    tokens="raise max_tokens",
    limit="raise limit",
    history="ask with include_history",
    everywhere="ask with workspace=*",
)
FOR_SHELL = NextSteps(
    wordings='Other words for “{words}” may find more: --query "…" adds them.',
    record="try memoria traces",
    tokens="raise --max-tokens",
    limit="raise --limit",
    history="ask with --include-history",
    everywhere="ask with --workspace '*'",
)


def list_notes(result: SearchResult, steps: NextSteps = FOR_AGENTS) -> list[str]:
    """List the notes on an answer, a sentence each."""
    notes = [_describe_elsewhere(result.elsewhere, steps)] if result.elsewhere else []
    notes += [result.hint.replace(FOR_AGENTS.record, steps.record)] if result.hint else []
    return notes + list(result.notes)


def write_answer(result: SearchResult, steps: NextSteps = FOR_AGENTS) -> str:
    """Return an answer as a text within its `max_tokens`, as estimated."""
    lines = [
        *describe_fit(result, steps),
        *write_outcomes(result.calls, result.id_chars),
        *write_hits(result.hits, result.id_chars),
    ]
    left = result.max_tokens * PARTS - sum(count_parts(f"{line}\n") for line in lines)
    return "\n".join([*lines, *_take_fitting(list_notes_below(result, steps), left)])


def _take_fitting(lines: Iterable[str], left: int) -> Iterator[str]:
    """Yield the lines that fit into `left`, counted in twentieths of a token."""
    for line in lines:
        cost = count_parts(f"{line}\n")
        if cost <= left:
            left -= cost
            yield line


def list_notes_below(result: SearchResult, steps: NextSteps) -> Iterator[str]:
    """Yield the notes below the hits of an answer, the most important first."""
    notes = list_notes(result, steps)
    if not result.hits and not result.omitted and not result.calls:
        is_told = result.hint or result.elsewhere
        yield notes.pop(0) if is_told else _describe_silence(result)
    if result.omitted:
        yield f"{result.omitted} more did not fit; {steps.tokens} to see them."
    if result.beyond_limit:
        yield f"{result.beyond_limit} more match; {steps.limit} to see them."
    if result.hidden:
        yield f"{result.hidden} superseded or archived; {steps.history}."
    yield from (f"note: {note}" for note in notes)


def describe_fit(result: SearchResult, steps: NextSteps = FOR_AGENTS) -> list[str]:
    """Return the line above hits that do not fit well, with advice on other wordings."""
    if result.answered or not result.hits:
        return []
    if result.unmet:
        return [f"{result.unmet} Nearest:"]
    if not result.is_narrow:
        return [NOTHING_FITS]
    wordings = steps.wordings.format(words=shorten_question(result.query))
    told = f"Nothing fits well. {wordings} Nearest:"
    has_room = price_text(told) <= _WORDINGS_SHARE * result.max_tokens
    return [told if has_room else NOTHING_FITS]


def _describe_silence(result: SearchResult) -> str:
    """Return the reason why an answer has no hit."""
    return _NOTHING_RECORDED if result.is_empty else _NOTHING_SEEN


def price_fit(result: SearchResult) -> int:
    """Estimate the tokens of what stands above the hits."""
    notes = price_text("".join(f"{line}\n" for line in describe_fit(result)))
    return notes + price_outcomes(result.calls)


def price_notes(result: SearchResult) -> int:
    """Estimate the tokens of the notes below the hits."""
    return price_text("".join(f"{line}\n" for line in list_notes_below(result, FOR_AGENTS)))


def _describe_elsewhere(other: OtherProjects, steps: NextSteps) -> str:
    count = f"{MOST_COUNTED}+" if other.matches > MOST_COUNTED else str(other.matches)
    match = "matches" if other.matches == 1 else "match"
    named = f" ({', '.join(map(indent_words, other.projects))})" if other.projects else ""
    return f"{count} more {match} in other projects{named}; {steps.everywhere}"
