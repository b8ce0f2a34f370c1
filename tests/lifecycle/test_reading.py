"""A night that reads: the queue, segments that were never queued, and outdated summaries."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import anyio.to_thread
import pytest
from tests.ingest.play import (
    add,
    answers,
    entries,
    memories,
    opened,
    purpose_of,
    reader,
    said,
    turns_in,
)
from tests.lifecycle.dump import Interrupted, dump, interrupting, store_of
from tests.llm.scripted import Asked, ScriptedModel, fails
from tests.surface.shell import Shell

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.model import COMMAND_LINE, DAY_MS, Memory, QueueState, system_millis, use_clock
from memoria.model.nightly import NightlyRun

STEPS = ("process_queue", "backfill")


def with_model(settings: Settings, model: ScriptedModel, **more: object) -> Settings:
    chosen = {"llm_base_url": model.url, "llm_model": "scripted", "llm_attempts": 1}
    more = {"extraction_turns": 1, **more}
    return settings.model_copy(update={**chosen, **more})


def reads(turn: int, _who: str, said: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Whatever is said of a port is worth keeping, each a thing of its own."""
    return [add(said, turn, predicate=said.split()[3])] if "port" in said else []


def reading() -> Callable[[Asked], object]:
    return answers(extract=reader(reads))


async def talk(settings: Settings, *sessions: str, closed: bool = True) -> None:
    """Four turns a session, recorded while nobody reads."""
    async with open_memoria(settings=settings) as m:
        for session in sessions:
            texts = (f"the port of {session} is 80{len(session)}", "noted", "so it is", "good")
            turns = [
                {"role": "assistant" if i % 2 else "user", "content": text}
                for i, text in enumerate(texts)
            ]
            await m.record_conversation(
                turns, "session_end" if closed else None, session_id=session
            )


def states(settings: Settings) -> dict[str, int]:
    """How many entries of the queue are in which state."""
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = [entry.state for entry in tx.queue.list_entries(None, 1000)]
    return {state.value: found.count(state) for state in QueueState if state in found}


def ports(settings: Settings) -> list[str]:
    """The memories about ports, whatever they say else."""
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 1000)).values()
    return sorted(one.content for one in found if "port" in one.content)


async def test_what_nobody_read_is_queued_and_read_and_an_undo_leaves_it_read(
    settings: Settings,
) -> None:
    await talk(settings, "home", "shop")
    await talk(settings, "mill", closed=False)
    assert states(settings) == {}
    with ScriptedModel(answer=reading()) as model, use_clock(lambda: in_days(1)):
        run = nights.run_nightly(with_model(settings, model))
        asked = len(model.requests)
        again = nights.run_nightly(with_model(settings, model), STEPS)
        assert len(model.requests) == asked
    drain, unread = (step for step in run.steps if step.name in STEPS)
    assert (drain.outcomes, unread.outcomes) == ({}, {"done": 6, "queued": 3})
    assert drain.reduced is unread.reduced is None
    assert unread.tokens <= run.tokens == 120 * asked
    assert [step.outcomes for step in again.steps] == [{}, {}]
    assert states(settings) == {"done": 6}
    read = ports(settings)
    assert len(read) == 3
    assert 0 < run.most_rows <= 500
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert ports(settings) == read
    assert states(settings) == {"done": 6}


def in_days(days: int) -> int:
    return system_millis() + days * DAY_MS


async def test_undoing_what_a_night_did_to_what_it_read_leaves_it_as_it_was_read(
    settings: Settings,
) -> None:
    await talk(settings, "home", "shop")
    with ScriptedModel(answer=reading()) as model:
        nights.run_nightly(with_model(settings, model), STEPS)
        before = dump(settings.home_path)
        with use_clock(lambda: in_days(400)):
            run = nights.run_nightly(with_model(settings, model))
    assert dump(settings.home_path) != before
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert (undone.kept, undone.forgotten) == (0, 0)
    assert dump(settings.home_path) == before


async def test_without_a_model_turns_stay_waiting_and_the_report_says_so(
    settings: Settings,
) -> None:
    await talk(settings, "home", "shop")
    before = dump(settings.home_path)
    run = nights.run_nightly(settings, STEPS)
    assert [step.reduced for step in run.steps] == [
        None,
        "without a chat model parts of conversations were never queued: 2",
    ]
    assert dump(settings.home_path) == before
    assert [step.planned for step in nights.dry_run(settings, STEPS).steps] == [0, 2]


async def test_a_night_that_is_killed_reads_the_rest_and_nothing_twice(settings: Settings) -> None:
    await talk(settings, *(f"{i:02}" for i in range(3)))
    with ScriptedModel(answer=reading()) as model:
        asks = with_model(settings, model)
        with pytest.raises(Interrupted):
            nights.run_nightly(asks, STEPS, progress=interrupting(3))
        assert states(settings) == {"done": 2, "waiting": 4}
        run = nights.run_nightly(asks, STEPS)
        assert run.state == "finished"
        assert run.steps[1].outcomes == {"done": 6, "queued": 3}
        assert len(model.requests) == 6
        assert run.tokens == 6 * 120
    assert states(settings) == {"done": 6}
    assert len(ports(settings)) == 3


async def test_a_night_beside_an_open_window_reads_each_stretch_once(settings: Settings) -> None:
    await talk(settings, *(f"{i:02}" for i in range(6)))
    with ScriptedModel(answer=reading()) as model:
        asks = with_model(settings, model)
        async with open_memoria(settings=asks) as window:
            beside = Thread(target=nights.run_nightly, args=(asks, STEPS))
            beside.start()
            await window.queue.fill()
            await window.wait_until_idle(60)
            beside.join()
        extracted = [asked for asked in model.requests if purpose_of(asked) == "extract"]
    assert states(settings) == {"done": 12}
    assert len(extracted) == 6
    assert len(ports(settings)) == 6


async def test_the_rest_is_left_when_the_nights_tokens_are_spent(settings: Settings) -> None:
    await talk(settings, "home", "shop", "mill")
    with ScriptedModel(answer=reading()) as model:
        poor = with_model(settings, model, nightly_tokens=2200, llm_output_tokens=64)
        run = nights.run_nightly(poor, STEPS)
        asked = len(model.requests)
        assert 0 < asked < 6
        assert run.tokens == 120 * asked
        drained = nights.run_nightly(
            poor.model_copy(update={"nightly_tokens": 100_000}), ["process_queue"]
        )
    assert "The run's 2,200 tokens" in (run.steps[1].reduced or "")
    assert drained.steps[0].outcomes == {"done": 6 - asked}
    assert states(settings) == {"done": 6}


async def test_a_model_that_is_down_is_asked_once_and_the_rest_waits(settings: Settings) -> None:
    await talk(settings, "home", "shop", "mill")
    with ScriptedModel(answer=lambda _: fails(500)) as model:
        run = nights.run_nightly(with_model(settings, model), STEPS)
        assert len(model.requests) == 1
    assert run.state == "finished"
    assert run.steps[1].outcomes == {"put off": 1, "queued": 3}
    assert (run.steps[1].reduced or "").startswith("segments left to read: 6 (")
    assert states(settings) == {"waiting": 6}


async def test_another_tenants_conversations_are_not_this_nights(settings: Settings) -> None:
    other = settings.model_copy(update={"tenant": "bob"})
    await talk(other, "home")
    with ScriptedModel(answer=reading()) as model:
        asks = with_model(other, model)
        nights.run_nightly(with_model(settings, model), STEPS)
        assert model.requests == []
        nights.run_nightly(asks, STEPS)
    assert states(other) == {"done": 2}


async def test_a_single_turn_that_was_read_by_itself_is_not_waited_for(settings: Settings) -> None:
    with ScriptedModel(answer=reading()) as model:
        asks = with_model(settings, model)
        async with open_memoria(settings=asks) as m:
            await m.record_conversation(
                [{"role": "user", "content": "Remember that the port is 8080"}],
                "session_end",
                session_id="s",
            )
            await m.wait_until_idle(60)
            assert await m.queue.fill() == 0
        run = nights.run_nightly(asks, STEPS)
    assert [step.outcomes for step in run.steps] == [{}, {}]


async def test_a_forgotten_conversation_is_not_waited_for(settings: Settings) -> None:
    async with open_memoria(settings=settings) as m:
        receipt = await m.record_conversation(
            [{"role": "user", "content": "my locker is number 7"}], "session_end", session_id="s"
        )
        said = [turn.id for turn in receipt.turns if turn.id is not None]
        await m.forget_memory(said, include_source=True)
    with ScriptedModel(answer=reading()) as model:
        run = nights.run_nightly(with_model(settings, model), STEPS)
        assert model.requests == []
    assert [step.outcomes for step in run.steps] == [{}, {}]


async def test_hundreds_of_stretches_are_queued_a_little_at_a_time(settings: Settings) -> None:
    async with open_memoria(settings=settings) as m:
        for page in range(2):
            turns = [
                {"role": "user", "content": f"a word, {i}", "session_id": f"{page}-{i // 4}"}
                for i in range(400)
            ]
            await m.record_conversation(turns, "session_end")
    with ScriptedModel(answer=lambda _: fails(500)) as model:
        run = nights.run_nightly(with_model(settings, model), ["backfill"])
    assert run.steps[0].outcomes == {"put off": 1, "queued": 200}
    assert 0 < run.most_rows <= 500


async def test_the_command_line_says_what_a_night_has_spent(settings: Settings) -> None:
    await talk(settings, "home")
    with ScriptedModel(answer=reading()) as model:
        run = nights.run_nightly(with_model(settings, model), STEPS)
    shell = Shell(settings.home_path)
    shown, as_json = (
        shell("--tenant", settings.tenant, "show", run.id, *way) for way in ((), ("--json",))
    )
    assert "The chat model took 240 tokens." in shown.out
    assert '"tokens": 240' in as_json.out


LANGUAGES = [
    (
        ("I live in Leeds now.", "I moved there for the mill.", "And I like it.", "Thanks."),
        "The user lives in Leeds",
        "The user lives in York",
    ),
    (
        ("我现在住在利兹。", "我是为了磨坊搬去的。", "我很喜欢那里。", "谢谢。"),
        "用户住在利兹",
        "用户住在约克",
    ),
]


def listening(statement: str) -> Callable[[Asked], object]:
    """A model that concludes one thing from the first turn, and sums up as it is told."""

    def reads(_n: int, _who: str, text: str, _known: object) -> list[dict[str, object]]:
        is_home = "Leeds" in text or "住在" in text
        return [add(text, _n, statement, predicate="home")] if is_home else []

    def episode(asked: Asked) -> object:
        quote = {"turn": 1, "quote": turns_in(asked)[0][2]}
        has_changed = f'"{statement}"' in asked.text.split("has changed since, a statement")[1]
        summary = f"{statement} (changed since)." if has_changed else f"{statement}."
        return {"summary": summary, "quotes": [quote]}

    def patch(asked: Asked) -> object:
        assert f'"{statement}"' in asked.text.split("has changed since, a statement")[1]
        return {"sentences": [{"number": 1, "text": f"{statement} (changed since)."}]}

    return answers(extract=reader(reads), episode=episode, patch=patch)


async def night(m: Memoria, *steps: str) -> NightlyRun:
    return await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings, steps))


async def episode_of(m: Memoria) -> Memory:
    (found,) = [one for one in await memories(m) if one.type == "episode"]
    return found


async def fact_of(m: Memoria, statement: str) -> Memory:
    (found,) = [one for one in await memories(m) if one.content == statement]
    return found


@pytest.mark.parametrize(("turns", "old", "new"), LANGUAGES)
async def test_a_summary_of_what_has_changed_since_is_written_anew_by_the_next_night(
    home: Path, turns: tuple[str, ...], old: str, new: str
) -> None:
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            assert (await episode_of(m)).content == f"{old}."
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            asked = len(model.requests)
            run = await night(m, "refresh_episodes", "process_queue")
            anew = await episode_of(m)
            assert run.steps[0].outcomes == {"done": 1}
            assert run.steps[0].reasons == {anew.id: "something that it tells has changed since"}
            assert [one.content for one in anew.versions] == [f"{old} (changed since).", f"{old}."]
            (request,) = model.requests[asked:]
            assert purpose_of(request) == "patch"
            assert new not in request.text
            assert turns[1] not in request.text
            hits = (await m.search_memory(old, types=["episode"])).hits
            assert [hit.status for hit in hits] == [None]
            assert (await night(m, "refresh_episodes", "process_queue")).steps[0].planned == 0
            assert len(model.requests) == asked + 1


async def test_an_undo_puts_the_queue_back_as_it_was(home: Path) -> None:
    turns, old, new = LANGUAGES[0]
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            settings = m.settings
        before = dump(home)
        run = nights.run_nightly(settings, ["refresh_episodes"])
        assert dump(home) != before
        undone = nights.undo_nightly(settings, run.id, lambda _: None)
        assert (undone.kept, undone.forgotten) == (0, 0)
        assert dump(home) == before


async def test_an_undo_leaves_what_was_read_and_nothing_to_be_read_twice(home: Path) -> None:
    turns, old, new = LANGUAGES[1]
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            run = await night(m, "refresh_episodes", "process_queue")
            settings = m.settings
            await anyio.to_thread.run_sync(
                lambda: nights.undo_nightly(settings, run.id, lambda _: None)
            )
            assert (await episode_of(m)).content == f"{old} (changed since)."
            assert {entry.state for entry in await entries(m, "episode")} == {"done"}
            assert (await night(m, "refresh_episodes")).steps[0].planned == 0


async def test_a_summary_that_a_model_will_not_write_is_asked_for_once_a_change(home: Path) -> None:
    turns, old, new = LANGUAGES[0]
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            model.answer = answers()
            await night(m, "refresh_episodes", "process_queue")
            assert (await episode_of(m)).content == f"{old}."
            assert (await night(m, "refresh_episodes")).steps[0].planned == 0
            (hit,) = (await m.search_memory(old, types=["episode"])).hits
            assert hit.status == "outdated"


@pytest.mark.parametrize("action", ["confirm", "pin", "correct", "archive"])
async def test_a_summary_that_the_user_has_decided_about_is_left_alone(
    home: Path, action: str
) -> None:
    turns, old, new = LANGUAGES[0]
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            episode = await episode_of(m)
            settings = m.settings
        async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
            words = "It was about Leeds" if action == "correct" else None
            await m.revise_memory(episode.id, action, words)  # type: ignore[arg-type]
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
        run = nights.run_nightly(settings, ["refresh_episodes"])
        assert run.steps[0].planned == 0


async def test_without_a_model_nothing_is_put_back_and_that_is_said(home: Path) -> None:
    turns, old, new = LANGUAGES[0]
    with ScriptedModel(answer=listening(old)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            settings = m.settings.model_copy(update={"llm_base_url": None, "llm_model": None})
    run = nights.run_nightly(settings, ["refresh_episodes"])
    assert run.steps[0].planned == 0
    assert "without a chat model" in (run.steps[0].reduced or "")


async def test_a_conversation_that_is_summed_up_late_is_summed_up_with_what_has_changed(
    home: Path,
) -> None:
    turns, old, new = LANGUAGES[0]
    with ScriptedModel(answer=answers(extract=listening(old))) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await m.revise_memory((await fact_of(m, old)).id, "correct", new)
            model.answer = listening(old)
            with m._store.write(m.tenant) as tx:  # noqa: SLF001
                first = tx.conversations.session_turns("s", 0, 1)[0]
                assert tx.episodes.requeue_summaries([first.n]) == 1
            await night(m, "process_queue")
            await m.wait_until_idle(60)  # the process's own worker may have been there first
            assert (await episode_of(m)).content == f"{old} (changed since)."


def telling(updates: dict[str, tuple[str, str]]) -> Callable[[Asked], object]:
    """A model that updates what it knows where a turn has certain words: (wording, reason)."""
    old = LANGUAGES[0][1]

    def reads(n: int, _who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if text == LANGUAGES[0][0][0]:
            return [add(text, n, old, predicate="home")]
        if text not in updates:
            return []
        (home,) = [one for one in known if "lives in" in one["content"]]
        content, reason = updates[text]
        named = {"id": home["id"], "content": content, "reason": reason}
        return [{"op": "UPDATE", "quote": text, "turn": n, **named}]

    answer = listening(old)
    return answers(extract=reader(reads), episode=answer, patch=answer)


async def test_a_summary_is_not_written_anew_because_more_is_known_of_what_it_tells(
    home: Path,
) -> None:
    turns, old, new = LANGUAGES[0]
    street, moved, flat = (
        "In Leeds I live on Otley Road.",
        "I live in York by now.",
        "In York, a flat.",
    )
    updates = {
        street: (f"{old}, on Otley Road", "detail"),
        moved: (new, "change"),
        flat: (f"{new}, in a flat", "detail"),
    }
    with ScriptedModel(answer=telling(updates)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            episode = (await episode_of(m)).id
            await said(m, street, session="t")
            assert (await fact_of(m, updates[street][0])).validity == "active"
            assert (await night(m, "refresh_episodes")).steps[0].planned == 0
            (hit,) = (await m.search_memory(old, types=["episode"])).hits
            assert (hit.id, hit.status) == (episode, None)
            await said(m, moved, session="u")
            assert (await night(m, "refresh_episodes", "process_queue")).steps[0].planned == 1
            await m.wait_until_idle(60)
            assert (await episode_of(m)).content == f"{old} (changed since)."
            await said(m, flat, session="v")
            assert (await fact_of(m, updates[flat][0])).validity == "active"
            assert (await night(m, "refresh_episodes")).steps[0].planned == 0


async def test_what_an_update_calls_a_detail_and_says_otherwise_is_a_change(home: Path) -> None:
    turns, *_ = LANGUAGES[0]
    gone = "I do not live in Leeds."
    updates = {gone: ("The user no longer lives in Leeds", "detail")}
    with ScriptedModel(answer=telling(updates)) as model:
        async with opened(home, model) as m:
            await said(m, *turns)
            await said(m, gone, session="t")
            assert (await night(m, "refresh_episodes")).steps[0].planned == 1
