"""What editors, other programs and other machines do to a folder of notes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.admin.exports.homes import carry, merge, opened, settings_of, texts_in
from tests.admin.exports.test_notes import TENANT, edit, find, find_note, list_notes, read_all, sync
from tests.ingest.play import memories
from tests.surface.shell import Shell

from memoria.app.exporting import export
from memoria.connectors.notes.folder import NoteFolder
from memoria.connectors.notes.note import as_line
from memoria.connectors.notes.sync import NoteSync
from memoria.errors import MemoriaError
from memoria.store.rows.portable.records import PortableSelection

pytestmark = pytest.mark.anyio
GATE = "The garden gate has the code 4417."
TEA = "我每天早上喝普洱茶。"


async def remember(home: Path, *texts: str) -> list[str]:
    async with opened(home) as m:
        return [(await m.remember(text, type="fact")).id for text in texts]


async def list_contents(home: Path) -> set[str]:
    async with opened(home) as m:
        return {one.content for one in await memories(m)}


def without_end(text: bytes) -> bytes:
    """The line that ends the properties is gone."""
    return text.replace(b"\n---\n", b"\n", 1)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "properties without an end": without_end,
    "properties without an end, CRLF": lambda text: without_end(text).replace(b"\n", b"\r\n"),
    "another encoding": lambda text: text.decode().replace("a", "é").encode("gb18030"),
    "UTF-16": lambda text: text.decode().replace("4417", "5528").encode("utf-16"),
    "a NUL": lambda text: text.replace(b"4417", b"\x00").replace("茶".encode(), b"\x00"),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_note_that_can_not_be_read_as_one_changes_no_memory_and_is_named(
    tmp_path: Path, damage: str
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    await remember(home, GATE, TEA)
    sync(home, vault)
    notes = list_notes(vault)
    spoilt = [DAMAGES[damage](note.read_bytes()) for note in notes]
    for note, content in zip(notes, spoilt, strict=True):
        note.write_bytes(content)
    report = sync(home, vault)
    named = {one["note"] for one in report["refused"]}
    assert named == {note.relative_to(vault).as_posix() for note in notes}
    assert (report["edited"], report["written"]) == ([], 0)
    assert [note.read_bytes() for note in notes] == spoilt  # somebody's words may be in it
    assert await list_contents(home) == {GATE, TEA}


async def test_an_editor_that_ends_lines_otherwise_or_drops_the_properties_loses_no_edit(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    await remember(home, GATE, TEA)
    sync(home, vault)
    gate, tea = find_note(vault, "gate"), find_note(vault, "普洱")
    edit(gate, "code 4417.\n\n", "code 5528.\n\n")
    edit(gate, "pinned: false", "pinned: true")
    gate.write_bytes(b"\xef\xbb\xbf" + gate.read_bytes().replace(b"\n", b"\r\n"))
    moved = vault / "🫖 早茶" / "喝什么？☕.md"
    moved.parent.mkdir()
    moved.write_bytes(tea.read_bytes().replace("普洱".encode(), "龙井".encode()))
    moved.write_bytes(moved.read_bytes().replace(b"\n", b"\r\n"))
    tea.unlink()
    report = sync(home, vault)
    assert (len(report["edited"]), report["refused"], report["gone"]) == (3, [], [])
    async with opened(home) as m:
        assert ((await find(m, "gate")).content[-5:-1], (await find(m, "gate")).pinned) == (
            "5528",
            True,
        )
        assert (await find(m, "早上")).content == "我每天早上喝龙井茶。"
    assert moved.exists()
    assert not tea.exists()
    body = gate.read_text("utf-8").split("\n---\n", 1)[1]
    gate.write_text(body, "utf-8")
    assert sync(home, vault)["written"] == 1
    assert gate.read_text("utf-8").startswith("---\nid: ")


async def test_of_two_notes_of_one_memory_the_one_in_its_place_counts_and_the_other_is_named(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    await remember(home, GATE, TEA)
    sync(home, vault)
    gate, tea = find_note(vault, "gate"), find_note(vault, "普洱")
    copy = gate.with_name(f"{gate.stem}.sync-conflict-20261123-PC.md")
    same = tea.with_name(f"{tea.stem} 1.md")
    shutil.copy(gate, copy)
    shutil.copy(tea, same)
    edit(gate, "code 4417.\n\n", "code 5528.\n\n")
    edit(copy, "code 4417.\n\n", "code 6639.\n\n")
    for taken in (1, 0):
        report = sync(home, vault)
        assert len(report["edited"]) == taken
        (refused,) = report["refused"]
        assert refused["note"] == copy.relative_to(vault).as_posix()
        assert gate.relative_to(vault).as_posix() in refused["problem"]
        assert report["strange"] == [same.relative_to(vault).as_posix()]
    assert "6639" in copy.read_text("utf-8")
    assert await list_contents(home) == {"The garden gate has the code 5528.", TEA}


async def test_what_obsidian_keeps_in_the_folder_and_does_to_properties_is_left_alone(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    await remember(home, GATE, TEA)
    sync(home, vault)
    gate, tea = find_note(vault, "gate"), find_note(vault, "普洱")
    for place in (".obsidian/workspace.json", ".trash/old.md", "Plan.canvas", "attachments/a.png"):
        (vault / place).parent.mkdir(exist_ok=True)
        (vault / place).write_text("{}")
    (vault / "Untitled.md").write_text("")
    text = gate.read_text("utf-8")
    (line,) = [one for one in text.splitlines() if one.startswith("id: ")]
    quoted = f'---\naliases: []\nid: "{line[4:]}"\n'
    gate.write_text(text.replace(f"{line}\n", "").replace("---\n", quoted, 1), "utf-8")
    (vault / ".trash" / tea.name).write_bytes(tea.read_bytes())  # deleted there
    tea.unlink()
    report = sync(home, vault)
    assert (report["edited"], report["refused"], report["strange"]) == ([], [], ["Untitled.md"])
    assert len(report["gone"]) == 1
    assert "aliases" not in gate.read_text("utf-8")
    assert await list_contents(home) == {GATE, TEA}
    assert (vault / ".trash" / tea.name).exists()


async def test_any_words_make_a_name_that_a_file_can_have(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    faces = "👩🏽‍🌾" * 40
    texts = [f"{faces}{n}" for n in range(3)]
    texts += [f"{'苗圃' * 90}{n}" for n in range(2)] + [f"{'x' * 400}{n}" for n in range(2)]
    texts += ["CON", "../../etc/passwd", "a/b\\c:d*e?f", ".hidden"]
    await remember(home, *texts)
    assert sync(home, vault)["written"] == len(await list_contents(home))
    assert all(len(one.name.encode()) <= 255 for one in vault.rglob("*"))
    assert sync(home, vault)["written"] == 0


async def test_a_folder_of_another_home_loses_no_note(tmp_path: Path) -> None:
    """A folder that two machines share: each has a memory of its own, until they were merged."""
    one, other, vault = tmp_path / "one", tmp_path / "other", tmp_path / "vault"
    await remember(one, GATE)
    await remember(other, TEA)
    sync(one, vault)
    before = read_all(vault)
    report = sync(other, vault)
    assert (report["deleted"], report["written"]) == (0, 1)
    (named,) = report["refused"]
    assert "is not in this home" in named["problem"]
    assert before.items() <= read_all(vault).items()
    assert sync(one, vault)["deleted"] == 0
    assert len(list_notes(vault)) == 2
    carry(one, other, tmp_path / "a.jsonl")
    carry(other, one, tmp_path / "a.jsonl")
    edit(find_note(vault, "gate"), "code 4417.\n\n", "code 5528.\n\n")
    for home in (other, one):
        assert sync(home, vault)["refused"] == []
    assert len(list_notes(vault)) == 2


@pytest.mark.parametrize("grace", [0, 7])
async def test_an_older_copy_of_the_folder_brings_nothing_back_that_was_forgotten_since(
    tmp_path: Path, grace: int
) -> None:
    home, vault, old = tmp_path / "home", tmp_path / "vault", tmp_path / "old"
    ids = await remember(home, GATE, TEA, "The bins go out on Tuesday.")
    sync(home, vault)
    shutil.copytree(vault, old)
    export(settings_of(home), tmp_path / "old.jsonl", PortableSelection(), None, lambda *_: None)
    async with opened(home, forget_grace_days=grace) as m:
        await m.forget_memory(ids[:2])
    report = sync(home, vault)
    assert (report["deleted"], len(list_notes(vault))) == (2, 1)
    edit(find_note(old, "gate"), "code 4417.\n\n", "code 4417, on the left.\n\n")
    bins = find_note(old, "bins")
    edit(bins, "The bins go out on Tuesday.\n\n", f"{TEA}\n\n")
    report = sync(home, old)
    assert (report["edited"], len(report["refused"])) == ([], 2)
    assert await list_contents(home) == {"The bins go out on Tuesday."}
    shutil.rmtree(old / ".memoria")  # its state was lost, or the notes were put elsewhere
    report = sync(home, old)
    assert report["edited"] == []
    merge(home, tmp_path / "old.jsonl", None)
    brought = Shell(home, TENANT)("import", old, "--format", "obsidian", "--json")
    assert "普洱" not in brought.out
    assert await list_contents(home) == {"The bins go out on Tuesday."}
    if not grace:
        text = await texts_in(home)
        assert "4417" not in text
        assert "普洱" not in text


async def test_a_note_that_is_edited_while_it_is_written_anew_keeps_the_edit(
    tmp_path: Path,
) -> None:
    """The edit is seen by the next sync, which finds both sides changed."""
    home, vault = tmp_path / "home", tmp_path / "vault"
    (own_id,) = await remember(home, GATE)
    sync(home, vault)
    note = find_note(vault, "gate")
    async with opened(home) as m:
        await m.revise_memory(own_id, "correct", content="The garden gate has the code 6639.")
        folder = NoteFolder(vault)
        run = NoteSync(m._store, m.tenant, folder, PortableSelection(), frozenset())  # noqa: SLF001
        assert run.find_edits() == []
        edit(note, "code 4417.\n\n", "code 5528.\n\n")
        assert run.write(lambda *_: None).written == 0
    assert "5528" in note.read_text("utf-8")
    assert len(sync(home, vault)["conflicts"]) == 1
    assert "You wrote: The garden gate has the code 5528." in note.read_text("utf-8")


async def test_what_somebody_wrote_below_a_note_goes_with_no_memory(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    ids = await remember(home, GATE, TEA)
    sync(home, vault)
    gate, tea = find_note(vault, "gate"), find_note(vault, "普洱")
    for note in (gate, tea):
        note.write_text(note.read_text("utf-8") + "\n## Notes\nRing twice! 敲两下。\n", "utf-8")
    assert sync(home, vault)["edited"] == []
    async with opened(home) as m:
        await m.forget_memory(ids[:1])
        await m.revise_memory(ids[1], "archive")
    for _ in range(2):
        report = sync(home, vault)
        assert report["deleted"] == 0
        named = {one["note"] for one in report["refused"]}
        assert named == {one.relative_to(vault).as_posix() for one in (gate, tea)}
    assert all("Ring twice! 敲两下。" in note.read_text("utf-8") for note in (gate, tea))
    for note in (gate, tea):
        note.unlink()
    assert sync(home, vault)["refused"] == []


async def test_drafts_that_a_killed_sync_left_in_the_folder_go_with_the_next(
    tmp_path: Path,
) -> None:
    home, vault = tmp_path / "home", tmp_path / "vault"
    await remember(home, GATE)
    sync(home, vault)
    left, young, other = (
        vault / "memories" / f".{name}.0123456789abcdef" for name in ("Gate.md", "New.md", "key")
    )
    for file in (left, young, other):
        file.write_text(GATE)
    for file in (left, other):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    sync(home, vault)
    assert [one.exists() for one in (left, young, other)] == [False, True, True]


EXAMPLES = int(os.environ.get("NOTES_EXAMPLES", "3"))
_WORDS = ("quince", "普洱", "lantern", "badger")
_OF_NOTES = ("edit", "rename", "delete", "ends", "cut", "copy", "below", "encode")
_OF_MEMORIES = ("correct", "forget", "pin", "archive", "remember")
STEPS = st.lists(
    st.tuples(st.sampled_from((*_OF_NOTES, *_OF_MEMORIES, "sync", "sync")), st.integers(0, 9)),
    min_size=4,
    max_size=10,
)


class Life:
    """A home and a folder of notes, and what was done to them."""

    def __init__(self, folder: Path) -> None:
        self.home, self.vault = folder / "home", folder / "vault"
        self.count = 0
        self.forgotten: set[str] = set()
        self.below: set[str] = set()

    async def take(self, verb: str, pick: int) -> None:
        self.count += 1
        if verb == "sync":
            await anyio.to_thread.run_sync(sync, self.home, self.vault)
        elif verb in _OF_MEMORIES:
            await self._change_memory(verb, pick)
        elif notes := list_notes(self.vault):
            self._change_note(verb, notes[pick % len(notes)])

    async def _change_memory(self, verb: str, pick: int) -> None:
        async with opened(self.home) as m:
            known = sorted(await memories(m), key=lambda one: one.id)
            known = [one for one in known if one.validity == "active"]
            if verb == "remember" or not known:
                word = _WORDS[pick % len(_WORDS)]
                try:
                    await m.remember(f"The {word} is number {self.count}.", type="fact")
                except MemoriaError:
                    return  # what was forgotten is refused
                return
            chosen = known[pick % len(known)]
            if verb == "forget":
                self.forgotten |= {version.content for version in chosen.versions}
                await m.forget_memory([chosen.id])
            elif verb == "correct":
                await m.revise_memory(chosen.id, "correct", f"{chosen.content[:-1]}, {self.count}.")
            else:
                await m.revise_memory(chosen.id, "pin" if verb == "pin" else "archive")

    def _change_note(self, verb: str, note: Path) -> None:
        data = note.read_bytes()
        match verb:
            case "edit":
                note.write_bytes(data.replace(b".\n\n<!--", f", {self.count}.\n\n<!--".encode()))
            case "rename":
                note.rename(note.with_name(f"改名 {self.count} 🦡.md"))
            case "delete":
                note.unlink()
            case "ends":
                note.write_bytes(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
            case "cut":
                note.write_bytes(data.replace(b"\n---", b"\n", 1))
            case "copy":
                shutil.copy(note, note.with_name(f"{note.stem} ({self.count}).md"))
            case "below":
                words = f"My own words, {self.count}"
                if b"## Notes" not in data:
                    note.write_bytes(data + f"\n## Notes\n{words}\n".encode())
                    self.below.add(words)
            case _:
                note.write_bytes(b"\xff\xfe" + data)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(STEPS)
def test_after_any_history_a_folder_of_notes_comes_to_rest(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    anyio.run(_play, tmp_path_factory.mktemp("lived"), steps)


async def _play(folder: Path, steps: list[tuple[str, int]]) -> None:
    life = Life(folder)
    for verb, pick in (("remember", 0), ("remember", 1), ("sync", 0), *steps):
        await life.take(verb, pick)
    own = {one for one, _ in _list_own(life)}
    await anyio.to_thread.run_sync(sync, life.home, life.vault)
    last = await anyio.to_thread.run_sync(sync, life.home, life.vault)
    assert (last["written"], last["deleted"], last["edited"]) == (0, 0, []), last
    text = await texts_in(life.home)
    assert [one for one in life.forgotten if one in text] == []
    assert {one for one, _ in _list_own(life)} == own  # no sync takes somebody's words away
    refused = {one["note"] for one in last["refused"]}
    async with opened(life.home) as m:
        active = [one for one in await memories(m) if one.validity == "active"]
    said = "\n".join(_read(note) for note in list_notes(life.vault))
    for memory in active:
        shown = as_line(memory.content) in said
        assert shown or memory.id in last["gone"] or refused, memory.content


def _read(note: Path) -> str:
    return note.read_bytes().decode("utf-8", "replace")


def _list_own(life: Life) -> list[tuple[str, Path]]:
    """What somebody has written below notes that are still there."""
    found = [(one, _read(one)) for one in list_notes(life.vault)]
    return [(words, note) for note, text in found for words in life.below if words in text]
