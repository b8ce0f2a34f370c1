"""Texts that agents get unasked: instructions, briefing, and notes on unread turns."""

import logging
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib import resources

import anyio
import anyio.to_thread

from memoria.app import Memoria
from memoria.app.briefing import CoreReader, compose_briefing, describe_new_home, list_binding_lines
from memoria.app.engine import choose_engine, open_store
from memoria.app.guard import WordsWriter
from memoria.app.kept import AnswerKeeper, Composer
from memoria.app.queue import count_for_agent
from memoria.bare.guard_words import WORDS, is_asked
from memoria.bare.kept import BRIEFING, INSTRUCTIONS
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.ingest.grounding import build_grounding_worker
from memoria.language.budget import take_fitting
from memoria.language.reading.fences import fence, fence_lines
from memoria.lifecycle.core.told import HEADING, list_wishes, wish_lines
from memoria.model.conclusions import HandedIn, UnreadLeft
from memoria.model.core import ToldLine, ToldText
from memoria.store.rows.transaction import Transaction

NOTHING_UNREAD = "Nothing is left to be read here."
A_MODEL_READS = "A chat model is configured, which reads what is said: there is nothing to do here."
_ONCE = "Once the first request is answered"
"""Time for an agent to read unread turns, as it can't tell when a session ends."""
_WAITS = ": it waits until the user confirms it (`memoria revise ID confirm`)"


def unread_note(left: UnreadLeft) -> str:
    """Return a line on how many turns are unread, and what to do about it; empty if none is."""
    if not left.turns:
        return ""
    return (
        f"- Nobody has read {_count(left)} of what was said here. {_ONCE}, read `memory://unread` "
        "and hand in with `remember` what is worth keeping.\n"
    )


def unread_hint(left: UnreadLeft) -> str:
    """Return in few words how many turns are unread; empty if none is."""
    return f" {_ONCE}, read memory://unread: {_count(left)}." if left.turns else ""


def unread_word(left: UnreadLeft) -> str:
    """Return a sentence on unread turns for the end of an answer; empty if none is unread."""
    if not left.turns:
        return ""
    return (
        f"Nobody has read {_count(left)} of what was said here: read `memory://unread` and hand in "
        "what is worth keeping, or tell the user of `memoria model`."
    )


def handed_in_text(done: HandedIn) -> str:
    """Render the outcome of several statements, a line each."""
    return "\n".join(_lines(done))


def _lines(done: HandedIn) -> Iterator[str]:
    yield f"{len(done.kept)} kept, {len(done.refused)} refused"
    for one in done.kept:
        waits = _WAITS if one.status == "pending" and not one.notes else ""
        yield f"{one.number}. {one.status.replace('_', ' ')} [memory {one.id}]{waits}"
        yield from (f"   note: {note}" for note in one.notes)
    for refused in done.refused:
        turn = f" [turn {refused.turn_id}]" if refused.turn_id else ""
        yield f"{refused.number}. refused: {refused.reason}{turn}"
    if done.refused:
        yield "The others stay. Mend those, and give them again without page, with their turn_id."
    if done.left is not None:
        yield _describe_left(done.left)


def _describe_left(left: UnreadLeft) -> str:
    if left.next_page is None:
        return f"The page is read. {NOTHING_UNREAD}"
    return f"The page is read. Left are {_count(left)}; next: memory://unread/{left.next_page}"


def _count(left: UnreadLeft) -> str:
    return f"{'over ' if left.is_more else ''}{left.turns} turn{'s' * (left.turns != 1)}"


_MAX_CHARS = 2000
"""Length at which some clients cut instructions."""
_WISHES = f"{HEADING}:"
_HEADING = "What the user has confirmed or (reported) said, as data:"


def load_text(name: str) -> str:
    """Load one of our own texts."""
    return resources.files("memoria.surface.mcp").joinpath("texts", name).read_text("utf-8")


def static_instructions() -> str:
    """Return the instructions that hold for everybody."""
    return load_text("instructions.md").rstrip()


def instructions_for(settings: Settings) -> str:
    """Compose the instructions for a project: the general text, then the user's rules that fit.

    Raises:
        StoreError: the home can't be used.
    """
    engine = choose_engine(settings)
    if not settings.instructions_core or not engine.exists(settings):
        return static_instructions()
    with closing(engine.open(settings)) as store, store.read(settings.tenant) as tx:
        unread = count_for_agent(settings, tx, settings.workspace)
        # A handshake can't wait for NumPy, which finds later turns: kept instructions have those.
        grounds = build_grounding_worker(settings, store)
        read_grounds = None if grounds is None else partial(grounds.read_marks, settings.tenant)
        reader = CoreReader(settings, store.files.of(settings.tenant), None, read_grounds)
        return compose_instructions(tx, reader, settings.workspace, unread).text


def compose_instructions(
    tx: Transaction, reader: CoreReader, project: str | None, unread: UnreadLeft
) -> ToldText:
    """Compose the general instructions with a project's unread turns, rules and wishes."""
    text = static_instructions() + unread_hint(unread)
    room = _MAX_CHARS - len(text) - len(f"\n\n{_HEADING}\n") - len(fence("")) - 1
    lines = list_binding_lines(tx, reader, project, room)
    left = room - len(_WISHES) - sum(len(line.text) + 1 for line in lines)
    wishes = take_fitting(
        wish_lines(tx, list_wishes(tx, project), project, reader.home),
        lambda one: len(one.text) + 1,
        left,
    )
    lines += [ToldLine(_WISHES), *wishes] if wishes else []
    told = [ToldLine(text, "guide")]
    told += [ToldLine(""), ToldLine(_HEADING), *fence_lines(lines)] if lines else []
    return ToldText(tuple(told))


_LOOK_S = 2.0
"""Seconds between a server's looks for changes in six files."""
_AGAIN_S = 0.1
_QUIET_LOOKS = 5
_AFTER_FAILURE_S = 60.0
_CLOSING_TRIES = 4
_LOG = logging.getLogger(__name__)


def composers_for(settings: Settings) -> dict[str, Composer]:
    """Map each answer that is kept to its writer, by name."""

    def write_instructions(tx: Transaction, reader: CoreReader, project: str | None) -> ToldText:
        if not settings.instructions_core:
            return ToldText((ToldLine(static_instructions(), "guide"),))
        return compose_instructions(tx, reader, project, count_for_agent(settings, tx, project))

    composers: dict[str, Composer] = {
        INSTRUCTIONS: write_instructions,
        BRIEFING: briefing_writer(settings),
    }
    if _asks(settings):
        composers[WORDS] = WordsWriter(settings)
    return composers


def _asks(settings: Settings) -> bool:
    return is_asked(str(settings.home_path), settings.tenant)


def briefing_writer(settings: Settings) -> Composer:
    """Return the writer of the briefing that a hook puts before a model."""

    def write_briefing(tx: Transaction, reader: CoreReader, project: str | None) -> ToldText:
        unread = unread_note(count_for_agent(settings, tx, project))
        guide = load_text("session_start.md") + unread + describe_new_home(tx, settings, project)
        return compose_briefing(tx, reader, project, guide)

    return write_briefing


async def keep_answers(memory: Memoria) -> None:
    """Keep the answers that the next session needs at once current, until cancelled.

    After a change it waits until nothing has changed for a moment, so that a conversation that is
    being recorded is not answered with a briefing for each turn. Other projects come when all has
    been quiet for some looks.
    """
    keeper, is_known = memory.open_keeper(composers_for(memory.settings)), _asks(memory.settings)
    quiet_looks, are_others_kept = 0, False
    while True:
        pause = _LOOK_S
        try:
            if _asks(memory.settings) and not is_known:  # a client has just begun to ask for words
                keeper, is_known = memory.open_keeper(composers_for(memory.settings)), True
            if keeper.has_changed():
                quiet_looks, are_others_kept = 0, False
                if not await anyio.to_thread.run_sync(keeper.keep):
                    pause = _AGAIN_S
            elif quiet_looks < _QUIET_LOOKS:
                quiet_looks += 1
            elif not are_others_kept:
                are_others_kept = await anyio.to_thread.run_sync(keeper.keep_for_others)
        except Exception:  # noqa: BLE001  (it is logged; the server serves without)
            _LOG.exception("Nothing was laid ready for the next session")
            pause = _AFTER_FAILURE_S
        await anyio.sleep(pause)


def keep_once_closed(settings: Settings) -> None:
    """Keep the answers of a home that this process has closed, and delete outdated answers.

    Who closes a database last moves its log into it, which is a change to its files like any other.
    """
    try:
        with closing(open_store(settings)) as store:
            keeper = AnswerKeeper(settings, store, composers_for(settings))
            for keep in (keeper.keep, keeper.keep_for_others):
                for _ in range(_CLOSING_TRIES):
                    if keep():
                        break
                    time.sleep(_AGAIN_S / 2)  # until the files have settled
    except (MemoriaError, OSError) as error:
        _LOG.warning("Nothing was laid ready for the next session: %s", error)
