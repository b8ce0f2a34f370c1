"""Histories of a home through every write path, with a model that follows a script.

Each fact has a word of its own, by which whatever says it is recognised anywhere.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio.to_thread
from hypothesis import strategies as st
from tests.databases import opened_files, write_text
from tests.ingest.play import add, answers, memories, reader
from tests.lifecycle.test_consolidate import shown_in
from tests.llm.scripted import Asked, ScriptedModel, fails
from tests.store.insides import any_connection_of

from memoria import Memoria
from memoria.admin.importer import Importer
from memoria.app import nightly, project_of
from memoria.config import Settings
from memoria.connectors.transcripts import FORMATS, find_transcripts
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import DAY_MS, Memory, StoredTurn, system_millis, use_clock

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

FACTS = range(5)
BASE = range(3)
"""Facts that every history begins with, one a session, so that nights have something to derive."""
TYPES = ("fact", "preference", "rule", "goal", "skill")
Verb = Literal[
    "say",
    "edit",
    "say unheard",
    "say by rule",
    "remember",
    "correct",
    "write by hand",
    "import",
    "retype",
    "night",
    "undo",
]
Target = Literal["memory", "turn", "old turn", "old wording", "episode", "concept", "habit"]
CODE = "The Badger uses {word} as a code"
WISH = "Somebody wants the code of {fact} to be filed"
UNHEARD = "(inaudible)"
"""In a turn, makes every question about it fail: its queue entry waits."""
_NOTED = re.compile(r"the Badger code (\d) is zeta\d+")
_WISHED = re.compile(r"file it as a \w+ of Wombat")


@dataclass(frozen=True)
class Step:
    """One thing that happens; `fact` and `pick` say to which fact or record."""

    verb: Verb
    fact: int
    pick: int
    kind: str


@dataclass(frozen=True)
class Forget:
    """Somebody forgets a record of a kind, with or without its sources."""

    target: Target
    pick: int
    include_source: bool


History = list[Step | Forget]
_PICKS = st.integers(0, 20)
STEPS = st.builds(
    Step,
    verb=st.sampled_from(Verb.__args__),  # type: ignore[attr-defined]
    fact=st.sampled_from(FACTS),
    pick=_PICKS,
    kind=st.sampled_from(TYPES),
)
FORGETS = st.builds(
    Forget,
    target=st.sampled_from(Target.__args__),  # type: ignore[attr-defined]
    pick=_PICKS,
    include_source=st.booleans(),
)
HISTORIES: st.SearchStrategy[History] = st.builds(
    lambda before, first, after, last: [*before, first, *after, *last],
    st.lists(STEPS, min_size=2, max_size=6),
    FORGETS,
    st.lists(STEPS, max_size=3),
    st.lists(FORGETS, max_size=2),
)


def word(fact: int) -> str:
    return f"zeta{fact}{fact}{fact}"


def statement(fact: int) -> str:
    return f"The combination of locker {fact} is {word(fact)}"


def note(fact: int, kind: str = "fact") -> str:
    """Words from which the model concludes two things; or, of a goal, what a memory says now."""
    return f"Well, the Badger code {fact} is {word(fact)}, file it as a {kind} of Wombat, will you?"


def script() -> ScriptedModel:
    """A model that concludes in other words, sums up, and derives, from just what it is shown."""
    answer = answers(extract=reader(_reads), episode=_sums_up, concept=_derives, day=_tells)
    return ScriptedModel(
        answer=lambda asked: fails(500) if UNHEARD in asked.text else answer(asked)
    )


def _reads(n: int, who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = _NOTED.search(text)
    if who != "user" or found is None:
        return []
    fact = int(found[1])
    content = CODE.format(word=word(fact))
    others = [one["id"] for one in known if one["predicate"] in _PREDICATES - {f"code {fact}"}]
    if "as a goal" in text and others:
        change: dict[str, Any] = {"op": "UPDATE", "id": others[0], "reason": "change"}
        return [{**change, "content": content, "quote": found[0], "turn": n}]
    kind = next(kind for kind in TYPES if f"as a {kind}" in text)
    code = {
        "subject": "Badger",
        "predicate": f"code {fact}",
        "entities": _named("Badger", "Wombat"),
    }
    wish = {"subject": "Wombat", "predicate": f"wish {fact}", "entities": _named("Wombat")}
    sure = {"type": kind, "confidence": 0.95}
    wished = _WISHED.search(text)
    return [
        add(found[0], n, content, **code, **sure),
        *([add(wished[0], n, WISH.format(fact=fact), **wish, **sure)] if wished else ()),
    ]


_PREDICATES = {f"code {fact}" for fact in FACTS}


def _named(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "kind": "other"} for name in names]


def _words_in(asked: Asked) -> str:
    return " and ".join(dict.fromkeys(re.findall(r"zeta\d+", asked.text)))


def _sums_up(asked: Asked) -> object:
    found = _NOTED.search(asked.text) or re.search(r"zeta\d+", asked.text)
    if found is None:
        return {"summary": ""}
    quotes = [{"turn": n, "quote": found[0]} for n in range(1, 9)]
    return {"summary": f"They spoke of {_words_in(asked)}", "quotes": quotes}


def _derives(asked: Asked) -> object:
    shown = shown_in(asked)
    quotes = [{"memory": one["number"], "quote": one["memory"]} for one in shown[:2]]
    content = f"Badger has several codes such as {_words_in(asked)}"
    return {"action": "CONCEPT", "name": "Badger", "content": content, "quotes": quotes}


def _tells(asked: Asked) -> object:
    return {"sentences": [f"A day about {_words_in(asked)}."]}


class Player:
    """Plays a history to an opened memory."""

    def __init__(self, m: Memoria, folder: Path) -> None:
        self.m = m
        self.folder = folder
        self.days = 0

    @property
    def settings(self) -> Settings:
        return self.m.settings

    async def begin(self) -> None:
        """The same beginning for all: three conversations, and a night that derives from them."""
        for fact in BASE:
            await self._say(note(fact), f"base {fact}")
        await self._night()

    async def take(self, step: Step) -> None:
        match step.verb:
            case "say" | "say unheard" | "say by rule":
                await self._say_as(step)
            case "edit":
                await self._edit(step)
            case "remember":
                await self._remember(step)
            case "correct":
                await self._correct(step)
            case "write by hand":
                await self._write_by_hand(step)
            case "import":
                await self._import(step)
            case "retype":
                await self._retype(step)
            case "night":
                await self._night()
            case "undo":
                await self._undo()

    async def _say_as(self, step: Step) -> None:
        texts = {
            "say": note(step.fact, step.kind),
            "say unheard": f"{note(step.fact)} {UNHEARD}",
            "say by rule": f"I prefer {word(step.fact)} tea to coffee.",
        }
        await self._say(texts[step.verb], f"{step.verb} {step.pick % 2}")

    async def _say(self, text: str, session: str, message_id: str | None = None) -> None:
        first: dict[str, object] = {"role": "user", "content": text, "message_id": message_id}
        turns = [first]
        if message_id is None:
            turns.append({"role": "assistant", "content": "I see."})
            turns.append({"role": "user", "content": "Thanks."})
        await self.m.record_conversation(turns, "session_end", session_id=session)
        await self.m.wait_until_idle(60)

    async def _edit(self, step: Step) -> None:
        """A message, and then the same message with other words."""
        name = f"m{step.pick}"
        await self._say(note(step.fact, step.kind), "edits", name)
        await self._say(note((step.fact + 1) % len(FACTS), step.kind), "edits", name)

    async def _remember(self, step: Step) -> None:
        turns = await self.turns()
        rests = step.pick % 2 and turns
        turn_id = turns[step.pick % len(turns)].id if rests else None
        try:
            await self.m.remember(statement(step.fact), type=step.kind, turn_id=turn_id)
        except ForgottenError:
            return

    async def _correct(self, step: Step) -> None:
        found = [one for one in await memories(self.m) if one.validity == "active"]
        if not found:
            return
        memory = found[step.pick % len(found)]
        try:
            await self.m.revise_memory(memory.id, "correct", statement(step.fact))
        except (ForgottenError, InvalidInputError):
            return

    async def _write_by_hand(self, step: Step) -> None:
        """A new line in a core file, and a changed one, that the next night reads."""
        with opened_files(self.settings) as files:
            text = (files.read("MEMORY.md") or b"").decode()
        if "## Rules\n" not in text:
            return
        text = text.replace("## Rules\n", f"## Rules\n- {statement(step.fact)}\n")
        if step.pick % 2:
            text = text.replace("uses zeta", "often uses zeta", 1)
        write_text(self.settings, "MEMORY.md", text)
        await self._night("core")

    async def _import(self, step: Step) -> None:
        file = self.folder / f"import{step.pick}.jsonl"
        file.write_text(
            f'{{"role": "user", "content": "{note(step.fact, step.kind)}"}}\n'
            '{"role": "assistant", "content": "I see."}\n'
            f'{{"role": "user", "content": "Yes: {statement(step.fact)}."}}\n',
            "utf-8",
        )
        files = find_transcripts([file], FORMATS["jsonl"])
        await Importer(self.m, FORMATS["jsonl"], files, lambda *_: None, BY_PATH).run()
        file.unlink()
        await self.m.wait_until_idle(60)

    async def _retype(self, step: Step) -> None:
        """Give a conclusion a type that an earlier version let a model propose."""
        found = [one for one in await memories(self.m) if one.current.inferred_by == "model"]
        covered = [one for one in found if one.type in TYPES]
        if covered:
            retype(self.m, covered[step.pick % len(covered)], "episode")

    async def _night(self, *steps: str) -> None:
        self.days += 1
        ahead = self.days * DAY_MS

        def run() -> None:
            with use_clock(lambda: system_millis() + ahead):
                nightly.run_nightly(self.settings, steps)

        await anyio.to_thread.run_sync(run)

    async def _undo(self) -> None:
        """Undo the last night, as far as what was forgotten since lets it be undone."""
        runs = await anyio.to_thread.run_sync(nightly.list_runs, self.settings, 10)
        done = next((run for run in runs if run.state == "finished"), None)
        if done is not None:
            await anyio.to_thread.run_sync(
                nightly.undo_nightly, self.settings, done.id, lambda _: None
            )

    async def turns(self) -> list[StoredTurn]:
        """Every version of every turn."""
        with self.m._store.read(self.m.tenant) as tx:  # noqa: SLF001
            return list(tx.conversations.turns(tx.documents.page("turn", 0, 10_000)).values())

    async def choose(self, forget: Forget) -> str | None:
        """The id of a record of the kind; None where there is none."""
        found = await memories(self.m)
        turns = await self.turns()
        derived = [one for one in found if one.versions[-1].provenance.channel == "night"]
        kinds: dict[Target, list[Memory] | list[StoredTurn]] = {
            "memory": found,
            "turn": [turn for turn in turns if turn.current],
            "old turn": [turn for turn in turns if not turn.current],
            "old wording": [one for one in found if len(one.versions) > 1],
            "episode": [one for one in found if one.type == "episode"],
            "concept": [one for one in derived if one.type == "concept"],
            "habit": [one for one in derived if one.type != "concept"],
        }
        candidates = kinds[forget.target] or found or turns
        return candidates[forget.pick % len(candidates)].id if candidates else None


def retype(m: Memoria, memory: Memory, kind: str) -> None:
    """Give a memory another type, as an earlier version let a model do."""
    with m._store.write(m.tenant) as tx:  # noqa: SLF001
        any_connection_of(tx).execute(
            "UPDATE memories SET type = ? WHERE id = ?", (kind, memory.id)
        )
