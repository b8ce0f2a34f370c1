"""Every memory is written in one place."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

SERVER = Path(__file__).resolve().parents[2] / "server" / "memoria"
ROOMS = ("memories", "erasure", "store")
"""Rooms whose own matter it is: they write memories, erase them, or are the tables."""
WRITES: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        """add add_version add_past_version add_evidence add_use set_validity set_flags set_scope
        erase erase_wording describe""".split()
    ),
    "pairs": frozenset("copy_evidence absorb note_merged".split()),
    "graph": frozenset("upsert_entity upsert_edges remove_extracted".split()),
}
"""By table of a transaction: the methods that write memories or their links."""


def writes_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, call) of whatever calls a writing method of a memory's tables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in WRITES.get(_table(node.value), ()):
            yield node.lineno, f"{_table(node.value)}.{node.attr}"


def _table(owner: ast.expr) -> str:
    """The table an attribute is looked up on: `memories` of `tx.memories`, or a name of its own."""
    match owner:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def test_only_the_writer_writes_memories() -> None:
    found = [
        f"{path.relative_to(SERVER)}:{line} calls {call}"
        for path in sorted(SERVER.rglob("*.py"))
        if path.relative_to(SERVER).parts[0] not in ROOMS
        for line, call in writes_in(ast.parse(path.read_text("utf-8")))
    ]
    assert not found, (
        "memories are written by MemoryWriter alone (server/memoria/memories/writer.py), so that "
        "each has its fingerprint, evidence, links and audit entry, and says nothing that was "
        "forgotten. Use its add, revise, supersede, end or restore instead; to delete one, use "
        f"erasure/cascade.py: {'; '.join(found)}"
    )


def test_the_search_for_writes_finds_them() -> None:
    source = "tx.memories.add(memory, version)\nmemories.set_validity(i, v, now)\ntx.queue.add(e)"
    assert list(writes_in(ast.parse(source))) == [(1, "memories.add"), (2, "memories.set_validity")]


def test_one_statement_writes_turns_and_one_wordings_whichever_home_they_are_from() -> None:
    sql = [path.read_text("utf-8") for path in sorted(SERVER.glob("store/sqlite/sql/**/*.sql"))]
    for table in ("turns", "memory_versions"):
        assert sum(text.count(f"INTO {table} (") for text in sql) == 1, table
