"""What is for every session, and what was for one conversation or one day."""

from datetime import UTC, datetime, timedelta

import pytest

from memoria.language.statements.lasting import is_for_one_session, lasting_end, session_end
from memoria.model import DAY_MS, MemoryType
from memoria.model.moments import UTC_ZONE, Zone

SAID = datetime(2026, 11, 10, 12, tzinfo=UTC)  # a Tuesday
HOUR_MS = 3_600_000
RULE, FACT, GOAL = MemoryType.RULE, MemoryType.FACT, MemoryType.GOAL
PREFERENCE = MemoryType.PREFERENCE


def lasts(text: str, kind: MemoryType, days: float) -> bool:
    said, now = (int(at.timestamp() * 1000) for at in (SAID, SAID + timedelta(days=days)))
    end = lasting_end(text, kind, said, UTC_ZONE)
    return end is None or now < end


@pytest.mark.parametrize(
    "text",
    [
        "For this session only answer in French",
        "In this conversation, call me Captain.",
        "Answer in French for now.",
        "Just for today, skip the tests",
        "Use tabs this time only.",
        "这次对话先用英文",
        "本次会话只用英文回答",
        "暂时不要提交代码",
        "今天先用英文回答我",
        "只限今天用英文",
    ],
)
def test_an_order_for_one_conversation_or_day_is_never_lasting(text: str) -> None:
    assert is_for_one_session(text, RULE)
    assert not lasts(text, RULE, 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The user wants to buy milk tomorrow", FACT),
        ("Buy milk tomorrow", GOAL),
        ("用户明天要买牛奶", FACT),
        ("提醒我后天交房租", FACT),
        ("The demo is on Friday", FACT),
        ("周五给客户演示", FACT),
        ("The user has a dentist appointment on 12 November", FACT),
        ("The release is on 2026-11-15", FACT),
        ("Answer in French until Friday", RULE),
        ("11月15日前用英文回答", RULE),
        ("This week, review every pull request of Ann's", RULE),
        ("The user is in Oslo until Friday", FACT),
        ("下周一交报告", GOAL),
    ],
)
def test_what_has_a_day_lasts_until_that_day_is_over(text: str, kind: MemoryType) -> None:
    assert lasts(text, kind, 0)
    assert not lasts(text, kind, 12)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never deploy on Friday", RULE),
        ("周五不发布", RULE),
        ("The user's birthday is on March 5", FACT),
        ("用户的生日是3月5日", FACT),
        ("The user was born on 5 March 1990", FACT),
        ("The user prefers meetings on Monday", PREFERENCE),
        ("The team meets every Tuesday", FACT),
        ("每周五开会", FACT),
        ("The user moved to York in 2026", FACT),
        ("The project began this year", FACT),
        ("The user has lived in York since Friday", FACT),
        ("The user moved to Leeds today", FACT),
        ("用户今天搬到了上海", FACT),
        ("The user lives in Leeds", FACT),
        ("Always answer in English", RULE),
        ("以后都用中文回答", RULE),
        ("The user likes jazz", PREFERENCE),
        ("The API listens on port 8080", FACT),
    ],
)
def test_what_holds_on_stays_lasting(text: str, kind: MemoryType) -> None:
    assert not is_for_one_session(text, kind)
    assert lasts(text, kind, 500)


def test_what_was_redacted_is_not_for_every_session() -> None:
    assert not lasts("The key is [redacted:api-key]", FACT, 0)


def test_a_day_is_over_at_the_midnight_of_whoever_spoke_of_it() -> None:
    errand = "The user wants to buy milk tomorrow"  # said at noon in Greenwich
    assert lasts(errand, FACT, 1.4)
    assert not lasts(errand, FACT, 1.6)
    shanghai = Zone.from_offset(8 * 60)
    said = int(SAID.timestamp() * 1000)
    over = said + 28 * HOUR_MS  # 16:00 UTC is midnight there
    assert lasting_end(errand, FACT, said, shanghai) == over


@pytest.mark.parametrize("text", ["The user lives in Berlin for now", "用户暂时住在柏林"])
def test_a_state_that_passes_is_no_order_for_one_session_and_not_lasting(text: str) -> None:
    assert session_end(text, FACT, 0) is None
    assert lasts(text, FACT, 0.5)
    assert not lasts(text, FACT, 1.5)


def test_an_order_for_one_session_ends_after_a_day() -> None:
    assert session_end("这次对话先用英文", FACT, 0) == DAY_MS
    assert session_end("Answer in French for now", RULE, 0) == DAY_MS
    assert session_end("Always answer in French", RULE, 0) is None
