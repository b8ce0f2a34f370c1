"""Recording of turns by a server elsewhere: secrets are taken out here, before anything is sent."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

from memoria.bare.remote import RECORD, ClearTextError, RemoteServer, ServerRefusalError
from memoria.config import NO_WORKSPACE
from memoria.erasure.suppression import Digester
from memoria.errors import InvalidTurnError, StoreUnavailableError
from memoria.ingest.turn_draft import MOST_TURN_BYTES, TurnDraft, clean_id, draft_turn
from memoria.language.reading.clean import Tally
from memoria.model import CaptureEvent, Channel, Receipt, Turn, new_id, now_millis
from memoria.model.privacy import PrivateTime
from memoria.store.engine import Store

_WAIT_S = 30.0
_TOO_MANY = 429
_MOST_PAUSES, _PAUSE_S = 30, 1.0
"""Number of pauses before a report is left for later, and seconds of each."""
_NOT_TAKEN = frozenset({400, 413, 422})
"""Statuses of a report that the server can't take, however often it is sent."""


class RemoteCapture:
    """Records turns of one channel and project at a server, as `Capture` does in a home."""

    def __init__(
        self,
        server: RemoteServer,
        channel: Channel,
        project: str,
        digester: Digester,
        stores: Sequence[tuple[Store, str]],
    ) -> None:
        """Bind to a server.

        Args:
            server: where turns go.
            channel: of the hook.
            project: in which they were said.
            digester: for ids that hold a secret.
            stores: of this machine, each with the tenant whose private times are obeyed.
        """
        self._server = server
        self._channel = channel
        self._project = project
        self._workspace = None if project == NO_WORKSPACE else project
        self._digester = digester
        self._stores = stores

    def record(self, turns: Sequence[Turn], session_id: str, event: CaptureEvent | None) -> Receipt:
        """Send the turns, and give a receipt once the server has them on disk.

        Raises:
            InvalidTurnError: a turn can't be kept. Nothing was recorded.
            StoreUnavailableError: the server is away or refuses the token. It may have recorded
                them all the same: they are to be sent again, and are known there by their ids.
        """
        tally = Tally()
        session = clean_id(session_id, tally, self._digester)
        drafts = [
            draft_turn(i, turn, session, MOST_TURN_BYTES, tally, self._digester)
            for i, turn in enumerate(turns)
        ]
        public = [draft for draft in drafts if not self._is_private(draft)]
        said = [_write_turn(draft) for draft in public if not draft.text.is_empty]
        answer: dict[str, object] = {}
        if said or (event is not None and (public or not drafts)):
            answer = self._send(session, said, event)
        return Receipt(
            id=new_id(),
            recorded=_count(answer, "recorded"),
            already_recorded=_count(answer, "already_recorded"),
            new_versions=0,
            forgotten=0,
            private=len(drafts) - len(public),
            turns=(),
            redactions=dict(tally.redactions),
            stripped=tally.stripped,
            closed_segments=0,
        )

    def _is_private(self, draft: TurnDraft) -> bool:
        """Check whether a turn was said in a private time that was begun on this machine."""
        at = now_millis() if draft.turn.at is None else draft.turn.at
        return any(time.includes(at) for time in self._list_times(draft.session_id))

    def _list_times(self, session: str) -> Iterable[PrivateTime]:
        for store, tenant in self._stores:
            with store.read(tenant) as tx:
                times = tx.private_times
                yield from times.applying(self._workspace, self._channel.source, session)

    def _send(
        self, session: str, turns: list[dict[str, Any]], event: CaptureEvent | None
    ) -> dict[str, object]:
        report: dict[str, object] = {
            "client": self._channel.client,
            "session": session,
            "project": self._project,
            "event": event,
            "turns": turns,
        }
        try:
            return self._call(report)
        except ServerRefusalError as error:
            if error.status in _NOT_TAKEN:
                raise InvalidTurnError(0, str(error)) from error
            raise StoreUnavailableError(f"Nothing was sent: {error}") from error
        except ClearTextError as error:
            raise StoreUnavailableError(f"{error}.") from error
        except (OSError, ValueError) as error:
            raise StoreUnavailableError(
                f"{self._server.url} can't be reached ({type(error).__name__}); what hooks have "
                "said waits here."
            ) from error

    def _call(self, report: dict[str, object]) -> dict[str, object]:
        """Send a report, more slowly where the server asks for that."""
        for _ in range(_MOST_PAUSES):
            try:
                return self._server.call(RECORD, report, _WAIT_S)
            except ServerRefusalError as error:
                if error.status != _TOO_MANY:
                    raise
            time.sleep(_PAUSE_S)
        return self._server.call(RECORD, report, _WAIT_S)


def _write_turn(draft: TurnDraft) -> dict[str, Any]:
    """Write a turn without secrets as it is sent."""
    turn, text = draft.turn, draft.text
    fields = {
        "role": turn.role.value,
        "content": text.content,
        "session_id": turn.session_id,
        "message_id": turn.message_id,
        "speaker": turn.speaker,
        "at": turn.at,
        "utc_offset": turn.utc_offset,
        "tool_name": text.tool_name,
        "tool_args": text.tool_args,
        "tool_result": text.tool_result,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _count(answer: dict[str, object], name: str) -> int:
    value = answer.get(name)
    return value if isinstance(value, int) else 0
