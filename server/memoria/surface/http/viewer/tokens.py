"""Tokens: who reaches this memory over HTTP, a new one with what to paste, and an end to one."""

from typing import Annotated, Literal

from pydantic import Field

from memoria.app.open_home import in_thread
from memoria.errors import InvalidInputError, quote_value
from memoria.memories.details import read_end
from memoria.model import now_millis
from memoria.model.access import Access
from memoria.surface.cli.client_blocks import name_server, write_blocks
from memoria.surface.http.callers import find_token
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

PATH = f"{ROOT}/tokens"
_MOST_ENDED = 50
"""Tokens shown of those that open nothing any more, newest first."""
_VISIT = "viewer"
"""Label of the links that `memoria ui` makes."""


class NewTokenWish(Wish):
    """A token to be created."""

    access: Literal["read", "write", "forget", "admin"] = "write"
    label: Annotated[str, Field(max_length=100)] = ""
    expires: str = "90d"


class TokenWish(Wish):
    """A token, by its id."""

    token_id: Annotated[str, Field(min_length=1)]


async def show_tokens(visit: Visit, _wish: Wish) -> Filled:
    """Show all tokens, those that hold first, visits among them named as such."""
    now = now_millis()
    tokens = [*reversed(await visit.memory.tokens.list())]
    ended = [(one, False) for one in tokens if not one.holds(now)]
    listed = [*((one, True) for one in tokens if one.holds(now)), *ended[:_MOST_ENDED]]
    return Filled(
        "tokens.html",
        {
            "tokens": listed,
            "left_out": max(0, len(ended) - _MOST_ENDED),
            "visit_label": _VISIT,
            "own": find_token(visit.request).client_id,
            "levels": [one.value for one in Access],
        },
    )


async def create_token(visit: Visit, wish: NewTokenWish) -> Filled:
    """Create a token, and show it this once, with what is pasted into each client."""
    try:
        end = read_end(wish.expires, now_millis(), visit.memory.settings.zone)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{quote_value(wish.expires)} is no day to come. Give how long the token holds, such "
            "as 90d, or its last day, such as 2027-01-31, or permanent."
        ) from error
    made = await visit.memory.tokens.create(Access(wish.access), wish.label, end.at)
    url = str(visit.request.base_url)
    return Filled(
        "token_created.html",
        {
            "made": made,
            "server": name_server(url),
            "blocks": await in_thread(lambda: write_blocks(url, made.text)),
        },
        title=sentence("A new token"),
    )


async def revoke_token(visit: Visit, wish: TokenWish) -> Done:
    """End a token at once."""
    ended = await visit.memory.tokens.revoke(wish.token_id)
    return Done(
        PATH,
        "The token {name} opens nothing any more. This can't be taken back; create another.",
        {"name": ended.label or ended.id[-8:]},
    )


AREA = Area(
    (PageRow(PATH, "tokens", "Tokens", Wish, show_tokens, Access.ADMIN, "more"),),
    (
        Action(f"{PATH}/create", "create token", NewTokenWish, create_token, Access.ADMIN),
        Action(f"{PATH}/revoke", "revoke token", TokenWish, revoke_token, Access.ADMIN),
    ),
)
