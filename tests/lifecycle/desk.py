"""A tenant at work on core memory."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from memoria.disk.tenant_files import TenantFiles
from memoria.erasure.suppression import Digester
from memoria.lifecycle.core.cycle import (
    note_core_written,
    plan_core,
    read_core_edits,
    recover_core,
    replace_core,
)
from memoria.lifecycle.core.edits import Edit, EditResult, apply_edit
from memoria.memories.statements import Statements
from memoria.memories.user_edits import UserEdits
from memoria.model import COMMAND_LINE, LIBRARY, Memory, MemoryType, now_millis
from memoria.model.core import CoreFile
from memoria.store.engine import Store

TOKENS = 800


@dataclass
class CoreReport:
    """What became of a tenant's core files."""

    edits: list[tuple[Edit, EditResult]] = field(default_factory=list)
    unreadable: list[CoreFile] = field(default_factory=list)
    written: list[CoreFile] = field(default_factory=list)
    late: list[CoreFile] = field(default_factory=list)
    """Files that the user has changed meanwhile."""

    @property
    def effects(self) -> Counter[str]:
        """How many edits came to what."""
        return Counter(result.effect for _, result in self.edits)


@dataclass
class Desk:
    """A tenant at work: states things in conversation, edits files by hand, has nights."""

    store: Store
    home: Path
    tenant: str = "default"

    @property
    def marks(self) -> Digester:
        return Digester(self.tenant, lambda: b"a key")

    @property
    def files(self) -> TenantFiles:
        return self.store.files.of(self.tenant)

    @property
    def hand(self) -> UserEdits:
        return UserEdits(self.store, self.tenant, self.marks)

    @property
    def chat(self) -> Statements:
        return Statements(self.store, self.tenant, LIBRARY, self.marks)

    @property
    def shell(self) -> Statements:
        return Statements(self.store, self.tenant, COMMAND_LINE, self.marks)

    def say(
        self, text: str, kind: MemoryType = MemoryType.FACT, workspace: str | None = None
    ) -> str:
        statements = Statements(self.store, self.tenant, LIBRARY, self.marks, workspace)
        return statements.remember(text, kind).id

    def night(self, tokens: int = TOKENS) -> CoreReport:
        """Every phase in a transaction of its own, as the step has them."""
        report, at = CoreReport(), now_millis()
        with self.store.write(self.tenant) as tx:
            recover_core(tx, self.files, at)
        with self.store.read(self.tenant) as tx:
            edits, report.unreadable = read_core_edits(tx, self.files)
        for edit in edits:
            with self.store.write(self.tenant) as tx:
                report.edits.append((edit, apply_edit(tx, self.hand, edit)))
        with self.store.read(self.tenant) as tx:
            drafts = plan_core(
                tx,
                self.files,
                at,
                tokens,
                find_refusal=lambda project, text: self.hand.in_project(project).find_refusal(
                    tx, text
                ),
            )
        for draft in drafts:
            with self.store.write(self.tenant) as tx:
                tx.core.announce_write(draft.file, draft.digest)
            if not replace_core(self.files, draft):
                report.late.append(draft.file)
                continue
            with self.store.write(self.tenant) as tx:
                note_core_written(tx, draft)
            report.written += [draft.file] if draft.has_changes else []
        return report

    def read(self, file: CoreFile = "MEMORY.md") -> str:
        content = self.files.read(file)
        assert content is not None
        return content.decode()

    def put(self, file: str, text: str | bytes) -> None:
        """Save a file, as an editor does."""
        self.files.write(file, text if isinstance(text, bytes) else text.encode())

    def edit(self, old: str, new: str, file: CoreFile = "MEMORY.md") -> None:
        text = self.read(file)
        assert old in text
        self.put(file, text.replace(old, new))

    def lose(self, words: str, file: CoreFile = "MEMORY.md") -> None:
        """Delete the lines in which some words stand."""
        lines = self.read(file).splitlines(keepends=True)
        kept = [line for line in lines if words not in line]
        assert len(kept) < len(lines)
        self.put(file, "".join(kept))

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
