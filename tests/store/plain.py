"""Memories put into a store by hand, with nothing read off their words."""

from memoria.language.reading.statement import fingerprint
from memoria.model import MemoryType, Provenance, Scope, SourceKind, Trust, new_id, now_millis
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory, NewVersion

_ORIGIN = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.USER, channel="test")


def keep(
    tx: Transaction,
    content: str,
    *,
    workspace: str | None = None,
    turn_n: int | None = None,
    kind: MemoryType = MemoryType.FACT,
    scope: Scope | None = None,
) -> str:
    """Write a memory. Gives its id."""
    memory_id = new_id()
    memory = NewMemory(memory_id, kind, 0.5, 0.5, workspace, scope=scope)
    tx.memories.add(memory, wording(content, turn_n))
    return memory_id


def wording(content: str, turn_n: int | None = None) -> NewVersion:
    """A wording that somebody stated just now."""
    now = now_millis()
    return NewVersion(content, fingerprint(content), now, now, _ORIGIN, turn_n)
