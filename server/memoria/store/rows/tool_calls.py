"""Tool calls: by which commands, errors and files recorded calls are looked up."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from memoria.language.calls.call import read_marks
from memoria.language.calls.outcome import Outcome
from memoria.store.connection import Connection
from memoria.store.sql.statements import TenantRows, as_json, list_numbers


class _Call(Protocol):
    """A turn with a tool's call."""

    @property
    def tool_name(self) -> str | None: ...
    @property
    def tool_args(self) -> JsonValue: ...
    @property
    def tool_result(self) -> JsonValue: ...


class CallRow(NamedTuple):
    """A command, an error or a file of a turn."""

    kind: str
    key: str
    turn_n: int
    detail: str
    outcome: Outcome
    is_edit: bool


class ToolCalls:
    """Keys by which a tenant's tool calls are looked up."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tool_calls")

    def note(self, n: int, turn: _Call) -> None:
        """Add the rows of a turn, if it has a tool's call."""
        if turn.tool_args is None and turn.tool_result is None:
            return
        for mark in read_marks(turn.tool_name, turn.tool_args, turn.tool_result):
            self._rows.send("add", **mark._asdict(), turn_n=n)

    def renew(self, n: int, turn: _Call) -> None:
        """Put the rows of a turn in the place of those that it had."""
        self.drop(n)
        self.note(n, turn)

    def drop(self, n: int) -> None:
        """Delete the rows of a turn."""
        self._rows.send("drop", n=n)

    def list_keys(self, kind: str, most: int) -> list[str]:
        """List the different keys of a kind, that of the newest turn first."""
        return self._rows.column("keys", kind=kind, most=most)

    def list_of_keys(self, kind: str, keys: Iterable[str], most: int) -> list[CallRow]:
        """List the rows of a kind with one of the keys, the newest first."""
        return self._list("of_keys", kind=kind, keys=as_json(keys), most=most)

    def list_runs(self) -> Iterator[tuple[str, int, str, Outcome]]:
        """Yield all commands as recorded: session, number of its project, command, outcome."""
        for session, project_n, command, outcome in self._rows.tuples("runs"):
            yield session, project_n, command, Outcome(outcome)

    def list_below(self, folder: str, most: int) -> list[CallRow]:
        """List the rows of files whose path has a folder, which ends with `/`, in it."""
        return self._list("below", folder=folder, most=most)

    def list_holding(self, word: str, most: int) -> list[CallRow]:
        """List the rows of commands that have a word in them, the newest first."""
        return self._list("holding", word=word, most=most)

    def list_following(self, n: int, reach: int) -> list[CallRow]:
        """List the rows of a turn and of those up to `reach` places behind it in its session."""
        return self._list("of_session", n=n, reach=reach)

    def list_of_turns(self, ns: Sequence[int]) -> list[CallRow]:
        """List the rows of turns."""
        return self._list("of_turns", ns=list_numbers(ns)) if ns else []

    def list_pending(self, most: int) -> list[int]:
        """List the turns of older versions at which nobody has looked yet, oldest first."""
        return self._rows.column("pending", most=most)

    def _list(self, name: str, **parameters: str | int) -> list[CallRow]:
        return [
            CallRow(kind, key, n, detail, Outcome(outcome), bool(is_edit))
            for kind, key, n, detail, outcome, is_edit in self._rows.tuples(name, **parameters)
        ]
