"""Memories as a folder of Markdown: readable, edited by their reader, kept in step both ways."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.admin.exports.homes import opened, said
from tests.ingest.play import memories
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.connectors.notes.note import NoteContent, Source, read_note, render_note
from memoria.connectors.transcripts.files import NOTES_STATE
from memoria.disk.regular_files import check_place, read_file
from memoria.errors import UnusableFileError
from memoria.model import Memory

pytestmark = pytest.mark.anyio
TENANT = {"MEMORIA_TENANT": "tests"}
SECRET = "sk-ant-" + "api03-" + "Zq8vN2xRt7Lm4Kd9Wb3Yc6Hf1Jp5Gs0Ea2Uo8Ti4" * 2


def sync(home: Path, vault: Path, *options: str) -> dict[str, Any]:
    told = Shell(home, TENANT)("export", vault, "--sync", "--json", *options)
    assert told.code in (0, 3), told.err
    return dict(told.document)


def find_note(vault: Path, word: str) -> Path:
    (found,) = [one for one in vault.glob("memories/**/*.md") if word in one.read_text("utf-8")]
    return found


def edit(note: Path, before: str, after: str) -> None:
    text = note.read_text("utf-8")
    assert before in text
    note.write_text(text.replace(before, after), "utf-8")


async def find(m: Memoria, word: str) -> Memory:
    (found,) = [one for one in await memories(m) if word in one.content]
    return found


async def test_a_note_says_what_is_remembered_since_when_and_where_it_was_said(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        await said(
            m,
            "Remember that I prefer quince jam over honey.",
            "记住：我喜欢喝普洱茶，不喜欢喝咖啡。",
        )
        await m.remember("Aunt Hilde collects clocks.", entities=["Hilde"])
    told = Shell(home, TENANT)("export", vault, "--format", "markdown")
    assert (told.code, "notes written" in told.out) == (0, True)
    jam = find_note(vault, "quince").read_text("utf-8")
    assert "\n---\nI prefer quince jam over honey\n" in jam
    assert "\n> I prefer quince jam over honey\n" in jam
    assert "type: preference" in jam
    assert "since: 2026-09-21" in jam
    assert "session s, turn " in jam
    assert find_note(vault, "普洱").name.startswith("我喜欢喝普洱茶")
    assert "[[" in find_note(vault, "Hilde").read_text("utf-8")
    page = next(one for one in vault.glob("names/*.md") if "Hilde" in one.name)
    assert "[[Aunt Hilde collects clocks|" in page.read_text("utf-8")
    assert all(one.stat().st_mode & 0o077 == 0 for one in vault.rglob("*"))
    again = Shell(home, TENANT)("export", vault, "--format", "markdown")
    assert (again.code, "--sync" in again.err) == (1, True)
    before = read_all(vault)
    report = sync(home, vault)
    assert (report["written"], read_all(vault)) == (0, before)
    taken = Shell(home, TENANT)("import", tmp_path, "--dry-run", "--json")
    assert "普洱" not in taken.out + taken.err  # our own notes are nobody's past
    assert "notes" not in taken.document.get("sources", [])


async def test_an_edited_note_is_the_users_correction_and_goes_the_way_of_every_other(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        await m.remember("I prefer quince jam over honey.")
        await m.remember("我每天早上六点起床。")
        kept = await m.remember("The cellar key hangs behind the boiler.", type="fact")
        await m.remember("The gate has a bell.", type="fact")
        await m.forget_memory([kept.id])
    sync(home, vault)
    edit(find_note(vault, "quince"), "jam over honey.\n\n", "jelly over\nhoney.\n\n")
    edit(find_note(vault, "六点"), "我每天早上六点起床。\n\n", "我每天早上七点起床。\n\n")
    edit(find_note(vault, "七点"), "pinned: false", "pinned: true")
    bell = find_note(vault, "bell")
    edit(bell, "The gate has a bell.\n\n", "The cellar key hangs behind the boiler.\n\n")
    bell.write_text(bell.read_text("utf-8") + "\n## Notes\nRing it twice!\n", "utf-8")
    report = sync(home, vault)
    assert len(report["edited"]) == 3  # two wordings and a pin
    assert [one["note"] for one in report["refused"]] == [bell.relative_to(vault).as_posix()]
    assert "forgotten" in report["refused"][0]["problem"]
    async with opened(home) as m:
        jelly = await find(m, "quince")
        assert jelly.content == "I prefer quince jelly over honey."
        assert (jelly.verified, jelly.current.provenance.trust) == (True, "user")
        rises = await find(m, "早上")
        assert (rises.content, rises.pinned) == ("我每天早上七点起床。", True)
        assert (await find(m, "gate")).content == "The gate has a bell."
    edit(bell, "The cellar key hangs behind the boiler.\n\n", "The gate has a bell.\n\n")
    assert sync(home, vault)["refused"] == []
    assert "## Notes\nRing it twice!" in bell.read_text("utf-8")
    assert sync(home, vault)["written"] == 0


async def test_a_note_and_a_memory_that_were_both_changed_are_both_kept_and_that_is_said(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        gate = await m.remember("The garden gate has the code 4417.", type="fact")
        await m.remember("我住在苏州。")
    sync(home, vault)
    note = find_note(vault, "gate")
    edit(note, "code 4417.\n\n", "code 5528.\n\n")
    async with opened(home) as m:
        await m.revise_memory(gate.id, "correct", content="The garden gate has the code 6639.")
        await m.revise_memory((await find(m, "苏州")).id, "correct", content="我住在杭州。")
    report = sync(home, vault)
    assert (len(report["conflicts"]), report["edited"]) == (1, [])
    for _ in range(2):  # it stays until somebody settles it
        text = note.read_text("utf-8")
        assert "6639.\n\n<!-- memoria" in text
        assert "You wrote: The garden gate has the code 5528." in text
        assert sync(home, vault)["written"] == 0
    assert "我住在杭州。" in find_note(vault, "杭州").read_text("utf-8")
    edit(note, "6639.\n\n<!--", "5528.\n\n<!--")
    assert len(sync(home, vault)["edited"]) == 1
    assert "You wrote" not in note.read_text("utf-8")
    async with opened(home) as m:
        contents = [version.content[-5:-1] for version in (await find(m, "gate")).versions]
        assert contents == ["5528", "6639", "4417"]


async def test_a_deleted_note_deletes_nothing_and_a_forgotten_memory_takes_its_note_along(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        for text in ("The bins go out on Tuesday.", "The lantern is in the shed.", "我住在苏州。"):
            await m.remember(text, type="fact")
    sync(home, vault)
    for note in list_notes(vault):
        note.unlink()
    report = sync(home, vault)
    assert (len(report["gone"]), report["written"]) == (3, 0)
    async with opened(home) as m:
        assert len(await memories(m)) == 3
    assert sync(home, vault, "--deleted", "restore")["written"] == 3
    bins = find_note(vault, "bins")
    (vault / "chores").mkdir()
    bins = bins.rename(vault / "chores" / "dustbins.md")
    (vault / "mine.md").write_text("Nothing of Memoria's.\n", "utf-8")
    report = sync(home, vault)
    assert (report["gone"], report["strange"], bins.exists()) == ([], ["mine.md"], True)
    async with opened(home) as m:
        await m.forget_memory([(await find(m, "lantern")).id, (await find(m, "苏州")).id])
    assert sync(home, vault)["deleted"] == 2
    assert not any("lantern" in text or "苏州" in text for text in read_all(vault).values())
    bins.unlink()
    sync(home, vault, "--deleted", "archive")
    async with opened(home) as m:
        assert (await find(m, "bins")).validity == "archived"


async def test_an_edit_that_says_a_secret_is_refused_and_named_and_the_memory_stays_as_it_was(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    async with opened(home) as m:
        await m.remember("My plan is the small one.", type="fact")
        await m.remember("我的套餐是最小的那个。", type="fact")
    sync(home, vault)
    plan, chinese = find_note(vault, "small one"), find_note(vault, "套餐")
    edit(plan, "My plan is the small one.\n\n", f"My API key is {SECRET}\n\n")
    edit(chinese, "我的套餐是最小的那个。\n\n", f"我的密钥是 {SECRET}\n\n")
    for _ in range(2):  # until somebody takes it out
        report = sync(home, vault)
        named = {one["note"] for one in report["refused"]}
        assert named == {one.relative_to(vault).as_posix() for one in (plan, chinese)}
        assert all("secret" in one["problem"] for one in report["refused"])
        assert SECRET not in str(report)
        assert report["edited"] == []
    async with opened(home) as m:
        kept = {one.content: len(one.versions) for one in await memories(m)}
    assert kept == {"My plan is the small one.": 1, "我的套餐是最小的那个。": 1}


async def test_the_words_say_how_an_edit_is_taken_back_and_what_a_deleted_note_said(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    shell = Shell(home, TENANT)
    async with opened(home) as m:
        gate = await m.remember("The gate has a bell.", type="fact")
        tea = await m.remember("我每天早上喝普洱茶。", type="fact")
    sync(home, vault)
    edit(find_note(vault, "bell"), "has a bell.\n\n", "has a knocker.\n\n")
    find_note(vault, "普洱").unlink()
    told = shell("export", vault, "--sync")
    assert "Take the last one back: memoria undo" in told.out
    assert f"  我每天早上喝普洱茶。 · {tea.id[-8:]}\n" in told.out
    assert tea.id not in told.out
    assert "memoria undo" not in shell("export", vault, "--sync").out  # nothing was taken in
    assert shell("undo", "--yes").code == 0
    async with opened(home) as m:
        assert (await find(m, "gate")).content == "The gate has a bell."
    assert gate.id[-8:] in shell("list").out


def test_whatever_a_memory_says_its_note_is_read_as_it_was_written() -> None:
    for words in (
        "--- # [[x]] | %% <!-- memoria --> ## Notes",
        "> [!quote] a",
        "普洱茶\u200b 好喝",
    ):
        note = NoteContent(
            memory_id="01a206bd-7bb3-7010-8d4a-2988cadd9293",
            wording=words,
            properties={"task": 'a "b": c', "type": "fact"},
            sources=[Source("2026-01-01", "cli, session s", "t", "## Notes\n---\nid: x")],
            former=[("2026-01-01", "## Notes")],
            own="Mine.\n## More",
        )
        text = render_note(note)
        read = read_note(text)
        assert render_note(NoteContent(**{**as_fields(note), "wording": read.wording})) == text
        assert (read.memory_id, read.own) == (note.memory_id, note.own)


def as_fields(note: NoteContent) -> dict[str, Any]:
    return {name: getattr(note, name) for name in NoteContent.__slots__}


def list_notes(vault: Path) -> list[Path]:
    return sorted(vault.glob("memories/**/*.md"))


def read_all(vault: Path) -> dict[str, str]:
    return {str(one): one.read_text("utf-8") for one in sorted(vault.rglob("*.md"))}


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
