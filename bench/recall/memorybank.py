"""Reading the MemoryBank chats: fifteen users by ten days, in Chinese and in English."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoria import Turn

_FILES = {"zh": "memory_bank_cn.json", "en": "memory_bank_en.json"}
_NOON = 12
"""MemoryBank dates days, not exchanges: a day's turns follow each other from noon on."""
_BETWEEN_TURNS_S = 30


@dataclass(frozen=True, slots=True)
class Chats:
    """All that one user and the assistant said to each other."""

    user: str
    language: str
    turns: tuple[Turn, ...]
    """A day is a session, an exchange two turns; a turn's id is its day and number, `day:n`."""


def has_memorybank(folder: Path) -> bool:
    """Whether both languages are in the folder."""
    return all((folder / "memorybank" / name).is_file() for name in _FILES.values())


def chats(folder: Path) -> Iterator[Chats]:
    """Every user's chats, Chinese ones first."""
    for language, name in _FILES.items():
        users = json.loads((folder / "memorybank" / name).read_text("utf-8"))
        for user, kept in users.items():
            yield Chats(user.strip(), language, tuple(_turns(kept["history"])))


def _turns(history: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Turn]:
    for day, exchanges in history.items():
        noon = datetime.fromisoformat(day).replace(hour=_NOON, tzinfo=UTC)
        said = [exchange[part] for exchange in exchanges for part in ("query", "response")]
        for i, content in enumerate(said):
            yield Turn(
                session_id=day,
                message_id=f"{day}:{i + 1}",
                role="assistant" if i % 2 else "user",
                content=content,
                at=noon + timedelta(seconds=_BETWEEN_TURNS_S * i),
            )
