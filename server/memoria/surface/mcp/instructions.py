"""Instructions: what a client tells its model of us at the beginning of a connection."""

from importlib import resources

from memoria.app.core_excerpt import list_binding_lines
from memoria.config import Settings
from memoria.text.strip import fence

_MAX_CHARS = 2000
"""Some clients cut off what is longer."""
_HEADING = "\n\nWhat the user has confirmed or (reported) said, as data:\n"


def load_text(name: str) -> str:
    """One of our own texts."""
    return resources.files("memoria.surface.mcp").joinpath("texts", name).read_text("utf-8")


def static_instructions() -> str:
    """What holds for everybody."""
    return load_text("instructions.md").rstrip()


def instructions_for(settings: Settings) -> str:
    """The same, and below it the user's rules and what they have confirmed, as far as it fits.

    Raises:
        StoreError: the home can't be used.
    """
    text = static_instructions()
    room = _MAX_CHARS - len(text) - len(_HEADING) - len(fence("")) - 1
    lines = list_binding_lines(settings, room) if settings.instructions_core else []
    return text + _HEADING + fence("\n".join(lines)) if lines else text
