"""Time expressions become absolute, in both languages, and nothing else does."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.dates import Interval, Prefer, find_end, interval, times
from memoria.model.moments import UTC_ZONE, Zone, from_millis, parse_instant

THURSDAY = parse_instant("2026-03-12T14:30:00Z")

ENGLISH = [
    ("today", "2026-03-12", "2026-03-13"),
    ("I saw him yesterday.", "2026-03-11", "2026-03-12"),
    ("tomorrow", "2026-03-13", "2026-03-14"),
    ("the day before yesterday", "2026-03-10", "2026-03-11"),
    ("the day after tomorrow", "2026-03-14", "2026-03-15"),
    ("the day after tomorrow evening", "2026-03-14T18", "2026-03-15"),
    ("Today is Thursday", "2026-03-12", "2026-03-13"),
    ("yesterday morning", "2026-03-11T06", "2026-03-11T12"),
    ("last night", "2026-03-11T18", "2026-03-12T06"),
    ("this afternoon", "2026-03-12T12", "2026-03-12T18"),
    ("tonight", "2026-03-12T18", "2026-03-13"),
    ("last Friday I met her", "2026-03-06", "2026-03-07"),
    ("next Friday", "2026-03-13", "2026-03-14"),
    ("this Friday night", "2026-03-13T18", "2026-03-14T06"),
    ("on Monday", "2026-03-09", "2026-03-10"),
    ("on Thursday", "2026-03-05", "2026-03-06"),
    ("he sat down on Sat", "2026-03-07", "2026-03-08"),
    ("last week", "2026-03-02", "2026-03-09"),
    ("this week", "2026-03-09", "2026-03-16"),
    ("next week", "2026-03-16", "2026-03-23"),
    ("last weekend", "2026-03-07", "2026-03-09"),
    ("this weekend", "2026-03-14", "2026-03-16"),
    ("over the weekend", "2026-03-07", "2026-03-09"),
    ("last month", "2026-02-01", "2026-03-01"),
    ("next year", "2027-01-01", "2028-01-01"),
    ("late last year", "2025-09-01", "2026-01-01"),
    ("3 days ago", "2026-03-09", "2026-03-10"),
    ("a couple of days ago", "2026-03-10", "2026-03-11"),
    ("two weeks ago", "2026-02-23", "2026-03-02"),
    ("a year ago", "2025-01-01", "2026-01-01"),
    ("an hour ago", "2026-03-12T13", "2026-03-12T14"),
    ("half an hour ago", "2026-03-12T14:00", "2026-03-12T14:01"),
    ("in two weeks", "2026-03-23", "2026-03-30"),
    ("5 months from now", "2026-08-01", "2026-09-01"),
    ("the past two weeks", "2026-02-26", "2026-03-13"),
    ("the last 3 days", "2026-03-09", "2026-03-13"),
    ("8 April", "2025-04-08", "2025-04-09"),
    ("on the 8th of April, 2024", "2024-04-08", "2024-04-09"),
    ("April 8, 2026", "2026-04-08", "2026-04-09"),
    ("Sunday, May 3", "2026-05-03", "2026-05-04"),
    ("2026-04-08", "2026-04-08", "2026-04-09"),
    ("29 February", "2024-02-29", "2024-03-01"),
    ("we met in May", "2025-05-01", "2025-06-01"),
    ("in March", "2026-03-01", "2026-04-01"),
    ("last May", "2025-05-01", "2025-06-01"),
    ("early May 2024", "2024-05-01", "2024-05-11"),
    ("in 2023 we moved", "2023-01-01", "2024-01-01"),
    ("last summer", "2025-06-01", "2025-09-01"),
    ("at 10 on Monday", "2026-03-09T10", "2026-03-09T11"),
    ("at 6:45 yesterday morning", "2026-03-11T06:45", "2026-03-11T06:46"),
    ("we met Friday the 13th at 7.30 pm", "2026-02-13T19:30", "2026-02-13T19:31"),
    ("between 2 and 4 pm on Friday", "2026-03-06T14", "2026-03-06T16"),
    ("from 10pm to 6am", "2026-03-11T22", "2026-03-12T06"),
    ("3-7 November", "2025-11-03", "2025-11-08"),
    ("from the 3rd to the 7th", "2026-03-03", "2026-03-08"),
    ("Last Thursday, March 5", "2026-03-05", "2026-03-06"),
    ("the first Monday of next month", "2026-04-06", "2026-04-07"),
    ("the last day of February", "2026-02-28", "2026-03-01"),
    ("on the evening of the 3rd", "2026-03-03T18", "2026-03-04"),
    ("a week from Friday", "2026-03-13", "2026-03-14"),
    ("two days after Christmas", "2025-12-27", "2025-12-28"),
    ("on Easter Sunday", "2025-04-20", "2025-04-21"),
    ("an hour and a half ago", "2026-03-12T13:00", "2026-03-12T13:01"),
    ("the year before last", "2024-01-01", "2025-01-01"),
    ("last quarter", "2025-10-01", "2026-01-01"),
    ("2026-03-05T14:00", "2026-03-05T14:00", "2026-03-05T14:01"),
    ("winter 2024", "2024-12-01", "2025-03-01"),
]
CHINESE = [
    ("今天", "2026-03-12", "2026-03-13"),
    ("今天是星期四", "2026-03-12", "2026-03-13"),
    ("我昨天见过他", "2026-03-11", "2026-03-12"),
    ("明天上午开会", "2026-03-13T06", "2026-03-13T12"),
    ("前天", "2026-03-10", "2026-03-11"),
    ("大前天", "2026-03-09", "2026-03-10"),
    ("后天", "2026-03-14", "2026-03-15"),
    ("昨晚", "2026-03-11T18", "2026-03-12T06"),
    ("上周三", "2026-03-04", "2026-03-05"),
    ("上上周三", "2026-02-25", "2026-02-26"),
    ("下周一", "2026-03-16", "2026-03-17"),
    ("下周一定要来", "2026-03-16", "2026-03-23"),
    ("上周三次加班", "2026-03-02", "2026-03-09"),
    ("本周五晚上", "2026-03-13T18", "2026-03-14"),
    ("下个星期天", "2026-03-22", "2026-03-23"),
    ("这周末", "2026-03-14", "2026-03-16"),
    ("周三见过", "2026-03-11", "2026-03-12"),
    ("上个月", "2026-02-01", "2026-03-01"),
    ("上个月底", "2026-02-21", "2026-03-01"),
    ("下个月三号", "2026-04-03", "2026-04-04"),
    ("去年", "2025-01-01", "2026-01-01"),
    ("去年夏天", "2025-06-01", "2025-09-01"),
    ("今年年底", "2026-09-01", "2027-01-01"),
    ("三天前", "2026-03-09", "2026-03-10"),
    ("二十一天前", "2026-02-19", "2026-02-20"),
    ("两个星期后", "2026-03-23", "2026-03-30"),
    ("三个月以前", "2025-12-01", "2026-01-01"),
    ("五年前", "2021-01-01", "2022-01-01"),
    ("半小时前", "2026-03-12T14:00", "2026-03-12T14:01"),
    ("半年前", "2025-09-01", "2025-10-01"),
    ("最近三天", "2026-03-09", "2026-03-13"),
    ("过去两周", "2026-02-26", "2026-03-13"),
    ("4月8日", "2025-04-08", "2025-04-09"),
    ("2026年4月8号", "2026-04-08", "2026-04-09"),
    ("二〇二三年十月一日", "2023-10-01", "2023-10-02"),
    ("去年5月8日", "2025-05-08", "2025-05-09"),
    ("八月初", "2025-08-01", "2025-08-11"),
    ("五月", "2025-05-01", "2025-06-01"),
    ("十二月份", "2025-12-01", "2026-01-01"),
    ("2023年毕业", "2023-01-01", "2024-01-01"),
    ("周一9点开会", "2026-03-09T09", "2026-03-09T10"),
    ("昨晚一点才睡", "2026-03-12T01", "2026-03-12T02"),
    ("3月3日（周二）下午两点", "2026-03-03T14", "2026-03-03T15"),
    ("21号星期六聚餐", "2026-02-21", "2026-02-22"),
    ("下周一到周三出差", "2026-03-16", "2026-03-19"),
    ("昨天下午三点到五点", "2026-03-11T15", "2026-03-11T17"),
    ("3至5号我出差", "2026-03-03", "2026-03-06"),
    ("下个月第一个周五", "2026-04-03", "2026-04-04"),
    ("国庆前一天", "2025-09-30", "2025-10-01"),
    ("一个半小时前", "2026-03-12T13:00", "2026-03-12T13:01"),
    ("去年第四季度", "2025-10-01", "2026-01-01"),
    ("上半年", "2026-01-01", "2026-07-01"),
]
OF_ITS_DAY = [
    ("tomorrow, Friday", "2026-03-13", "2026-03-14"),
    ("明天（周五）", "2026-03-13", "2026-03-14"),
    ("春节期间", "2026-02-17", "2026-02-18"),
]
"""What is one expression on that Thursday, and two or none on another day."""
NO_TIME = """recently|a few days ago|every Friday|on Fridays|May I ask you something|I may 3
31 April|will last a week|nowadays|the last week of May|once in a week|version 2026.4|someday
最近|前几天|以前天天跑步|以后天天写|每周三|两周一次|周一到周五|三个月|每年五月|二三天前|文明早期|总有一天|2月31日
每天早上七点起床|我一般晚上十一点睡
我有两点看法|第三点很重要|差一点迟到|我住5号院
我家在三单元五号|I live at 12 March Street|两点之间|下午茶|十一个人|大年初三
the shop opens at 8 every day|on the 3rd floor|the 3rd option|at 21 Baker Street
in the second half of the match
on the 15th of every month|every other Friday|we deploy on Fridays at 4pm
at 9am on Mondays and Thursdays|Tuesday mornings at 10|on weeknights at 8pm|a 9-5 job
room 1930|$19.30|at the end of the film"""

nothing = NO_TIME.replace("\n", "|").split("|")
moments = st.integers(parse_instant("1900-01-01T00:00:00Z"), parse_instant("2200-01-01T00:00:00Z"))
offsets = st.integers(-14 * 60, 14 * 60)
examples = [text for text, _, _ in (*ENGLISH, *CHINESE)]
texts = st.lists(st.one_of(st.text(max_size=20), st.sampled_from(examples))).map(" ".join)
preferences = st.sampled_from(("past", "future"))


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(("text", "start", "until"), [*ENGLISH, *CHINESE, *OF_ITS_DAY])
def test_an_expression_is_made_absolute(text: str, start: str, until: str) -> None:
    (span,) = times(text, THURSDAY, UTC_ZONE)
    assert (span.from_ms, span.until_ms) == (utc(start), utc(until))
    assert span.expression in text


@pytest.mark.parametrize("text", nothing)
def test_what_is_vague_habitual_or_no_time_is_left_alone(text: str) -> None:
    assert times(text, THURSDAY, UTC_ZONE) == ()


@pytest.mark.parametrize(
    ("text", "prefer", "start"),
    [
        ("on Friday", "past", "2026-03-06"),
        ("on Friday", "future", "2026-03-13"),
        ("in May", "past", "2025-05-01"),
        ("in May", "future", "2026-05-01"),
        ("in March", "future", "2026-03-01"),
        ("3月20日", "past", "2025-03-20"),
        ("3月20日", "future", "2026-03-20"),
        ("周三", "future", "2026-03-18"),
        ("29 February", "future", "2028-02-29"),
        ("last Friday", "future", "2026-03-06"),
    ],
)
def test_what_recurs_is_looked_for_in_the_direction_asked(
    text: str, prefer: Prefer, start: str
) -> None:
    (span,) = times(text, THURSDAY, UTC_ZONE, prefer=prefer)
    assert span.from_ms == utc(start)


def test_days_begin_at_the_speakers_midnight() -> None:
    late = parse_instant("2026-03-12T22:00:00Z")
    (here,) = times("今天", late, Zone.from_offset(8 * 60))
    assert here.from_ms == parse_instant("2026-03-12T16:00:00Z")
    (there,) = times("today", late, Zone.from_offset(-5 * 60))
    assert there.from_ms == parse_instant("2026-03-12T05:00:00Z")


def test_several_are_found_in_order_with_the_words_as_they_stand() -> None:
    text = "Last week I ran; 上周三我休息了，two days ago I ran again, and on May 3rd, 2024 I won."
    found = times(text, THURSDAY, UTC_ZONE)
    assert [span.expression for span in found] == [
        "Last week",
        "上周三",
        "two days ago",
        "May 3rd, 2024",
    ]


def test_winter_is_the_one_that_has_begun() -> None:
    (winter,) = times("这个冬天", parse_instant("2026-01-20T12:00:00Z"), UTC_ZONE)
    assert from_millis(winter.from_ms).year == 2025


@pytest.mark.parametrize(
    ("question", "start", "until"),
    [
        ("What did I eat last week?", "2026-03-02", "2026-03-09"),
        ("What has changed since last week?", "2026-03-02", None),
        ("what happened after May 2024", "2024-06-01", None),
        ("before 2023", None, "2023-01-01"),
        ("by 2023", None, "2024-01-01"),
        ("between May and July", "2025-05-01", "2025-08-01"),
        ("between 2021 and 2023", "2021-01-01", "2024-01-01"),
        ("上周三我说了什么？", "2026-03-04", "2026-03-05"),
        ("去年以来我搬过几次家", "2025-01-01", None),
        ("2023年以前我住哪", None, "2023-01-01"),
        ("五月到七月去了哪里", "2025-05-01", "2025-08-01"),
    ],
)
def test_a_question_asks_about_a_stretch_of_time(
    question: str, start: str | None, until: str | None
) -> None:
    sides = (None if side is None else utc(side) for side in (start, until))
    assert interval(question, THURSDAY, UTC_ZONE) == Interval(*sides)


def test_a_question_that_names_no_time_has_no_interval() -> None:
    assert interval("Where do I live? 我住哪？", THURSDAY, UTC_ZONE) is None


@given(texts, moments, offsets, preferences)
def test_spans_lie_in_the_text_apart_and_last_a_while(
    text: str, said: int, offset: int, prefer: Prefer
) -> None:
    end = 0
    for span in times(text, said, Zone.from_offset(offset), prefer=prefer):
        assert end <= span.start < span.end <= len(text)
        assert span.expression == text[span.start : span.end]
        assert span.from_ms < span.until_ms
        end = span.end


@given(st.sampled_from(examples), moments, offsets, preferences)
def test_an_expression_alone_means_what_it_meant_in_its_sentence(
    text: str, said: int, offset: int, prefer: Prefer
) -> None:
    (span,) = times(text, said, Zone.from_offset(offset), prefer=prefer)
    (alone,) = times(span.expression, said, Zone.from_offset(offset), prefer=prefer)
    assert (alone.from_ms, alone.until_ms) == (span.from_ms, span.until_ms)
    assert alone.expression == span.expression


@given(st.text(), st.integers(), offsets)
def test_no_text_and_no_moment_is_an_error(text: str, said: int, offset: int) -> None:
    for span in times(text, said, Zone.from_offset(offset)):
        assert span.expression == text[span.start : span.end]
        assert span.from_ms < span.until_ms


@pytest.mark.parametrize(
    "piece", ["a", "1", "last ", "一二", "个", "in early ", "上", " ", "2026-"]
)
def test_a_long_text_is_read_to_its_end(piece: str) -> None:
    # With a rule that backtracks over what it has read this would not end within the suite's time.
    text = piece * (60_000 // len(piece)) + "\nyesterday"
    assert [span.expression for span in times(text, THURSDAY, UTC_ZONE)][-1] == "yesterday"


ENDS = [
    ("until Friday", "2026-03-14"),
    ("before Friday", "2026-03-13"),
    ("until 5 May", "2026-05-06"),
    ("2026-03-20", "2026-03-21"),
    ("until the end of April", "2026-05-01"),
    ("by the end of the month", "2026-04-01"),
    ("for the next three days", "2026-03-16"),
    ("for two weeks", "2026-03-30"),
    ("到周五", "2026-03-14"),
    ("周五之前", "2026-03-13"),
    ("到五月五日为止", "2026-05-06"),
    ("到四月底", "2026-05-01"),
    ("到月底", "2026-04-01"),
    ("到年底", "2027-01-01"),
    ("接下来三天", "2026-03-16"),
    ("两周", "2026-03-30"),
]


@pytest.mark.parametrize(("words", "end"), ENDS)
def test_what_holds_up_to_a_time_ends_when_that_time_is_over(words: str, end: str) -> None:
    assert find_end(words, THURSDAY, UTC_ZONE) == parse_instant(f"{end}T00:00:00Z")


def test_an_end_is_at_the_speakers_midnight_and_a_full_time_is_that_very_moment() -> None:
    shanghai, said = Zone.from_name("Asia/Shanghai"), parse_instant("2026-10-13T08:05:00+08:00")
    friday_is_over = parse_instant("2026-10-17T00:00:00+08:00")
    assert find_end("until Friday", said, shanghai) == friday_is_over
    assert find_end("到周五", said, shanghai) == friday_is_over
    assert find_end("2026-10-16", said, shanghai) == friday_is_over
    at_five = parse_instant("2026-10-16T17:00:00+08:00")
    assert find_end("2026-10-16T17:00", said, shanghai) == at_five
    assert find_end("2026-10-16T09:00:00Z", said, shanghai) == at_five
    berlin = Zone.from_name("Europe/Berlin")  # clocks are set on 25 October
    assert find_end("until Monday", said, berlin) == parse_instant("2026-10-20T00:00:00+02:00")
    assert find_end("2026-11-01", said, berlin) == parse_instant("2026-11-02T00:00:00+01:00")


@pytest.mark.parametrize(
    "words", ["", "forever", "since May", "for good", "一直", "永远", "until further notice"]
)
def test_what_has_no_end_in_its_words_has_none(words: str) -> None:
    assert find_end(words, THURSDAY, UTC_ZONE) is None


@given(st.text(max_size=80))
def test_any_words_have_an_end_or_none(words: str) -> None:
    end = find_end(words, THURSDAY, UTC_ZONE)
    assert end is None or isinstance(end, int)
