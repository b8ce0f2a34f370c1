"""Review: what waits for the user's word, by key, and contradictions side by side."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from pydantic import Field

from memoria.model import Entity, StoredTurn
from memoria.model.provenance import WaitingItem
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.changes import find_last_change
from memoria.surface.http.viewer.names import KINDS
from memoria.surface.http.viewer.quotes import mark_quotes
from memoria.surface.http.viewer.table import ROOT, Action, Area, Done, Filled, PageRow, Visit, Wish

PATH = f"{ROOT}/review"
_ON_PAGE = 20
_CONTRADICTIONS, _PROPOSALS = 20, 10
_LONGEST = 1_000
"""Longest name of a project, in characters, that a page is asked for."""
_Id = Annotated[str, Field(max_length=100)]


class ReviewWish(Wish):
    """Part of the list to show, and the last thing that was done."""

    project: str = EVERYWHERE
    before: str | None = None
    """Id of the memory after which the list of what is to be confirmed goes on."""
    undo: str | None = None
    """Id of the change that was just made."""
    both: str | None = None
    """Ids, with a colon between, of two memories of which was just said that both hold."""
    aside: str | None = None
    """Id of the turn whose words were just set aside."""
    one: str | None = None
    """Ids, with a colon between, of two entities that were just joined."""


class PlaceWish(Wish):
    """The place in the list to go back to."""

    project: Annotated[str, Field(max_length=_LONGEST)] = EVERYWHERE
    before: _Id | None = None
    next: _Id | None = None
    """Name of the item that comes after."""


class SettleWish(PlaceWish):
    """A word on a memory."""

    memory_id: str
    action: Literal["archive", "confirm", "correct", "project"]
    content: str | None = None
    """With `correct` the new wording."""


class ChoiceWish(PlaceWish):
    """The choice of one of several memories that cannot all be true."""

    memory_id: str


class PairWish(PlaceWish):
    """A word on two memories."""

    memory_id: _Id
    other_id: _Id


class WordsWish(PlaceWish):
    """A word on the user's own words."""

    turn_id: _Id


class NamesakesWish(PlaceWish):
    """A word on two people, places or things of one name."""

    name: _Id
    other: _Id


async def show_review(visit: Visit, wish: ReviewWish) -> Filled:
    """Show what waits for the user's word."""
    memory = visit.ask_from(wish.project)
    pending = await memory.provenance.page_pending(_ON_PAGE, wish.before)
    contradicted = await memory.provenance.page_contradicted(_CONTRADICTIONS)
    quotes = await memory.provenance.list_quotes()
    proposals = await memory.graph.list_proposals(_PROPOSALS)
    moved = await memory.list_moved(_ON_PAGE)
    items = list(_name_items(pending.items, contradicted.items, quotes, proposals))
    return Filled(
        "review.html",
        {
            "pending": pending,
            "contradicted": contradicted,
            "quotes": quotes,
            "proposals": proposals,
            "moved": moved,
            "is_empty": not (items or moved or wish.before),
            "following": dict(zip_longest(items, items[1:], fillvalue="")),
            "older": _write_path(wish, before=pending.after) if pending.after else None,
            "newest": _write_path(wish) if wish.before else None,
            "projects": await visit.memory.told.list_projects(),
            "wish": wish,
            "here": {"project": wish.project, **({"before": wish.before} if wish.before else {})},
            "back": _write_path(wish, before=wish.before),
            "pair": (wish.both or "").split(":"),
            "joined": (wish.one or "").split(":"),
            "say": phrases,
            "kinds": KINDS,
            "mark": mark_quotes,
        },
    )


def _name_items(
    pending: Sequence[WaitingItem],
    contradicted: Sequence[WaitingItem],
    quotes: Sequence[StoredTurn],
    proposals: Sequence[tuple[Entity, Entity]],
) -> Iterator[str]:
    """Yield the names of all items, in the order of the page."""
    yield from (one.subject.memory.id for one in (*pending, *contradicted))
    yield from (turn.id for turn in quotes)
    yield from (f"{one.id}-{other.id}" for one, other in proposals)


async def settle(visit: Visit, wish: SettleWish) -> Done:
    """Confirm, correct or archive a memory, or have it seen in its project alone."""
    changed = await visit.memory.revise_memory(wish.memory_id, wish.action, wish.content)
    if changed.is_unchanged:
        return Done(_go_on(wish), "Nothing was changed: it was so already.")
    path = _go_on(wish, undo=await find_last_change(visit.ask_from(EVERYWHERE), changed.id))
    match wish.action:
        case "archive":
            return Done(path, "Rejected: it counts no more, and stays on record, archived.")
        case "confirm":
            return Done(path, "Confirmed: it counts as your own word.")
        case "correct":
            return Done(path, "Corrected: the new wording counts as your own word.")
        case "project":
            return Done(path, "Agents are told it in its project alone.")


async def keep_one(visit: Visit, wish: ChoiceWish) -> Done:
    """Confirm one of several memories that cannot all be true; the others give way to it."""
    changed = await visit.memory.revise_memory(wish.memory_id, "confirm")
    path = _go_on(wish, undo=await find_last_change(visit.ask_from(EVERYWHERE), changed.id))
    if (await visit.ask_from(EVERYWHERE).get_memory(changed.id)).contradicts:
        return Done(
            path,
            "Kept, for its project. Other projects are told the other one too, so it stays: "
            "archive it on its page, or have each seen in its project alone.",
        )
    return Done(path, "Kept: it counts as your own word, and takes the place of the other.")


async def hold_both(visit: Visit, wish: PairWish) -> Done:
    """Note that two memories are both true."""
    await visit.memory.set_contradiction(wish.memory_id, wish.other_id, contradict=False)
    path = _go_on(wish, both=f"{wish.memory_id}:{wish.other_id}")
    return Done(path, "Both hold: they are not set against each other again as they are worded.")


async def contradict(visit: Visit, wish: PairWish) -> Done:
    """Note that two memories cannot both be true."""
    await visit.memory.set_contradiction(wish.memory_id, wish.other_id, contradict=True)
    return Done(_go_on(wish), "Taken back: the two contradict each other again.")


async def separate(visit: Visit, wish: PairWish) -> Done:
    """Have each of two memories seen in its project alone."""
    for memory_id in (wish.memory_id, wish.other_id):
        await visit.memory.revise_memory(memory_id, "project")
    return Done(
        _go_on(wish), "Agents are told each in its project alone. Changes has both, to take back."
    )


async def keep_quote(visit: Visit, wish: WordsWish) -> Done:
    """Make a memory of the user's words, in the project in which they were said."""
    turn = (await visit.memory.get_turn(wish.turn_id, context=0)).turn
    memory = visit.ask_from(turn.workspace)
    kept = await memory.remember(turn.content, turn_id=turn.id)
    path = _go_on(wish, undo=await find_last_change(visit.ask_from(EVERYWHERE), kept.id))
    return Done(path, "Kept as a memory, which is told in place of the quoted words.")


async def set_aside(visit: Visit, wish: WordsWish) -> Done:
    """Have the user's words told no more."""
    await visit.memory.set_quote_aside(wish.turn_id)
    path = _go_on(wish, aside=wish.turn_id)
    return Done(path, "Agents are told these words no more. They stay a turn that a search finds.")


async def tell_again(visit: Visit, wish: WordsWish) -> Done:
    """Have the user's words told again."""
    await visit.memory.tell_quote_again(wish.turn_id)
    return Done(_go_on(wish), "Agents are told these words again.")


async def join(visit: Visit, wish: NamesakesWish) -> Done:
    """Join two of one name: who is asked for by one is found by both."""
    await visit.ask_from(EVERYWHERE).graph.join(wish.name, wish.other)
    path = _go_on(wish, one=f"{wish.name}:{wish.other}")
    return Done(path, "They are one: who is asked for by one name is found by both.")


async def part(visit: Visit, wish: NamesakesWish) -> Done:
    """Part two, and propose no more that they are one."""
    await visit.ask_from(EVERYWHERE).graph.part(wish.name, wish.other)
    return Done(
        _go_on(wish),
        "They are two, and are not proposed again. Take it back: the page of either name joins "
        "them.",
    )


def _write_path(wish: ReviewWish | PlaceWish, **more: str | None) -> str:
    project = None if wish.project == EVERYWHERE else wish.project
    query = {name: one for name, one in {"project": project, **more}.items() if one}
    return f"{PATH}?{urlencode(query)}" if query else PATH


def _go_on(wish: PlaceWish, **done: str | None) -> str:
    """Return the path of the list, at the item after the one that was settled."""
    path = _write_path(wish, before=wish.before, **done)
    return f"{path}#item-{quote(wish.next, safe='')}" if wish.next else path


_MEMORY = {"memory_id": EXAMPLE_IDS["memory"]}
AREA = Area(
    pages=(PageRow(PATH, "review", "Review", ReviewWish, show_review, menu="first"),),
    actions=(
        Action(
            f"{PATH}/settle", "settle", SettleWish, settle, example={**_MEMORY, "action": "confirm"}
        ),
        Action(f"{PATH}/keep", "keep_one", ChoiceWish, keep_one, example=_MEMORY),
        Action(
            f"{PATH}/both",
            "hold_both",
            PairWish,
            hold_both,
            example={**_MEMORY, "other_id": EXAMPLE_IDS["outdated"]},
        ),
        Action(
            f"{PATH}/contradict",
            "contradict",
            PairWish,
            contradict,
            example={**_MEMORY, "other_id": EXAMPLE_IDS["outdated"]},
        ),
        Action(f"{PATH}/separate", "separate", PairWish, separate),
        Action(
            f"{PATH}/keep-quote",
            "keep_words",
            WordsWish,
            keep_quote,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        Action(
            f"{PATH}/aside",
            "set_words_aside",
            WordsWish,
            set_aside,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        Action(
            f"{PATH}/again",
            "tell_words_again",
            WordsWish,
            tell_again,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        Action(f"{PATH}/join", "join_names", NamesakesWish, join),
        Action(f"{PATH}/part", "part_names", NamesakesWish, part),
    ),
)
