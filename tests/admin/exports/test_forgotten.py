"""What was forgotten in a home comes back with no export; what was forgotten elsewhere goes."""

from pathlib import Path

import pytest
from tests.admin.exports.homes import PASSPHRASE, carry, merge, opened, said, settings_of, texts_in
from tests.ingest.play import memories

from memoria import Memoria
from memoria.app.exporting import export
from memoria.errors import ExportError, ForgottenError
from memoria.model import Memory
from memoria.store.rows.portable.records import PortableSelection

pytestmark = pytest.mark.anyio
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


async def test_the_key_goes_along_under_its_passphrase_alone(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "a.jsonl"
    async with opened(home) as m:
        kept = await m.remember("The cellar key hangs behind the boiler.", type="fact")
        await m.forget_memory([kept.id])
    key = (home / "tombstone.key").read_bytes()
    export(settings_of(home), file, PortableSelection(), PASSPHRASE, lambda *_: None)
    text = file.read_text("utf-8")
    assert key.hex() not in text
    assert "boiler" not in text
    with pytest.raises(ExportError, match="does not open"):
        merge(tmp_path / "new", file, "another one altogether")
    assert not (tmp_path / "new" / "tombstone.key").exists()
    merge(tmp_path / "new", file)
    assert (tmp_path / "new" / "tombstone.key").read_bytes() == key
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
