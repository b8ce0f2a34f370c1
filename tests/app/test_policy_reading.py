"""A program's own reading of sentences, and what is no answer of a policy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_policy import WISH, OwnChat, opened
from tests.ingest.play import memories, read_sister, reader, said

from memoria import Memory, Policy, SentenceReading
from memoria.errors import InvalidInputError
from memoria.model import Mention
from memoria.model.provenance import Namesakes
from memoria.policy.questions import Fate


class ReadingPolicy(Policy):
    """Reads of every wording what it is given, and notes what it was asked."""

    def __init__(self, reading: Callable[[SentenceReading], Any]) -> None:
        self._reading = reading
        self.asked: list[tuple[str, SentenceReading]] = []

    def read(self, new: Memory, ours: SentenceReading) -> SentenceReading:
        self.asked.append((new.content, ours))
        answer: SentenceReading = self._reading(ours)
        return answer


ZOE = Mention(name="Zoe", kind="person", role="agent")
BY_PROGRAM = SentenceReading(
    entities=(ZOE,), subject="Zoe", event_at=1_700_000_000_000, event_expression="back then"
)


async def test_a_program_reads_whom_what_and_when_in_the_place_of_the_rules(home: Path) -> None:
    policy = ReadingPolicy(lambda _: BY_PROGRAM)
    async with opened(home, policy) as m:
        kept = await m.remember("She sold the boat to Ravi back then")
        memory = await m.get_memory(kept.id)
        found = await m.list_memories(entity="Zoe")
        nobody = await m.graph.around("Ravi")
    ((content, ours),) = policy.asked
    assert content == memory.content
    assert [one.name for one in ours.entities] == ["Ravi"]
    assert memory.entities == ("Zoe",)
    assert (memory.current.event_at, memory.current.event_expression) == (
        BY_PROGRAM.event_at,
        "back then",
    )
    assert [one.id for one in found.memories] == [kept.id]
    assert isinstance(nobody, Namesakes)


async def test_what_a_model_concludes_is_read_by_the_program_too(home: Path) -> None:
    policy = ReadingPolicy(lambda ours: ours.model_copy(update={"entities": (*ours.entities, ZOE)}))
    async with opened(home, policy, chat=OwnChat(reader(read_sister))) as m:
        await said(m, "My sister is called Lina, and she plays the oboe.")
        found = [await m.get_memory(one.id) for one in await memories(m)]
    assert found
    assert all("Zoe" in one.entities for one in found)


async def test_a_name_that_was_forgotten_is_no_entity_of_a_programs(home: Path) -> None:
    async with opened(home, ReadingPolicy(lambda _: BY_PROGRAM), forget_grace_days=0) as m:
        await m.forget_memory([(await m.remember("Zoe")).id])
        kept = await m.remember("She sold the boat to Ravi back then")
        assert (await m.get_memory(kept.id)).entities == ()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda _: None, "gave an answer that can't be used"),
        (lambda _: "Zoe", "gave an answer that can't be used"),
        (lambda _: SentenceReading(entities=("Zoe",)), "failed with ValidationError"),
        (lambda _: SentenceReading(event_at=1 << 60), "failed with ValidationError"),
    ],
)
async def test_a_reading_that_is_none_leaves_that_of_the_rules(
    home: Path,
    answer: Callable[[SentenceReading], Any],
    problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened(home, ReadingPolicy(answer)) as m:
        kept = await m.remember("She sold the boat to Ravi")
        assert (await m.get_memory(kept.id)).entities == ("Ravi",)
    assert f"The policy's read {problem}" in caplog.text


async def test_a_misspelt_method_is_an_error_that_says_the_names(home: Path) -> None:
    class Misspelt(Policy):
        def forgets(self, memory: Memory, ours: Fate) -> Fate:
            return ours if memory.pinned else "keep"

    with pytest.raises(InvalidInputError, match=r"forgets .* keep, read, replace, forget"):
        async with opened(home, Misspelt()):
            pass


async def test_helpers_with_an_underscore_and_plain_fields_are_no_questions(home: Path) -> None:
    class Helped(Policy):
        spared = "anna"

        def _is_spared(self, memory: Memory) -> bool:
            return memory.subject == self.spared

        def forget(self, memory: Memory, ours: Fate) -> Fate:
            return "keep" if self._is_spared(memory) else ours

    async with opened(home, Helped()) as m:
        assert (await m.remember(WISH)).status == "remembered"
