"""A tenant can reach no other tenant's rows, whatever it asks and whatever both have said."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.erasure.suppression import Digester
from memoria.errors import NotFoundError
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.likeness import digest_opening
from memoria.ingest.scratchpads import update_scratchpad
from memoria.memories.details import StatementDetails
from memoria.memories.links import link_contradictions
from memoria.memories.statements import Statements
from memoria.memories.user_edits import UserEdits
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
    Entity,
    InferredBy,
    MemoryType,
    Mention,
    ModelCall,
    Node,
    PassageVector,
    Provenance,
    QueueKind,
    Role,
    StoredTurn,
    Turn,
    Validity,
    Vector,
    new_id,
)
from memoria.model.channel import transcript_channel
from memoria.model.core import CoreLine
from memoria.model.day import GeneratedFile
from memoria.model.forgetting import ForgetReport
from memoria.model.nightly import NightlyRun, RunOptions
from memoria.model.zone import LocalDay
from memoria.store import base
from memoria.store.base import Transaction
from memoria.store.base.accounts import Accounts
from memoria.store.base.listings import Listings
from memoria.store.base.transcripts import TranscriptPlace, TranscriptPlaces
from memoria.store.listed import ListedMemories, ListedSpan
from memoria.store.sqlite import SqliteStore
from memoria.store.values import (
    DocumentKind,
    ErasureFilter,
    Filters,
    NewEvidence,
    NewMemory,
    NewQueueEntry,
    NewVersion,
    SuppressedMeaning,
    Tombstone,
    TombstoneRecord,
)
from memoria.text.analyser import query_terms
from memoria.text.statement import fingerprint

LIMITS = CaptureLimits(max_turn_bytes=10_000, idle_minutes=30)
SAID = ["the port is 8080", "the cat is called Momo", "会议改到星期四"]
MODEL = "letters/8"
CALL = ModelCall(
    at=1, purpose="p", prompt="p/1", model="m", input_tokens=1, output_tokens=1, outcome="ok"
)
MARK = "the mark of what everybody forgot"

ALL_TIME = LocalDay(date(1970, 1, 1), 0, 2**53)


EVERY = Filters(include_history=True)
EVER = 1 << 60
LONG = " ".join(map(str, range(400)))


def vector(text: str) -> Vector:
    counts = np.full(8, 0.1, np.float32)
    for char in text:
        counts[ord(char) % 8] += 1
    return counts / np.float32(np.linalg.norm(counts))


IMPORTED = "said in a file"


def marks(tenant: str) -> Digester:
    return Digester(tenant, lambda: b"a key")


def add_rival(tx: Transaction, memory_id: str, version: NewVersion) -> str:
    """A memory that waits, because it contradicts another one. Gives its id."""
    waits = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5, validity=Validity.PENDING_CONFIRMATION)
    tx.memories.add(waits, version)
    against = tx.memories.get(memory_id)
    assert against is not None
    stands = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5)
    tx.memories.add(stands, version)
    tx.memories.add_version(stands.id, version)
    link_contradictions(tx, against, [waits.id, stands.id], now=2)
    return waits.id


def import_turn(store: SqliteStore, tenant: str) -> None:
    """A turn of the session comes from its client's transcript, and is summed up."""
    imports = Capture(store, tenant, transcript_channel("library"), LIMITS, marks(tenant))
    imports.record([Turn(role=Role.USER, content=IMPORTED, message_id="t")], "s", None)
    with store.write(tenant) as tx:
        tx.transcripts.set(TranscriptPlace("library", "/t.jsonl", "s", 9, "{}", 9))
        origin = Provenance(source_kind="user_said", trust="user", channel="test")
        summary = NewVersion(f"{tenant} imported it", b"s", 1, 1, origin, None)
        tx.memories.add(NewMemory(new_id(), MemoryType.EPISODE, 0.5, 0.5), summary)


def live(store: SqliteStore, tenant: str, said: list[str]) -> None:
    """Everything a tenant can do: talk, edit a message, remember, correct, archive, take notes."""
    capture = Capture(store, tenant, LIBRARY, LIMITS, marks(tenant))
    capture.record([Turn(role=Role.USER, content=text) for text in said], "s", None)
    for content in ("the port is 1", "the port is 2"):
        edited = Turn(role=Role.USER, content=content, message_id="m", speaker="Port")
        capture.record([edited], "s", None)
    import_turn(store, tenant)
    args, result = {"port": 1, "why": LONG}, f"8080 {LONG[::-1]}"
    call = Turn(role=Role.TOOL, tool_name="ls", tool_args=args, tool_result=result)
    capture.record([call], "s", "session_end")
    statements = Statements(store, tenant, LIBRARY, marks(tenant))
    with store.read(tenant) as tx:
        first = tx.conversations.session_turns("s", 0, 1)[0].id
    for text in said:
        statements.remember(text, MemoryType.FACT, StatementDetails(turn_id=first))
    corrected = statements.remember("the port was 1", MemoryType.FACT)
    statements.revise(corrected.id, "correct", f"the port was {corrected.id}")
    with store.write(tenant) as tx:
        turn = tx.conversations.session_turns("s", 0, 1)[0]
        origin = Provenance(source_kind="user_said", trust="user", channel="test", quote="port")
        version = NewVersion(f"{tenant} has a port", b"f", 1, 1, origin, turn.n, InferredBy.MODEL)
        memory = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5, subject="user", predicate="port")
        tx.memories.add(memory, replace(version, expires_at=1))
        if tx.episodes.find(turn.session_n, 0, 3) is None:
            tx.episodes.add(memory.id, turn.session_n, 0, 3)
        again = tx.conversations.session_turns("s", 1, 1)[0]
        tx.memories.add_evidence(NewEvidence(memory.id, again.n, "port", 1))
        rival_id = add_rival(tx, memory.id, version)
        tx.memories.add(
            NewMemory(new_id(), MemoryType.FACT, 0, 0, validity=Validity.ARCHIVED),
            replace(version, expires_at=1),
        )
    archived = statements.remember(
        "the port was 3", MemoryType.RULE, StatementDetails(task=f"{tenant} looks for the port")
    )
    statements.revise(archived.id, "archive", None)
    sum_up(store, tenant, turn)
    with store.write(tenant) as tx:
        note_forgetting(tx, tenant)
        newest = tx.conversations.session_turns("s", 0, 100)[-1]
        place = newest.session_n, 0, newest.turn_index - 1
        tx.queue.add(NewQueueEntry(new_id(), QueueKind.EXTRACT, *place, 9, "remember", 1))
        tx.ledger.add(CALL)
        plan_a_night(tx, f"{tenant}'s item")
    edit_by_hand(store, tenant, corrected.id)
    update_scratchpad(store, tenant, "s", f"{tenant} looks for the port", "a task", marks(tenant))
    interlink(store, tenant, corrected.id, archived.id, first)
    with store.write(tenant) as tx:
        merge(tx, memory.id, rival_id, corrected.id)
        draw(tx, corrected.id, again.n)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    with store.write(tenant) as tx:
        embed_all(tx)


def embed_all(tx: Transaction) -> None:
    """A vector for whatever waits for one, and a passage of its whole text."""
    due = tx.backlog.list_due(0, 1000, 5)
    said_by = {p.n: p.content or (p.turn.content if p.turn else "") for p in due}
    if due:
        vectors = {n: vector(text) for n, text in said_by.items()}
        passages = {n: [PassageVector(0, len(said_by[n]), vectors[n])] for n in vectors}
        tx.backlog.add_vectors(MODEL, vectors, passages)


def note_forgetting(tx: Transaction, tenant: str) -> None:
    """What a forget leaves behind: a tombstone and a proof."""
    stone = Tombstone("memory", f"{tenant}'s", 1, "because")
    meanings = (SuppressedMeaning(MODEL, vector(MARK), 0.9),)
    tx.tombstones.add(TombstoneRecord(stone, (MARK, f"0{MARK}", f"w{MARK}:0"), meanings))
    tx.erasures.add_report(
        ForgetReport(
            id=f"{tenant}'s",
            at=1,
            by=f"by {tenant}",
            selected_by=("ids",),
            state="hidden",
            purge_at=1,
            items={"memory": 1},
            removed={"memories": 1},
            remaining={},
            digests=(MARK,),
        )
    )
    tx.hidden.hide_file(f"{tenant}'s", base.HiddenFile(f"{tenant}.md", b"x", None))


def sum_up(store: SqliteStore, tenant: str, turn: StoredTurn) -> None:
    """Have a segment read that has an episode, and change what was concluded from it."""
    statements = Statements(store, tenant, LIBRARY, marks(tenant))
    told = statements.remember(
        f"Told first: {turn.content}", MemoryType.FACT, StatementDetails(turn_id=turn.id)
    )
    statements.revise(told.id, "correct", f"the port was told as {told.id}")
    with store.write(tenant) as tx:
        entry = NewQueueEntry(new_id(), QueueKind.EPISODE, turn.session_n, 0, 3, 1, "closed", 1)
        tx.queue.add(entry)
        tx.queue.add(replace(entry, id=new_id(), first_index=1, priority=9))
    with store.work_queue(write=True) as queue:
        leased = queue.lease_next("reader", 2, 1000, tenant)
    with store.write(tenant) as tx:
        assert leased is None or tx.queue.finish(leased.n, "reader", "EPISODE 1")


def edit_by_hand(store: SqliteStore, tenant: str, memory: str) -> None:
    hand = UserEdits(store, tenant, marks(tenant))
    with store.write(tenant) as tx:
        known = tx.memories.get(memory)
        assert known is not None
        hand.add_pending(tx, known, "the port is by hand")
        tx.core.set_line("MEMORY.md", CoreLine(known.id, f"m:{known.id}", b"port", known.current.n))
        tx.core.announce_write("MEMORY.md", b"port")


def plan_a_night(tx: Transaction, item: str) -> None:
    steps = RunOptions(steps=("archive_expired",))
    run = tx.nightly_runs.open_run() or tx.nightly_runs.begin_run(new_id(), 1, steps)
    tx.nightly_runs.add_plan(run, 0, [item])
    tx.file_records.put(GeneratedFile(path="a.md", digest=f"of {item}", stamp="1", run_n=run.n))
    tx.nightly_runs.note_tokens(run, 0, 5)


def draw(tx: Transaction, source: str, turn_n: int) -> None:
    """What a night might conclude from a memory."""
    origin = Provenance(source_kind="consolidated", trust="reported", channel="night")
    version = NewVersion("all ports are alike", b"d", 1, 1, origin, None, InferredBy.MODEL)
    drawn = NewMemory(new_id(), MemoryType.CONCEPT, 0.5, 0.5)
    tx.memories.add(drawn, version)
    tx.memories.add_evidence(NewEvidence(drawn.id, turn_n, "port", 1))
    src, dst = Node("memory", drawn.id), Node("memory", source)
    kind = EdgeType.DERIVED_FROM
    tx.graph.upsert_edges([Edge(src=src, type=kind, dst=dst, weight=1, confidence=1, made_at=1)])


def merge(tx: Transaction, one: str, other: str, like: str) -> None:
    tx.pairs.note_merged(other, one)
    tx.pairs.note_merged(one, other)
    src, merged, dst = (Node("memory", i) for i in (one, other, like))
    ends = [
        (src, EdgeType.SIMILAR_TO, dst),
        (src, EdgeType.VERSION_NEXT, dst),
        (merged, EdgeType.SIMILAR_TO, dst),
        (merged, EdgeType.SUPPORTS, dst),
        (src, EdgeType.CAUSES, dst),
    ]
    tx.graph.upsert_edges(
        Edge(src=here, type=kind, dst=there, weight=1, confidence=1, made_at=1)
        for here, kind, there in ends
    )
    here, there = (tx.graph.nodes_of_documents([n])[n] for n in present(tx, one, like))
    assert tx.edge_pruning.prune((here, 5, there), "over_cap")


def present(tx: Transaction, *ids: str) -> list[int]:
    return [memory.current.n for i in ids if (memory := tx.memories.get(i)) is not None]


def interlink(store: SqliteStore, tenant: str, memory: str, other: str, turn: str) -> None:
    """A graph that looks the same in every tenant: two memories, a turn and a port."""
    src = Node("memory", memory)
    with store.write(tenant) as tx:
        tx.graph.upsert_turn_entity(turn, Mention(name="the port"))
        ends = {
            EdgeType.ABOUT: tx.graph.upsert_entity(
                memory, Mention(name="the port", aliases=("PORT",))
            ),
            EdgeType.DERIVED_FROM: Node("turn", turn),
            EdgeType.SUPPORTS: Node("memory", other),
        }
        tx.graph.upsert_edges(
            Edge(src=src, type=kind, dst=end, weight=0.5, confidence=0.5, made_at=1)
            for kind, end in ends.items()
        )


@dataclass(frozen=True)
class Known:
    """What an eavesdropper may have learnt of a tenant: numbers, ids, fingerprints."""

    ns: tuple[int, ...]
    sessions: tuple[int, ...]
    turn_ids: tuple[str, ...]
    memory_ids: tuple[str, ...]
    fingerprints: tuple[bytes, ...]
    entry_ids: tuple[str, ...]
    entities: tuple[Entity, ...]
    nodes: tuple[int, ...]
    runs: tuple[NightlyRun, ...]


def known(store: SqliteStore, tenant: str) -> Known:
    with store.read(tenant) as tx:
        turns = tx.conversations.session_turns("s", 0, 1000)
        edited = next(turn for turn in turns if turn.message_id == "m")
        turns += tx.conversations.turn_versions(edited)
        memories = tx.memories.list_unverified(1000)
        over = map(tx.memories.get, tx.episodes.list_over_turns([turn.n for turn in turns]))
        memories += [memory for memory in over if memory is not None]
        versions = [version.n for memory in memories for version in memory.versions]
        numbers = {turn.session_n for turn in turns}
        return Known(
            ns=tuple(sorted({*(turn.n for turn in turns), *versions})),
            sessions=tuple(numbers),
            turn_ids=tuple(turn.id for turn in turns),
            memory_ids=tuple(memory.id for memory in memories),
            fingerprints=tuple(tx.conversations.last_fingerprints(min(numbers), 1000)),
            entry_ids=tuple(entry.id for entry in tx.queue.list_entries(None, 1000)),
            entities=tuple(tx.graph.find_entities(["the port"], EVERY)),
            nodes=tuple(sorted(set(tx.graph.nodes_of_documents(range(1000)).values()))),
            runs=tuple(tx.nightly_runs.list_runs(10)),
        )


def edges_of(places: Iterable[tuple[int, int, int]]) -> list[str]:
    return [f"src={src} dst={dst}" for src, _, dst in places]


BOTH: tuple[DocumentKind, ...] = ("turn", "memory")
READS: dict[str, Callable[[Transaction, Known], object]] = {
    "accounts.list_alike": lambda tx, them: [
        tx.accounts.list_alike(n, digest_opening(Role.USER, IMPORTED), 9) for n in them.sessions
    ],
    "accounts.find_last_index": lambda tx, them: [
        tx.accounts.find_last_index(n) + 1 for n in them.sessions
    ],
    "core.next_end": lambda tx, _: tx.core.next_end(0),
    "episodes.list_recent": lambda tx, _: tx.episodes.list_recent(0, None, 9),
    "transcripts.get": lambda tx, _: tx.transcripts.get("library", "/t.jsonl"),
    "transcripts.list_recent": lambda tx, _: tx.transcripts.list_recent(1, 9),
    "transcripts.list_live_sessions": lambda tx, _: tx.transcripts.list_live_sessions(
        "library", None, 1
    ),
    "documents.match": lambda tx, _: tx.documents.match(BOTH, ["port"], EVERY, 100),
    "documents.nearest": lambda tx, _: [
        tx.documents.nearest(kind, MODEL, vector("the port"), Filters(), 100) for kind in BOTH
    ],
    "documents.nearest_passages": lambda tx, them: tx.documents.nearest_passages(
        them.ns, MODEL, vector("the port")
    ),
    "documents.recent": lambda tx, _: tx.documents.recent(BOTH, EVERY, 100),
    "documents.distinct_words": lambda tx, them: tx.documents.distinct_words(them.ns),
    "documents.index_tokens": lambda tx, them: tx.documents.index_tokens(them.ns, 10_000),
    "documents.frequencies": lambda tx, _: list(
        tx.documents.frequencies(BOTH, ["port"], EVERY).by_term.values()
    ),
    "documents.find_words": lambda tx, _: tx.documents.find_words(BOTH, ["po"], str.isalpha, EVERY),
    "documents.awaiting_vectors": lambda tx, them: tx.documents.awaiting_vectors(them.ns),
    "documents.list_elsewhere": lambda tx, _: tx.documents.list_elsewhere(
        BOTH, [["port"]], Filters(include_history=True), 9
    ),
    "documents.count_hidden": lambda tx, _: tx.documents.count_hidden(BOTH, ["port"], EVERY),
    "conversations.find_message": lambda tx, them: [
        tx.conversations.find_message(n, "m") for n in them.sessions
    ],
    "conversations.find_fingerprint": lambda tx, them: [
        tx.conversations.find_fingerprint(n, print_)
        for n in them.sessions
        for print_ in them.fingerprints
    ],
    "conversations.last_fingerprints": lambda tx, them: [
        tx.conversations.last_fingerprints(n, 10) for n in them.sessions
    ],
    "conversations.first_fingerprints": lambda tx, _: [
        tx.conversations.first_fingerprints(n, 9) for n in range(1, 9)
    ],
    "conversations.turns": lambda tx, them: tx.conversations.turns(them.ns),
    "conversations.find_turn": lambda tx, _: tx.conversations.find_turn("library", "s", "m"),
    "conversations.turn": lambda tx, them: [tx.conversations.turn(i) for i in them.turn_ids],
    "conversations.list_positions": lambda tx, them: tx.conversations.list_positions(them.ns, 2),
    "conversations.speaker_at": lambda tx, them: list(
        filter(None, (tx.conversations.speaker_at(n, at) for n in them.sessions for at in range(9)))
    ),
    "conversations.speakers": lambda tx, them: [
        f"said by {speaker}" for speaker in tx.conversations.speakers(them.ns)
    ],
    "conversations.list_user_speakers": lambda tx, _: [
        f"n={one.first_turn} " for one in tx.conversations.list_user_speakers()
    ],
    "conversations.remarks": lambda tx, them: tx.conversations.remarks(them.ns),
    "conversations.neighbours": lambda tx, them: [
        tx.conversations.neighbours(n, 1, 5) for n in them.sessions
    ],
    "conversations.list_span": lambda tx, them: [
        tx.conversations.list_span(n, 0, 100) for n in them.sessions
    ],
    "conversations.session_turns": lambda tx, _: tx.conversations.session_turns("s", 0, 100),
    "conversations.session_size": lambda tx, _: tx.conversations.session_size("s"),
    "conversations.list_segments": lambda tx, _: tx.conversations.list_segments("s"),
    "memories.get": lambda tx, them: [tx.memories.get(i) for i in them.memory_ids],
    "tasks.list_names": lambda tx, _: tx.tasks.list_names(),
    "memories.list_repeated_in": lambda tx, them: tx.memories.list_repeated_in(them.ns),
    "memories.list_evidence": lambda tx, them: [
        tx.memories.list_evidence(i) for i in them.memory_ids
    ],
    "audit.list_by_action": lambda tx, _: tx.audit.list_by_action("remember", 100),
    "audit.list_subjects": lambda tx, _: tx.audit.list_subjects(0),
    "audit.list_entries": lambda tx, them: [tx.audit.list_entries(i) for i in them.memory_ids],
    "memories.by_version_numbers": lambda tx, them: tx.memories.by_version_numbers(them.ns),
    "memories.find_by_fingerprint": lambda tx, _: [
        tx.memories.find_by_fingerprint(fingerprint(text)) for text in SAID
    ],
    "memories.list_awaiting_turns": lambda tx, them: [
        f"n={n} " for n in tx.memories.list_awaiting_turns(them.ns)
    ],
    "memories.list_unverified": lambda tx, _: tx.memories.list_unverified(100),
    "memories.list_about": lambda tx, _: tx.memories.list_about("user"),
    "memories.list_concluded_from": lambda tx, them: tx.memories.list_concluded_from(
        them.ns, InferredBy.MODEL
    ),
    "listings.list_memories": lambda tx, _: (
        tx.listings.list_memories(ListedMemories(), ListedSpan(0, 100, everywhere=True)).items
    ),
    "listings.list_sessions": lambda tx, _: (
        tx.listings.list_sessions(None, ListedSpan(0, 100, everywhere=True)).items
    ),
    "memories.list_pending": lambda tx, _: tx.memories.list_pending(100),
    "memories.list_successors": lambda tx, them: [
        one.present for one in tx.memories.list_successors(them.ns, EVERY)
    ],
    "memories.list_contradicted": lambda tx, _: tx.memories.list_contradicted(100),
    "memories.list_contradictions": lambda tx, them: tx.memories.list_contradictions(
        them.memory_ids
    ),
    "memories.list_stated_in": lambda tx, them: tx.memories.list_stated_in(them.ns),
    "documents.list_containing": lambda tx, _: [
        tx.documents.list_containing(kind, ["port"]) for kind in BOTH
    ],
    "documents.page": lambda tx, _: [tx.documents.page(kind, 0, 100) for kind in BOTH],
    "tombstones.any": lambda tx, _: tx.tombstones.any(),
    "tombstones.has_older": lambda tx, _: tx.tombstones.has_older(),
    "tombstones.find_anchored": lambda tx, _: tx.tombstones.find_anchored([f"w{MARK}"]),
    "tombstones.find": lambda tx, _: tx.tombstones.find([MARK], "memory"),
    "tombstones.get": lambda tx, _: tx.tombstones.get("ann's"),
    "tombstones.has_meanings": lambda tx, _: tx.tombstones.has_meanings(),
    "tombstones.find_by_meaning": lambda tx, _: tx.tombstones.find_by_meaning(MODEL, vector(MARK)),
    "tombstones.all": lambda tx, _: tx.tombstones.all(),
    "erasures.list_memories": lambda tx, _: tx.erasures.list_memories(ErasureFilter()),
    "erasures.list_turns": lambda tx, _: [
        f"n={n}" for n in tx.erasures.list_turns(ErasureFilter())
    ],
    "erasures.list_about": lambda tx, _: tx.erasures.list_about("the port", "the port"),
    "erasures.list_core_marks": lambda tx, them: tx.erasures.list_core_marks(them.memory_ids),
    "erasures.find_scope": lambda tx, them: [
        *tx.erasures.find_scope(them.memory_ids, [], them.ns).memories
    ],
    "erasures.count_rows": lambda tx, them: [
        *tx.erasures.count_rows(tx.erasures.find_scope(them.memory_ids, [], [])).values()
    ],
    "erasures.get_holdings": lambda tx, _: [*tx.erasures.get_holdings()],
    "erasures.count_all_rows": lambda tx, _: [*tx.erasures.count_all_rows().values()],
    "erasures.iterate_wordings": lambda tx, _: [*tx.erasures.iterate_wordings()],
    "erasures.iterate_messages": lambda tx, _: [
        f"n={n} {turn_id}" for n, turn_id, _ in tx.erasures.iterate_messages()
    ],
    "erasures.list_reports": lambda tx, _: [one.by for one in tx.erasures.list_reports(9)],
    "erasures.list_all_reports": lambda tx, _: [one.by for one in tx.erasures.list_all_reports()],
    "erasures.get_report": lambda tx, _: [
        one.by for who in ("ann", "bob") if (one := tx.erasures.get_report(f"{who}'s"))
    ],
    "hidden.list_files": lambda tx, _: [
        one.place for who in ("ann", "bob") for one in tx.hidden.list_files(f"{who}'s")
    ],
    "hidden.list_due": lambda tx, _: tx.hidden.list_due(1 << 60),
    "scratchpads.list_notes": lambda tx, _: tx.scratchpads.list_notes(),
    "queue.list_entries": lambda tx, _: tx.queue.list_entries(None, 100),
    "queue.get_entry": lambda tx, them: [tx.queue.get_entry(i) for i in them.entry_ids],
    "queue.status": lambda tx, _: tx.queue.status().waiting,
    "queue.find_summary": lambda tx, them: [
        found
        for n in them.sessions
        for i in range(5)
        for j in range(40)
        if (found := tx.queue.find_summary(n, i, j)) is not None
    ],
    "graph.links_inferred_by": lambda tx, them: [
        tx.graph.links_inferred_by(i) == "model" or tx.graph.list_edges(Node("memory", i), EVERY)
        for i in them.memory_ids
    ],
    "graph.get_entity": lambda tx, them: [
        tx.graph.get_entity(one.id, EVERY) for one in them.entities
    ],
    "graph.find_entities": lambda tx, _: tx.graph.find_entities(["the port", "PORT"], EVERY),
    "graph.by_name": lambda tx, _: tx.graph.by_name(["the port"], EVERY),
    "graph.by_prefix": lambda tx, _: tx.graph.by_prefix("the p", EVERY, 100),
    "graph.list_edges": lambda tx, them: [
        tx.graph.list_edges(node, EVERY)
        for node in (
            *(Node("memory", i) for i in them.memory_ids),
            *(Node("turn", i) for i in them.turn_ids),
            *(Node("entity", one.id) for one in them.entities),
        )
    ],
    "graph.list_ties": lambda tx, them: tx.graph.list_ties(them.nodes, EVERY),
    "graph.neighbours": lambda tx, them: [
        f"node={n}" for others in tx.graph.neighbours(them.nodes, EVERY).values() for n in others
    ],
    "graph.high_degree": lambda tx, them: [
        f"node={n}" for n in tx.graph.high_degree(them.nodes, 0)
    ],
    "graph.nodes_of_documents": lambda tx, them: [
        f"n={n}" for n in tx.graph.nodes_of_documents(them.ns)
    ],
    "graph.documents_of_nodes": lambda tx, them: [
        f"n={n}" for n in tx.graph.documents_of_nodes(them.nodes).values()
    ],
    "graph.predecessor": lambda tx, them: [tx.graph.predecessor(i) for i in them.memory_ids],
    "conversations.list_unqueued_segments": lambda tx, _: tx.conversations.list_unqueued_segments(
        100
    ),
    "episodes.list_active": lambda tx, _: tx.episodes.list_active(0, 100),
    "episodes.list_read_before": lambda tx, them: tx.episodes.list_read_before(
        dict.fromkeys(them.memory_ids, 1 << 60)
    ),
    "episodes.get_span": lambda tx, them: [tx.episodes.get_span(i) for i in them.memory_ids],
    "episodes.find": lambda tx, them: [tx.episodes.find(n, 0, 3) for n in them.sessions],
    "episodes.list_over_turns": lambda tx, them: tx.episodes.list_over_turns(them.ns),
    "core.memories": lambda tx, _: tx.core.memories(0),
    "core.present": lambda tx, _: tx.core.present(0, "a project", ["MEMORY.md"]),
    "core.projects": lambda tx, _: tx.core.projects(),
    "core.disputes": lambda tx, _: tx.core.disputes(),
    "core.statuses": lambda tx, them: tx.core.statuses(them.memory_ids),
    "core.lines": lambda tx, _: tx.core.lines("MEMORY.md"),
    "core.file_state": lambda tx, _: [tx.core.file_state("MEMORY.md").pending],
    "scratchpads.get": lambda tx, _: tx.scratchpads.get("s"),
    "scratchpads.list_recent": lambda tx, _: tx.scratchpads.list_recent(100),
    "ledger.spending": lambda tx, _: tx.ledger.spending(0, 1 << 60).calls,
    "ledger.reading_price": lambda tx, _: tx.ledger.reading_price(0).calls,
    "ledger.newest": lambda tx, _: tx.ledger.newest(),
    "pairs.list_similar": lambda tx, _: [
        f"n={n} " for pair in tx.pairs.list_similar(None, (0, 0), 0.5, 100) for n in pair[1:3]
    ],
    "pairs.list_wordings": lambda tx, _: tx.pairs.list_wordings(0, 0, 100),
    "pairs.has_changes": lambda tx, _: tx.pairs.has_changes(0),
    "pairs.merge_targets": lambda tx, them: [*tx.pairs.merge_targets(them.memory_ids).items()],
    "pairs.list_successions": lambda tx, them: tx.pairs.list_successions(them.memory_ids),
    "pairs.list_merged_into": lambda tx, them: [
        tx.pairs.list_merged_into(i) for i in them.memory_ids
    ],
    "derivations.list_changed": lambda tx, them: tx.derivations.list_changed(them.memory_ids),
    "derivations.list_changed_in": lambda tx, them: [
        each for n in them.sessions for each in tx.derivations.list_changed_in(n, 0, 100)
    ],
    "derivations.list_candidates": lambda tx, _: [
        f"n={one.wording} {one.id}" for one in tx.derivations.list_candidates(0, 100)
    ],
    "derivations.similar_pairs": lambda tx, _: tx.derivations.similar_pairs(range(100)),
    "derivations.entities": lambda tx, _: [
        f"node={n}" for _, n in tx.derivations.entities(range(100))
    ],
    "derivations.occasions": lambda tx, _: tx.derivations.occasions(range(100)),
    "derivations.user_statement_times": lambda tx, _: tx.derivations.user_statement_times(
        range(100)
    ),
    "derivations.list_derived": lambda tx, _: tx.derivations.list_derived(0, 100),
    "derivations.sources": lambda tx, them: tx.derivations.sources(them.memory_ids),
    "dependencies.list_dependents": lambda tx, them: tx.dependencies.list_dependents(
        them.memory_ids, them.ns
    ),
    "dependencies.list_existing": lambda tx, them: tx.dependencies.list_existing(
        [*them.memory_ids, *them.turn_ids, *them.entry_ids]
    ),
    "dependencies.list_planned_items": lambda tx, _: tx.dependencies.list_planned_items(),
    "derivations.has_unseen_turns": lambda tx, them: [
        tx.derivations.has_unseen_turns(one, [other])
        for one in them.memory_ids
        for other in them.memory_ids
    ],
    "purge.list_short_lived": lambda tx, _: tx.purge.list_short_lived(2**53, 100),
    "purge.list_archived": lambda tx, _: tx.purge.list_archived(2**53, 100),
    "storage_tiers.count_unpacked": lambda tx, _: tx.storage_tiers.count_unpacked(EVER),
    "dependencies.list_unsupported_wordings": lambda tx, them: list(
        tx.dependencies.list_unsupported_wordings(them.ns).values()
    ),
    "storage_tiers.next_unpacked": lambda tx, _: tx.storage_tiers.next_unpacked(EVER) is not None,
    "storage_tiers.pack_page": lambda tx, them: [
        tx.storage_tiers.pack_page(n, 0).block for n in them.sessions
    ],
    "retention.list_expired": lambda tx, _: tx.retention.list_expired(1, 0, 100),
    "retention.list_attributes": lambda tx, _: tx.retention.list_attributes(0, 100),
    "retention.get_attributes": lambda tx, them: [
        tx.retention.get_attributes(i) for i in them.memory_ids
    ],
    "retention.get_support": lambda tx, them: [
        tx.retention.get_support(i).theme for i in them.memory_ids
    ],
    "days.list_closed_sessions": lambda tx, _: [
        (session.session_id, session.stamp) for session in tx.days.list_closed_sessions(0, 0, 100)
    ],
    "days.get_closed_session": lambda tx, them: [
        tx.days.get_closed_session(n) for n in them.sessions
    ],
    "days.next_activity_at": lambda tx, _: tx.days.next_activity_at(0),
    "days.notes": lambda tx, _: list(
        tx.days.notes(LocalDay(date(1970, 1, 1), 0, 2**53)).model_dump().values()
    ),
    "days.list_episode_ends": lambda tx, them: tx.days.list_episode_ends(them.ns),
    "file_records.all": lambda tx, _: tx.file_records.all(),
    "file_records.get": lambda tx, _: tx.file_records.get("a.md"),
    "edge_pruning.list_dense_nodes": lambda tx, _: [
        f"node={n}" for n in tx.edge_pruning.list_dense_nodes(0, 100)
    ],
    "edge_pruning.list_similar_pairs": lambda tx, them: edges_of(
        like.edge for like in tx.edge_pruning.list_similar_pairs(them.nodes)
    ),
    "edge_pruning.list_inactive_edges": lambda tx, _: edges_of(
        tx.edge_pruning.list_inactive_edges(0, 1000)[0]
    ),
    "edge_pruning.list_evidence_to_transfer": lambda tx, _: edges_of(
        place for place, _ in tx.edge_pruning.list_evidence_to_transfer()
    ),
    "edge_pruning.list_restorable": lambda tx, _: edges_of(
        edge.edge for edge in tx.edge_pruning.list_restorable(100)
    ),
    "metrics.count_links": lambda tx, _: list(tx.metrics.count_links()),
    "metrics.count_archived": lambda tx, _: list(tx.metrics.count_archived()),
    "metrics.sample_wordings": lambda tx, _: [f"n={n} " for n in tx.metrics.sample_wordings(100)],
    "nightly_runs.open_run": lambda tx, _: [run.id for run in [tx.nightly_runs.open_run()] if run],
    "nightly_runs.list_runs": lambda tx, _: [run.id for run in tx.nightly_runs.list_runs(100)],
    "nightly_runs.find_run": lambda tx, them: [
        tx.nightly_runs.find_run(run.id) for run in them.runs
    ],
    "nightly_runs.count_tokens": lambda tx, them: [
        tx.nightly_runs.count_tokens(run) for run in them.runs
    ],
    "nightly_runs.next_items": lambda tx, them: [
        tx.nightly_runs.next_items(run, 0, 9) for run in them.runs
    ],
}
NEED_OWN_ROWS = {  # take a turn or a run, which only its tenant can have
    "conversations.turn_versions",
    "nightly_runs.list_changes",
}
FINDS_DEFECTS = {"dependencies.list_orphans"}  # nothing in a sound home; see forgetting/test_verify
OF_ALL = {
    "audit.newest",  # where the log ends: a number
    "metrics.count_index_segments",  # of the one index that holds everybody's text: a number
    "backlog.current_model",  # of the home
    "core.version",  # of the home: that something changed, not what or whose
}
IN_TEST_TENANTS = {"backlog.list_due", "backlog.last_erasure", "leases.owner"}
WRITES = {
    "accounts.hand_over",
    "transcripts.set",
    "backlog.add_vectors",
    "backlog.postpone",
    "leases.take",
    "leases.release",
    "conversations.upsert_session",
    "conversations.add_turn",
    "conversations.retire_turn",
    "conversations.extend_segment",
    "conversations.close_segment",
    "conversations.close_idle_segments",
    "conversations.close_past_segments",
    "memories.add",
    "memories.add_evidence",
    "memories.add_use",
    "memories.add_version",
    "memories.add_past_version",
    "memories.set_validity",
    "memories.set_flags",
    "memories.describe",
    "memories.set_subject",
    "memories.set_scope",
    "memories.is_private",
    "memories.erase",
    "memories.erase_wording",
    "conversations.suppress_turn",
    "conversations.erase_turn",
    "conversations.erase_turns",
    "conversations.mark_processed",
    "queue.add",
    "queue.retry",
    "queue.drop",
    "queue.finish",
    "queue.widen",
    "queue.absorb",
    "queue.finish_summary",
    "scratchpads.erase",
    "tasks.erase",
    "core.set_line",
    "core.drop_line",
    "core.announce_write",
    "core.confirm_write",
    "tombstones.add",
    "tombstones.lift",
    "tombstones.add_all",
    "erasures.erase_all",
    "erasures.add_report",
    "hidden.hide_changes",
    "hidden.hide_texts",
    "hidden.hide_file",
    "hidden.put_back",
    "hidden.purge",
    "scratchpads.put",
    "audit.add",
    "ledger.add",
    "ledger.settle",
    "graph.upsert_entity",
    "graph.upsert_turn_entity",
    "graph.upsert_edges",
    "graph.remove_extracted",
    "graph.remove_turn_names",
    "graph.merge_entities",
    "graph.split_entity",
    "episodes.add",
    "episodes.stop_summarising",
    "episodes.requeue_summary",
    "episodes.requeue_summaries",
    "storage_tiers.write_page",
    "storage_tiers.mark_packed",
    "retention.set_tier",
    "purge.close_runs",
    "purge.drop_images",
    "retention.note_review",
    "pairs.copy_evidence",
    "pairs.absorb",
    "pairs.note_merged",
    "pairs.mark_distinct",
    "file_records.put",
    "file_records.drop",
    "file_records.forget",
    "dependencies.delete_orphan_rows",
    "dependencies.drop_unsupported_edges",
    "dependencies.drop_unsupported_entries",
    "edge_pruning.prune",
    "edge_pruning.restore",
    "edge_pruning.transfer",
    "metrics.add",
    "nightly_runs.begin_run",
    "nightly_runs.set_state",
    "nightly_runs.note_rows",
    "nightly_runs.set_step",
    "nightly_runs.add_plan",
    "nightly_runs.clear_plan",
    "nightly_runs.drop_items",
    "nightly_runs.drop_leftovers",
    "nightly_runs.remove_items",
    "nightly_runs.note_tokens",
    "nightly_runs.revert",
}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """A store in which Ann and Bob have said the same, and Carol nothing."""
    home = tmp_path_factory.mktemp("two")
    store = SqliteStore(home / "memoria.db", busy_timeout_ms=5000, readers=1)
    for tenant in ("ann", "bob"):
        live(store, tenant, SAID)
    for tenant in ("ann", "bob"):
        statements = Statements(store, tenant, LIBRARY, marks(tenant))
        statements.remember("this waits for its vector", MemoryType.FACT)
        beside = Statements(store, tenant, LIBRARY, marks(tenant), "a project")
        beside.remember("in this repo it is the port", MemoryType.FACT)
    yield store
    store.close()


def nothing(found: object) -> bool:
    """Whether an answer holds nothing: empty, zero, None, or a list of such."""
    return not found or (isinstance(found, list) and all(map(nothing, found)))


def test_every_method_that_reads_is_tried() -> None:
    parts = {
        "accounts": Accounts,
        "transcripts": TranscriptPlaces,
        "documents": base.Documents,
        "conversations": base.Conversations,
        "listings": Listings,
        "memories": base.Memories,
        "graph": base.Graph,
        "episodes": base.Episodes,
        "core": base.CoreLines,
        "scratchpads": base.Scratchpads,
        "tasks": base.TaskNames,
        "tombstones": base.Tombstones,
        "erasures": base.Erasures,
        "hidden": base.HiddenRecords,
        "queue": base.Queue,
        "audit": base.AuditLog,
        "ledger": base.ModelCallLog,
        "backlog": base.TenantBacklog,
        "leases": base.Leases,
        "storage_tiers": base.StorageTiers,
        "retention": base.RetentionRows,
        "pairs": base.Pairs,
        "purge": base.PurgeCandidates,
        "dependencies": base.Dependencies,
        "derivations": base.Derivations,
        "edge_pruning": base.PrunedEdges,
        "metrics": base.MetricRows,
        "nightly_runs": base.NightlyRuns,
        "days": base.Days,
        "file_records": base.GeneratedFileRecords,
    }
    methods = {
        f"{part}.{name}"
        for part, protocol in parts.items()
        for name in vars(protocol)
        if not name.startswith("_")
    }
    assert (
        methods == READS.keys() | WRITES | NEED_OWN_ROWS | FINDS_DEFECTS | OF_ALL | IN_TEST_TENANTS
    )


@pytest.mark.parametrize("name", READS)
def test_whoever_asks_with_anothers_numbers_and_ids_gets_nothing(
    two: SqliteStore, name: str
) -> None:
    them = known(two, "ann")
    with two.read("ann") as tx:
        assert not nothing(READS[name](tx, them))
    with two.read("carol") as tx:
        assert nothing(READS[name](tx, them))


@pytest.mark.parametrize("name", READS)
def test_one_who_said_the_same_gets_none_of_anothers_rows(two: SqliteStore, name: str) -> None:
    them = known(two, "ann")
    with two.read("bob") as tx:
        answer = repr(READS[name](tx, them))
    ids = [*them.turn_ids, *them.memory_ids, *(one.id for one in them.entities)]
    ids += [run.id for run in them.runs]
    assert not [secret for secret in ids if secret in answer]
    assert not [n for n in them.ns if re.search(rf"\bn={n}\b", answer)]
    assert not [n for n in them.nodes if re.search(rf"\b(src|dst|node)={n}\b", answer)]


def test_statistics_count_ones_own_rows_only(two: SqliteStore) -> None:
    counted = []
    for tenant in ("ann", "bob", "carol"):
        with two.read(tenant) as tx:
            counted.append(tx.statistics())
    ann, bob, carol = counted
    assert ann.model_dump(exclude={"tenant"}) == bob.model_dump(exclude={"tenant"})
    assert (ann.turns, ann.turn_versions, ann.memories) == (
        6,
        7,
        {"active": 11, "archived": 2, "pending_confirmation": 2},
    )
    assert (carol.sessions, carol.turns, carol.memories, carol.vectors) == (0, 0, {}, 0)
    assert (carol.raw_chunks, carol.raw_bytes, carol.stored_bytes) == (0, 0, 0)


def test_nobody_can_change_anothers_memories_turns_or_sessions(two: SqliteStore) -> None:
    them = known(two, "ann")
    with two.read("ann") as tx:
        before = [tx.memories.get(i) for i in them.memory_ids], tx.conversations.turns(them.ns)
    statements = Statements(two, "bob", LIBRARY, marks("bob"))
    for memory_id in them.memory_ids:
        with pytest.raises(NotFoundError):
            statements.revise(memory_id, "archive", None)
    for turn_id in them.turn_ids:
        with pytest.raises(NotFoundError):
            statements.remember("x", MemoryType.FACT, StatementDetails(turn_id=turn_id))
    with two.write("bob") as tx:
        tx.conversations.close_idle_segments(1 << 60)
        assert not any(tx.queue.retry(i) or tx.queue.drop(i) for i in them.entry_ids)
    with two.read("ann") as tx:
        assert (
            [tx.memories.get(i) for i in them.memory_ids],
            tx.conversations.turns(them.ns),
        ) == before


def test_nobody_can_change_anothers_graph(two: SqliteStore) -> None:
    them = known(two, "ann")
    (port,) = them.entities
    with two.read("ann") as tx:
        before = tx.graph.list_ties(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    ends = [Node("memory", i) for i in them.memory_ids]
    ends += [*(Node("turn", i) for i in them.turn_ids), Node("entity", port.id)]
    with two.write("bob") as tx:
        own = tx.memories.list_unverified(1)[0].id
        mine = tx.graph.upsert_entity(own, Mention(name="the port"))
        for memory_id in them.memory_ids:
            tx.graph.remove_extracted(memory_id)
            with pytest.raises(NotFoundError):
                tx.graph.upsert_entity(memory_id, Mention(name="the port"))
        for turn_id in them.turn_ids:
            tx.graph.remove_turn_names(turn_id)
            with pytest.raises(NotFoundError):
                tx.graph.upsert_turn_entity(turn_id, Mention(name="the port"))
        for end in ends:
            with pytest.raises(NotFoundError):
                tx.graph.upsert_edges([_supports(Node("memory", own), end)])
        for first, second in ((port.id, mine.id), (mine.id, port.id)):
            with pytest.raises(NotFoundError):
                tx.graph.merge_entities(first, second)
        with pytest.raises(NotFoundError):
            tx.graph.split_entity(port.id)
        for memory_id in them.memory_ids:
            tx.pairs.copy_evidence(own, memory_id, 10)
            tx.pairs.copy_evidence(memory_id, own, 10)
            tx.pairs.absorb(memory_id, own, "tool", 0.1)
            tx.pairs.absorb(own, memory_id, "reported", 0.9)
            tx.pairs.note_merged(memory_id, own)
            tx.pairs.mark_distinct(memory_id, own)
    with two.read("ann") as tx:
        after = tx.graph.list_ties(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    assert after == before


def _supports(src: Node, dst: Node) -> Edge:
    return Edge(src=src, type=EdgeType.SUPPORTS, dst=dst, weight=1, confidence=1, made_at=1)


FILTERS = st.builds(
    Filters,
    since=st.none() | st.just(0),
    until=st.none() | st.just(1 << 50),
    session_id=st.none() | st.just("s"),
    roles=st.just(()) | st.just((Role.USER,)),
    tool=st.none() | st.just("ls"),
    types=st.just(()) | st.just((MemoryType.FACT,)),
    include_history=st.booleans(),
)
NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
    min_size=2,
    max_size=3,
    unique=True,
)


@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(NAMES, st.lists(st.sampled_from(SAID), min_size=1, max_size=3, unique=True), FILTERS)
def test_no_search_of_any_tenant_with_any_filters_finds_anothers_document(
    store: SqliteStore, tenants: list[str], said: list[str], filters: Filters
) -> None:
    for tenant in tenants:
        live(store, tenant, said)
    terms = sorted({term for text in (*said, "port") for term in query_terms(text)})
    for tenant in tenants:
        with store.read(tenant) as tx:
            found = tx.documents.match(BOTH, terms, filters, 1000)
            for kind in BOTH:
                found += tx.documents.nearest(kind, MODEL, vector(said[0]), filters, 1000)
            ns = {match.n for match in found}
        owners = store._connections.writer.connection.execute(  # noqa: SLF001
            "SELECT DISTINCT t.name FROM documents d JOIN tenants t ON t.id = d.tenant_id "
            "WHERE d.n IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ns)),),
        )
        assert {row["name"] for row in owners} <= {tenant}
