"""Pages and actions of the viewer: a row of either table, and whoever visits."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import ConfigDict
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import Response

from memoria.app import Memoria
from memoria.model import Channel, Trust
from memoria.model.access import Access
from memoria.model.base import Value
from memoria.model.query import build_query
from memoria.surface.http.events import Listening
from memoria.surface.http.rest.reading import list_forms, read_fields

ROOT = "/ui"
"""Path of the first page; those of all others begin with it."""
VIEWER = Channel(name="viewer", trust=Trust.USER)
"""Channel of what is done in the viewer."""
Language = Literal["en", "zh"]
_LONGEST_PATH = 4_000
"""Longest path, with its query, that a redirection may have."""


class Wish(Value):
    """Arguments of a page or an action: what the path names, and the query's or the form's."""

    model_config = ConfigDict(strict=True)


WishT = TypeVar("WishT", bound=Value)


def read_wish(
    kind: type[WishT], given: ImmutableMultiDict[str, str], in_path: Mapping[str, str]
) -> WishT:
    """Read arguments; a field that was left empty counts as not given.

    Raises:
        InvalidInputError: an argument is missing, unknown or out of bounds.
    """
    filled = ImmutableMultiDict([(name, one) for name, one in given.multi_items() if one])
    return build_query(kind, read_fields(list_forms(kind), filled) | dict(in_path))


@dataclass(frozen=True, slots=True)
class Visit:
    """A person's visit: the memory it reaches, and how pages are written for it."""

    memory: Memoria
    """Memory stamped with the viewer; what is done there is done by the user."""
    access: Access
    request: Request
    language: Language
    csrf: str
    """Text that each form sends along, and no page of another site can know."""
    listening: Listening = field(default_factory=Listening)
    """What streams of events share."""
    may_do: Callable[[str], bool] = lambda _path: True
    """Returns whether the access allows the action at a path; forms of others are not shown."""

    @property
    def address(self) -> str:
        """Path and query as the browser asked for them."""
        scope = self.request.scope
        path: str = scope.get("raw_path", b"").decode("ascii", "replace") or scope["path"]
        query: str = scope["query_string"].decode("ascii", "replace")
        return f"{path}?{query}" if query else path

    def ask_from(self, project: str | None) -> Memoria:
        """Return the memory as a project sees it, `*` for all; the server's own for None."""
        return self.memory.with_channel(VIEWER, workspace=project)


def keep_within(path: str) -> str:
    """Return a path if it is one of the viewer's, or else that of the first page."""
    is_own = path == ROOT or path.startswith((f"{ROOT}/", f"{ROOT}?"))
    is_plain = path.isprintable() and "\\" not in path and len(path) <= _LONGEST_PATH
    return path if is_own and is_plain else ROOT


def sentence(text: str) -> str:
    """Mark an English sentence that a template translates, for the list of all that are."""
    return text


class Filled(NamedTuple):
    """A page to show: a template, and what it is filled with."""

    template: str
    """File name in `templates/`."""
    values: Mapping[str, object]
    status: int = 200
    title: str = "Look again"
    """English title, where an action shows the page; a page has its own."""


class Done(NamedTuple):
    """An action that was done: where to go, and what to say there."""

    path: str
    """Path of a page, such as `/ui/review`."""
    said: str
    """An English sentence that `texts/` translate, with `{name}` for each of the values."""
    values: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class PageRow(Generic[WishT]):
    """A page: where it is, what it takes, and what fills its template."""

    path: str
    """Path as Starlette reads it: `/ui/memories/{memory_id}`."""
    name: str
    title: str
    """English title, which `texts/` translate."""
    wish: type[WishT]
    load: Callable[[Visit, WishT], Awaitable[Filled | Response]]
    """Returns what is shown, or a whole answer where that is no page."""
    access: Access = Access.READ
    menu: Literal["first", "more"] | None = None
    """Place in the menu: always seen, or behind "More"; None for a page that others lead to."""
    example: Mapping[str, str] | None = None
    """Arguments for whoever opens all pages, with `EXAMPLE_IDS` of `rest/table.py` in them; None
    for none."""
    is_savable: bool = False
    """True if the page can be saved as a file to send."""


@dataclass(frozen=True, slots=True)
class Action(Generic[WishT]):
    """An action: where its form is sent, what it takes, and what it does.

    It returns where to go, or a page where the user has to look again, such as one whose text was
    changed meanwhile.
    """

    path: str
    name: str
    wish: type[WishT]
    do: Callable[[Visit, WishT], Awaitable[Done | Filled]]
    access: Access = Access.WRITE
    example: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """Pages and actions that belong together, in a module of their own."""

    pages: tuple[PageRow[Any], ...]
    actions: tuple[Action[Any], ...] = ()
