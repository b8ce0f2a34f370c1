"""A tenant at work on core memory."""

from dataclasses import dataclass
from pathlib import Path

from memoria.erasure.suppression import Digester
from memoria.lifecycle.core.cycle import CoreReport, write_core
from memoria.memories.statements import Statements
from memoria.memories.user_edits import UserEdits
from memoria.model import LIBRARY, Memory, MemoryType, now_millis
from memoria.model.core import CoreFile
from memoria.store.folders import tenant_folder
from memoria.store.sqlite import SqliteStore

TOKENS = 800


@dataclass
class Desk:
    """A tenant at work: states things in conversation, edits files by hand, has nights."""

    store: SqliteStore
    home: Path
    tenant: str = "default"

    @property
    def marks(self) -> Digester:
        return Digester(self.tenant, lambda: b"a key")

    @property
    def folder(self) -> Path:
        return tenant_folder(self.home, self.tenant)

    @property
    def hand(self) -> UserEdits:
        return UserEdits(self.store, self.tenant, self.marks)

    @property
    def chat(self) -> Statements:
        return Statements(self.store, self.tenant, LIBRARY, self.marks)

    def say(
        self, text: str, kind: MemoryType = MemoryType.FACT, workspace: str | None = None
    ) -> str:
        statements = Statements(self.store, self.tenant, LIBRARY, self.marks, workspace)
        return statements.remember(text, kind, None, None, None).id

    def night(self, tokens: int = TOKENS) -> CoreReport:
        return write_core(
            self.store, self.tenant, self.folder, self.hand, at=now_millis(), tokens=tokens
        )

    def read(self, file: CoreFile = "MEMORY.md") -> str:
        return (self.folder / file).read_bytes().decode()

    def edit(self, old: str, new: str, file: CoreFile = "MEMORY.md") -> None:
        text = self.read(file)
        assert old in text
        (self.folder / file).write_bytes(text.replace(old, new).encode())

    def lose(self, words: str, file: CoreFile = "MEMORY.md") -> None:
        """Delete the lines in which some words stand."""
        lines = self.read(file).splitlines(keepends=True)
        kept = [line for line in lines if words not in line]
        assert len(kept) < len(lines)
        (self.folder / file).write_bytes("".join(kept).encode())

    def get(self, memory_id: str) -> Memory:
        with self.store.read(self.tenant) as tx:
            memory = tx.memories.get(memory_id)
        assert memory is not None
        return memory

    def all(self) -> list[Memory]:
        with self.store.read(self.tenant) as tx:
            page = tx.documents.page("memory", 0, 1000)
            return list(
                {m.id: m for m in tx.memories.by_version_numbers(list(page)).values()}.values()
            )
