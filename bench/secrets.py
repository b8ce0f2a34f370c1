"""How many secrets are taken out, and how many texts that only look like one are changed.

The corpora are those of the tests: half of each was written by somebody who did not know the
detector (`*_before.tsv`), half beside it (`*_after.tsv`). Apart from them stand the kinds that
people have reported of other programs (`*_kinds.tsv`).

    python -m bench.secrets [--show]
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.language.secrets.corpus import Case, find_survivors, read_cases

from memoria.language.secrets.redact import redact

_FOLDER = Path(__file__).parent.parent / "tests/language/secrets"
_HALVES = {
    "before": "The half written without knowing it",
    "after": "The half written beside it",
    "kinds": "Kinds that people have reported of other programs",
}


@dataclass(frozen=True, slots=True)
class Score:
    """What became of one file of the corpora."""

    cases: int
    failures: list[tuple[Case, str]]
    """The cases that went wrong, with what was left of their texts."""

    @property
    def rate(self) -> float:
        """The share of failures."""
        return len(self.failures) / self.cases


def score_shapes(half: str) -> Score:
    """The secrets of which a telling piece is left."""
    read = [(case, redact(case.text).text) for case in read_cases(_FOLDER / f"shapes_{half}.tsv")]
    return Score(len(read), [(case, left) for case, left in read if find_survivors(case, left)])


def score_look_alikes(half: str) -> Score:
    """The texts that were changed though no secret is in them."""
    cases = read_cases(_FOLDER / f"look_alikes_{half}.tsv")
    read = [(case, redact(case.text).text) for case in cases]
    return Score(len(read), [(case, left) for case, left in read if left != case.text])


def _report(score: Score, verb: str, *, show: bool) -> Iterator[str]:
    failed = len(score.failures)
    yield f"  {verb}: {failed} of {score.cases} ({score.rate:.1%})"
    if show:
        yield from (f"    {case.name}: {case.text!r} → {left!r}" for case, left in score.failures)


def main() -> None:
    """Print the figures, and with `--show` what went wrong."""
    parser = argparse.ArgumentParser(
        description="Secrets that are missed, look-alikes that are taken."
    )
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    show = parser.parse_args().show
    for half, title in _HALVES.items():
        print(title)
        for line in _report(score_shapes(half), "secrets missed", show=show):
            print(line)
        for line in _report(score_look_alikes(half), "look-alikes changed", show=show):
            print(line)


if __name__ == "__main__":
    main()
