"""`memoria value`: sessions in which memory was silent beside those in which it spoke."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.bare.silence import note_session
from memoria.model.value import SilenceReport
from memoria.policy.repeats import count_missing, describe_group, find_difference
from memoria.surface.cli.value import value_text

SINCE = 1_772_409_600_000


def make_report(told: tuple[int, int], silent: tuple[int, int]) -> SilenceReport:
    """Return a report of groups of so many sessions, of which so many repeat a failure."""
    groups = []
    for repeating, number in (told, silent):
        repeats = {str(n): int(n < repeating) for n in range(number)}
        groups.append(describe_group(repeats, dict.fromkeys(repeats, 500)))
    one, other = groups
    assert one.share is not None
    assert other.share is not None
    return SilenceReport(
        share=0.2,
        since=SINCE,
        told=one,
        silent=other,
        difference=find_difference(one.share, other.share),
        missing=count_missing(one, other),
    )


@pytest.mark.parametrize(
    ("told", "silent", "said"),
    [
        ((0, 30), (1, 12), "Too few to tell: 8 sessions are missing before there are 20 of each"),
        ((2, 80), (9, 30), "Fewer sessions repeat a failure where memory speaks."),
        ((30, 80), (2, 30), "More sessions repeat a failure where memory speaks."),
        ((4, 80), (2, 30), "Nobody can tell yet whether memory helps"),
    ],
)
def test_it_says_what_the_interval_lets_one_say(
    told: tuple[int, int], silent: tuple[int, int], said: str
) -> None:
    text = value_text(make_report(told, silent))
    assert said in text
    assert "Difference: " in text


def test_it_says_how_to_begin_and_then_that_nothing_was_noted(home: Path) -> None:
    shell = Shell(home).begin()
    assert "memoria config set silent_share 0.2" in shell("value").out
    assert "No session was noted yet." in shell("value", MEMORIA_SILENT_SHARE="0.2").out


def test_it_shows_both_kinds_as_a_table_and_as_json(home: Path) -> None:
    shell = Shell(home).begin()
    note_session(str(home), "default", "s1", "hello", silent=True)
    told = shell("value")
    assert "was silent" in told.out
    assert "40 sessions are missing" in told.out
    assert shell("value", "--json").document["silent"]["sessions"] == 0
