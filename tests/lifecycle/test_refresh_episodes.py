"""A summary that tells what has changed since is written anew, once for each change."""

from collections.abc import Callable
from pathlib import Path
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
from tests.lifecycle.dump import dump
from tests.llm.scripted import Asked, ScriptedModel

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.app import open_memoria
from memoria.model import COMMAND_LINE, Memory
from memoria.model.nightly import NightlyRun

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


async def test_a_summary_that_a_model_will_not_write_is_asked_for_once_a_change(
    home: Path,
) -> None:
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
