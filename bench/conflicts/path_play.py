"""Playing a case of one write path through the library, as a client would."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio.to_thread

from bench.conflicts.path_cases import (
    AddLineStep,
    EditStep,
    NightStep,
    PathCase,
    RememberStep,
    SayStep,
    Step,
)
from bench.conflicts.path_script import PathScript
from bench.conflicts.path_verdict import Belief, check_first, compare
from bench.tenants import TenantHome
from memoria import Memoria
from memoria.app import nightly
from memoria.model import now_millis, to_iso
from memoria.model.core import CORE_FILES
from memoria.store.folders import tenant_folder

_OUR_HEADINGS = {"USER.md": "Identity", "MEMORY.md": "Facts and concepts"}
_WAIT_S = 120
_MODEL_PATHS = ("model", "night")


@dataclass(frozen=True, slots=True)
class PlayedPath:
    """A case with what was wrong in the end; nothing if all was right."""

    case: PathCase
    wrong: tuple[str, ...]
    is_silent: bool = False
    """Nothing was found, which is wrong only where there is an embedder to find it."""


class PathPlayer:
    """Plays cases, a tenant each, in one home."""

    def __init__(self, home: TenantHome, script: PathScript, url: str) -> None:
        self._home = home
        self._script = script
        self._model = {"llm_base_url": url, "llm_model": "scripted"}

    async def play(self, case: PathCase) -> PlayedPath:
        """Take the case's steps and compare."""
        self._script.begin(case)
        model = self._model if case.path in _MODEL_PATHS else {}
        async with self._home.open(case.id, **model) as m:
            wrong = [line for step in case.steps for line in await self._take(m, case, step)]
            await m.wait_until_idle(_WAIT_S)
            found = await m.search_memory(case.ask)
            is_silent = self._home.embedding == "off" and not found.hits
            wrong += [] if is_silent else check_first(case, found.hits)
            wrong += compare(case, read_belief(m), self._files(m))
        return PlayedPath(case, tuple(wrong), is_silent)

    async def _take(self, m: Memoria, case: PathCase, step: Step) -> Sequence[str]:
        """Take a step; gives what hindered it."""
        match step:
            case RememberStep():
                await m.remember(step.text, type=step.type)
            case SayStep():
                await self._say(m, case, step)
            case NightStep():
                await m.wait_until_idle(_WAIT_S)
                await anyio.to_thread.run_sync(nightly.run_nightly, m.settings)
            case EditStep():
                return self._edit(m, step)
            case AddLineStep():
                self._add_line(m, step)
        return ()

    async def _say(self, m: Memoria, case: PathCase, step: SayStep) -> None:
        turn: dict[str, object] = {"role": "user", "content": step.text}
        if step.at is not None:
            turn["at"] = to_iso(step.at + _shift(case))
        read = case.path in _MODEL_PATHS
        place = case.steps.index(step)
        await m.record_conversation(
            [turn],
            "session_end" if read else None,
            session_id=f"{case.id} {place}" if read else case.id,
        )
        await m.wait_until_idle(_WAIT_S)

    def _files(self, m: Memoria) -> dict[str, str]:
        folder = tenant_folder(self._home.path, m.tenant)
        paths = [folder / name for name in CORE_FILES]
        return {path.name: path.read_text("utf-8") for path in paths if path.exists()}

    def _edit(self, m: Memoria, step: EditStep) -> Sequence[str]:
        for name, text in self._files(m).items():
            if step.old in text:
                path = tenant_folder(self._home.path, m.tenant) / name
                path.write_text(text.replace(step.old, step.new, 1), "utf-8")
                return ()
        return (f"stands in no core file: {step.old}",)

    def _add_line(self, m: Memoria, step: AddLineStep) -> None:
        path = tenant_folder(self._home.path, m.tenant) / step.file
        text = path.read_text("utf-8") if path.exists() else ""
        ours = step.heading == "ours"
        heading = f"## {_OUR_HEADINGS[step.file]}" if ours else step.heading
        line = f"{heading}\n- {step.text}\n"
        if f"{heading}\n" in text:
            text = text.replace(f"{heading}\n", line, 1)
        else:
            text = f"{text.rstrip()}\n\n{line}"
        path.write_text(text, "utf-8")


def _shift(case: PathCase) -> int:
    """What the times of a case are moved by, so that its last moment is now."""
    moments = [step.at for step in case.steps if isinstance(step, SayStep) and step.at]
    return now_millis() - (case.at or max(moments))


def read_belief(m: Memoria) -> Belief:
    """Every memory of the tenant, and which are marked as contradicting each other."""
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows all of them)
        numbers = tx.documents.page("memory", 0, 10_000)
        memories = {one.id: one for one in tx.memories.by_version_numbers(numbers).values()}
        marks = tx.memories.list_contradictions(list(memories))
    pairs = {frozenset((one, other)) for one, others in marks.items() for other in others}
    return Belief(tuple(memories.values()), frozenset(pairs))
