"""Every memory is written in one place, which treats each alike, whoever writes it."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import open_home
from tests.store.insides import noted_work

import memoria
from memoria import Memoria, Settings
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import ForgottenError, NotFoundError
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.language.reading.statement import fingerprint
from memoria.language.words.analyser import query_terms
from memoria.memories.derived import DerivedDraft, add_derived
from memoria.memories.statements import Statements
from memoria.memories.user_edits import UserEdits
from memoria.memories.verdicts import NOTHING_READ, NewClaim, ReadAhead, judge_claim, read_ahead
from memoria.memories.wordings import Author, Derivation, NewWording, Passage, StructuralLinks
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    LIBRARY,
    EdgeType,
    InferredBy,
    Memory,
    MemoryType,
    Node,
    Provenance,
    Role,
    SourceKind,
    Trust,
    Turn,
    Validity,
    new_id,
    now_millis,
)
from memoria.policy.conflict import Claim
from memoria.policy.merging import authority
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewMemory, Tombstone, TombstoneRecord

TENANT = "t"
NOW = 1_800_000_000_000
LATER = NOW + 60_000
DIGESTER = Digester(TENANT, lambda: b"k")
SEEN = Filters(include_history=True)
PORT = "The staging port is 8080"
OTHER_PORT = "The staging port is 9090"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_home(tmp_path)
    yield opened
    opened.close()


def writer_in(tx: Transaction, now: int = NOW) -> MemoryWriter:
    suppression = SuppressionList(tx.tombstones, DIGESTER)
    return MemoryWriter(tx, suppression, Author("cli", "a shell"), now)


def memory_of(kind: MemoryType = MemoryType.FACT, **more: object) -> NewMemory:
    return replace(NewMemory(new_id(), kind, 0.5, 0.8), **more)  # type: ignore[arg-type]


def wording_of(content: str, **more: object) -> NewWording:
    provenance = Provenance(
        source_kind=SourceKind.USER_SAID, trust=Trust.USER, channel="cli", quote=content
    )
    return replace(
        NewWording(content=content, valid_from=NOW, provenance=provenance),
        **more,  # type: ignore[arg-type]
    )


def add(tx: Transaction, content: str, memory: NewMemory | None = None, **more: object) -> Memory:
    new = memory or memory_of()
    writer_in(tx).add(new, wording_of(content, **more))
    return stored(tx, new.id)


def stored(tx: Transaction, memory_id: str) -> Memory:
    memory = tx.memories.get(memory_id)
    assert memory is not None
    return memory


def actions(tx: Transaction, memory_id: str) -> list[str]:
    return [entry.action for entry in tx.audit.list_entries(memory_id)]


def edges(tx: Transaction, memory_id: str, kind: EdgeType) -> set[tuple[str, str]]:
    found = tx.graph.list_edges(Node("memory", memory_id), SEEN)
    return {(edge.src.id, edge.dst.id) for edge in found if edge.type is kind}


def is_found(tx: Transaction, content: str) -> bool:
    terms = query_terms(content)
    return bool(tx.documents.match(("memory",), terms, Filters(), 5))


def record(store: Store, *texts: str) -> list[tuple[int, str]]:
    """(number, id) of turns of a user."""
    limits = CaptureLimits(max_turn_bytes=9999, idle_minutes=30)
    capture = Capture(store, TENANT, LIBRARY, limits, DIGESTER)
    turns = [Turn(role=Role.USER, content=text) for text in texts]
    ids = [str(turn.id) for turn in capture.record(turns, "s", None).turns]
    with store.read(TENANT) as tx:
        stored = [tx.conversations.turn(turn_id) for turn_id in ids]
    return [(turn.n, turn.id) for turn in stored if turn is not None]


def forget(tx: Transaction, content: str) -> None:
    stone = Tombstone("memory", new_id(), NOW, "the user asked for it")
    tx.tombstones.add(TombstoneRecord(stone, (DIGESTER.digest_statement(content),)))


def test_an_added_memory_has_its_row_fingerprint_links_evidence_and_audit_entry(
    store: Store,
) -> None:
    (first, second) = record(store, "Anna works in Berlin", "She does work there")
    with store.write(TENANT) as tx:
        wording = wording_of(
            "Anna works in Berlin", turn_n=first[0], passages=(Passage(second[0], "work there"),)
        )
        new = memory_of()
        writer_in(tx).add(new, wording, "remember", "because")
    with store.read(TENANT) as tx:
        written = stored(tx, new.id)
        assert written.content == "Anna works in Berlin"
        assert tx.memories.find_by_fingerprint(fingerprint(wording.content)) == written
        assert {one.turn_id for one in tx.memories.list_evidence(written.id)} == {
            first[1],
            second[1],
        }
        assert edges(tx, written.id, EdgeType.DERIVED_FROM) == {(written.id, first[1])}
        assert edges(tx, written.id, EdgeType.MENTIONS)
        (entry,) = tx.audit.list_entries(written.id)
        assert (entry.action, entry.detail) == ("remember", "because")
        assert (entry.channel, entry.client, entry.at) == ("cli", "a shell", NOW)


def test_a_revised_memory_says_the_new_and_keeps_the_old_as_history(store: Store) -> None:
    with store.write(TENANT) as tx:
        memory = add(tx, PORT)
        writer_in(tx, LATER).revise(memory.id, wording_of(OTHER_PORT, valid_from=LATER))
    with store.read(TENANT) as tx:
        revised = stored(tx, memory.id)
        assert [one.content for one in revised.versions] == [OTHER_PORT, PORT]
        assert revised.versions[1].valid_to == LATER
        assert writer_in(tx).find_same(OTHER_PORT, None) == revised
        assert writer_in(tx).find_same(PORT, None) is None
        assert actions(tx, memory.id) == ["add", "correct"]


def test_a_revised_memory_keeps_the_links_that_do_not_follow_from_its_wording(store: Store) -> None:
    with store.write(TENANT) as tx:
        other = add(tx, OTHER_PORT)
        against = StructuralLinks(contradicts=(other.id,))
        memory = add(tx, PORT, structural=against)
        writer_in(tx, LATER).revise(memory.id, wording_of("The port is open"))
        assert edges(tx, memory.id, EdgeType.CONTRADICTS) == {(memory.id, other.id)}


def test_what_was_forgotten_is_neither_added_nor_revised_to(store: Store) -> None:
    with store.write(TENANT) as tx:
        memory = add(tx, OTHER_PORT)
        forget(tx, PORT)
    with store.write(TENANT) as tx:
        with pytest.raises(ForgottenError):
            add(tx, "the staging port is 8080!")
        with pytest.raises(ForgottenError):
            writer_in(tx).revise(memory.id, wording_of(PORT))
    with store.read(TENANT) as tx:
        assert stored(tx, memory.id) == memory
        assert not is_found(tx, "8080")


@pytest.mark.parametrize("way", ["superseded", "ended"])
def test_what_is_superseded_or_ended_is_not_found_until_it_is_restored(
    store: Store, way: str
) -> None:
    with store.write(TENANT) as tx:
        memory, writer = add(tx, PORT), writer_in(tx, LATER)
        if way == "ended":
            writer.end(memory.id, "expired")
        else:
            writer.supersede(memory.id, "stated anew")
    with store.write(TENANT) as tx:
        assert not is_found(tx, PORT)
        writer_in(tx, LATER).restore(memory.id)
    with store.read(TENANT) as tx:
        assert is_found(tx, PORT)
        assert stored(tx, memory.id).validity is Validity.ACTIVE
        done = "archive" if way == "ended" else "supersede"
        assert actions(tx, memory.id) == ["add", done, "restore"]


def test_only_the_users_word_verifies_a_memory_and_ends_its_wait(store: Store) -> None:
    pending = memory_of(validity=Validity.PENDING_CONFIRMATION, flag="conflict")
    reported = Provenance(
        source_kind=SourceKind.ASSISTANT_INFERRED, trust=Trust.REPORTED, channel="mcp"
    )
    with store.write(TENANT) as tx:
        memory = add(tx, PORT, pending, provenance=reported)
        writer_in(tx).confirm(memory, by_user=False)
        waiting = stored(tx, memory.id)
        assert (waiting.verified, waiting.validity) == (False, Validity.PENDING_CONFIRMATION)
        writer_in(tx).confirm(waiting, by_user=True)
        confirmed = stored(tx, memory.id)
        assert (confirmed.verified, confirmed.validity) == (True, Validity.ACTIVE)


def test_a_derived_memory_is_linked_with_its_sources_and_rests_on_their_turns(store: Store) -> None:
    (turn,) = record(store, PORT)
    with store.write(TENANT) as tx:
        source = add(tx, PORT, turn_n=turn[0])
        derivation = Derivation((source,), turns_per_source=1)
        derived = add(
            tx, "Staging has a port", memory_of(MemoryType.CONCEPT), derivation=derivation
        )
    with store.read(TENANT) as tx:
        assert (derived.id, source.id) in edges(tx, derived.id, EdgeType.DERIVED_FROM)
        assert [one.turn_id for one in tx.memories.list_evidence(derived.id)] == [turn[1]]


def test_of_two_memories_that_say_the_same_one_stands_for_both(store: Store) -> None:
    (one_turn, other_turn) = record(store, PORT, "It is port 8080 on staging")
    with store.write(TENANT) as tx:
        one = add(tx, PORT, turn_n=one_turn[0])
        other = add(tx, "Port 8080 is staging's", turn_n=other_turn[0])
        writer_in(tx, LATER).merge(one, other, authority([one, other]), most_turns=10)
    with store.read(TENANT) as tx:
        assert stored(tx, other.id).validity is Validity.SUPERSEDED
        rests_on = {evidence.turn_id for evidence in tx.memories.list_evidence(one.id)}
        assert rests_on == {one_turn[1], other_turn[1]}
        assert edges(tx, one.id, EdgeType.VERSION_NEXT) == {(other.id, one.id)}
        assert [actions(tx, memory.id) for memory in (one, other)] == [["add", "merge"]] * 2


def test_a_memory_that_refers_to_nothing_is_not_written(store: Store) -> None:
    nowhere = StructuralLinks(replaces=new_id())
    with pytest.raises(NotFoundError), store.write(TENANT) as tx:
        add(tx, PORT, structural=nowhere)
    with store.read(TENANT) as tx:
        assert not is_found(tx, PORT)


def test_nothing_is_revised_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFoundError), store.write(TENANT) as tx:
        writer_in(tx).revise(new_id(), wording_of(PORT))


def by_statement(store: Store) -> str:
    statements = Statements(store, TENANT, LIBRARY, DIGESTER)
    return statements.remember("Anna prefers tea", MemoryType.PREFERENCE).id


def by_rules(store: Store) -> str:
    record(store, "Remember that my name is Anna Becker.")
    with store.read(TENANT) as tx:
        (memory,) = tx.memories.list_unverified(5)
        return memory.id


def by_hand(store: Store) -> str:
    edits = UserEdits(store, TENANT, DIGESTER)
    with store.write(TENANT) as tx:
        return edits.add(tx, "Anna prefers tea", MemoryType.PREFERENCE, None, None)


def by_night(store: Store) -> str:
    with store.write(TENANT) as tx:
        draft = DerivedDraft(MemoryType.CONCEPT, "Anna prefers tea", InferredBy.RULES, 0.8, turns=1)
        return add_derived(writer_in(tx), draft, [add(tx, "Anna drank tea")], NOW)


@pytest.mark.parametrize("path", [by_statement, by_rules, by_hand, by_night])
def test_every_path_gives_a_memory_the_same_parts(
    store: Store, path: Callable[[Store], str]
) -> None:
    memory_id = path(store)
    with store.read(TENANT) as tx:
        memory = stored(tx, memory_id)
        assert writer_in(tx).find_same(memory.content, None) == memory
        assert is_found(tx, memory.content)
        assert edges(tx, memory_id, EdgeType.MENTIONS)
        assert len(actions(tx, memory_id)) == 1


async def test_what_shares_words_is_looked_for_again_only_in_an_index_that_has_changed(
    home: Path,
) -> None:
    known, new = "The user's desk is in room 12.", "the user's desk is in room 12"
    async with memoria.open(settings=Settings(home=home, embedder="off"), tenant="t") as m:
        kept = await m.remember(known)
        with m._store.read("t") as tx:  # noqa: SLF001  (as the extractor does)
            ahead = read_ahead(tx, [new], [None])
        assert _judge(m, new, NOTHING_READ) == ([kept.id], 1)
        assert _judge(m, new, ahead) == ([kept.id], 0)
        await m.record_conversation([{"role": "user", "content": "What a day!"}])
        assert _judge(m, new, ahead) == ([kept.id], 1)


def _judge(m: Memoria, content: str, ahead: ReadAhead) -> tuple[list[str], int]:
    """The memories that say what is claimed, and how often the index is searched for them."""
    now = now_millis()
    claim = Claim(content, "", now, None, SourceKind.USER_SAID, Trust.USER, 0.6)
    origin = Provenance(source_kind=claim.source, trust=claim.trust, channel="library")
    memory = NewMemory(new_id(), MemoryType.FACT, importance=0.5, confidence=0.6)
    wording = NewWording(content=content, valid_from=now, provenance=origin)
    proposed = NewClaim(claim, memory, wording, ahead=ahead)
    with m._store.write("t") as tx, noted_work(tx) as work:  # noqa: SLF001
        verdicts = judge_claim(tx, proposed, now)
    searches = [sql for sql in work.statements if re.search(r"MATCH|rank_documents\(", sql)]
    return [one.id for one in verdicts.same], len(searches)


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
    names_table = re.compile(rf"\b(?:{'|'.join(WRITES)})\.")  # others need no parsing
    found = [
        f"{path.relative_to(SERVER)}:{line} calls {call}"
        for path in sorted(SERVER.rglob("*.py"))
        if path.relative_to(SERVER).parts[0] not in ROOMS
        and names_table.search(text := path.read_text("utf-8"))
        for line, call in writes_in(ast.parse(text))
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
    sql = [path.read_text("utf-8") for path in sorted(SERVER.glob("store/sql*/*.sql"))]
    for table in ("turns", "memory_versions"):
        assert sum(text.count(f"INTO {table} (") for text in sql) == 1, table
