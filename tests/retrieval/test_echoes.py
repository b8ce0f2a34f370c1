"""What an assistant only repeats stands behind what it repeats, at both levels."""

from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of

import memoria
from memoria.config import Settings

NAMES = [
    "mcp__memoria__search_memory",
    "mcp__plugin_memoria_memoria__search_conversation_traces",
    "memoria.search_memory",
    "memoria:get_memory",
    "search_memory",
    "memoria_search_memory",
]
REPEATED = [
    ("The ladder is stored behind the boiler", "where is the ladder", "According to memory, "),
    ("备用钥匙在花盆下面", "备用钥匙在哪", "根据记忆，"),
    ("Der Ersatzschlüssel liegt im Keller", "wo liegt der Ersatzschlüssel", "Laut Notizen: "),
    ("駐車場の番号は24番です", "駐車場の番号は", "記憶によると、"),
]  # fmt: skip


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off")


@pytest.mark.parametrize(("fact", "question", "lead"), REPEATED)
async def test_a_memory_stands_before_a_turn_that_repeats_it(
    settings: Settings, fact: str, question: str, lead: str
) -> None:
    async with memoria.open(settings=settings) as m:
        await m.remember(fact)
        said = [("user", question), ("assistant", f"{lead}{fact}.")]
        turns = [{"role": role, "content": content} for role, content in said]
        await m.record_conversation(turns, session_id="later")
        hits = hits_of(await m.search_memory(question))
        kinds = [hit.kind for hit in hits if hit.source.role != "user" or hit.kind == "memory"]
        assert kinds[:1] == ["memory"]


async def test_a_statement_stands_before_later_turns_that_repeat_it(settings: Settings) -> None:
    fact, question = "The ladder hangs behind the boiler", "where does the ladder hang"
    async with memoria.open(settings=settings) as m:
        turns = [{"role": "user", "content": f"{fact}."}]
        await m.record_conversation(turns, session_id="first")
        for later in ("second", "third"):
            told = f"As I recall it, the ladder hangs behind the boiler: {question}, indeed."
            turns = [{"role": "user", "content": question}, {"role": "assistant", "content": told}]
            await m.record_conversation(turns, session_id=later)
        hits = (await m.search_conversation_traces(question)).hits
        assert hits[0].text.startswith(fact)


async def test_an_answer_that_says_more_than_a_question_keeps_its_place(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings) as m:
        turns = [
            {"role": "user", "content": "Which paint does the workshop use for the garden fence?"},
            {"role": "assistant", "content": "The workshop uses Falu red for the garden fence."},
        ]
        await m.record_conversation(turns, session_id="talk")
        before = (await m.search_conversation_traces("Falu red garden fence")).hits
        assert before[0].text == turns[1]["content"]


async def test_who_asks_what_the_assistant_said_is_given_that(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        await m.remember("The ladder is stored behind the boiler")
        told = "I suggest that the ladder is stored behind the boiler."
        await m.record_conversation([{"role": "assistant", "content": told}], session_id="talk")
        found = await m.search_conversation_traces("what did you suggest about the ladder?")
        assert [hit.text for hit in found.hits] == [told]


@pytest.mark.parametrize("name", NAMES)
async def test_calls_of_our_own_tools_are_not_recorded_whatever_they_are_called(
    settings: Settings, name: str
) -> None:
    turns: list[dict[str, object]] = [
        {"role": "user", "content": "Where is the ladder stored?"},
        {"role": "tool", "tool_name": name, "tool_args": {"query": "ladder"}, "tool_result": "It."},
        {"role": "tool", "tool_name": "bash", "tool_args": {"command": "ls ladder"}},
    ]
    async with memoria.open(settings=settings) as m:
        receipt = await m.record_conversation(turns, session_id="talk")
        assert [one.status for one in receipt.turns] == ["recorded", "nothing_left", "recorded"]
        names = [turn.tool_name for turn in (await m.get_session("talk")).turns]
        assert names == [None, "bash"]


async def test_a_search_of_ours_is_known_by_its_answer_under_another_server_s_name(
    settings: Settings,
) -> None:
    answer = "[memory 43465763] The ladder is behind the boiler (fact, 2026-11-28)"
    async with memoria.open(settings=settings) as m:
        kept: dict[str, object] = {"role": "tool", "tool_name": "mcp__brain__search_memory"}
        results: list[dict[str, object]] = [{**kept, "tool_result": one} for one in (answer, "-")]
        receipt = await m.record_conversation(results)
        assert [one.status for one in receipt.turns] == ["nothing_left", "recorded"]


REPORT = (
    "The dashboards were moved to the new cluster without any loss of history."
    " Log files are packed into an archive after thirty days."
    " The certificates are renewed by a job on the first of the month."
    " The release notes are written by whoever merges the last change."
    " Alerts go to the channel of the team that owns the choir's website."
)


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_what_adds_the_answer_to_an_earlier_text_is_no_echo_of_it(
    settings: Settings, role: str
) -> None:
    answer = f"{REPORT} On Tuesday evening the choir rehearses Brahms."
    said = [(role, REPORT), ("assistant", answer)]
    async with memoria.open(settings=settings) as m:
        turns = [{"role": role, "content": content} for role, content in said]
        await m.record_conversation(turns, session_id="talk")
        found = await m.search_conversation_traces("Which evening does the choir rehearse?")
        assert found.hits[0].text == answer
