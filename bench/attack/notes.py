"""A folder of notes in which somebody else may write, too: its state file leads elsewhere."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.attack.arena import Arena
from bench.attack.attack import slow_attack
from bench.attack.remains import find_remains

_DIARY = "zqdiary: the kiln was cold all week\n"
_STATE = ".memoria/notes.json"


async def _make_vault(arena: Arena, name: str) -> tuple[Path, str]:
    """A home of its own with a folder of notes; gives the folder and the memory's id."""
    arena.home = arena.folder / f"home-{name}"
    vault = arena.folder / f"vault-{name}"
    said = await arena.run("remember", "Lin keeps the keys of the kiln", "--entity", "Lin")
    arena.check(said.code == 0, f"{said.text[-200:]}")
    made = await arena.run("export", vault, "--sync")
    arena.check(made.code == 0, f"{made.text[-200:]}")
    state = json.loads((vault / _STATE).read_text("utf-8"))
    return vault, next(iter(state["notes"]))


def _lead_out(vault: Path, place: str, target: Path, *, pages: bool, edited: bool = False) -> None:
    """Have each note or page of the state file lie elsewhere, as it was written or edited since."""
    file = vault / _STATE
    state: dict[str, Any] = json.loads(file.read_text("utf-8"))
    digest = hashlib.sha256(b"" if edited else target.read_bytes()).hexdigest()
    for written in state["pages" if pages else "notes"].values():
        written.update(place=place, digest=digest)
    file.write_text(json.dumps(state), "utf-8")


def _places(target: Path) -> dict[str, str]:
    return {
        "up": f"../{target.name}",
        "down-and-up": f"memories/../../{target.name}",
        "absolute": str(target),
        "backslashes": f"..\\{target.name}",
    }


async def _keep_what_lies_outside(arena: Arena, change: Callable[[str], Sequence[str]]) -> None:
    """See that a sync leaves a file outside as it is, whatever was done to the memory before."""
    target = arena.folder / "diary.txt"
    for pages in (False, True):
        for name, place in _places(target).items():
            target.write_text(_DIARY, "utf-8")
            what = f"{'page' if pages else 'note'} {name}"
            vault, memory = await _make_vault(arena, what.replace(" ", "-"))
            _lead_out(vault, place, target, pages=pages)
            await arena.run(*change(memory))
            ran = await arena.run("export", vault, "--sync")
            arena.check("Traceback" not in ran.err, f"{what}: {ran.err[-200:]}")
            there = target.exists() and target.read_text("utf-8") == _DIARY
            arena.check(there, f"{what}: the file outside was overwritten or removed")


@slow_attack
async def read_a_file_through_the_state_of_a_folder_of_notes(arena: Arena) -> None:
    """Say in notes.json that a note lies outside of the folder: it must not become a memory."""
    target = arena.folder / "diary.txt"
    for name, place in _places(target).items():
        target.write_text(_DIARY, "utf-8")
        vault, _ = await _make_vault(arena, name)
        _lead_out(vault, place, target, pages=False, edited=True)
        ran = await arena.run("export", vault, "--sync")
        arena.check("Traceback" not in ran.err, f"{name}: {ran.err[-200:]}")
        left = find_remains(arena.home, "zqdiary")
        arena.check(not left, f"{name}: the file outside is in {left[:3]}")
        arena.check(not find_remains(vault, "zqdiary"), f"{name}: it is in the folder")
        arena.check(target.read_text("utf-8") == _DIARY, f"{name}: the file was changed")
        arena.check("zqdiary" not in ran.text, f"{name}: it is printed")


@slow_attack
async def overwrite_a_file_through_the_state_of_a_folder_of_notes(arena: Arena) -> None:
    """Say that a note or page lies outside, then change the memory: what lies there stays."""
    change = ("correct", "Lin keeps both keys of the kiln")
    await _keep_what_lies_outside(arena, lambda memory: ("revise", memory, *change))


@slow_attack
async def delete_a_file_through_the_state_of_a_folder_of_notes(arena: Arena) -> None:
    """Say that a note or page lies outside, then forget the memory: what lies there stays."""
    await _keep_what_lies_outside(arena, lambda memory: ("forget", memory, "--yes"))
