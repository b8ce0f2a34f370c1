"""Homes that are exported from and imported into, without vectors and models."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import memoria
from memoria import Memoria
from memoria.admin.exports.merge import MergeReport
from memoria.app.exporting import export, merge_export
from memoria.config import Settings
from memoria.model import COMMAND_LINE
from memoria.store.rows.portable.records import PortableSelection

PASSPHRASE = "correct horse battery"  # noqa: S105  (of a test)


def settings_of(home: Path, **more: object) -> Settings:
    return Settings.from_values(home=home, embedder="off", tenant="tests", **more)


def opened(home: Path, **more: object) -> AbstractAsyncContextManager[Memoria]:
    return memoria.open(settings=settings_of(home, **more), channel=COMMAND_LINE)


async def said(m: Memoria, *texts: str, session: str = "s", ids: Sequence[str] = ()) -> None:
    turns = [
        {
            "role": "user",
            "content": text,
            "message_id": ids[i] if ids else None,
            "at": 1_790_000_000_000 + i * 60_000,
        }
        for i, text in enumerate(texts)
    ]
    await m.record_conversation(turns, "session_end", session_id=session)


def carry(
    source: Path,
    target: Path,
    file: Path,
    passphrase: str | None = PASSPHRASE,
    selection: PortableSelection = PortableSelection(),  # noqa: B008  (frozen)
) -> MergeReport:
    """Export from one home, import into another."""
    file.unlink(missing_ok=True)
    export(settings_of(source), file, selection, passphrase, lambda *_: None)
    return merge_export(settings_of(target), file, passphrase, lambda *_: None)


def merge(target: Path, file: Path, passphrase: str | None = PASSPHRASE) -> MergeReport:
    return merge_export(settings_of(target), file, passphrase, lambda *_: None)


async def texts_in(home: Path) -> str:
    """All that the memories, the turns and the core files of a home say."""
    async with opened(home) as m:
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            turns = tx.conversations.turns(tx.documents.page("turn", 0, 10_000)).values()
            found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 10_000))
    own = [turn.content for turn in turns]
    own += [version.content for one in found.values() for version in one.versions]
    return "\n".join([*own, *_read_files(home)])


def _read_files(home: Path) -> list[str]:
    return [file.read_text("utf-8") for file in home.rglob("*.md")]
