"""What is captured twice, by a hook, an agent's report and an import, is one turn."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memoria
from memoria import Memoria, Turn
from memoria.model import Channel, StoredTurn, Trust
from memoria.model.channel import hook_channel, transcript_channel

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


async def take(memory: Memoria, step: Step, said: Sequence[Turn], hooked: list[int]) -> None:
    """One step; hooks and imports take in a transcript from its beginning or where they were."""
    match step.way:
        case "hook":
            begins, ends = min(step.begins, hooked[0]), max(step.ends, hooked[0])
            hooked[0] = ends
            if said[begins:ends]:
                await memory.with_channel(hook_channel("codex")).record_conversation(
                    said[begins:ends]
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
    said, hooked = transcript(spoken), [0]
    home: Path = tmp_path_factory.mktemp("home")
    chosen = memoria.Settings(home=home, embedder="off")
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
