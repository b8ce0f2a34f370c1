"""Answers of a capable model that were recorded: each belongs to one prompt, whole.

An answer is found by the digest of all that the model is sent: instructions, schema and text. A
prompt that has changed has none, and a new one must be recorded: whoever gives it is shown the
prompt alone.
"""

import hashlib
import json
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.chat_server import Refusal
from bench.extraction.script import purpose_of
from bench.tokens import count_tokens
from memoria.model.base import Value

_POLL_S = 0.5
_SETTLED_S = 10
"""A file that is no JSON counts as an answer once nobody has changed it for so long."""
_PATIENCE_S = 3300
"""How long an answer is waited for: the longest that a chat model may take is an hour."""
_PROMPT = """\
# Instructions

{instructions}

# Form of the answer (JSON schema)

```json
{schema}
```

# Text

{text}
"""


class Question(Value):
    """What a model is sent."""

    purpose: str
    instructions: str
    schema_text: str
    text: str

    @property
    def digest(self) -> str:
        """What tells this prompt from every other."""
        parts = (self.instructions, self.schema_text, self.text)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def tokens(self) -> int:
        """What reading it costs."""
        return sum(map(count_tokens, (self.instructions, self.schema_text, self.text)))

    @property
    def prompt(self) -> str:
        """All of it, for whoever answers."""
        return _PROMPT.format(
            instructions=self.instructions, schema=self.schema_text, text=self.text
        )


class Exchange(Value):
    """A question and the answer it got."""

    question: Question
    answer: str


class UnansweredError(Exception):
    """The run can't go on: a question has no answer."""


class Answerer(Protocol):
    """Whoever answers what no recorded answer is there for."""

    def answer(self, question: Question) -> str | None:
        """The answer; None where there will be none."""
        ...

    def stop(self) -> None:
        """Wait no longer."""
        ...


def read_question(body: Mapping[str, Any]) -> Question:
    """The question that the body of a request holds."""
    instructions, text = (str(body["messages"][place]["content"]) for place in (0, -1))
    wanted = body.get("response_format") or {}
    schema = wanted.get("json_schema", {}).get("schema")
    return Question(
        purpose=purpose_of(instructions),
        instructions=instructions,
        schema_text="" if schema is None else _compact(schema),
        text=text,
    )


@dataclass
class Answers:
    """The recorded answers to a conversation's questions, and what was asked in a run."""

    file: Path
    other: Answerer | None = None
    asked: list[Exchange] = field(default_factory=list)
    """In their order."""
    missing: list[Question] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Read what was recorded."""
        self._known = {one.question.digest: one.answer for one in read_exchanges(self.file)}

    def answer(self, body: dict[str, Any]) -> str:
        """The answer to a request.

        Raises:
            Refusal: there is none.
        """
        question = read_question(body)
        text = self._known.get(question.digest)
        if text is None and self.other is not None:
            text = self._ask_other(self.other, question)
        with self._lock:
            if text is None:
                self.missing.append(question)
                raise Refusal
            exchange = Exchange(question=question, answer=text)
            self.asked.append(exchange)
            if question.digest not in self._known:
                self._known[question.digest] = text
                _append(self.file, exchange)
        return text

    def _ask_other(self, other: Answerer, question: Question) -> str | None:
        """The answer of another; where it fails, `check` says so to whoever runs all this."""
        try:
            return other.answer(question)
        except Exception as error:
            self.failures.append(error)
            raise Refusal from error

    def check(self) -> None:
        """See that every question so far had its answer.

        Raises:
            UnansweredError: one had none.
            Exception: whatever kept somebody from answering.
        """
        if self.failures:
            raise self.failures[0]
        if self.missing:
            first = self.missing[0]
            raise UnansweredError(
                f"{self.file.name}: no answer is recorded for question {len(self.asked) + 1} "
                f"({first.purpose}, {first.digest[:12]}). The prompt is new or has changed; record "
                "an answer with: python -m bench.extraction --recorded --record FOLDER"
            )

    def forget_unasked(self) -> None:
        """Keep the answers to what was asked in this run, and no others."""
        lines = {one.question.digest: _line(one) for one in self.asked}
        self.file.write_text("".join(lines.values()), "utf-8")


@dataclass
class Folder:
    """Writes each question into a folder, and waits for the answer beside it."""

    path: Path
    patience_s: float = _PATIENCE_S
    poll_s: float = _POLL_S
    _stopping: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, question: Question) -> str | None:
        """The answer that somebody writes; None where nobody does in time."""
        prompt = self._write(question)
        file = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.json"))
        deadline = time.monotonic() + self.patience_s
        while (text := _read_settled(file)) is None:
            if time.monotonic() > deadline or self._stopping.wait(self.poll_s):
                sys.stderr.write(f"{prompt} has no answer yet. Start again to go on from there.\n")
                return None
        return text

    def stop(self) -> None:
        """Wait no longer."""
        self._stopping.set()

    def _write(self, question: Question) -> Path:
        """The file of a question: the one it has from an earlier run, or a new one."""
        with self._lock:
            self.path.mkdir(parents=True, exist_ok=True)
            files = sorted(self.path.glob("*.prompt.md"))
            for file in files:
                if file.read_text("utf-8") == question.prompt:
                    return file
            file = self.path / f"{len(files) + 1:04}.prompt.md"
            draft = file.with_suffix(".draft")
            draft.write_text(question.prompt, "utf-8")
            return draft.rename(file)


def _read_settled(file: Path) -> str | None:
    """What stands in a file that somebody has finished writing; None before that."""
    try:
        text, changed = file.read_text("utf-8"), file.stat().st_mtime
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    if not text.strip():
        return None
    try:
        json.loads(text)
    except ValueError:
        return text if time.time() - changed > _SETTLED_S else None
    return text


def read_exchanges(file: Path) -> list[Exchange]:
    """The recorded questions with their answers; none where there is no file yet.

    Raises:
        ValueError: a line isn't what it says it is.
    """
    if not file.is_file():
        return []
    lines = filter(None, file.read_text("utf-8").split("\n"))
    return [_read_line(file, number, line) for number, line in enumerate(lines, 1)]


def _read_line(file: Path, number: int, line: str) -> Exchange:
    kept = json.loads(line)
    exchange = Exchange(
        question=Question(
            purpose=kept["purpose"],
            instructions=kept["instructions"],
            schema_text=kept["schema"],
            text=kept["text"],
        ),
        answer=kept["answer"],
    )
    if kept["digest"] != exchange.question.digest:
        raise ValueError(f"{file.name}, line {number}: the digest is not that of the prompt")
    return exchange


def _append(file: Path, exchange: Exchange) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(_line(exchange))


def _line(exchange: Exchange) -> str:
    asked = exchange.question
    kept = {
        "purpose": asked.purpose,
        "digest": asked.digest,
        "instructions": asked.instructions,
        "schema": asked.schema_text,
        "text": asked.text,
        "answer": exchange.answer,
    }
    return json.dumps(kept, ensure_ascii=False) + "\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
