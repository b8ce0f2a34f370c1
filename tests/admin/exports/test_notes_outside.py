"""A folder of notes that somebody else can write to leads to nothing outside of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.admin.exports.homes import opened
from tests.admin.exports.test_notes import find_note, sync
from tests.ingest.play import memories

from memoria.connectors.transcripts.files import NOTES_STATE
from memoria.disk.regular_files import check_place, read_file
from memoria.errors import UnusableFileError

pytestmark = pytest.mark.anyio
GATE = "The garden gate has the code 4417."
HILDE = "Aunt Hilde collects clocks."
Change = Callable[[dict[str, Any]], object]


def change_state(vault: Path, change: Change) -> None:
    state = json.loads((vault / NOTES_STATE).read_text("utf-8"))
    change(state)
    (vault / NOTES_STATE).write_text(json.dumps(state), "utf-8")


async def write_vault(tmp_path: Path) -> tuple[Path, Path, str]:
    """A home, the folder of its notes, and the id of a memory."""
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        own_id = (await m.remember(GATE, type="fact")).id
        await m.remember(HILDE, entities=["Hilde"])
    sync(home, vault)
    return home, vault, own_id


def places_of(diary: Path) -> dict[str, str]:
    return {
        "a folder above": f"../outside/{diary.name}",
        "a folder above, by a way round": f"memories/../../outside/{diary.name}",
        "from the root": str(diary),
        "a folder above, as Windows writes it": f"..\\outside\\{diary.name}",
        "a drive": f"C:/outside/{diary.name}",
        "a drive's present folder": f"C:{diary.name}",
        "another machine": f"//host/share/{diary.name}",
        "a hidden folder": f".git/{diary.name}",
        "nowhere": "",
        "a NUL": "memories/a\0.md",
    }


@pytest.mark.parametrize("what", ["live", "forgotten"])
@pytest.mark.parametrize("form", places_of(Path("diary.md")))
async def test_an_entry_that_leads_out_of_the_folder_reads_changes_and_deletes_nothing(
    tmp_path: Path, form: str, what: str
) -> None:
    home, vault, own_id = await write_vault(tmp_path)
    note = find_note(vault, "4417")
    diary = tmp_path / "outside" / "diary.md"
    diary.parent.mkdir()
    diary.write_bytes(note.read_bytes() if what == "forgotten" else b"Dear diary")
    place = places_of(diary)[form]
    change_state(vault, lambda state: state["notes"][own_id].update(place=place))
    note.unlink()
    if what == "forgotten":
        async with opened(home) as m:
            await m.forget_memory([own_id])
    before = diary.read_bytes()
    report = sync(home, vault)
    assert diary.read_bytes() == before
    (refused,) = report["refused"]
    assert refused["note"] == (place or own_id)
    assert "no file there was touched" in refused["problem"]
    async with opened(home) as m:
        known = {one.content for one in await memories(m)}
    assert known == ({HILDE} if what == "forgotten" else {GATE, HILDE})
    again = sync(home, vault)
    assert again["refused"] == []
    assert diary.read_bytes() == before
    texts = [one.read_text("utf-8") for one in vault.rglob("*.md")]
    assert any("4417" in text for text in texts) == (what == "live")


@pytest.mark.parametrize("form", ["a folder above", "from the root"])
async def test_a_page_that_leads_out_of_the_folder_is_not_deleted_there(
    tmp_path: Path, form: str
) -> None:
    home, vault, _ = await write_vault(tmp_path)
    page = next(vault.glob("names/*Hilde*.md"))
    diary = tmp_path / "outside" / "diary.md"
    diary.parent.mkdir()
    page.rename(diary)
    place = places_of(diary)[form]

    def lead_out(state: dict[str, Any]) -> None:
        entry = next(one for one in state["pages"].values() if "Hilde" in one["place"])
        state["pages"] = {"gone": {**entry, "place": place}}

    change_state(vault, lead_out)
    report = sync(home, vault)
    assert diary.exists()
    assert [one["note"] for one in report["refused"]] == [place]
    assert page.exists(), "it is written where it belongs"


async def test_a_link_in_the_folder_is_followed_nowhere_and_the_other_notes_are_written(
    tmp_path: Path,
) -> None:
    home, vault, own_id = await write_vault(tmp_path)
    outside = tmp_path / "outside"
    (vault / "memories").rename(outside)
    (vault / "memories").symlink_to(outside)
    page = next(vault.glob("names/*.md"))
    page.rename(tmp_path / "page.md")
    page.symlink_to(tmp_path / "page.md")
    before = {one: one.read_bytes() for one in (*outside.rglob("*.md"), tmp_path / "page.md")}
    async with opened(home) as m:
        await m.forget_memory([own_id])
        await m.remember("Ada has a kayak.", entities=["Ada", "Hilde"])
    report = sync(home, vault)
    assert {one: one.read_bytes() for one in before} == before
    assert len(report["refused"]) >= 2
    assert all("is a link" in one["problem"] for one in report["refused"])


DAMAGES: dict[str, Change] = {
    "no object": lambda entry: entry.clear(),
    "no number": lambda entry: entry.update(version="new"),
    "more than there is": lambda entry: entry.update(more=1),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_entry_is_named_and_the_others_go_on(tmp_path: Path, damage: str) -> None:
    home, vault, own_id = await write_vault(tmp_path)
    change_state(vault, lambda state: DAMAGES[damage](state["notes"][own_id]))
    report = sync(home, vault)
    assert [own_id in one["note"] or "4417" in one["note"] for one in report["refused"]] == [True]
    assert sync(home, vault)["refused"] == []


async def test_a_place_that_two_entries_claim_is_the_first_ones(tmp_path: Path) -> None:
    home, vault, own_id = await write_vault(tmp_path)
    note = find_note(vault, "4417")
    before = note.read_bytes()

    def share(state: dict[str, Any]) -> None:
        entry = state["notes"][own_id]
        for other in state["notes"].values():
            other["place"] = entry["place"]

    change_state(vault, share)
    report = sync(home, vault)
    assert len(report["refused"]) == 1
    assert note.read_bytes() == before or find_note(vault, "Hilde").read_bytes() == before
    async with opened(home) as m:
        assert {one.content for one in await memories(m)} == {GATE, HILDE}


@pytest.mark.parametrize("place", ["../a.md", "a/../../a.md", "/etc/hostname"])
def test_no_file_of_a_home_is_one_outside_of_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "a.md").write_text("mine")
    for use in (read_file, check_place):
        with pytest.raises(UnusableFileError, match="leads out of"):
            use(tmp_path / "home", place)
