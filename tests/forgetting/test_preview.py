"""A forget is shown before it is done: all of it, and what was agreed to is what happens."""

import shlex
from pathlib import Path

import pytest
from tests.databases import opened_files, read_text, write_text
from tests.forgetting.remains import remains

from memoria.app import Memoria
from memoria.errors import ForgottenError, InvalidInputError, NotFoundError, PreviewChangedError
from memoria.model.forgetting import ForgetPreview

ONE = "Harbor go-live is 12 April 2027"
SAME = "harbor go-live is 12 april 2027."
CASES = [(ONE, SAME), ("港口系统 2027年4月12日 上线", "港口系统2027年4月12日上线。")]


def shown(preview: ForgetPreview) -> set[tuple[str, str]]:
    return {(item.kind, item.id) for item in preview.items}


def contents(memory: Memoria) -> dict[str, bytes | None]:
    with opened_files(memory.settings) as files:
        places = (place for place in files.list_places("") if place.endswith(".md"))
        return {place: files.read(place) for place in places}


@pytest.mark.parametrize(("one", "same"), CASES)
async def test_a_preview_lists_all_that_goes_and_its_token_means_just_that(
    memory: Memoria, one: str, same: str
) -> None:
    (said,) = (
        await memory.record_conversation([{"role": "user", "content": f"They say: {one}."}])
    ).turns
    first = await memory.remember(one, turn_id=said.id, workspace="red")
    second = await memory.remember(same, workspace="blue")
    await memory.update_scratchpad(current_focus=one)
    write_text(memory.settings, "USER.md", f"# User\n\n- {one}\n- likes tea\n")
    before = await memory.preview_forget([second.id])
    assert shown(before) == {
        ("memory", second.id),
        ("duplicate", first.id),
        ("turn", said.id),
        ("note", ""),
        ("line", "USER.md"),
    }
    assert before.counts == {"memory": 1, "duplicate": 1, "turn": 1, "note": 1, "line": 1}
    assert (await memory.get_memory(second.id)).content == same
    third = await memory.remember(same, workspace="green")
    with pytest.raises(PreviewChangedError, match="Nothing was forgotten") as changed:
        await memory.forget_memory([second.id], token=before.token)
    now = changed.value.preview
    assert shown(now) - shown(before) == {("duplicate", third.id)}
    assert (await memory.get_memory(first.id)).content == one
    forgotten = await memory.forget_memory([second.id], token=now.token)
    assert set(forgotten.memories) == {first.id, second.id, third.id}
    assert forgotten.turns_suppressed == (said.id,)
    assert read_text(memory.settings, "USER.md") == "# User\n\n- likes tea\n"


@pytest.mark.parametrize("include_source", [False, True])
@pytest.mark.parametrize(("one", "same"), CASES)
async def test_a_near_duplicate_that_is_kept_stays_with_its_wording_and_its_turns(
    memory: Memoria, home: Path, one: str, same: str, *, include_source: bool
) -> None:
    receipt = await memory.record_conversation(
        [
            {"role": "user", "content": f"{text}!", "session_id": "s"}
            for text in (one, f"Zebra 4711, {same}")
        ]
    )
    said, other = (turn.id for turn in receipt.turns)
    kept = await memory.remember(one, turn_id=said, workspace="red")
    gone = await memory.remember(same, turn_id=other, workspace="blue")
    write_text(memory.settings, "USER.md", f"- {one}\n")
    preview = await memory.preview_forget([gone.id], keep=[kept.id], include_source=include_source)
    assert shown(preview) == {("memory", gone.id), ("turn", other)}
    assert preview.kept == (kept.id,)
    await memory.forget_memory(
        [gone.id], keep=[kept.id], include_source=include_source, token=preview.token
    )
    with pytest.raises(NotFoundError, match="was forgotten on"):
        await memory.get_memory(gone.id)
    assert (await memory.get_memory(kept.id)).content == one
    assert read_text(memory.settings, "USER.md") == f"- {one}\n"
    assert (await memory.get_turn(str(said))).turn.content == f"{one}!"
    assert (remains(home, "zebra") == set()) is include_source
    again = await memory.remember(same, workspace="blue")
    assert again.status == "remembered"


async def test_what_can_not_be_kept_is_refused_and_nothing_is_forgotten(memory: Memoria) -> None:
    kept = await memory.remember(ONE)
    for arguments, problem in (
        ({"ids": [kept.id], "keep": [kept.id]}, "keep"),
        ({"ids": [kept.id], "topic": "Harbor"}, "not two of these"),
        ({}, "nothing is named"),
        ({"ids": [kept.id], "since": "soon"}, "since"),
    ):
        with pytest.raises(InvalidInputError, match=problem):
            await memory.forget_memory(**arguments)
    with pytest.raises(NotFoundError):
        await memory.forget_memory([kept.id], keep=["nobody"])
    assert (await memory.get_memory(kept.id)).content == ONE


async def test_who_names_a_session_as_if_it_were_a_memory_is_told_how_to_forget_one(
    memory: Memoria,
) -> None:
    for session in ("s-1", "s 2"):
        await memory.record_conversation([{"role": "user", "content": ONE, "session_id": session}])
    for named, told in (
        ("s-1", "s-1 is a session"),
        ("s 2", "s 2 is a session"),
        ("deadbeef", "no memory or turn deadbeef"),
    ):
        with pytest.raises(NotFoundError, match=told) as caught:
            await memory.preview_forget([named])
        assert "session_id" in str(caught.value)
        assert f"`memoria forget --session-id {shlex.quote(named)}`" in caught.value.at_shell


async def test_nothing_is_written_by_a_preview(memory: Memoria) -> None:
    kept = await memory.remember(ONE)
    write_text(memory.settings, "USER.md", f"- {ONE}\n")
    before = contents(memory)
    assert "USER.md" in before
    first = await memory.preview_forget([kept.id])
    assert first == await memory.preview_forget([kept.id])
    assert contents(memory) == before
    await memory.forget_memory([kept.id])
    assert (await memory.preview_forget([kept.id])).already_forgotten == (kept.id,)
    with pytest.raises(ForgottenError):
        await memory.remember(SAME)
