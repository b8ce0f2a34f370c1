"""A home in which something is learnt, forgotten, and tried to be brought back in every way.

`ORIGINS` are the ways in which a statement becomes a memory, `FORMS` the ways in which it is
forgotten, and `PATHS` the ways in which a text comes in afterwards.
"""

import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
from tests.forgetting.remains import remaining
from tests.ingest.play import add, answers, memories, reader, said
from tests.lifecycle.test_consolidate import shown_in
from tests.llm.scripted import Asked, ScriptedModel

from memoria import Memoria
from memoria.admin.importer import Importer
from memoria.app import nightly, project_of
from memoria.connectors.transcripts import FORMATS, find_transcripts
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import COMMAND_LINE, DAY_MS, Channel, Trust, system_millis, use_clock

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

MARKS = ("zeta4711", "zetavillage", "泽塔村4711")
"""One in each of the statements; whatever says a statement says its mark."""
ELSEWHERE = Channel(name="mcp", trust=Trust.REPORTED, client="another client")
OTHER = "The user's bicycle is green"


def mark_of(statement: str) -> str:
    return next(mark for mark in MARKS if mark in statement)


def say_otherwise(text: str) -> str | None:
    """What the scripted model concludes from a text: the mark, in words of its own."""
    found = next((mark for mark in MARKS if mark in text.lower()), None)
    return None if found is None else f"The Badger opens with {found}"


def script() -> ScriptedModel:
    """A model that tells whatever it is shown of a mark, in other words, on every question."""

    def reads(n: int, _who: str, text: str, _known: object) -> list[dict[str, Any]]:
        concluded = say_otherwise(text)
        return [add(text.strip(), n, concluded)] if concluded else []

    def sums_up(asked: Asked) -> object:
        concluded = say_otherwise(asked.text)
        if concluded is None:
            return {"summary": ""}
        quote = next((m for m in MARKS if m in asked.text), concluded)
        quotes = [{"turn": n, "quote": quote} for n in range(1, 9)]
        return {"summary": concluded, "quotes": quotes}

    def tells(asked: Asked) -> object:
        return {"sentences": [s] if (s := say_otherwise(asked.text)) else []}

    def derives(asked: Asked) -> object:
        shown = shown_in(asked)
        quotes = [{"memory": one["number"], "quote": one["memory"]} for one in shown[:2]]
        content = say_otherwise(asked.text) or "Several things are noted"
        return {"action": "CONCEPT", "name": "Notes", "content": content, "quotes": quotes}

    return ScriptedModel(
        answer=answers(extract=reader(reads), episode=sums_up, day=tells, concept=derives)
    )


class Comeback:
    """An opened home, and what was forgotten in it."""

    def __init__(self, m: Memoria, model: ScriptedModel, statement: str) -> None:
        self.m = m
        self.model = model
        self.statement = statement
        self.mark = mark_of(statement)
        self.count = 0

    @property
    def home(self) -> Path:
        return self.m.settings.home_path

    @property
    def backup(self) -> Path:
        """A backup of before anything was forgotten."""
        return self.home.parent / "before.zip"

    def next_name(self) -> str:
        self.count += 1
        return f"n{self.count}"

    async def turn(self, m: Memoria | None = None, **fields: object) -> None:
        """A turn of a conversation of its own, closed at once so that a model reads it."""
        name = self.next_name()
        await (m or self.m).record_conversation([fields], "session_end", session_id=name)

    async def night(self, *steps: str) -> None:
        ahead = (self.count + 1) * DAY_MS

        def run() -> None:
            with use_clock(lambda: system_millis() + ahead):
                nightly.run_nightly(self.m.settings, steps)

        await anyio.to_thread.run_sync(run)


Origin = Callable[[Comeback], Awaitable[None]]
Path_ = Callable[[Comeback, str], Awaitable[None]]


async def _by_remember(c: Comeback) -> None:
    await c.m.remember(c.statement)


async def _by_remember_with_turn(c: Comeback) -> None:
    receipt = await c.m.record_conversation([{"role": "user", "content": f"Well, {c.statement}."}])
    await c.m.remember(c.statement, turn_id=receipt.turns[0].id)


async def _by_rules(c: Comeback) -> None:
    lead = "请记住" if c.statement.startswith("我") else "Remember that "
    await said(c.m, f"{lead}{c.statement}.", session="origin")


async def _by_model(c: Comeback) -> None:
    await said(c.m, f"Hello there. {c.statement}. And then some.", session="origin")


async def _by_correction(c: Comeback) -> None:
    kept = await c.m.remember("The lock is new")
    await c.m.revise_memory(kept.id, "correct", c.statement)


async def _by_import(c: Comeback) -> None:
    await _import(c, c.statement)


ORIGINS: dict[str, Origin] = {
    "remembered": _by_remember,
    "remembered with its turn": _by_remember_with_turn,
    "read by rules": _by_rules,
    "concluded by a model": _by_model,
    "a correction": _by_correction,
    "imported": _by_import,
}


async def forget(c: Comeback, form: str) -> None:
    """Forget every memory of the statement in one of the `FORMS`."""
    found = [one for one in await memories(c.m) if c.mark in one.content]
    ids = [one.id for one in found]
    turns = [one.current.provenance.turn_id for one in found]
    turn_ids = [turn_id for turn_id in turns if turn_id]
    meant: dict[str, Any] = {"ids": ids}
    if form == "everything":
        meant = {"everything": True}
    elif form.startswith("turn") and turn_ids:
        meant = {"ids": turn_ids}
    elif form.startswith("topic"):
        meant = {"topic": c.mark}
    elif form.startswith("session") and turn_ids:
        found_turn = (await c.m.get_turn(turn_ids[0])).turn
        meant = {"session_id": found_turn.session_id}
    await c.m.forget_memory(**meant, include_source=is_erased(form) and form != "everything")
    await c.m.wait_until_idle(60)


def is_erased(form: str) -> bool:
    """Whether the record is to say it no more, either."""
    return form == "everything" or form.endswith("with its source")


FORMS = (
    *("memory", "memory with its source", "turn", "turn with its source"),
    *("session with its source", "topic", "everything"),
)


async def remember_around(c: Comeback) -> None:
    """Memories that are no part of it, which a night may derive something from."""
    for colour in ("green", "red", "blue"):
        await c.m.remember(f"The Badger's {colour} bicycle stands in the cellar")


async def _remember(c: Comeback, text: str) -> None:
    try:
        await c.m.remember(text)
    except (ForgottenError, InvalidInputError):
        return


async def _remember_as_user(c: Comeback, text: str) -> None:
    try:
        await c.m.with_channel(COMMAND_LINE).remember(text, type="rule")
    except (ForgottenError, InvalidInputError):
        return


async def _correct(c: Comeback, text: str) -> None:
    kept = await c.m.remember(OTHER)
    try:
        await c.m.revise_memory(kept.id, "correct", text)
    except (ForgottenError, InvalidInputError):
        return


async def _detail(c: Comeback, text: str) -> None:
    try:
        await c.m.remember("They meet at noon", task=text[:200], subject=text[:80])
    except (ForgottenError, InvalidInputError):
        return


async def _note(c: Comeback, text: str) -> None:
    for field in ("current_focus", "completed"):
        try:
            await c.m.update_scratchpad(session_id="pad", **{field: text})
        except (ForgottenError, InvalidInputError):
            continue


async def _say(c: Comeback, text: str) -> None:
    await c.turn(role="user", content=text)


async def _say_with_id(c: Comeback, text: str) -> None:
    await c.turn(role="user", content=text, message_id=c.next_name())


async def _say_elsewhere(c: Comeback, text: str) -> None:
    await c.turn(c.m.with_channel(ELSEWHERE), role="user", content=text, speaker="Ann")


async def _answer(c: Comeback, text: str) -> None:
    await c.turn(role="assistant", content=text)


async def _tool_result(c: Comeback, text: str) -> None:
    result = {"stdout": text, "code": 0}
    await c.turn(role="tool", content="", tool_name="cat", tool_result=result)


async def _tool_call(c: Comeback, text: str) -> None:
    await c.turn(role="tool", content="", tool_name="write", tool_args={"lines": ["a", text]})


async def _edit(c: Comeback, text: str) -> None:
    """A message of the conversation is edited to say it."""
    name = c.next_name()
    for content in ("What was it again", text):
        turn = {"role": "user", "content": content, "message_id": name}
        await c.m.record_conversation([turn], "session_end", session_id="edits")


async def _transcript(c: Comeback, text: str) -> None:
    """The transcript that held it, all of it, under another name."""
    name = c.next_name()
    turns = [
        {"role": "user", "content": "Hello there", "message_id": f"{name}a"},
        {"role": "user", "content": text, "message_id": f"{name}b"},
        {"role": "assistant", "content": "I see.", "message_id": f"{name}c"},
        {"role": "user", "content": "Thanks, that is all", "message_id": f"{name}d"},
    ]
    await c.m.record_conversation(turns, "session_end", session_id=name)


async def _import(c: Comeback, text: str) -> None:
    file = c.home.parent / f"{c.next_name()}.jsonl"
    pairs = [("user", text), ("assistant", "I see.")]
    at = "2026-05-01T10:00:00Z"
    lines = [{"role": role, "content": content, "at": at} for role, content in pairs]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    files = find_transcripts([file], FORMATS["jsonl"])
    await Importer(c.m, FORMATS["jsonl"], files, lambda *_: None, BY_PATH).run()
    file.unlink()
    await c.m.queue.fill()


PATHS: dict[str, Path_] = {
    "remember": _remember,
    "remember on the command line": _remember_as_user,
    "revise_memory": _correct,
    "the details of a memory": _detail,
    "the scratchpad": _note,
    "a turn": _say,
    "a message with an id": _say_with_id,
    "another client": _say_elsewhere,
    "the assistant": _answer,
    "a tool's result": _tool_result,
    "a tool's call": _tool_call,
    "an edited message": _edit,
    "the transcript again": _transcript,
    "an import": _import,
}


async def list_returns(c: Comeback, texts: list[str], *, erased: bool) -> list[str]:
    """What has come back: a line for each place in which it should not be.

    Args:
        c: the home.
        texts: what was brought in.
        erased: whether the record must not say it either.
    """
    returns = [f"memory: {one.content}" for one in await memories(c.m) if _says(c, one.content)]
    for question in (c.statement, c.mark, "What opens with the Badger?"):
        hits = (await c.m.search_memory(question, include_history=True)).hits
        returns += [f"hit: {hit.text}" for hit in hits if _says(c, hit.text)]
        package = (await c.m.build_context(question)).text.replace(question, "")
        returns += [f"context: {package}"] if _says(c, package) else []
    shown = [asked.text for asked in c.model.requests if _says(c, asked.text)]
    returns += [f"shown to the model: {text[-300:]}" for text in shown]
    if erased:
        wanted = {c.mark, *(line for text in texts for line in _telling_lines(c, text))}
        returns += [f"byte for byte: {found}" for found in remaining(c.home, wanted)]
    return returns


def _says(c: Comeback, text: str) -> bool:
    return c.mark in re.sub(r"[^\w]", "", text.lower())


def _telling_lines(c: Comeback, text: str) -> list[str]:
    """The lines of a text that are nothing but what was forgotten, as they are written."""
    return [line for line in text.splitlines() if _says(c, line)]
