"""A program's own policy and chat model: what they decide, and what no policy reaches."""

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.empty_home import lay_empty_home
from tests.ingest.play import add, answers, memories, read_sister, reader, said
from tests.ingest.test_episode import WORK, summing_up
from tests.llm.scripted import Asked

import memoria
from memoria import (
    ChatReply,
    ChatRequest,
    Keep,
    Memoria,
    Memory,
    MemoryType,
    Policy,
    Refuse,
    RefusedError,
    Settings,
)
from memoria.errors import ForgottenError, InvalidInputError
from memoria.inference.chat.base import ChatModel
from memoria.model import COMMAND_LINE, DAY_MS, Revision, Validity, system_millis, use_clock
from memoria.model.conclusions import ForeignMemory
from memoria.policy.questions import Fate, Replacement

REQUEST = "Remember that the spare key hangs in the cellar."
WISH = "the spare key hangs in the cellar"


class Answering(Policy):
    """Answers as it is told, and notes what it was asked."""

    def __init__(
        self,
        keeps: Callable[[Memory], Keep | Refuse] = lambda _: Keep(),
        replaces: Callable[[Memory, Memory, Replacement], Replacement] = lambda *asked: asked[2],
        forgets: Callable[[Memory, Fate], Fate] = lambda *asked: asked[1],
    ) -> None:
        self._keeps, self._replaces, self._forgets = keeps, replaces, forgets
        self.kept: list[Memory] = []
        self.compared: list[tuple[str, str, Replacement]] = []
        self.aged: dict[str, Fate] = {}

    def keep(self, new: Memory) -> Keep | Refuse:
        self.kept.append(new)
        return self._keeps(new)

    def replace(self, new: Memory, known: Memory, ours: Replacement) -> Replacement:
        self.compared.append((new.content, known.content, ours))
        return self._replaces(new, known, ours)

    def forget(self, memory: Memory, ours: Fate) -> Fate:
        self.aged[memory.content] = ours
        return self._forgets(memory, ours)


class OwnChat:
    """A chat model in this process that concludes what a function makes of a conversation."""

    name = "own"

    def __init__(self, answer: Callable[[Asked], object]) -> None:
        self._answer = answer
        self.purposes: list[str] = []
        self.is_closed = False

    def ask(self, request: ChatRequest[Any]) -> ChatReply:
        self.purposes.append(request.purpose)
        messages = [{"content": request.instructions}, {"content": request.text}]
        text = json.dumps(self._answer(Asked({}, {"messages": messages})))
        return ChatReply(text, self.name, input_tokens=10, output_tokens=10)

    def close(self) -> None:
        self.is_closed = True


@asynccontextmanager
async def opened(
    home: Path,
    policy: Policy | None = None,
    tenant: str = "ann",
    chat: ChatModel | None = None,
    reads_queue: bool = True,
    **more: object,
) -> AsyncIterator[Memoria]:
    chosen = {"home": lay_empty_home(home), "tenant": tenant, "embedder": "off"}
    settings = Settings.from_values(**{**chosen, "extraction_wait_minutes": 0, **more})
    opening = memoria.open(settings=settings, policy=policy, chat=chat, reads_queue=reads_queue)
    async with opening as m:
        yield m


async def texts(m: Memoria) -> list[str]:
    """The wordings of all active memories."""
    found = await memories(m)
    return sorted(one.content for one in found if one.validity is Validity.ACTIVE)


def refuse(_: Memory) -> Refuse:
    return Refuse("no keys, please")


async def test_a_policy_that_overrides_nothing_changes_nothing(tmp_path: Path) -> None:
    class Silent(Policy):
        pass

    async def live(name: str, policy: Policy | None) -> list[tuple[str, str, float, str]]:
        async with opened(tmp_path / name, policy) as m:
            await m.record_conversation([{"role": "user", "content": REQUEST}])
            first = await m.remember("The office is in Ghent", importance=0.3)
            await m.remember("The office is in Delft", supersedes=first.id)
            await m.remember("They looked for the key all morning", type="error")
            with use_clock(lambda: system_millis() + 2000 * DAY_MS):
                await m.run_nightly(["decay"])
            found = await memories(m)
        return sorted((x.content, x.validity.value, x.importance, x.scope) for x in found)

    own = await live("own", None)
    assert len({validity for _, validity, *_ in own}) > 1
    assert await live("asked", Silent()) == own


async def test_what_a_policy_refuses_is_not_written_and_its_reason_is_told(home: Path) -> None:
    async with opened(home, Answering(refuse)) as m:
        with pytest.raises(RefusedError, match="no keys, please"):
            await m.remember(WISH)
        assert await memories(m) == []


async def test_a_refused_wording_leaves_the_memory_as_it_was(home: Path) -> None:
    policy = Answering(lambda new: refuse(new) if "cellar" in new.content else Keep())
    async with opened(home, policy) as m:
        kept = await m.remember("The spare key is at the neighbours'")
        with pytest.raises(RefusedError):
            await m.revise_memory(kept.id, "correct", WISH)
        with pytest.raises(RefusedError):
            await m.remember(WISH, supersedes=kept.id)
        (memory,) = await memories(m)
    assert (memory.content, len(memory.versions)) == ("The spare key is at the neighbours'", 1)
    assert policy.kept[1].versions[1].content == memory.content


async def test_a_turn_is_recorded_though_a_policy_keeps_no_memory_of_it(home: Path) -> None:
    policy = Answering(refuse)
    async with opened(home, policy) as m:
        receipt = await m.record_conversation([{"role": "user", "content": REQUEST}])
        found = await m.search_conversation_traces("spare key")
        assert await memories(m) == []
    assert (receipt.recorded, len(found.hits)) == (1, 1)
    (asked,) = policy.kept
    assert (asked.content, asked.current.provenance.source_kind) == (WISH, "user_said")


async def test_a_policy_sets_importance_and_where_a_memory_is_seen(home: Path) -> None:
    policy = Answering(lambda _: Keep(importance=0.9, scope="project"))
    async with opened(home, policy, workspace="/shop/a") as m:
        kept = await m.remember("The user is called Kim", importance=0.1, scope="everywhere")
        memory = await m.get_memory(kept.id)
        assert (memory.importance, memory.project) == (0.9, memory.workspace)
        revised = await m.remember("The user is called Kym", importance=0.1, supersedes=kept.id)
        assert (await m.get_memory(revised.id)).importance == 0.9


async def test_no_policy_lets_a_private_project_be_seen_elsewhere(home: Path) -> None:
    policy = Answering(lambda _: Keep(scope="everywhere"))
    async with opened(home, policy, workspace="/p", private_workspaces=["/p"]) as m:
        kept = await m.remember("The user is called Kim")
        assert (await m.get_memory(kept.id)).project == "/p"
    async with opened(home, policy, workspace="/q") as m:
        assert not (await m.search_memory("Kim", workspace="/q")).hits


async def test_a_policy_sees_no_secret(home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    policy = Answering()
    async with opened(home, policy) as m:
        await m.remember(f"The key of the build is {token}, and it hangs in the cellar")
        await m.remember("The key of the build hangs in the attic")
    assert len(policy.kept) == len(policy.compared) + 1 == 2
    asked = f"{policy.kept} {policy.compared}"
    assert "cellar" in asked
    assert token not in asked


async def test_what_was_forgotten_stays_so_whatever_a_policy_answers(home: Path) -> None:
    policy = Answering(lambda _: Keep(importance=1.0))
    async with opened(home, policy) as m:
        kept = await m.remember(WISH)
        await m.forget_memory([kept.id], at_once=True)
        policy.kept.clear()
        with pytest.raises(ForgottenError):
            await m.remember(WISH)
        await m.record_conversation([{"role": "user", "content": REQUEST}])
        assert await memories(m) == []
    assert policy.kept == []


async def test_a_policy_sees_nothing_of_another_tenant(home: Path) -> None:
    async with opened(home, tenant="ben") as m:
        await m.remember("The spare key hangs in the attic")
    policy = Answering(replaces=lambda *_: "replace")
    async with opened(home, policy) as m:
        await m.remember("The spare key hangs in the cellar")
    assert policy.compared == []
    async with opened(home, tenant="ben") as m:
        assert await texts(m) == ["The spare key hangs in the attic"]


async def test_a_policy_replaces_what_memoria_would_leave_beside(home: Path) -> None:
    policy = Answering(replaces=lambda *_: "replace")
    async with opened(home, policy) as m:
        old = await m.remember("The spare key hangs in the attic")
        new = await m.remember("The spare key hangs in the cellar")
        assert [one.content for one in new.supersedes] == ["The spare key hangs in the attic"]
        assert await texts(m) == ["The spare key hangs in the cellar"]
        await m.undo_change()
        assert (await m.get_memory(old.id)).content == "The spare key hangs in the attic"
    assert policy.compared[0][2] == "beside"


async def test_a_policy_leaves_beside_what_memoria_would_replace(home: Path) -> None:
    policy = Answering(replaces=lambda *_: "beside")
    async with opened(home, policy) as m:
        old = await m.remember("The office is in Ghent")
        await m.remember("The office is in Delft", supersedes=old.id)
        assert await texts(m) == ["The office is in Delft", "The office is in Ghent"]
    assert policy.compared[0] == ("The office is in Delft", "The office is in Ghent", "replace")


async def test_what_a_policy_doubts_waits_for_the_user(home: Path) -> None:
    async with opened(home, Answering(replaces=lambda *_: "ask")) as m:
        await m.remember("The spare key hangs in the attic")
        held = await m.remember("The spare key hangs in the cellar")
        assert held.status == "pending"
        assert await texts(m) == ["The spare key hangs in the attic"]
        user = m.with_channel(COMMAND_LINE)
        await user.revise_memory(held.id, "confirm")
        assert await texts(m) == ["The spare key hangs in the cellar"]


@pytest.mark.parametrize("action", ["pin", "confirm"])
async def test_what_the_user_pinned_or_confirmed_is_replaced_by_no_policy(
    home: Path, action: Revision
) -> None:
    async with opened(home, Answering(replaces=lambda *_: "replace")) as m:
        kept = await m.remember("The spare key hangs in the attic")
        await m.with_channel(COMMAND_LINE).revise_memory(kept.id, action)
        held = await m.remember("The spare key hangs in the cellar")
        assert held.status == "pending"
        assert await texts(m) == ["The spare key hangs in the attic"]


async def test_no_policy_keeps_an_undo_from_giving_back_what_was_said(home: Path) -> None:
    async with opened(home) as m:
        kept = await m.remember("The office is in Ghent")
        await m.revise_memory(kept.id, "correct", "The office is in Delft")
    policy = Answering(refuse)
    async with opened(home, policy) as m:
        await m.undo_change()
        assert await texts(m) == ["The office is in Ghent"]
    assert policy.kept == []


def fail(*_: object) -> Keep:
    raise KeyError(WISH)


@pytest.mark.parametrize("answer", [fail, lambda *_: None, lambda *_: Keep(importance=7)])
async def test_an_answer_that_fails_or_makes_no_sense_is_told_once_and_loses_nothing(
    home: Path, caplog: pytest.LogCaptureFixture, answer: Callable[..., Any]
) -> None:
    caplog.set_level(logging.WARNING, "memoria")
    async with opened(home, Answering(answer, answer, answer)) as m:
        receipt = await m.record_conversation([{"role": "user", "content": REQUEST}])
        await m.remember("The spare key hangs in the attic", type="error")
        await m.remember("The spare key hangs in the shed", type="error")
        await m.run_nightly(["decay"])
        kept = await texts(m)
    assert (receipt.recorded, len(kept)) == (1, 3)
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == len({one.split(" failed ")[0].split(" gave ")[0] for one in told}) == 3
    assert all("Memoria's own answer stands" in one and WISH not in one for one in told)


async def test_a_policy_keeps_what_fades_and_archives_what_does_not_and_an_undo_takes_it_back(
    home: Path,
) -> None:
    kept: dict[str, Fate] = {"The walk was long": "keep", "The office is in Ghent": "archive"}
    policy = Answering(forgets=lambda memory, ours: kept.get(memory.content, ours))
    async with opened(home, policy) as m:
        await m.remember("The walk was long", type="error", importance=0.3)
        await m.remember("The lunch was cold", type="error", importance=0.3)
        await m.remember("The office is in Ghent")
        with use_clock(lambda: system_millis() + 2000 * DAY_MS):
            run = await m.run_nightly(["decay"])
        assert await texts(m) == ["The walk was long"]
        undone = nights_undo(m, run.id)
        assert undone == {"The walk was long", "The lunch was cold", "The office is in Ghent"}
    assert (policy.aged["The walk was long"], policy.aged["The office is in Ghent"]) == (
        "archive",
        "keep",
    )


def nights_undo(m: Memoria, run_id: str) -> set[str]:
    """Undo a run, and return what is active then."""
    from memoria.app.nightly import undo_nightly  # noqa: PLC0415

    undo_nightly(m.settings, run_id, lambda _: None)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 100)).values()
    return {one.content for one in found if one.validity is Validity.ACTIVE}


async def test_no_policy_archives_what_the_user_pinned_or_keeps_what_has_its_end(
    home: Path,
) -> None:
    turned: dict[Fate, Fate] = {"keep": "archive", "archive": "keep"}
    policy = Answering(forgets=lambda _, ours: turned[ours])
    async with opened(home, policy) as m:
        user = m.with_channel(COMMAND_LINE)
        pinned = await m.remember("The office is in Ghent")
        await user.revise_memory(pinned.id, "pin")
        confirmed = await m.remember("The canteen is in Delft")
        await user.revise_memory(confirmed.id, "confirm")
        await m.remember("The lift is being mended", until="2d")
        with use_clock(lambda: system_millis() + 30 * DAY_MS):
            await m.run_nightly(["decay"])
        assert await texts(m) == ["The canteen is in Delft", "The office is in Ghent"]
    assert policy.aged == {}


async def test_more_than_the_limit_stay_active_where_a_policy_keeps_them(home: Path) -> None:
    policy = Answering(forgets=lambda memory, ours: "keep" if "1" in memory.content else ours)
    async with opened(home, policy, retention={"active": 2.0}) as m:
        for n in range(4):
            await m.remember(f"Lamp {n} is lit", importance=0.2 + n / 100)
        await m.run_nightly(["decay"])
        assert await texts(m) == ["Lamp 1 is lit", "Lamp 2 is lit", "Lamp 3 is lit"]


async def test_an_import_tells_which_memories_a_policy_refuses(home: Path) -> None:
    policy = Answering(lambda new: refuse(new) if "cellar" in new.content else Keep())
    items = [
        ForeignMemory(key=str(n), content=text, kind=MemoryType.FACT, at=system_millis())
        for n, text in enumerate((WISH, "The office is in Ghent"))
    ]
    async with opened(home, policy) as m:
        receipt = await m.keep_foreign(items)
        assert await texts(m) == ["The office is in Ghent"]
    assert receipt.statuses == ("refused", "added")
    assert "no keys, please" in (receipt.problems[0] or "")


def lives(n: int, who: str, text: str, _: object) -> list[dict[str, Any]]:
    if who != "user" or "Berlin" not in text:
        return []
    return [add("moved to Berlin", n, "The user lives in Berlin", predicate="home")]


async def test_a_chat_model_of_the_programs_own_reads_what_is_said_and_stays_open(
    home: Path,
) -> None:
    chat = OwnChat(reader(lives))
    async with opened(home, chat=chat) as m:
        await said(m, "Last month I moved to Berlin, and it rains.", ("assistant", "How nice!"))
        assert await texts(m) == ["The user lives in Berlin"]
        (memory,) = await memories(m)
        assert memory.current.provenance.client == "own"
        assert (await m.count_unread()).turns == 0
    assert "extract" in chat.purposes
    assert not chat.is_closed


async def test_a_night_that_a_program_runs_asks_its_own_chat_model_and_policy(home: Path) -> None:
    chat, policy = OwnChat(reader(lives)), Answering(lambda _: Keep(importance=0.9))
    async with opened(home, policy, chat=chat, reads_queue=False) as m:
        turn = {"role": "user", "content": "Last month I moved to Berlin, and it rains."}
        await m.record_conversation([turn], "session_end", session_id="s")
        assert chat.purposes == []
        await m.run_nightly(["process_queue"])
        (memory,) = await memories(m)
    assert (memory.content, memory.importance) == ("The user lives in Berlin", 0.9)
    assert not chat.is_closed


async def test_a_refused_conclusion_is_counted_and_the_reason_is_logged_nowhere(home: Path) -> None:
    policy = Answering(refuse)
    async with opened(home, policy, chat=OwnChat(reader(lives))) as m:
        await said(m, "Last month I moved to Berlin, and it rains.", ("assistant", "How nice!"))
        assert await memories(m) == []
        outcomes = [entry.outcome for entry in await m.queue.list_entries()]
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            logged = [line.detail for line in tx.audit.list_by_action("reject", 10)]
    assert policy.kept[0].content == "The user lives in Berlin"
    assert "rejected: refused by the policy 1" in " ".join(filter(None, outcomes))
    assert logged == ["ADD: refused by the policy"]


async def test_a_summary_that_a_policy_refuses_is_not_written(home: Path) -> None:
    policy = Answering(lambda new: refuse(new) if new.type == "episode" else Keep())
    chat = OwnChat(answers(episode=summing_up("RC as a credit")))
    async with opened(home, policy, chat=chat) as m:
        await said(m, *WORK)
        assert await memories(m) == []
        outcomes = [entry.outcome for entry in await m.queue.list_entries()]
    assert [one.type for one in policy.kept] == [MemoryType.EPISODE]
    assert "rejected: refused by the policy 1" in " ".join(filter(None, outcomes))


async def test_a_correction_that_a_model_finds_stands_beside_where_a_policy_says_so(
    home: Path,
) -> None:
    policy = Answering(replaces=lambda *_: "beside")
    async with opened(home, policy, chat=OwnChat(reader(read_sister))) as m:
        await said(m, "My sister is called Lina, and she plays the oboe.")
        await said(m, "I mistyped my sister's name before: it's Lena.", session="t")
        found = await texts(m)
    assert found == ["The user's sister is called Lena", "The user's sister is called Lina"]


def test_a_program_without_a_loop_passes_a_policy_and_a_chat_model_as_well(home: Path) -> None:
    chosen = Settings.from_values(home=lay_empty_home(home), embedder="off")
    chat = OwnChat(reader(lives))
    with memoria.open_sync(settings=chosen, policy=Answering(refuse), chat=chat) as m:
        with pytest.raises(RefusedError):
            m.remember(WISH)
        assert m.run_nightly(["decay"]).state == "finished"


async def test_a_class_is_no_policy_and_whoever_passes_one_is_told(home: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"Answering is a class; pass .*Answering\(\)"):
        async with opened(home, Answering):  # type: ignore[arg-type]
            pass


async def test_a_question_that_an_object_has_no_answer_to_is_answered_by_memoria(
    home: Path,
) -> None:
    class Half:
        def keep(self, new: Memory) -> Keep:
            return Keep(importance=new.importance / 2)

    async with opened(home, Half()) as m:  # type: ignore[arg-type]
        old = await m.remember("The office is in Ghent")
        new = await m.remember("The office is in Delft", supersedes=old.id)
        assert await texts(m) == ["The office is in Delft"]
        assert (await m.get_memory(new.id)).importance == 0.125


async def test_a_policy_goes_with_a_home_and_not_with_a_server() -> None:
    with pytest.raises(InvalidInputError, match="url goes with a token alone"):
        memoria.open(url="https://memory.example.com", policy=Answering())  # type: ignore[call-overload]
