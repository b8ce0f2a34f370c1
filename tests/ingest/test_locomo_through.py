"""A LoCoMo conversation from capture to recall, read by a model that proposes LoCoMo's own
observations, and now and then invents what nobody said."""

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.data import Conversation, Key, data_folder, has_locomo, locomo
from tests.ingest.play import answers, log, memories
from tests.llm.scripted import Asked, ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.inference.embedder import BundledEmbedder
from memoria.model import QueueState, TurnRecord

SESSIONS = 4
FOUND_IN_TEN = 0.7
"""Share of questions whose evidence is the source of one of ten hits: 0.83 was measured, of 46."""
INVENTED = "I have always wanted to raise alpacas in Peru"
NOT_SAID = "quote not in the turn"
TURN = re.compile(r"^\[(\d+)\] (\w+): (.*?)(?=\n\n\[|\n`{3,})", re.MULTILINE | re.DOTALL)
COUNT = re.compile(r"([^,;:]+?) (\d+)(?=[,;]|$)")


class Reader:
    """Proposes what LoCoMo observed in each turn it is shown, and a lie in each session's first."""

    def __init__(self, conversation: Conversation) -> None:
        self._turns = {
            (turn.speaker, turn.content.replace("\n ", "\n")): turn for turn in conversation.turns
        }
        self._observed = defaultdict(list)
        for observation in conversation.observations:
            self._observed[observation.source].append(observation)
        self.shown: Counter[Key] = Counter()
        self.proposed: dict[str, Key] = {}
        """Contents with the turn they come from."""
        self.invented = 0

    def __call__(self, asked: Asked) -> object:
        operations = [op for turn in TURN.findall(asked.text) for op in self._read(*turn)]
        return {"operations": operations or [{"op": "SKIP", "reason": "nothing observed"}]}

    def sum_up(self, asked: Asked) -> object:
        """A summary that quotes the first turn, and one that nobody said."""
        number, _, said = TURN.findall(asked.text)[0]
        quotes = [{"turn": int(number), "quote": one} for one in (piece(said), INVENTED)]
        return {"summary": f"They began with: {said[:80]}", "quotes": quotes}

    def _read(self, number: str, speaker: str, said: str) -> Iterator[dict[str, Any]]:
        turn = self._turns[speaker, said.replace("\n ", "\n")]  # further lines are indented
        source = str(turn.session_id), str(turn.message_id)
        self.shown[source] += 1
        for observation in self._observed[source]:
            self.proposed[observation.text] = source
            yield add(int(number), observation.speaker, observation.text, piece(said))
        if source[1].endswith(":1"):
            self.invented += 1
            content = f"{speaker} wants to raise alpacas ({source[0]})."
            yield add(int(number), speaker, content, INVENTED)


def add(number: int, speaker: str, content: str, quote: str) -> dict[str, Any]:
    about = {"type": "fact", "subject": speaker, "predicate": "observation"}
    return {"op": "ADD", "content": content, "quote": quote, "turn": number, **about}


def piece(said: str) -> str:
    """The longest sentence of a turn."""
    return max(re.split(r"(?<=[.!?])\s", said), key=len)[:500]


@pytest.fixture
def conversation() -> Conversation:
    """The first sessions of the first conversation."""
    folder = data_folder()
    if folder is None or not has_locomo(folder):
        pytest.skip("LoCoMo is not among the data sets (MEMORIA_DATA)")
    whole = locomo(folder)[0]
    names = list(dict.fromkeys(turn.session_id for turn in whole.turns))[:SESSIONS]
    return Conversation(
        whole.name,
        tuple(turn for turn in whole.turns if turn.session_id in names),
        tuple(q for q in whole.questions if all(session in names for session, _ in q.gold)),
        tuple(seen for seen in whole.observations if seen.source[0] in names),
    )


@pytest.fixture
def reader(conversation: Conversation) -> Reader:
    return Reader(conversation)


@pytest.fixture
async def read(
    home: Path, conversation: Conversation, reader: Reader, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """A memory that was told the conversation turn by turn, and has read it."""
    with ScriptedModel(answer=answers(extract=reader, episode=reader.sum_up)) as model:
        settings = Settings(
            home=home, llm_base_url=model.url, llm_model="scripted", llm_daily_tokens=10**9
        )
        async with memoria.open(settings=settings, embedder=embedder) as m:
            for i, turn in enumerate(conversation.turns):
                after = conversation.turns[i + 1 : i + 2]
                ends = not after or after[0].session_id != turn.session_id
                await m.record_conversation([turn], "session_end" if ends else None)
            await m.wait_until_idle(60)
            yield m


async def test_what_locomo_observed_is_remembered_with_words_that_were_said_and_found_again(
    home: Path, conversation: Conversation, reader: Reader, read: Memoria
) -> None:
    m = read
    await every_turn_was_read_once(m, conversation, reader)
    await every_quote_stands_in_its_turn(m, reader)
    await what_was_invented_is_rejected_in_sight(m, home, reader)
    await questions_find_memories_of_the_turns_that_answer_them(m, conversation, reader)


async def every_turn_was_read_once(m: Memoria, conversation: Conversation, reader: Reader) -> None:
    said = {(str(turn.session_id), str(turn.message_id)) for turn in conversation.turns}
    assert reader.shown == Counter(said)
    status = await m.queue.status()
    assert (status.waiting, status.dead, status.dropped) == (0, 0, 0)
    assert status.done >= SESSIONS
    assert len(reader.proposed) == len(conversation.observations)


async def every_quote_stands_in_its_turn(m: Memoria, reader: Reader) -> None:
    kept = await memories(m)
    for memory in kept:
        for version in (await m.get_memory(memory.id)).versions:
            came = version.provenance
            record = await m.get_record(str(came.turn_id))
            assert isinstance(record, TurnRecord)
            assert came.quote
            assert came.quote in record.turn.content
            if memory.type != "episode" and version.inferred_by != "rules":
                assert (came.session_id, came.message_id) == reader.proposed[version.content]
    outcomes = await counted(m)
    assert outcomes["EPISODE"] == SESSIONS == sum(memory.type == "episode" for memory in kept)
    merged = outcomes["evidence"] + outcomes["known"] + outcomes["UPDATE"]
    assert outcomes["ADD"] + outcomes["pending"] + merged == len(reader.proposed)
    assert merged <= 0.05 * len(reader.proposed)


async def what_was_invented_is_rejected_in_sight(m: Memoria, home: Path, reader: Reader) -> None:
    assert reader.invented == SESSIONS
    assert (await counted(m))[NOT_SAID] == 2 * SESSIONS
    for what in ("ADD", "EPISODE"):
        assert log(home).count(("reject", f"{what}: {NOT_SAID}")) == SESSIONS
    assert not [memory for memory in await memories(m) if "alpacas" in memory.content]


async def questions_find_memories_of_the_turns_that_answer_them(
    m: Memoria, conversation: Conversation, reader: Reader
) -> None:
    observed = set(reader.proposed.values())
    asked = [question for question in conversation.questions if question.gold & observed]
    found = 0
    for question in asked:
        hits = (await m.search_memory(question.text, limit=10)).hits
        sources = {(h.source.session_id, h.source.message_id) for h in hits if h.kind == "memory"}
        found += bool(question.gold & sources)
    assert len(asked) > 20
    assert found >= FOUND_IN_TEN * len(asked)


async def counted(m: Memoria) -> Counter[str]:
    """What became of all operations, by the queue's own account."""
    total: Counter[str] = Counter()
    for entry in await m.queue.list_entries(QueueState.DONE, limit=200):
        applied = str(entry.outcome).replace("rejected: ", "")
        total.update({name.strip(): int(count) for name, count in COUNT.findall(applied)})
    return total
