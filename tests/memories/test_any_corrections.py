"""Whatever is stated, corrected, contradicted, confirmed or forgotten, by whichever path.

The newest is among what is believed, the chain of versions leads from the first to the current
one, `as_of` gives what held, and nothing forgotten comes back.
CORRECTION_EXAMPLES in the environment plays more histories.
"""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, event, given, note, settings
from tests.ingest.play import memories, opened
from tests.memories.corrections import (
    HISTORIES,
    TOPICS,
    Act,
    History,
    Moment,
    Oracle,
    Script,
    State,
    Topic,
    read_value,
    values_in,
)

from memoria import Memoria
from memoria.app import nightly
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import EdgeType, Memory, Node, Revision, Validity, now_millis, to_iso
from memoria.model.core import CORE_FILES
from memoria.store.values import Filters

EXAMPLES = int(os.environ.get("CORRECTION_EXAMPLES", "4"))
WAIT_S = 60


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a history takes seconds
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(HISTORIES)
def test_after_any_corrections_the_newest_is_believed_and_what_held_is_history(
    tmp_path_factory: pytest.TempPathFactory, history: History
) -> None:
    anyio.run(play, tmp_path_factory.mktemp("corrected"), history)


async def play(home: Path, history: History) -> None:
    script = Script()
    with script.serve() as model:
        async with opened(home, model, llm_attempts=1) as m:
            player = Player(m, script)
            for step in history:
                note(str(step))
                await player.take(step)
                await player.check()
            for topic in TOPICS:
                await player.ask(topic)
            for moment in player.oracle.moments:
                await player.look_back(moment)


class Player:
    """Takes the steps of a history, tells the oracle, and compares."""

    def __init__(self, m: Memoria, script: Script) -> None:
        self.m = m
        self.script = script
        self.oracle = Oracle()
        self.sessions = 0

    async def take(self, step: State | Act) -> None:
        if isinstance(step, State):
            event(f"{step.path}{', corrected' if step.is_correction else ''}")
            await self._state(step)
        else:
            event(step.deed)
            await self._act(step)

    async def _state(self, state: State) -> None:
        topic = state.topic
        match state.path:
            case "remember":
                done = await self._try_remember(state)
            case "correct":
                done = await self._revise(topic, "correct", state.text)
            case "hand":
                done = await self._write_by_hand(state)
            case _:
                self.script.reason = "correction" if state.is_correction else "change"
                done = await self._say(topic.tales[state.value], "session_end")
        if done:
            self._note(state, await self._active())

    def _note(self, state: State, active: Sequence[Memory]) -> None:
        """Tell the oracle, and wait until what comes next is said later."""
        topic = state.topic
        believed = {value for _, value in values_in(active, topic)}
        is_sure = self.oracle.take(state)
        at = now_millis()
        self.oracle.look_back_on(state)
        if is_sure:
            also = frozenset(believed | self.oracle.stated[topic])
            self.oracle.moments.append(Moment(at, topic, frozenset((state.value,)), also))
        while now_millis() <= at:
            pass

    async def _try_remember(self, state: State) -> bool:
        known = values_in(await self._active(), state.topic)
        try:
            await self.m.remember(
                state.text,
                type=state.topic.kind,
                supersedes=known[0][0].id if known else None,
            )
        except ForgottenError:
            return False
        return True

    async def _say(self, text: str, closing: str | None) -> bool:
        self.sessions += 1
        await self.m.record_conversation(
            [{"role": "user", "content": text}],
            closing,  # type: ignore[arg-type]
            session_id=f"s{self.sessions}",
        )
        await self.m.wait_until_idle(WAIT_S)
        return True

    async def _write_by_hand(self, state: State) -> bool:
        """Change the line of the topic in a core file, or add one; the next night reads it."""
        await self._night("core")
        home = self.m.settings.home_path
        for path in (home / name for name in CORE_FILES):
            text = path.read_text("utf-8") if path.exists() else ""
            for line in text.splitlines():
                said = read_value(line)
                wording = line.removeprefix("- ").split(" <!--")[0].strip()
                if line.startswith("- ") and said is not None and said[0] is state.topic:
                    if wording == state.text:
                        return False
                    path.write_text(text.replace(wording, state.text, 1), "utf-8")
                    await self._night("core")
                    return True
        path = home / "MEMORY.md"
        text = path.read_text("utf-8") if path.exists() else ""
        heading = "## Facts and concepts\n"
        text = text if heading in text else f"{text.rstrip()}\n\n{heading}"
        path.write_text(text.replace(heading, f"{heading}- {state.text}\n", 1), "utf-8")
        await self._night("core")
        return True

    async def _act(self, act: Act) -> None:
        match act.deed:
            case "confirm":
                if await self._revise(act.topic, "confirm", None):
                    self.oracle.fixed.add(act.topic)
            case "archive" | "restore" as action:
                if await self._revise(act.topic, action, None):
                    self.oracle.disturb(act.topic)
            case "forget":
                await self._forget(act.topic)
            case "night":
                self.script.ruling = act.ruling
                await self._night()
                self.script.ruling = "replaces"

    async def _revise(self, topic: Topic, action: Revision, content: str | None) -> bool:
        """Revise the newest memory of the topic that this can be done to."""
        wanted = Validity.ARCHIVED if action == "restore" else Validity.ACTIVE
        found = [one for one in await memories(self.m) if one.validity is wanted]
        own = [one for one, _ in values_in(found, topic)]
        if not own:
            return False
        memory = max(own, key=lambda one: (one.current.valid_from, one.id))
        try:
            await self.m.revise_memory(memory.id, action, content)
        except (ForgottenError, InvalidInputError):
            return False
        return True

    async def _forget(self, topic: Topic) -> None:
        own = values_in(await memories(self.m), topic)
        if not own:
            return
        memory = max((one for one, _ in own), key=lambda one: one.id)
        await self.m.forget_memory([memory.id])
        self.oracle.gone |= {version.content for version in memory.versions}
        self.oracle.forgotten.add(topic)
        self.oracle.disturb(topic)

    async def _night(self, *steps: str) -> None:
        await anyio.to_thread.run_sync(nightly.run_nightly, self.m.settings, steps)
        await self.m.wait_until_idle(WAIT_S)

    async def _active(self) -> list[Memory]:
        return [one for one in await memories(self.m) if one.validity is Validity.ACTIVE]

    async def check(self) -> None:
        """What must hold after each step."""
        every = await memories(self.m)
        active = [one for one in every if one.validity is Validity.ACTIVE]
        for topic in TOPICS:
            believed = values_in(active, topic)
            newest = self.oracle.newest.get(topic)
            if newest is not None:
                assert newest in {value for _, value in believed}, (topic.question, newest)
        for memory in every:
            said = read_value(memory.content)
            assert_chain(memory, has_gaps=said is None or said[0] in self.oracle.forgotten)
            assert not {version.content for version in memory.versions} & self.oracle.gone
        superseded = [one for one in every if one.validity is Validity.SUPERSEDED]
        for memory in superseded:
            assert self._leads_on(memory), memory.content

    def _leads_on(self, memory: Memory) -> bool:
        """Whether something says what took a superseded memory's place."""
        with self.m._store.read(self.m.tenant) as tx:  # noqa: SLF001
            edges = tx.graph.list_edges(Node("memory", memory.id), Filters(include_history=True))
        return any(edge.type in (EdgeType.VERSION_NEXT, EdgeType.SAME_AS) for edge in edges)

    async def ask(self, topic: Topic) -> None:
        """The current value is found."""
        newest = self.oracle.newest.get(topic)
        if newest is None:
            return
        found = await self.m.search_memory(topic.question, limit=20)
        said = [read_value(hit.text) for hit in found.hits]
        values = [one[1] for one in said if one is not None and one[0] is topic]
        assert newest in values, [hit.text for hit in found.hits]

    async def look_back(self, moment: Moment) -> None:
        """What held at a moment is what was stated then, and nothing that was said later."""
        topic = moment.topic
        if topic in self.oracle.forgotten:
            return
        found = await self.m.search_memory(topic.question, limit=20, as_of=to_iso(moment.at))
        said = [read_value(hit.text) for hit in found.hits]
        values = {one[1] for one in said if one is not None and one[0] is topic}
        assert values & moment.values, (to_iso(moment.at), [hit.text for hit in found.hits])
        assert values <= moment.also


def assert_chain(memory: Memory, *, has_gaps: bool) -> None:
    """The versions lead from the first to the current one, without a gap unless one was forgotten.

    What says the same as a forgotten memory is forgotten with it, in the history of another, too.
    """
    newest_first = memory.versions
    numbers = [one.version for one in newest_first]
    assert numbers == sorted(set(numbers), reverse=True)
    assert has_gaps or numbers == [*range(len(numbers), 0, -1)]
    for newer, older in pairwise(newest_first):
        assert older.valid_from <= newer.valid_from
        assert older.valid_to == newer.valid_from or newer.version != older.version + 1
    if memory.validity is Validity.ACTIVE:
        assert memory.current.valid_to is None
