"""Whatever is done to notes and memories in turn, a folder comes to rest and nobody's words go.

NOTES_EXAMPLES in the environment plays more histories.
"""

import os
import shutil
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.admin.exports.homes import opened, texts_in
from tests.admin.exports.test_notes import list_notes, sync
from tests.ingest.play import memories

from memoria.connectors.notes.note import as_line
from memoria.errors import MemoriaError

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
