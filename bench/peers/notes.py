"""A turn in the words every system is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

from bench.data import Conversation, Key
from memoria import Turn
from memoria.model.turn import Role

_MARKER_BYTES = 5


@dataclass(frozen=True, slots=True)
class Note:
    """A turn and the marker it is recognised by."""

    turn: Turn
    number: int
    """Its place in the conversation, from 1."""
    marker: str
    """A word that occurs nowhere else and says nothing."""

    @property
    def key(self) -> Key:
        """What the data set knows the turn by."""
        return str(self.turn.session_id), str(self.turn.message_id)

    @property
    def said(self) -> str:
        """What was said, with the marker in brackets last: who shows that has shown it all."""
        return f"{self.turn.content} [{self.marker}]"

    @property
    def text(self) -> str:
        """All there is to know of the turn, for a store that has no fields for it."""
        return f"{self.who}, {self.when}, {self.turn.session_id}: {self.said}"

    @property
    def who(self) -> str:
        """Whose words they are: by name where the talk has names, else `user` or `assistant`."""
        return self.turn.speaker or str(self.turn.role)

    @property
    def is_by_person(self) -> bool:
        """Whether a person said it: all but an assistant without a name."""
        return self.turn.speaker is not None or self.turn.role == Role.USER

    @property
    def at(self) -> datetime:
        """When it was said: every turn of the data set has a time."""
        return datetime.fromtimestamp((self.turn.at or 0) / 1000, UTC)

    @property
    def when(self) -> str:
        """Day and time, as people write them."""
        return f"{self.at:%d %B %Y %H:%M}"


def notes(conversation: Conversation) -> tuple[Note, ...]:
    """The turns of a conversation, in order."""
    return tuple(
        Note(turn, number, _marker(conversation.name, turn))
        for number, turn in enumerate(conversation.turns, 1)
    )


def has_assistant(of: Sequence[Note]) -> bool:
    """Whether the talk is one of a user with an assistant, so that it can be asked for either."""
    return not all(note.is_by_person for note in of)


def markers(of: Sequence[Note]) -> dict[str, Key]:
    """The turn behind each marker."""
    return {note.marker: note.key for note in of}


def _marker(conversation: str, turn: Turn) -> str:
    seed = f"{conversation}/{turn.session_id}/{turn.message_id}".encode()
    return f"m{blake2b(seed, digest_size=_MARKER_BYTES).hexdigest()}"
