"""Two accounts of one session: the client's own, and what an agent reports of it."""

from typing import Protocol

from memoria.model import Account, StoredTurn
from memoria.store.values import NewTurn


class Accounts(Protocol):
    """Turns of which there may be two accounts."""

    def list_alike(
        self, session_n: int, likeness: bytes, limit: int, account: Account | None = None
    ) -> list[StoredTurn]:
        """List a session's current turns that begin alike, of all accounts or one, in order."""
        ...

    def find_last_index(self, session_n: int) -> int:
        """Return the place of the last turn not told by an agent alone; -1 if there is none."""
        ...

    def hand_over(self, turn: StoredTurn, told: NewTurn) -> None:
        """Turn an agent's report of a turn into the client's own: its place, id, time and words.

        Args:
            turn: as the agent has reported it.
            told: as the client has it. Its number, id and history stay those of the other.
        """
        ...
