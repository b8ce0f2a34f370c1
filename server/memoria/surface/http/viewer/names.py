"""Names: people, places and things that memories speak of, and a picture of what is around."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from memoria.model.operation import EntityKind
from memoria.model.provenance import Namesakes
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.picture import draw_neighbourhood
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    sentence,
)

PATH = f"{ROOT}/names"
KINDS: Mapping[EntityKind, str] = {
    "person": sentence("person"),
    "organisation": sentence("organisation"),
    "place": sentence("place"),
    "product": sentence("product"),
    "event": sentence("event"),
    "other": sentence("thing"),
}
_ON_PAGE = 40


class NamesWish(Wish):
    """Names to list, and the place after which they begin."""

    begins: str = ""
    """Beginning of a name, whatever its letter case."""
    project: str = EVERYWHERE
    after: str | None = None


class NameWish(Wish):
    """A name, an alias or an id, and the project from which it is asked for."""

    name: str
    project: str = EVERYWHERE


class KinWish(Wish):
    """Two people, places or things, each by a name or an id."""

    name: str
    other: str


async def show_names(visit: Visit, wish: NamesWish) -> Filled:
    """List names in their order."""
    page = await visit.ask_from(wish.project).graph.list_names(
        wish.begins, after=wish.after, limit=_ON_PAGE
    )
    query = {"begins": wish.begins, "project": wish.project, "after": page.after or ""}
    return Filled(
        "names.html",
        {
            "page": page,
            "wish": wish,
            "next": f"{PATH}?{urlencode(query)}" if page.after else None,
            "projects": await visit.memory.told.list_projects(),
            "kinds": KINDS,
        },
    )


async def show_name(visit: Visit, wish: NameWish) -> Filled:
    """Show what is known of a name, or who goes by it."""
    graph = visit.ask_from(wish.project).graph
    found = await graph.read_neighbourhood(wish.name)
    if isinstance(found, Namesakes):
        return Filled("namesakes.html", {"found": found, "kinds": KINDS})
    return Filled(
        "name.html",
        {
            "found": found,
            "kin": await graph.find_kin(found.entity.id),
            "picture": draw_neighbourhood(found),
            "kinds": KINDS,
            "say": phrases,
        },
    )


async def join(visit: Visit, wish: KinWish) -> Done:
    """Join two: who is asked for by one name is found by both."""
    await visit.ask_from(EVERYWHERE).graph.join(wish.name, wish.other)
    return Done(
        _lead_to(wish.name), "They are one. Take it back: below, with the button that parts them."
    )


async def part(visit: Visit, wish: KinWish) -> Done:
    """Part two, and propose no more that they are one."""
    await visit.ask_from(EVERYWHERE).graph.part(wish.name, wish.other)
    return Done(
        _lead_to(wish.name),
        "They are two, and are not proposed again. Take it back: the page of either name joins "
        "them.",
    )


def _lead_to(name: str) -> str:
    return f"{PATH}/{quote(name, safe='')}"


AREA = Area(
    pages=(
        PageRow(PATH, "names", "Names", NamesWish, show_names, menu="first"),
        PageRow(
            f"{PATH}/{{name:path}}",
            "name",
            "Name",
            NameWish,
            show_name,
            example={"name": "Xochipilli-4410aa"},
        ),
    ),
    actions=(
        Action(f"{PATH}/join", "join_entities", KinWish, join),
        Action(f"{PATH}/part", "part_entities", KinWish, part),
    ),
)
