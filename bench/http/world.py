"""Tenants who say things that carry their mark, ask about them, and must never see another mark."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import memoria
from memoria import Settings
from memoria.app.compose import open_home
from memoria.app.tokens import TokenService
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

PEOPLE = "Ann Ben Carla Dmitri Erin Farid Grace Hugo Ines Jun Kemal Lena".split()
THINGS = (
    "spare key|red bicycle|tax letter|camera|winter coat|passport|blue ladder|drill|violin|"
    "tent|router|piano stool|garden hose|sewing machine|suitcase|telescope"
).split("|")
PLACES = (
    "behind the third shelf|in the cellar|at Farid's flat|under the stairs|in the attic|"
    "next to the boiler|in the office|at the repair shop|in the garage|by the front door"
).split("|")
TOOLS = {
    "search_memory": 30,
    "search_conversation_traces": 30,
    "get_memory": 15,
    "remember": 10,
    "record_conversation": 15,
}
"""Tools, and how many of a hundred calls each has."""
_MARK = re.compile(r"xq(\d{4})qx")
_FOREIGN_ID_EVERY = 3
"""One of so many looks at a memory names that of another tenant, and must find none."""
_BATCH = 50


def mark_of(number: int) -> str:
    """The word that stands in every text of a tenant."""
    return f"xq{number:04}qx"


def find_foreign(number: int, text: str) -> set[str]:
    """The marks of other tenants in a text.

    >>> find_foreign(3, "xq0003qx and xq0004qx")
    {'0004'}
    """
    return set(_MARK.findall(text)) - {f"{number:04}"}


@dataclass(slots=True)
class Tenant:
    """A tenant, its token, and the memories it was told it has."""

    number: int
    name: str
    token: str
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: dict[str, object]
    must_fail: bool = False
    """True if it asks for what is another tenant's."""


class Talk:
    """What the clients of all tenants call, drawn by chance."""

    def __init__(self, tenants: list[Tenant], seed: int) -> None:
        self._tenants = tenants
        self._chance = random.Random(seed)  # noqa: S311  (nothing here is secret)
        self._said = 0

    def draw(self, tenant: Tenant) -> Call:
        """Draw the next call of a tenant's client."""
        chance = self._chance
        tool = chance.choices(list(TOOLS), list(TOOLS.values()))[0]
        if tool == "get_memory" and not tenant.ids:
            tool = "remember"
        match tool:
            case "remember":
                return Call(tool, {"content": self.say(tenant.number)})
            case "record_conversation":
                turn = {"role": "user", "content": self.say(tenant.number)}
                session = f"live {chance.randrange(4)}"
                return Call(tool, {"turns": [turn], "session_id": session})
            case "get_memory":
                return self._look(tenant)
            case _:
                return Call(tool, {"query": self.ask()})

    def _look(self, tenant: Tenant) -> Call:
        others = [one for one in self._tenants if one is not tenant and one.ids]
        if others and not self._chance.randrange(_FOREIGN_ID_EVERY):
            foreign = self._chance.choice(self._chance.choice(others).ids)
            return Call("get_memory", {"id": foreign}, must_fail=True)
        return Call("get_memory", {"id": self._chance.choice(tenant.ids)})

    def ask(self) -> str:
        """Draw a question that any tenant may ask."""
        return f"Where did {self._chance.choice(PEOPLE)} put the {self._chance.choice(THINGS)}?"

    def say(self, number: int) -> str:
        """Draw a statement that nobody has said before."""
        self._said += 1
        person, thing, place = map(self._chance.choice, (PEOPLE, THINGS, PLACES))
        return f"{person} put the {thing} {place}, note {self._said} {mark_of(number)}."


def settings_of(folder: Path, tenant: str, embedder: str, *, has_home_each: bool) -> Settings:
    """The settings of a tenant's home: its own, or the one of all."""
    place = {"homes": folder} if has_home_each else {"home": folder}
    return Settings.from_values(tenant=tenant, embedder=embedder, **place)


async def create_token(folder: Path, tenant: str, embedder: str, *, has_home_each: bool) -> str:
    """Create a token in a tenant's home, made if need be."""
    chosen = settings_of(folder, tenant, embedder, has_home_each=has_home_each)
    async with open_home(chosen) as home:
        created = await TokenService(home.store, tenant, COMMAND_LINE).create(Access.ADMIN)
    return created.text


async def fill(
    folder: Path, count: int, turns: int, embedder: str, *, has_home_each: bool
) -> list[Tenant]:
    """Make tenants with a token and so many turns each; vectors are made, too.

    Args:
        folder: of the home, or of the homes.
        count: number of tenants.
        turns: number of each one's turns.
        embedder: what makes the vectors.
        has_home_each: whether each has a home of its own.
    """
    tenants = [Tenant(number, f"tenant {number}", "") for number in range(count)]
    talk = Talk(tenants, seed=46)
    for tenant in tenants:
        chosen = settings_of(folder, tenant.name, embedder, has_home_each=has_home_each)
        tenant.token = await create_token(
            folder, tenant.name, embedder, has_home_each=has_home_each
        )
        if not turns:
            continue
        async with memoria.open(settings=chosen) as m:
            for session, batch in enumerate(_batches(talk, tenant, turns)):
                await m.record_conversation(batch, session_id=f"session {session}")
            await m.wait_until_idle()
    return tenants


def _batches(talk: Talk, tenant: Tenant, turns: int) -> Iterator[list[dict[str, object]]]:
    for first in range(0, turns, _BATCH):
        size = min(_BATCH, turns - first)
        yield [{"role": "user", "content": talk.say(tenant.number)} for _ in range(size)]
