import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest
from bench.data import Conversation, Question
from bench.peers.__main__ import sample
from bench.peers.envs import NotInstalledError, Npm, Pip, environment
from bench.peers.judge import cut, judge, tokens
from bench.peers.notes import markers, notes
from bench.peers.report import document, tables
from bench.peers.run import Asked, Trial, figures, trial
from bench.peers.systems import SYSTEMS, memoria
from bench.peers.systems.memorix import kept, listed
from bench.peers.systems.words import key_words
from bench.shown import Transcript

from memoria import Turn

TIMEOUT_S = 180
"""Only a hang is a failure."""
GOLD = ("session_1", "D1:2")
TALK = Conversation(
    name="talk",
    turns=(
        Turn(
            role="user",
            content="I have taken up pottery.",
            speaker="Ann",
            session_id="session_1",
            message_id="D1:1",
            at="2023-05-08T13:56:00Z",
        ),
        Turn(
            role="assistant",
            content="My violin was made in Cremona.",
            speaker="Bo",
            session_id="session_1",
            message_id="D1:2",
            at="2023-05-08T13:57:00Z",
        ),
        Turn(
            role="user",
            content="It rained all week.",
            speaker="Ann",
            session_id="session_1",
            message_id="D1:3",
            at="2023-05-08T13:58:00Z",
        ),
    ),
    questions=(
        Question("Where was Bo's violin made?", 4, frozenset({GOLD})),
        Question("Where was Ann's violin made?", 5, frozenset({GOLD})),
    ),
    observations=(),
)


def test_four_characters_are_a_token_and_a_chinese_one_is_one_by_itself() -> None:
    assert [tokens(text) for text in ("", "a", "abcd", "abcde", "你好", "你好ab")] == [
        0, 1, 1, 2, 2, 3
    ]  # fmt: skip


def test_a_cut_text_counts_for_no_more_than_the_budget_and_loses_nothing_within_it() -> None:
    assert cut("abcdefgh", 2) == "abcdefgh"
    assert cut("abcdefghi", 2) == "abcdefgh"
    assert cut("ab你好", 1) == "ab"
    assert cut("你好", 1) == "你"


def test_a_turn_counts_when_its_marker_is_within_the_budget() -> None:
    first, second, third = (note.marker for note in notes(TALK))
    known = markers(notes(TALK))
    gold = frozenset({GOLD, ("session_1", "D1:3")})
    answer = f"{first} {second} {'x' * 400} {third}"
    short, long = (judge(answer, budget, known, gold) for budget in (20, 200))
    assert (short.recall, short.all_evidence, short.turns) == (0.5, False, 2)
    assert (long.recall, long.all_evidence, long.turns) == (1.0, True, 3)


def test_half_a_marker_and_a_marker_said_twice_count_for_nothing_more() -> None:
    note = notes(TALK)[1]
    known = markers(notes(TALK))
    half = judge(f"xxxx{note.marker}", 2, known, frozenset({GOLD}))
    assert (half.recall, half.turns, half.tokens) == (0.0, 0, 2)
    assert judge(f"{note.marker} {note.marker}", 50, known, frozenset({GOLD})).turns == 1


def test_a_turn_is_told_when_its_telling_sentence_is_within_the_budget_json_or_not() -> None:
    note = notes(TALK)[1]
    question = TALK.questions[0]
    tell = partial(Transcript.of(TALK).measure_shown, question)
    answer = '{"text": "Bo:\\nMy violin was made in Cremona."}'
    long, short = (
        judge(answer, budget, markers([note]), question.gold, tell).told for budget in (50, 5)
    )
    assert (long, short) == (1, 0)


def test_only_where_a_user_talks_with_an_assistant_the_users_words_are_asked_for() -> None:
    between = replace(
        TALK, turns=tuple(turn.model_copy(update={"speaker": None}) for turn in TALK.turns)
    )
    assert [note.who for note in notes(between)] == ["user", "assistant", "user"]
    assert memoria.SYSTEM.list_ways(notes(TALK)) == memoria.SYSTEM.ways
    assert [*memoria.SYSTEM.list_ways(notes(between))][-1] == "role: user"


def test_a_turn_that_is_named_but_not_shown_to_its_end_is_found_and_not_whole() -> None:
    note = notes(TALK)[1]
    known = markers(notes(TALK))
    excerpt = judge(f"My violin (turn {note.marker})", 50, known, frozenset({GOLD}))
    assert (excerpt.recall, excerpt.whole) == (1.0, 0.0)
    assert judge(note.text, 50, known, frozenset({GOLD})).whole == 1


def test_every_turn_is_told_with_its_speaker_date_and_session() -> None:
    note = notes(TALK)[1]
    assert note.text == (
        f"Bo, 08 May 2023 13:57, session_1: My violin was made in Cremona. [{note.marker}]"
    )
    assert len(markers(notes(TALK))) == len(TALK.turns)


def test_a_memorix_index_gives_its_observations_in_order() -> None:
    index = (
        "| Ref | Time | T | Title |\n|---|---|---|---|\n"
        "| obs:12 | 8:40 PM | x | Ann |\n| obs:3 | 8:41 PM | x | Bo |\nsee `obs:42`\n"
    )
    assert listed(index) == [12, 3]
    assert listed("No observations found") == []


def test_memorix_says_when_it_discards_a_turn() -> None:
    assert kept('Stored observation #1 "Ann" (~75 tokens)')
    assert not kept("Formation DISCARD: Duplicate of #1 (score: 14.36)")


def test_key_words_are_the_long_ones_that_say_something() -> None:
    assert key_words("When did Bo's violin go to Cremona? The violin!") == ["violin", "cremona"]


def test_an_environment_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "scope-tool-1.0"
    folder.mkdir()
    (folder / "installed.json").write_text("{}")
    assert environment(Npm("scope/tool@1.0"), tmp_path, []).name == folder.name


def test_a_python_that_is_too_old_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(NotInstalledError, match="name one with --python"):
        environment(Pip("tool==1", python=(9, 0)), tmp_path, [sys.executable])


def test_every_peer_is_pinned_to_a_version() -> None:
    packages = [system.package for system in SYSTEMS if system.package is not None]
    assert len(packages) >= 3
    for package in packages:
        pinned = "==" if isinstance(package, Pip) else "@"
        assert pinned in package.requirement[1:]


def test_a_sample_leaves_out_the_adversarial_questions() -> None:
    (talk,) = sample([TALK, TALK], 1, None)
    assert [question.category for question in talk.questions] == [4]
    assert sample([TALK], None, 0)[0].questions == ()


async def test_memoria_itself_goes_through_the_whole_protocol(tmp_path: Path) -> None:
    told: list[None] = []
    with anyio.fail_after(TIMEOUT_S):
        seen = await trial(
            memoria.SYSTEM, tmp_path, [TALK], (100, 500), tmp_path, lambda: told.append(None)
        )
    assert (seen.kept, len(seen.stored_ms), len(told)) == (3, 3, 5)
    assert [(a.way, a.budget) for a in seen.asked] == [
        (way, budget) for way in memoria.SYSTEM.ways for budget in (100, 500)
    ]
    assert all(asked.judged.recall == 1 for asked in seen.asked)
    assert all(asked.judged.tokens <= asked.budget for asked in seen.asked)


def test_a_server_that_does_not_run_is_named_with_its_reason() -> None:
    one, other = memoria.SYSTEM, SYSTEMS[1]
    known = markers(notes(TALK))
    answer = judge(notes(TALK)[1].marker, 500, known, frozenset({GOLD}))
    seen = Trial([1.0, 3.0], 2, [Asked(way, 500, answer, 2.0) for way in one.ways], 100.0)
    found: dict[str, Trial | str] = {one.name: seen, other.name: "NotInstalledError: no"}
    report = document([one, other], found, (500,), {})["systems"]
    assert isinstance(report, dict)
    assert report[one.name]["ways"]["default"][500]["recall"] == 1
    assert report[other.name]["did_not_run"] == "NotInstalledError: no"
    assert len(list(tables([one, other], found, (500,)))) == 2


def test_figures_are_means_over_the_questions_of_one_way() -> None:
    known = markers(notes(TALK))
    hit = judge(notes(TALK)[1].marker, 500, known, frozenset({GOLD}))
    miss = judge("", 500, known, frozenset({GOLD}))
    of = figures([Asked("default", 500, hit, 10.0), Asked("default", 500, miss, 20.0)])
    assert (of.questions, of.recall, of.all_evidence, of.nothing) == (2, 0.5, 0.5, 0.5)
    assert (of.p50_ms, of.tokens) == (15.0, 1.5)
