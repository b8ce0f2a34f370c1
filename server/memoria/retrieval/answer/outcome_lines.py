"""Lines of what failed and what worked afterwards, above the hits of an answer.

Failed → worked:
`npm install zod` failed (2026-03-02) [turn 77aa0b21]: npm error Unsupported URL Type
  → `pnpm --filter web add zod` worked (2026-03-02) [turn 4f0a66d1]
  said: the workspace needs pnpm, npm does not know its protocol [turn 0b7fe912]
"""

from collections.abc import Iterator, Sequence

from memoria.language.budget import price_text, take_fitting
from memoria.language.reading.fences import join_lines
from memoria.model.calls import CallOutcome, CallStep
from memoria.model.moments import TO_THE_DAY
from memoria.retrieval.answer.form import ID_CHARS, indent_words, short_id

FAILED_WORKED = "Failed → worked:"


def write_outcomes(outcomes: Sequence[CallOutcome], id_chars: int) -> list[str]:
    """Return the lines of outcomes, with what they are above them; nothing for none."""
    lines = [line for one in outcomes for line in _write_outcome(one, id_chars)]
    return [FAILED_WORKED, *lines] if lines else []


def fit_outcomes(outcomes: Sequence[CallOutcome], tokens: int) -> tuple[CallOutcome, ...]:
    """Return the first outcomes that fit into a number of tokens."""
    left = tokens - price_text(f"{FAILED_WORKED}\n")
    return tuple(take_fitting(outcomes, _price, left))


def price_outcomes(outcomes: Sequence[CallOutcome], id_chars: int = ID_CHARS) -> int:
    """Estimate the tokens of the lines of outcomes."""
    return price_text("".join(f"{line}\n" for line in write_outcomes(outcomes, id_chars)))


def list_outcome_ids(outcomes: Sequence[CallOutcome]) -> Iterator[str]:
    """Yield every id that stands in the lines of outcomes."""
    for one in outcomes:
        yield from (step.id for step in (one.failed, *one.between, one.worked, one.said) if step)


def _price(outcome: CallOutcome) -> int:
    return price_text("".join(f"{line}\n" for line in _write_outcome(outcome, ID_CHARS)))


def _write_outcome(outcome: CallOutcome, id_chars: int) -> Iterator[str]:
    often = f", {outcome.times + 1} times" if outcome.times else ""
    why = f": {indent_words(outcome.error)}" if outcome.error else ""
    yield f"{_cite(outcome.failed, id_chars, f'failed{often}')}{why}"
    if outcome.worked is None:
        yield "  → nothing on record has worked since"
    else:
        worked = "worked" if outcome.way == "other" else "worked again"
        yield f"  → {_cite(outcome.worked, id_chars, worked)}"
        if outcome.between:
            changes = "; ".join(_cite(step, id_chars, "") for step in outcome.between)
            yield f"  in between: {changes}"
    if outcome.said is not None:
        yield f"  said: {indent_words(outcome.said.what)} {_name(outcome.said, id_chars)}"


def _cite(step: CallStep, id_chars: int, how: str) -> str:
    told = f" {how}" if how else ""
    return f"`{join_lines(step.what)}`{told} ({step.at[:TO_THE_DAY]}) {_name(step, id_chars)}"


def _name(step: CallStep, id_chars: int) -> str:
    return f"[turn {short_id(step.id, id_chars)}]"
