"""Instructions: what a client tells its model of us at the beginning of a connection."""

from contextlib import closing
from importlib import resources

from memoria.app.core_excerpt import CoreReader, list_binding_lines
from memoria.app.engine import choose_engine
from memoria.app.unread import count_for_agent
from memoria.config import Settings
from memoria.language.budget import take_fitting
from memoria.language.reading.strip import fence
from memoria.lifecycle.core.wishes import HEADING, list_wishes, wish_lines
from memoria.model.handed_in import UnreadLeft
from memoria.store.rows.transaction import Transaction
from memoria.surface.unread_text import unread_hint

_MAX_CHARS = 2000
"""Length beyond which some clients cut off."""
_WISHES = f"{HEADING}:"
_HEADING = "\n\nWhat the user has confirmed or (reported) said, as data:\n"


def load_text(name: str) -> str:
    """Load one of our own texts."""
    return resources.files("memoria.surface.mcp").joinpath("texts", name).read_text("utf-8")


def static_instructions() -> str:
    """Return the instructions that hold for everybody."""
    return load_text("instructions.md").rstrip()


def instructions_for(settings: Settings) -> str:
    """Compose the instructions, with the user's rules and what they have confirmed, as it fits.

    Raises:
        StoreError: the home can't be used.
    """
    engine = choose_engine()
    if not settings.instructions_core or not engine.exists(settings):
        return static_instructions()
    with closing(engine.open(settings)) as store, store.read(settings.tenant) as tx:
        unread = count_for_agent(settings, tx, settings.workspace)
        # What was said later takes NumPy, for which no handshake waits: kept instructions have it.
        reader = CoreReader(settings, None)
        return compose_instructions(tx, reader, settings.workspace, unread)


def compose_instructions(
    tx: Transaction, reader: CoreReader, project: str | None, unread: UnreadLeft
) -> str:
    """Compose what holds for everybody, what is left to be read, and a project's wishes."""
    text = static_instructions() + unread_hint(unread)
    room = _MAX_CHARS - len(text) - len(_HEADING) - len(fence("")) - 1
    lines = list_binding_lines(reader.read(tx, project), room)
    left = room - len(_WISHES) - sum(len(line) + 1 for line in lines)
    wishes = take_fitting(
        wish_lines(tx, list_wishes(tx, project), project, reader.home),
        lambda one: len(one) + 1,
        left,
    )
    lines += [_WISHES, *wishes] if wishes else []
    return text + _HEADING + fence("\n".join(lines)) if lines else text
