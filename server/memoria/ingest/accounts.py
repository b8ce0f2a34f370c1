"""Two accounts of a session become one: the client's own, and what an agent reports of it.

The client's has each turn once, in its order, with its id and its time, whether it comes by a hook
or by an import. An agent that records the same session repeats some of it, in its own words now
and then, and says nothing of its order. So the client's account is what counts:

- What an agent reports and the client has said is known already. As often as the client has not
  said it yet, it becomes a turn, marked as the agent's account.
- When the client says it, that turn becomes the client's: with its place, id, time and words. The
  memories that were made of it keep it as their source.
- What the client never says, such as a summary, stays the agent's.

How often something was said is the client's to say: "yes" twice in its account is two turns,
however often an agent reports it. An agent's second "yes" that comes before the client's is taken
for a repetition of the first, and the client's brings it in.
"""

from memoria.ingest.likeness import is_same_turn
from memoria.ingest.turn_draft import TurnDraft
from memoria.language.words.document import full_text
from memoria.model import Session, StoredTurn
from memoria.store.rows.transaction import Transaction

_MOST_ALIKE = 100
"""Number of turns of one opening that are looked at."""


class AccountMeeting:
    """Finds a turn's counterpart in the other account, in one session and for one call."""

    def __init__(self, tx: Transaction, session: Session) -> None:
        self._tx = tx
        self._session_n = session.n
        self._agent_turns = session.agent_turns
        self._met: set[int] = set()

    def find_known(self, reported: TurnDraft) -> StoredTurn | None:
        """Find the turn that an agent reports, or None; none is found twice in a call."""
        return self._find(reported, self._list_alike(reported))

    def find_reported(self, said: TurnDraft) -> StoredTurn | None:
        """Find the turn that an agent reported before the client said it, or None."""
        if not self._agent_turns:
            return None
        likeness = said.likeness or b""
        found = self._tx.accounts.list_alike(self._session_n, likeness, _MOST_ALIKE, "agent")
        return self._find(said, found)

    def find_place(self, turn: StoredTurn, next_index: int) -> int:
        """Return the place of a reported turn in the client's order.

        It stays where it is if that is behind all that the client has said; otherwise it goes last.
        """
        is_behind = turn.turn_index > self._tx.accounts.find_last_index(self._session_n)
        return turn.turn_index if is_behind else next_index

    def _list_alike(self, draft: TurnDraft) -> list[StoredTurn]:
        return self._tx.accounts.list_alike(self._session_n, draft.likeness or b"", _MOST_ALIKE)

    def _find(self, draft: TurnDraft, turns: list[StoredTurn]) -> StoredTurn | None:
        text = full_text(draft.text)
        for turn in turns:
            if turn.n not in self._met and is_same_turn(full_text(turn), text):
                self._met.add(turn.n)
                return turn
        return None
