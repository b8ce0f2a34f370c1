"""Two accounts of one session: the client's own, and what an agent reports of it."""

from typing import Protocol

from memoria.model import Account, StoredTurn
from memoria.store.values import NewTurn


class Accounts(Protocol):
    """Turns of which there may be two accounts."""

    def list_alike(
        self, session_n: int, likeness: bytes, limit: int, account: Account | None = None
    ) -> list[StoredTurn]:
        """A session's current turns that begin alike, or those of one account, in their order."""
        ...

    def find_last_index(self, session_n: int) -> int:
        """The place of the session's last turn that not only an agent has reported; -1: none."""
        ...

    def hand_over(self, turn: StoredTurn, told: NewTurn) -> None:
        """Let a turn that an agent has reported be the client's own: its place, id, time and words.

        Args:
            turn: as the agent has reported it.
            told: as the client has it. Its number, id and history stay those of the other.
        """
        ...
