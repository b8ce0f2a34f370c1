"""What is captured twice, by a hook, an agent's report and an import, is one turn."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memoria
from memoria import Memoria, Settings, Turn
from memoria.model import Channel, StoredTurn, Trust
from memoria.model.provenance import hook_channel, transcript_channel

SESSION = "0197c5d2-aaaa"
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="codex-mcp-client", session=SESSION)
LONG = (
    "Please look through the parser, the lexer and the printer, and tell me which of them still "
    "uses the old tables, since I want to remove these before the release on Friday."
)
TEXTS = (
    ("user", "yes"),
    ("user", "继续"),
    ("user", "The gateway listens on port 7443."),
    ("assistant", "**Noted**: the gateway\n\n- listens on `7443`"),
    ("user", "下周三我们在杭州开会，讨论新的索引。"),
    ("assistant", "yes"),
    ("user", LONG),
)
SUMMARIES = ("In sum the user wants port 7443.", "总之，用户希望在杭州开会。")
FIRST = 1_790_000_000_000


class Step(NamedTuple):
    """Something that records: what, from where, up to where, how it is told."""

    way: str
    begins: int
    ends: int
    telling: int


def transcript(spoken: Sequence[tuple[str, str]]) -> list[Turn]:
    return [
        Turn.model_validate(
            {
                "role": role,
                "content": content,
                "session_id": SESSION,
                "message_id": f"m{i}",
                "at": FIRST + i * 60_000,
            }
        )
        for i, (role, content) in enumerate(spoken)
    ]


def retell(turn: Turn, telling: int) -> Turn:
    """A turn as an agent hands it over: without ids, or with its own, in nearly the same words."""
    content = turn.content
    match telling % 4:
        case 1:
            content = f"  {content.replace('**', '').replace('`', '')} \n"
        case 2:
            content = content.replace(" ", "\n")
        case 3 if len(content) > 120:
            content = content[:110] + "… [truncated]"
    invented = {"session_id": "my-session", "message_id": f"msg-{telling}"} if telling % 2 else {}
    nameless = {"session_id": None, "message_id": None, "at": None}
    return turn.model_copy(update={**nameless, "content": content, **invented})


@dataclass
class Hooked:
    """What hooks have told: one is taken in after the other, as they are out of the spool."""

    ends: int = 0
    one_at_a_time: anyio.Lock = field(default_factory=anyio.Lock)


async def take(memory: Memoria, step: Step, said: Sequence[Turn], hooked: Hooked) -> None:
    """One step; hooks and imports take in a transcript from its beginning or where they were."""
    match step.way:
        case "hook":
            async with hooked.one_at_a_time:
                begins, hooked.ends = min(step.begins, hooked.ends), max(step.ends, hooked.ends)
                if said[begins : hooked.ends]:
                    await memory.with_channel(hook_channel("codex")).record_conversation(
                        said[begins : hooked.ends]
                    )
        case "import":
            if said[: step.ends]:
                await memory.with_channel(transcript_channel("codex")).record_conversation(
                    said[: step.ends]
                )
        case _:
            told = [retell(turn, step.telling) for turn in said[step.begins : step.ends]]
            if step.way == "sum up":
                told.append(Turn(role="assistant", content=SUMMARIES[step.telling % 2]))
            if told:
                await memory.with_channel(AGENT).record_conversation(told)


async def read(memory: Memoria) -> list[StoredTurn]:
    record = await memory.get_session(SESSION, limit=200)
    return list(record.turns)


WAYS = st.sampled_from(["hook", "import", "agent", "agent", "sum up"])
STEP = st.builds(Step, WAYS, st.integers(0, 8), st.integers(0, 9), st.integers(0, 7))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    spoken=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=9),
    steps=st.lists(st.tuples(STEP, st.none() | STEP), max_size=6),
    last=st.sampled_from(["hook", "import"]),
)
@pytest.mark.anyio
async def test_however_hooks_agents_and_imports_meet_each_turn_of_the_transcript_is_there_once(
    tmp_path_factory: pytest.TempPathFactory,
    spoken: list[tuple[str, str]],
    steps: list[tuple[Step, Step | None]],
    last: str,
) -> None:
    said, hooked = transcript(spoken), Hooked()
    home: Path = tmp_path_factory.mktemp("home")
    chosen = Settings(home=home, embedder="off")
    async with memoria.open(home=home, settings=chosen) as memory:
        for one, other in steps:
            async with anyio.create_task_group() as both:
                both.start_soon(take, memory, one, said, hooked)
                if other is not None:
                    both.start_soon(take, memory, other, said, hooked)
        await take(memory, Step(last, 0, len(said), 0), said, hooked)
        kept = await read(memory)
        again = await memory.with_channel(transcript_channel("codex")).record_conversation(said)
    own = [turn for turn in kept if turn.account == "client"]
    assert [(t.message_id, t.role.value, t.content, t.at) for t in own] == [
        (t.message_id, t.role.value, t.content, t.at) for t in said
    ]
    rest = [turn.content for turn in kept if turn.account == "agent"]
    summed_up = [step for pair in steps for step in pair if step and step.way == "sum up"]
    assert sorted(rest) == sorted({SUMMARIES[step.telling % 2] for step in summed_up})
    assert (again.recorded, again.new_versions) == (0, 0)


STATED = "Remember that I am allergic to peanuts."
LONG_STATED = (
    "Please look at the list of guests for Friday once more, and tell me who has not answered yet, "
    "since the kitchen wants to know by noon. Remember that I am allergic to shellfish."
)


@pytest.fixture
async def quiet(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings.load(home=str(home), embedder="off")) as opened:
        yield opened


def typed(content: str, message_id: str = "m1") -> dict[str, object]:
    return {"role": "user", "content": content, "session_id": SESSION, "message_id": message_id}


async def memories_of(memory: Memoria) -> list[tuple[str, str]]:
    found = await memory.list_unverified(100)
    return [(one.content, one.current.provenance.turn_id or "") for one in found]


@pytest.mark.parametrize("way", ["hook", "import"])
async def test_a_memory_made_of_the_first_account_keeps_its_source_and_is_made_once(
    quiet: Memoria, way: str
) -> None:
    client = hook_channel("codex") if way == "hook" else transcript_channel("codex")
    agent, own = quiet.with_channel(AGENT), quiet.with_channel(client)
    await agent.record_conversation([{"role": "user", "content": STATED}])
    first = await memories_of(quiet)
    receipt = await own.record_conversation([typed(STATED)])
    assert first == await memories_of(quiet)
    assert [turn_id for _, turn_id in first] == [receipt.turns[0].id]
    (turn,) = await read(quiet)
    assert (turn.message_id, turn.account) == ("m1", "client")
    assert turn.trust == ("user" if way == "hook" else "reported")


async def test_of_a_report_that_was_cut_the_rest_is_read_when_the_client_says_it(
    quiet: Memoria,
) -> None:
    cut = LONG_STATED[:130] + "…"
    await quiet.with_channel(AGENT).record_conversation([{"role": "user", "content": cut}])
    assert await memories_of(quiet) == []
    hook = quiet.with_channel(hook_channel("codex"))
    for _ in range(2):
        await hook.record_conversation([typed(LONG_STATED)])
    (turn,) = await read(quiet)
    assert turn.content == LONG_STATED
    assert [turn_id for _, turn_id in await memories_of(quiet)] == [turn.id]
    found = await quiet.search_conversation_traces("shellfish")
    assert [hit.id for hit in found.hits] == [turn.id]


async def test_turns_that_an_agent_reported_first_stand_in_the_clients_order_and_time(
    quiet: Memoria,
) -> None:
    said = transcript(TEXTS[:6])
    await quiet.with_channel(AGENT).record_conversation(
        [retell(said[3], 1), retell(said[2], 0), Turn(role="assistant", content=SUMMARIES[0])]
    )
    await quiet.with_channel(transcript_channel("codex")).record_conversation(said)
    own = [turn for turn in await read(quiet) if turn.account == "client"]
    assert [turn.content for turn in own] == [turn.content for turn in said]
    assert [turn.at for turn in own] == [turn.at for turn in said]
    record = await quiet.get_turn(own[2].id, context=1)
    assert [one.content for one in (*record.before, *record.after)] == [
        said[1].content,
        said[3].content,
    ]
