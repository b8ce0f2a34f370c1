"""What the log of calls says of a run."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from memoria.model.base import Value

_CALLS = "SELECT prompt, input_tokens, output_tokens, duration_ms, outcome FROM model_calls"
_REPAIRED = "+repair/"
_MS_PER_S = 1000


class Calls(Value):
    """Calls to the model, added up."""

    count: int
    outcomes: dict[str, int]
    tokens_in: int
    """As reported, or estimated. A call nobody counted is in it with the most it may have cost."""
    tokens_out: int
    seconds: float
    valid_at_first: int
    invalid_at_first: int
    valid_after_repair: int
    invalid_after_repair: int

    @property
    def first_share(self) -> float | None:
        """The share of first answers that were of the form that was asked for."""
        return _share(self.valid_at_first, self.invalid_at_first)

    @property
    def repaired_share(self) -> float | None:
        """The share of second answers that were, after the first was not."""
        return _share(self.valid_after_repair, self.invalid_after_repair)


def calls_of(home: Path) -> Calls:
    """The calls entered in a home that nobody else uses."""
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        rows = connection.execute(_CALLS).fetchall()
    forms = Counter((_REPAIRED in prompt, outcome) for prompt, *_, outcome in rows)
    return Calls(
        count=len(rows),
        outcomes=dict(Counter(row[4] for row in rows)),
        tokens_in=sum(row[1] for row in rows),
        tokens_out=sum(row[2] for row in rows),
        seconds=sum(row[3] for row in rows) / _MS_PER_S,
        valid_at_first=forms[False, "ok"],
        invalid_at_first=forms[False, "invalid"],
        valid_after_repair=forms[True, "ok"],
        invalid_after_repair=forms[True, "invalid"],
    )


def _share(good: int, bad: int) -> float | None:
    return good / (good + bad) if good + bad else None
