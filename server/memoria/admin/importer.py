"""Import: conversations from a file, a turn a line, into the store.

The format `jsonl` has one JSON object a line with the fields of a turn: session_id, message_id,
role, speaker, content, at, tool_name, tool_args, tool_result. Only role is required. A line
without a session_id belongs to a session named after the file.

Importing is repeatable. A line without a message_id is known by its content and by how many
times that content came before it in its session, so the same file again adds nothing.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from memoria.errors import InvalidInputError, InvalidTurnError
from memoria.model import Receipt, Turn, complaints

_BATCH = 200
_NAMED_LINES = 20


class Recorder(Protocol):
    """What import needs of Memoria."""

    async def record_conversation(self, turns: Sequence[Turn], /) -> Receipt: ...  # noqa: D102


@dataclass(slots=True)
class ImportReport:
    """What became of a file's lines."""

    lines: int = 0
    recorded: int = 0
    already_recorded: int = 0
    new_versions: int = 0
    nothing_left: int = 0
    """Lines of which nothing remained after private and injected blocks were taken out."""
    stripped: int = 0
    """Private or injected blocks taken out."""
    redactions: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    """(line number, what is wrong) of the first bad lines."""

    def count(self, receipt: Receipt) -> None:
        """Add what a batch came to."""
        self.recorded += receipt.recorded
        self.already_recorded += receipt.already_recorded
        self.new_versions += receipt.new_versions
        self.nothing_left += sum(turn.status == "nothing_left" for turn in receipt.turns)
        self.stripped += receipt.stripped
        self.redactions.update(receipt.redactions)

    def complain(self, line: int, problem: str) -> None:
        """Note a bad line."""
        self.bad += 1
        if len(self.bad_lines) < _NAMED_LINES:
            self.bad_lines.append((line, problem))


class JsonlImport:
    """One file on its way into the store, in batches; never in memory whole."""

    def __init__(self, recorder: Recorder, path: Path, progress: Callable[[int], None]) -> None:
        """Nothing is read yet.

        Args:
            recorder: where the turns go.
            path: the file.
            progress: told the bytes read so far.
        """
        self._recorder = recorder
        self._path = path
        self._progress = progress
        self._seen: Counter[tuple[str, str]] = Counter()
        self._batch: list[tuple[int, Turn]] = []
        self._report = ImportReport()

    async def run(self) -> ImportReport:
        """Import the file. A bad line is named and left out; the rest goes in.

        Raises:
            InvalidInputError: the file can't be read.
            StoreError: the store can't be written; what was recorded before stays.
        """
        try:
            with self._path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    self._take(number, line)
                    if len(self._batch) >= _BATCH:
                        await self._flush()
                        self._progress(file.tell())
        except OSError as error:
            raise InvalidInputError(f"{self._path} can't be read: {error.strerror}.") from error
        await self._flush()
        self._report.bad_lines.sort()
        return self._report

    def _take(self, number: int, line: bytes) -> None:
        if not line.strip():
            return
        self._report.lines += 1
        try:
            turn = Turn.model_validate(json.loads(line.decode("utf-8-sig")))
        except UnicodeDecodeError:
            self._report.complain(number, "is not UTF-8")
        except json.JSONDecodeError as error:
            self._report.complain(number, f"is not JSON: {error.msg} at column {error.colno}")
        except ValidationError as error:
            self._report.complain(number, complaints(error, of="line"))
        except RecursionError:
            self._report.complain(number, "is nested too deeply")
        except ValueError as error:  # such as a number of five thousand digits
            self._report.complain(number, f"can't be read: {error}")
        else:
            self._batch.append((number, self._identified(turn)))

    def _identified(self, turn: Turn) -> Turn:
        """The turn with a session, and with an id of its own if it has none."""
        session = turn.session_id or self._path.stem
        if turn.message_id is not None:
            return turn.model_copy(update={"session_id": session})
        content = json.dumps(turn.model_dump(exclude={"session_id", "message_id"}))
        key = (session, hashlib.sha256(content.encode()).hexdigest()[:24])
        self._seen[key] += 1
        own_id = f"{key[1]}.{self._seen[key]}"
        return turn.model_copy(update={"session_id": session, "message_id": own_id})

    async def _flush(self) -> None:
        batch, self._batch = self._batch, []
        if not batch:
            return
        try:
            self._report.count(await self._recorder.record_conversation([t for _, t in batch]))
        except InvalidTurnError:
            # One turn spoils its batch; find it by recording them one at a time.
            for number, turn in batch:
                await self._record_one(number, turn)

    async def _record_one(self, number: int, turn: Turn) -> None:
        try:
            self._report.count(await self._recorder.record_conversation([turn]))
        except InvalidTurnError as error:
            self._report.complain(number, error.problem)
