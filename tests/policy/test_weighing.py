"""Evidence moves confidence, and ends no word of the user's but by their own later word."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from memoria.model import Trust
from memoria.model.weighing import Speaker
from memoria.policy.weighing import MemoryCase, Utterance, move_confidence, settle, weigh

_DAY = 86_400_000


def said(day: int, session: str | None = None, *, hour: int = 9, plain: bool = True) -> Utterance:
    return Utterance(
        day * _DAY + hour * 3_600_000, f"day {day}", session or f"session {day}", is_plain=plain
    )


def case(name: str, by: Speaker, *said_at: Utterance, trust: Trust = Trust.REPORTED) -> MemoryCase:
    return MemoryCase(name, by, trust, said_at)


_UTTERANCES = st.builds(
    said, st.integers(1, 4), st.sampled_from([None, "s", "t"]), hour=st.integers(0, 23),
    plain=st.booleans(),
)  # fmt: skip
_CASES = st.builds(
    MemoryCase,
    st.just("one"),
    st.sampled_from(["user", "agent", "assistant", "tool", "document", "nobody"]),
    st.sampled_from(Trust),
    st.lists(_UTTERANCES, max_size=4).map(tuple),
    st.none() | _UTTERANCES,
    st.booleans(),
    st.sampled_from([None, "unchanged", "changed", "gone"]),
    is_disputed=st.just(True),
)  # fmt: skip
_OTHERS = _CASES.map(lambda one: replace(one, memory_id="other"))


@given(_CASES, _OTHERS)
def test_the_users_word_ends_by_a_later_word_of_theirs_alone(
    one: MemoryCase, other: MemoryCase
) -> None:
    outcome = settle(one, other)
    if outcome is None:
        return
    winner, loser = (one, other) if outcome.winner == "one" else (other, one)
    assert not loser.is_pinned
    if loser.said_by == "user" and loser.last is not None:
        heard = [*winner.plain, *([winner.confirmation] if winner.confirmation else [])]
        assert outcome.reason in ("confirmed", "newer")
        assert max(each.at for each in heard) > loser.last.at


@given(_CASES, _OTHERS)
def test_a_dispute_ends_the_same_whichever_memory_is_looked_at_first(
    one: MemoryCase, other: MemoryCase
) -> None:
    assert settle(one, other) == settle(other, one)


@given(_CASES, st.floats(0, 1))
def test_a_memory_weighed_twice_is_as_sure_as_after_the_first_time(
    one: MemoryCase, confidence: float
) -> None:
    tendency = weigh(one).tendency
    once = move_confidence(confidence, tendency)
    assert move_confidence(once, tendency) == once


def test_what_is_said_ten_times_in_one_conversation_is_said_once() -> None:
    often = case("m", "user", *(said(1, "s", hour=hour) for hour in range(10)))
    assert (often.sessions, weigh(often).tendency) == (1, "same")
    assert weigh(case("m", "user", said(1), said(2))).tendency == "up"
    assert weigh(case("m", "user", said(1, "s"), said(1, "t"))).tendency == "same"


def test_an_assistants_repetition_counts_nothing() -> None:
    found = weigh(case("m", "assistant", said(1), said(2), said(3)))
    assert (found.tendency, found.reason) == ("down", "source")
    assert weigh(replace(case("m", "assistant", said(1)), files="unchanged")).tendency == "same"


def test_two_words_of_the_users_on_one_day_wait_for_the_user() -> None:
    one, other = case("one", "user", said(1, "s")), case("other", "user", said(1, "t", hour=12))
    assert settle(one, other) is None
    assert settle(one, case("other", "user", said(2, "s"))) is None  # one sitting, past midnight


def test_a_guess_or_a_question_is_no_later_word() -> None:
    assert settle(case("one", "user", said(1)), case("other", "user", said(2, plain=False))) is None


def test_what_reached_us_by_a_less_trusted_way_ends_no_word_of_the_users() -> None:
    typed = case("typed", "user", said(1), trust=Trust.USER)
    assert settle(typed, case("told", "user", said(2))) is None


def test_a_later_statement_of_an_agent_may_be_the_users_and_is_asked_about() -> None:
    user = case("one", "user", said(2))
    assert settle(user, case("other", "agent", said(3))) is None
    assert settle(user, case("other", "agent", said(1))) is not None


def test_a_confirmation_counts_against_all_that_was_said_before_it() -> None:
    confirmed = replace(case("one", "user", said(1)), confirmation=said(3))
    assert settle(confirmed, case("other", "user", said(2))) is not None


def test_what_the_user_confirmed_ends_by_another_confirmation_alone() -> None:
    confirmed = replace(case("one", "user", said(1)), confirmation=said(3))
    assert settle(confirmed, case("other", "user", said(4))) is None
    outcome = settle(confirmed, replace(case("other", "user", said(4)), confirmation=said(5)))
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == ("other", "confirmed")


def test_where_source_and_files_point_apart_the_user_is_asked() -> None:
    user = replace(case("one", "user", said(1)), files="changed")
    assert settle(user, replace(case("other", "tool", said(2)), files="unchanged")) is None
    assert weigh(replace(user, is_disputed=True)).reason == "ground"


def test_a_line_says_in_both_languages_what_speaks_for_and_against() -> None:
    weighings = [
        weigh(replace(case("m", "user", said(1), said(2)), files="changed", is_disputed=True)),
        weigh(replace(case("m", "user", said(1)), confirmation=said(3), files="unchanged")),
        weigh(case("m", "assistant", said(1))),
        weigh(case("m", "nobody")),
        weigh(case("m", "user", said(1, plain=False))),
    ]
    told = [line for one in weighings for line in (one.why, one.why_chinese)]
    assert [part for line in told for part in re.split("[;；]", line)] == snapshot(
        [
            "for: the user said it in 2 sessions on 2 days",
            " against: its files have changed since, another memory says otherwise",
            "支持：用户在 2 次会话、2 天里说过",
            "反对：所说的文件此后改过、另一条记忆说法不同",
            "for: the user confirmed it, the user said it, its files are unchanged",
            " against: nothing",
            "支持：用户确认过、用户说过、所说的文件没有变",
            "反对：无",
            "for: nothing",
            " against: the assistant alone said it",
            "支持：无",
            "反对：只有助手说过",
            "for: nothing",
            " against: its words are no longer on record",
            "支持：无",
            "反对：原话已不在记录里",
            "for: the user said it, but asked, quoted or doubted it",
            " against: nothing",
            "支持：用户说过，但只是询问、引用或存疑",
            "反对：无",
        ]
    )
