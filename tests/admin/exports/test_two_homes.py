"""Two homes that read each other's exports hold the same afterwards, and nothing is lost."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.admin.exports.homes import PASSPHRASE, carry, merge, opened, said, settings_of, texts_in
from tests.admin.exports.rows import differ, read_rows
from tests.databases import begin_with_key, open_home
from tests.forgetting.remains import remaining
from tests.ingest.play import memories

from memoria import Memoria
from memoria.app.exporting import export
from memoria.errors import ExportError, ForgottenError
from memoria.model import Memory
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.store.rows.portable.records import PortableSelection

pytestmark = pytest.mark.anyio


async def test_a_quote_that_was_set_aside_in_one_home_is_set_aside_in_both(tmp_path: Path) -> None:
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "Always answer me in Italian.")
    carry(one, other, file)
    async with opened(other) as m:
        (wish,) = await m.wishes()
        assert "Italian" in wish
        await m.set_quote_aside((await m.get_session("s")).turns[0].id)
    for source, target in ((other, one), (one, other)):
        assert carry(source, target, file).bad_lines == []
    for home in (one, other):
        async with opened(home) as m:
            assert await m.wishes() == []
    assert differ(read_rows(one), read_rows(other)) == []


async def test_two_homes_that_export_to_one_another_meet(tmp_path: Path) -> None:
    """Each has lived on since they were one, and both have taken in the same transcript."""
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "I prefer quince jam over honey.", session="first")
        port = await m.remember("The garden gate has the code 4417.", type="fact")
        await m.remember("我每天早上六点起床。")
    carry(one, other, file)
    async with opened(one) as m:
        await said(m, "I like rye bread.", "我住在苏州。", session="both", ids=("m1", "m2"))
        await m.remember("Aunt Hilde collects clocks.", entities=["Hilde"])
        await m.revise_memory(port.id, "correct", content="The garden gate has the code 5528.")
    async with opened(other) as m:
        await said(m, "I like rye bread.", "我住在苏州。", session="both", ids=("m1", "m2"))
        await m.remember("Aunt Hilde collects clocks.", entities=["Hilde"])
        await m.revise_memory(port.id, "correct", content="The garden gate has the code 6639.")
        await m.revise_memory(port.id, "pin")
        await m.remember("The lantern is in the shed.", type="fact")

    assert carry(other, one, file).bad_lines == []
    assert carry(one, other, file).bad_lines == []
    assert differ(read_rows(one), read_rows(other)) == []
    for home in (one, other):
        async with opened(home) as m:
            gate = await _find(m, "gate")
            assert gate.content == "The garden gate has the code 6639."  # the later one
            assert [v.content[-5:-1] for v in gate.versions] == ["6639", "5528", "4417"]
            assert gate.pinned
            clocks = [one for one in await memories(m) if "clocks" in one.content]
            assert sorted(one.validity for one in clocks) == ["active", "superseded"]
            found = await m.search_memory("the code of the garden gate")
            assert "6639" in found.hits[0].text
    again = carry(other, one, file)
    assert not again.added
    assert not again.changed


async def _find(m: Memoria, word: str) -> Memory:
    (found,) = [one for one in await memories(m) if word in one.content]
    return found


async def test_metadata_goes_along_and_two_homes_agree_on_that_of_one_message(
    tmp_path: Path,
) -> None:
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    named = {"session_id": "s", "message_id": "m", "at": "2026-05-04T08:00:00Z"}
    turn = {"role": "user", "content": "I like rye bread.", **named}
    fields: Metadata = {"n": 1, "tags": ["a"]}
    for home, metadata in ((one, fields), (other, NO_METADATA)):
        async with opened(home) as m:
            await m.record_conversation([{**turn, "metadata": metadata}])
            await m.remember("Aunt Hilde collects clocks.", metadata=metadata)
    for source, target in ((one, other), (other, one)):
        assert carry(source, target, file).bad_lines == []
    assert differ(read_rows(one), read_rows(other)) == []
    async with opened(other) as m:
        found = await m.search_conversation_traces("bread", metadata={"tags": "a"})
    assert [hit.metadata for hit in found.hits] == [fields]
    assert not carry(one, other, file).changed


async def test_what_was_said_and_edited_in_both_homes_is_all_there_once(tmp_path: Path) -> None:
    """Their order may differ: each has what came from the other at the end."""
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "out.jsonl"
    async with opened(one) as m:
        await said(m, "I am in Basel.", "我在写信。", ids=("m1", "m2"))
    carry(one, other, file)
    for home, own in ((one, "in the north"), (other, "in the south")):
        async with opened(home) as m:
            await said(
                m, f"I am in Basel, {own}.", "我在写信。", f"Said {own}.", ids=("m1", "m2", own)
            )
    for _ in range(2):
        assert carry(one, other, file).bad_lines == []
        assert carry(other, one, file).bad_lines == []
    texts = [await _list_turns(home) for home in (one, other)]
    assert texts[0] == texts[1]
    assert [text for text, is_current in texts[0] if is_current] == [
        "I am in Basel, in the south.",  # edited later
        "Said in the north.",
        "Said in the south.",
        "我在写信。",
    ]
    assert len(texts[0]) == 6


async def _list_turns(home: Path) -> list[tuple[str, bool]]:
    async with opened(home) as m:
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            turns = tx.conversations.turns(tx.documents.page("turn", 0, 100)).values()
    return sorted((turn.content, turn.current) for turn in turns)


Way = tuple[bool, int, bool]
WAYS: dict[str, Way] = {
    "by their ids": (False, 0, False),
    "with their sources": (True, 0, False),
    "hidden for a time of grace": (True, 7, False),
    "with everything": (False, 0, True),
}
"""Whether the source goes, for how many days it is hidden, and whether everything goes."""
LIKES = ("I prefer quince jam over honey.", "我喜欢喝普洱茶，不喜欢喝咖啡。")
ASKED = (f"Remember that {LIKES[0]}", f"记住：{LIKES[1]}")
WORDS = ("quince", "普洱")


@pytest.mark.parametrize("way", WAYS)
async def test_an_older_export_brings_nothing_back_that_was_forgotten_since(
    tmp_path: Path, way: str
) -> None:
    home, twin, old = tmp_path / "home", tmp_path / "twin", tmp_path / "old.jsonl"
    with_source, grace, everything = WAYS[way]
    async with opened(home) as m:
        await said(m, *ASKED, "We had 12 guests on Sunday.")
        await said(m, *(f"Dictated: {like}" for like in LIKES), session="t")
    export(settings_of(home), old, PortableSelection(), None, lambda *_: None)
    async with opened(home, forget_grace_days=grace) as m:
        found = await _list_liked(m)
        assert len(found) >= len(LIKES)
        if everything:
            await m.forget_memory([], everything=True)
        else:
            await m.forget_memory([one.id for one in found], include_source=with_source)
    report = merge(home, old)
    assert report.forgotten
    assert report.bad_lines == []
    carry(home, twin, tmp_path / "new.jsonl")  # another home that has the list by now
    merge(twin, old)
    for each in (home, twin):
        async with opened(each) as m:
            assert await _list_liked(m) == []
            if not everything:
                with pytest.raises(ForgottenError):
                    await m.remember(LIKES[0])
        if with_source:  # else the record still has its turns, suppressed
            text = await texts_in(each)
            assert [word for word in WORDS if word in text] == []


async def _list_liked(m: Memoria) -> list[Memory]:
    return [one for one in await memories(m) if any(word in one.content for word in WORDS)]


async def test_what_was_forgotten_in_one_home_is_forgotten_in_the_other_by_its_words(
    tmp_path: Path,
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    begin_with_key(other, "cd" * 32)
    for home in (one, other):
        async with opened(home) as m:
            await m.remember("The cellar key hangs behind the boiler.", type="fact")
            await m.remember("The bins go out on Tuesday.", type="fact")
    async with opened(one) as m:
        found = [mem.id for mem in await memories(m) if "cellar" in mem.content]
        await m.forget_memory(found)
    without = carry(one, other, tmp_path / "a.jsonl", None)
    assert (without.forgotten_here, without.unchecked) == (0, 1)
    assert "cellar" in await texts_in(other)
    with_key = carry(one, other, tmp_path / "a.jsonl")
    assert (with_key.forgotten_here, with_key.unchecked) == (1, 0)
    assert "cellar" not in await texts_in(other)
    assert "bins" in await texts_in(other)
    async with opened(other) as m:
        with pytest.raises(ForgottenError):
            await m.remember("The cellar key hangs behind the boiler.", type="fact")


def list_keys(home: Path) -> tuple[bytes, ...]:
    """The keys by which a home recognises what was forgotten."""
    with closing(open_home(home)) as store:
        return store.files.list_tombstone_keys()


async def test_the_key_goes_along_under_its_passphrase_alone(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "a.jsonl"
    begin_with_key(tmp_path / "new", "cd" * 32)
    async with opened(home) as m:
        kept = await m.remember("The cellar key hangs behind the boiler.", type="fact")
        await m.forget_memory([kept.id])
    (key,) = list_keys(home)
    export(settings_of(home), file, PortableSelection(), PASSPHRASE, lambda *_: None)
    text = file.read_text("utf-8")
    assert key.hex() not in text
    assert "boiler" not in text
    with pytest.raises(ExportError, match="does not open"):
        merge(tmp_path / "new", file, "another one altogether")
    assert key not in list_keys(tmp_path / "new")
    merge(tmp_path / "new", file)
    assert key in list_keys(tmp_path / "new")
    with pytest.raises(ExportError, match="too short"):
        export(settings_of(home), tmp_path / "b.jsonl", PortableSelection(), "short", print)
    assert not (tmp_path / "b.jsonl").exists()


@pytest.mark.parametrize("passphrase", [None, PASSPHRASE], ids=["without the key", "with the key"])
async def test_what_was_forgotten_here_does_not_return_from_a_machine_that_lived_on_with_it(
    tmp_path: Path, passphrase: str | None
) -> None:
    """There it was corrected, was said again, and stands in an export made before and after."""
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "a.jsonl"
    async with opened(here) as m:
        await said(m, *ASKED, "We had 12 guests on Sunday.")
        await m.remember("The cellar key hangs behind the quince tree.", type="fact")
    carry(here, there, file, passphrase)
    async with opened(there) as m:
        await said(m, *ASKED, session="again", ids=("a", "b"))
        key = next(one for one in await _list_liked(m) if "cellar" in one.content)
        await m.revise_memory(key.id, "correct", content="The quince tree hides the cellar key.")
        await m.remember("The cellar key hangs behind the quince tree.", type="fact")
    carry(there, tmp_path / "third", file, passphrase)
    async with opened(here) as m:
        found = await _list_liked(m)
        turns = [turn.id for turn in (await m.get_session("s")).turns[: len(LIKES)]]
        await m.forget_memory([*turns, *(one.id for one in found)], include_source=True)
    for source in (there, tmp_path / "third"):
        report = carry(source, here, file, passphrase)
        assert report.bad_lines == []
        async with opened(here) as m:
            assert await _list_liked(m) == []
        text = await texts_in(here)
        assert [word for word in WORDS if word in text] == []
        assert "12 guests" in text


async def test_an_export_brings_no_secret_into_the_metadata_of_what_is_known(
    tmp_path: Path,
) -> None:
    one, file, smuggled = tmp_path / "one", tmp_path / "out.jsonl", "ghp_" + "a1B2" * 9
    async with opened(one) as m:
        turn = {"role": "user", "content": "I like rye bread.", "metadata": {"note": "plain"}}
        await m.record_conversation([turn], session_id="s")
        await m.remember("Aunt Hilde collects clocks.", metadata={"note": "plain"})
    export(settings_of(one), file, PortableSelection(), None, lambda *_: None)
    told = file.read_text("utf-8")
    assert told.count("plain") == 2
    file.write_text(told.replace("plain", f"zz {smuggled}"), "utf-8")
    assert merge(one, file, None).changed
    async with opened(one) as m:
        shown = [one.metadata for one in await memories(m)]
        shown += [one.metadata for one in (await m.get_session("s")).turns]
    assert all(smuggled not in str(one) for one in shown)
    assert remaining(one, [smuggled]) == set()
