"""Questions about a time, a day, the truth of another day, and a task."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria, SearchResult, Settings
from memoria.model import DAY_MS, Validity, now_millis, parse_instant, use_clock
from memoria.surface.text import result_text

ASKED = "2023-06-14T12:00:00Z"  # a Wednesday; "last week" is counted from `as_of`


@pytest.fixture(scope="module")
async def diary(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """A year of talk, with a busy time after the moment that is asked of."""
    home = tmp_path_factory.mktemp("diary") / "home"
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as m:
        lines = [
            ("2023-05-03", "user", "We decided to write the parser by hand."),
            ("2023-05-20", "user", "我想去里斯本学葡萄牙语。"),
            ("2023-05-21", "assistant", "里斯本的六月很热。"),
            ("2023-06-06", "user", "We decided that the parser reads streams."),
            ("2023-06-07", "user", "The cat was at the vet."),
            ("2023-06-13", "user", "The parser has a bug in its lexer."),
        ]
        later = [(f"2023-07-{1 + i % 28:02}", "user", f"Parser note {i}, the parser again, parser")
                 for i in range(130)]  # fmt: skip
        await m.record_conversation(
            [
                {"session_id": day, "message_id": str(i), "role": role, "content": text, "at": day}
                for i, (day, role, text) in enumerate([*lines, *later])
            ]
        )
        await m.wait_until_idle(60)
        yield m


async def ask(m: Memoria, query: str, limit: int = 8) -> SearchResult:
    return await m.search_memory(query, as_of=ASKED, limit=limit, max_tokens=4000)


async def test_what_was_decided_last_week_about_the_parser_comes_first(diary: Memoria) -> None:
    found = await ask(diary, "what did we decide last week about the parser")
    assert texts_of(found)[0] == "We decided that the parser reads streams."
    assert "We decided to write the parser by hand." in texts_of(found)


async def test_what_i_said_last_month_is_answered_by_the_sessions_of_that_month_alone(
    diary: Memoria,
) -> None:
    found = await ask(diary, "我上个月说过什么")
    assert texts_of(found) == [
        "里斯本的六月很热。",
        "我想去里斯本学葡萄牙语。",
        "We decided to write the parser by hand.",
    ]


async def test_a_question_of_nothing_but_a_time_hears_each_session_once_newest_first(
    diary: Memoria,
) -> None:
    found = await diary.search_conversation_traces(
        "What did we talk about in July 2023?", limit=40, max_tokens=20_000, context=0
    )
    assert len(found.hits) == 40
    first, rest = found.hits[:28], found.hits[28:]
    assert len({hit.source.session_id for hit in first}) == len(first)
    for part in (first, rest):
        times = [hit.source.at for hit in part]
        assert times == sorted(times, reverse=True)
        assert times[0].startswith("2023-07-28")


async def test_the_latest_of_a_past_moment_is_what_had_been_said_by_then(diary: Memoria) -> None:
    found = await ask(diary, "What is the latest?", limit=2)
    assert texts_of(found) == ["The parser has a bug in its lexer.", "The cat was at the vet."]


async def test_what_was_said_later_takes_no_place_of_what_had_been_said(diary: Memoria) -> None:
    found = await ask(diary, "parser again and again", limit=2)
    assert {hit.source.at[:10] for hit in found.hits} <= {"2023-06-13", "2023-06-06"}
    assert len(found.hits) == 2


async def test_the_newest_comes_first_whatever_memories_are_worth(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = memoria.Settings(embedder="off")
    path = tmp_path_factory.mktemp("worth")
    async with memoria.open(home=path, tenant="t", settings=settings) as m:
        for day in range(1, 21):
            worth = 1.0 if day == 5 else 0.1
            keep(m, f"Note {day}", f"2023-01-{day:02}", importance=worth)
        found = await m.search_memory("What did we say in January 2023?", limit=20, max_tokens=4000)
        assert texts_of(found) == [f"Note {day}" for day in range(20, 0, -1)]


@pytest.fixture(scope="module")
async def lives(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Memories that changed in the course of 2023."""
    home = tmp_path_factory.mktemp("lives") / "home"
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as m:
        corrected = [
            ("Lin teaches in Leeds", "Lin teaches in York"),
            ("小李住在北京", "小李住在上海"),
            ("The automobile is a red Fiat", "The bicycle replaced it: a blue Brompton"),
        ]
        for before, after in corrected:
            kept = await m.remember(before, valid_from="2023-01-01")
            await m.revise_memory(kept.id, "correct", after, valid_from="2023-05-01")
        archived = await m.remember("The office is in Camden", valid_from="2023-02-01")
        await m.revise_memory(archived.id, "archive")
        keep(m, "The voucher is worth ten pounds", "2023-01-01",
             expires_at=parse_instant("2023-04-01"))  # fmt: skip
        keep(m, "The safe opens with a feather", "2023-01-01",
             validity=Validity.PENDING_CONFIRMATION)  # fmt: skip
        keep(m, "The fence was green once", "2023-01-01", validity=Validity.SUPERSEDED)
        await m.wait_until_idle(60)
        yield m


THEN, SINCE = "2023-03-01", "2023-06-01"


@pytest.mark.parametrize(
    ("query", "as_of", "answer"),
    [
        ("Where does Lin teach?", THEN, ["Lin teaches in Leeds"]),
        ("Where does Lin teach?", SINCE, ["Lin teaches in York"]),
        ("Where does Lin teach?", None, ["Lin teaches in York"]),
        ("小李住在哪里？", THEN, ["小李住在北京"]),
        ("小李住在哪里？", SINCE, ["小李住在上海"]),
        ("小李住在哪里？", None, ["小李住在上海"]),
        ("Where is the office?", THEN, ["The office is in Camden"]),
        ("Where is the office?", None, []),
        ("Where is the office?", "2999-01-01", []),
        ("What is the voucher worth?", THEN, ["The voucher is worth ten pounds"]),
        ("What is the voucher worth?", SINCE, []),
        ("What is the voucher worth?", None, []),
        ("What opens the safe, a feather?", THEN, []),
        ("Was the fence green?", THEN, []),
    ],
)
async def test_what_is_asked_of_a_day_is_answered_as_it_was_held_that_day(
    lives: Memoria, query: str, as_of: str | None, answer: list[str]
) -> None:
    found = await lives.search_memory(query, as_of=as_of)
    assert texts_of(found)[: len(answer)] == answer  # what comes after it may be of somebody else
    assert answer or not found.answered


async def test_a_wording_of_the_past_is_found_by_the_meaning_of_the_present_one(
    lives: Memoria,
) -> None:
    """Only the present wording has a vector that is searched."""
    query = "a bicycle replaced what, a blue Brompton?"
    found = await lives.search_memory(query, as_of=THEN, without=["text", "graph"])
    assert texts_of(found)[0] == "The automobile is a red Fiat"
    assert found.hits[0].validity is Validity.SUPERSEDED


async def test_what_a_message_asked_to_remember_was_held_then_though_it_is_stated_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = memoria.Settings(embedder="off")
    path = tmp_path_factory.mktemp("stated")
    async with memoria.open(home=path, tenant="t", settings=settings) as m:
        turn = {"role": "user", "content": "Remember that I prefer oolong tea.", "at": "2023-01-01"}
        await m.record_conversation([turn], session_id="s")
        (asked,) = (await m.list_memories()).memories
        assert asked.content == "I prefer oolong tea"
        await m.remember("I prefer oolong tea.", type="preference")
        stated = await m.get_memory(asked.id)
        assert [each.inferred_by for each in stated.versions] == ["statement", "rules"]
        then = await m.search_memory("oolong tea", as_of="2023-02-01")
        assert [hit.id for hit in then.hits] == [asked.id]


@pytest.fixture
async def two_tasks(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """The same decision for two tasks."""
    settings = memoria.Settings(embedder="off")
    path = tmp_path_factory.mktemp("tasks")
    async with memoria.open(home=path, tenant="t", settings=settings) as m:
        keep(m, "Deadline decided: Tuesday", "2023-01-01", task="write the parser")
        keep(m, "Deadline decided: Thursday", "2023-01-01", task="paint the kitchen")
        yield m


QUESTION = "which deadline was decided"


async def first(m: Memoria, task: str | None = None) -> str:
    return texts_of(await m.search_memory(QUESTION, task=task))[0]


async def test_memories_of_the_task_that_is_named_come_first(two_tasks: Memoria) -> None:
    assert await first(two_tasks, "the parser") == "Deadline decided: Tuesday"
    assert await first(two_tasks, "painting the kitchen") == "Deadline decided: Thursday"


async def test_memories_of_the_task_on_the_scratchpad_come_first(two_tasks: Memoria) -> None:
    await two_tasks.update_scratchpad(current_focus="paint the kitchen")
    assert await first(two_tasks) == "Deadline decided: Thursday"
    assert await first(two_tasks, "the parser") == "Deadline decided: Tuesday"
    found = await two_tasks.search_memory(QUESTION, explain=True)
    assert found.explanation is not None
    assert found.explanation.task == "paint the kitchen"


async def test_the_task_of_the_asking_session_comes_before_that_of_a_later_one(
    two_tasks: Memoria,
) -> None:
    await two_tasks.update_scratchpad(current_focus="paint the kitchen")
    await two_tasks.update_scratchpad(current_focus="write the parser", session_id="other")
    assert await first(two_tasks) == "Deadline decided: Thursday"
    package = await two_tasks.build_context(QUESTION, session_id="other")
    assert package.recall.splitlines()[0].endswith("Tuesday")


@pytest.mark.parametrize(("age_ms", "counts"), [(DAY_MS - 60_000, True), (DAY_MS, False)])
async def test_a_task_that_nobody_has_touched_for_a_day_is_over(
    two_tasks: Memoria, age_ms: int, *, counts: bool
) -> None:
    with two_tasks._store.write(two_tasks.tenant) as tx:  # noqa: SLF001  (an old note)
        tx.scratchpads.put("old", "paint the kitchen", [], now_millis() - age_ms, 5)
    found = await two_tasks.search_memory(QUESTION, explain=True)
    assert found.explanation is not None
    assert (found.explanation.task == "paint the kitchen") is counts


async def test_a_past_moment_knows_no_task_of_today(two_tasks: Memoria) -> None:
    await two_tasks.update_scratchpad(current_focus="paint the kitchen")
    found = await two_tasks.search_memory(QUESTION, as_of="2023-02-01", explain=True)
    assert found.explanation is not None
    assert found.explanation.task is None


async def test_a_day_on_which_nothing_was_said_is_looked_for_as_a_word(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", tenant="t", embedder=ToyEmbedder()) as m:
        await m.record_conversation([{"role": "user", "content": "会议改到星期四"}], session_id="s")
        for query in ("星期四", "星期四说了什么"):
            found = await m.search_conversation_traces(query)
            assert [hit.text for hit in found.hits] == ["会议改到星期四"]


async def test_what_is_over_is_found_with_the_history_alone_and_marked(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", tenant="t", embedder=ToyEmbedder()) as m:
        keep(m, "The voucher is worth ten pounds", "2023-01-01",
             expires_at=parse_instant("2023-04-01"))  # fmt: skip
        assert texts_of(await m.search_memory("voucher worth")) == []
        (hit,) = (await m.search_memory("voucher worth", include_history=True)).hits
        assert (hit.text, hit.status) == ("The voucher is worth ten pounds", "over")


NOW = 1_781_524_800_000  # 2026-06-15T12:00:00Z, a Monday
TUESDAY = {"kiln": "09T08:00", "bread": "09T10:00", "roof": "09T20:30"}
SESSIONS = {**TUESDAY, "lamp": "11T09:00", "choir": "02T09:00"}


@pytest.fixture
async def week(home: Path) -> AsyncIterator[Memoria]:
    """Talk in four sessions of a week and one before, the roof's in another project."""
    settings = Settings.load(home=home, embedder="off", time_zone="UTC")
    with use_clock(lambda: NOW):
        async with memoria.open(settings=settings) as m:
            for name, at in SESSIONS.items():
                lines = [f"Let us plan the {name}.", f"The {name} takes an hour.", "Agreed then."]
                turns = [
                    {"role": "user", "content": text, "at": f"2026-06-{at}:0{i}Z"}
                    for i, text in enumerate(lines)
                ]
                await m.record_conversation(
                    turns, session_id=name, workspace="house" if name == "roof" else "shop"
                )
            yield m


async def list_sessions(m: Memoria, question: str) -> list[list[str | None]]:
    """The sessions of the hits of each level, in their order."""
    levels = (m.search_memory, m.search_conversation_traces)
    found = [await search(question, workspace="shop") for search in levels]
    return [[hit.source.session_id for hit in one.hits if hit.kind == "turn"] for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "What did we do on Tuesday the 9th?",
        "What was I busy with last Tuesday?",
        "Catch me up on 2026-06-09",
        "上周二我们聊了什么？",
        "6月9日我忙了些什么？",
    ],
)
async def test_a_day_is_answered_by_a_line_of_each_of_its_sessions_first(
    week: Memoria, question: str
) -> None:
    for sessions in await list_sessions(week, question):
        assert sessions[:2] == ["bread", "kiln"]
        assert set(sessions) <= set(TUESDAY)


async def test_a_week_is_answered_by_every_session_of_it(week: Memoria) -> None:
    for sessions in await list_sessions(week, "What was I busy with last week?"):
        assert sessions[:3] == ["lamp", "bread", "kiln"]
        assert "choir" not in sessions


async def test_asked_of_all_projects_a_day_has_the_sessions_of_each(week: Memoria) -> None:
    found = await week.search_conversation_traces("What did we do on Tuesday?", workspace="*")
    assert {"roof", "bread", "kiln"} == {hit.source.session_id for hit in found.hits}


async def test_what_was_said_on_a_day_about_something_is_still_found_by_its_words(
    week: Memoria,
) -> None:
    for sessions in await list_sessions(week, "What did we say about the kiln last Tuesday?"):
        assert sessions[0] == "kiln"


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("Asia/Shanghai", "2026-06-08T20:00:00Z", "2026-06-09T04:00+08:00"),
        ("America/New_York", "2026-06-10T02:00:00Z", "2026-06-09T22:00-04:00"),
        ("UTC", "2026-06-09T23:00:00Z", "2026-06-09T23:00Z"),
    ],
)
async def test_a_line_tells_the_day_by_which_it_was_asked_for(
    home: Path, zone: str, at: str, day: str
) -> None:
    settings = Settings.load(home=home, embedder="off", time_zone=zone)
    with use_clock(lambda: NOW):
        async with memoria.open(settings=settings) as m:
            turn = {"role": "user", "content": "The kiln is hot.", "session_id": "s", "at": at}
            await m.record_conversation([turn])
            asked = [
                await m.search_conversation_traces("What did we do on 2026-06-09?"),
                await m.search_conversation_traces("kiln", since="2026-06-09", until="2026-06-10"),
                await m.search_memory("kiln", since="2026-06-09", until="2026-06-10"),
            ]
    for found in asked:
        assert parse_instant(found.hits[0].source.at) == parse_instant(at)
        assert day[:10] in result_text(found)
    assert result_text(asked[0]).startswith(f"{day}, session s")


async def test_a_code_is_answered_by_what_holds_it_alone(home: Path) -> None:
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        texts = [f"The deploy of build {n} failed with an error in the queue." for n in range(20)]
        texts += ["The deploy failed with E1437 in the queue.", "E1437 again, after the retry."]
        turns = [
            {"role": "user", "content": text, "session_id": f"s{n}", "message_id": str(n)}
            for n, text in enumerate(texts)
        ]
        await m.record_conversation(turns)
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search("Why did the deploy fail with E1437 in the queue?")
            assert {hit.source.message_id for hit in found.hits} == {"20", "21"}
            unknown = await search("Why did the deploy fail with E9999 in the queue?")
            assert len(unknown.hits) != 2


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "own", "general", "other", "task", "other_task"),
    [
        (
            "which port does the staging gateway use",
            "The staging gateway port was opened at last",
            "The staging gateway port used is 8443",
            "The staging gateway port used by billing is 9000",
            "move the gateway",
            "rewrite the billing",
        ),
        (
            "预发网关用哪个端口",
            "预发网关的端口终于打开了",
            "预发网关用的端口是8443",
            "计费用的预发网关端口是9000",
            "迁移网关",
            "重写计费模块",
        ),
    ],
    ids=["English", "Chinese"],
)
async def test_memories_of_a_named_task_come_first_and_those_of_others_not_at_all(
    m: Memoria, query: str, own: str, general: str, other: str, task: str, other_task: str
) -> None:
    keep(m, general, "2023-01-01")
    keep(m, other, "2023-01-01", task=other_task)
    keep(m, own, "2023-01-01", task=task)
    found = await m.search_memory(query, task=task)
    assert texts_of(found)[0] == own
    assert other not in texts_of(found)
    assert any("other tasks" in note for note in found.notes)
    assert {other, own, general} & {*texts_of(await m.search_memory(query))}


async def test_a_task_is_recognised_in_other_words_and_what_is_its_own_is_found_among_many(
    m: Memoria,
) -> None:
    for n in range(60):
        keep(m, f"The gateway port note {n} about the gateway port", "2023-01-01")
        keep(m, f"The gateway port aside {n} of the gateway port", "2023-01-01", task="paint it")
    own = keep(m, "A gateway was given some port in the end", "2023-01-01", task="move the gateway")
    found = await m.search_memory("gateway port", task="moving the gateway", limit=3)
    assert found.hits[0].id == own
    assert not [text for text in texts_of(found) if "aside" in text]


async def test_where_nothing_is_noted_for_a_task_the_answer_says_so(m: Memoria) -> None:
    keep(m, "The gateway port is 8443", "2023-01-01")
    found = await m.search_memory("gateway port", task="bake bread")
    assert texts_of(found) == ["The gateway port is 8443"]
    assert any("bake bread" in note for note in found.notes)


async def test_a_rule_of_another_task_does_not_bind_in_a_named_one(m: Memoria) -> None:
    await m.remember("Use the draft branch of the parser", type="rule", task="write the parser")
    found = await m.search_memory("which branch of the parser", task="paint the kitchen")
    assert found.hits == ()
    assert (await m.search_memory("which branch of the parser", task="the parser")).hits
