"""A tenant can reach no other tenant's rows, whatever it asks and whatever both have said."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.errors import NotFoundError
from memoria.ingest.by_hand import ByHand
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.scratchpads import update_scratchpad
from memoria.ingest.statements import Statements
from memoria.ingest.tombstones import Marks
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
    Provenance,
    QueueKind,
    Role,
    Turn,
    Validity,
    Vector,
    new_id,
)
from memoria.model.core import CoreLine
from memoria.model.day import NightFile
from memoria.model.night import Run, RunOptions
from memoria.store import base
from memoria.store.base import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.values import (
    Aged,
    Ages,
    Filters,
    Grave,
    Kind,
    Likeness,
    NewEntry,
    NewEvidence,
    NewMemory,
    NewVersion,
    RawTier,
    Tombstone,
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


EVERY = Filters(history=True)
EVER = Ages(1 << 60, 1 << 60)


def vector(text: str) -> Vector:
    counts = np.full(8, 0.1, np.float32)
    for char in text:
        counts[ord(char) % 8] += 1
    return counts / np.float32(np.linalg.norm(counts))


def marks(tenant: str) -> Marks:
    return Marks(tenant, lambda: b"a key")


def live(store: SqliteStore, tenant: str, said: list[str]) -> None:
    """Everything a tenant can do: talk, edit a message, remember, correct, archive, take notes."""
    capture = Capture(store, tenant, LIBRARY, LIMITS, marks(tenant))
    capture.record([Turn(role=Role.USER, content=text) for text in said], "s", None)
    for content in ("the port is 1", "the port is 2"):
        capture.record([Turn(role=Role.USER, content=content, message_id="m")], "s", None)
    call = Turn(
        role=Role.TOOL, tool_name="ls", tool_args={"port": "1" * 600}, tool_result="8" * 600
    )
    capture.record([call], "s", "session_end")
    statements = Statements(store, tenant, LIBRARY, marks(tenant))
    with store.read(tenant) as tx:
        first = tx.conversations.session_turns("s", 0, 1)[0].id
    for text in said:
        statements.remember(text, MemoryType.FACT, None, None, first)
    corrected = statements.remember("the port was 1", MemoryType.FACT, None, None, None)
    statements.revise(corrected.id, "correct", f"the port was {corrected.id}")
    with store.write(tenant) as tx:
        turn = tx.conversations.session_turns("s", 0, 1)[0]
        origin = Provenance(source_kind="user_said", trust="user", channel="test", quote="port")
        version = NewVersion(f"{tenant} has a port", b"f", 1, 1, origin, turn.n, InferredBy.MODEL)
        memory = NewMemory(
            new_id(), MemoryType.FACT, 0.5, 0.5, subject="user", predicate="port", expires_at=1
        )
        tx.memories.add(memory, version)
        if tx.episodes.of(turn.session_n, 0, 3) is None:
            tx.episodes.put(memory.id, turn.session_n, 0, 3)
        again = tx.conversations.session_turns("s", 1, 1)[0]
        tx.memories.add_evidence(NewEvidence(memory.id, again.n, "port", 1))
        waits = NewMemory(
            new_id(), MemoryType.FACT, 0.5, 0.5, validity=Validity.PENDING_CONFIRMATION
        )
        tx.memories.add(waits, version)
    archived = statements.remember("the port was 3", MemoryType.RULE, None, None, None)
    statements.revise(archived.id, "archive", None)
    with store.write(tenant) as tx:
        stone = Tombstone("memory", f"{tenant}'s", 1, "because")
        tx.tombstones.add(Grave(stone, (MARK,), (Likeness(MODEL, vector(MARK), 0.9),)))
        newest = tx.conversations.session_turns("s", 0, 100)[-1]
        place = newest.session_n, 0, newest.turn_index - 1
        tx.queue.add(NewEntry(new_id(), QueueKind.EXTRACT, *place, 9, "remember", 1))
        tx.ledger.add(CALL)
        plan_a_night(tx, f"{tenant}'s item")
    edit_by_hand(store, tenant, corrected.id)
    update_scratchpad(store, tenant, "s", f"{tenant} looks for the port", "a task")
    interlink(store, tenant, corrected.id, archived.id, first)
    with store.write(tenant) as tx:
        merge(tx, memory.id, waits.id, corrected.id)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
        due = backlog.due(0, 1000, 5)
        said_by = {p.n: p.content or (p.turn.content if p.turn else "") for p in due}
        if due:
            backlog.fulfil(MODEL, {n: vector(text) for n, text in said_by.items()})


def edit_by_hand(store: SqliteStore, tenant: str, memory: str) -> None:
    hand = ByHand(store, tenant, marks(tenant))
    with store.write(tenant) as tx:
        known = tx.memories.get(memory)
        assert known is not None
        hand.hold(tx, known, "the port is by hand")
        tx.core.put("MEMORY.md", CoreLine(known.id, f"m:{known.id}", b"port", known.current.n))
        tx.core.expect("MEMORY.md", b"port")


def plan_a_night(tx: Transaction, item: str) -> None:
    steps = RunOptions(steps=("expire",))
    run = tx.night.open_run() or tx.night.begin(new_id(), 1, steps)
    tx.night.add_plan(run, 0, [item])
    tx.files.put(NightFile(path="a.md", digest=f"of {item}", stamp="1", run_n=run.n))
    tx.night.note_tokens(run, 0, 5)


def merge(tx: Transaction, one: str, other: str, like: str) -> None:
    tx.pairs.note_merged(other, one)
    tx.pairs.note_merged(one, other)
    src, dst = Node("memory", one), Node("memory", like)
    near = Edge(src=src, type=EdgeType.SIMILAR_TO, dst=dst, weight=1, confidence=1, made_at=1)
    tx.graph.put([near])


def interlink(store: SqliteStore, tenant: str, memory: str, other: str, turn: str) -> None:
    """A graph that looks the same in every tenant: two memories, a turn and a port."""
    src = Node("memory", memory)
    with store.write(tenant) as tx:
        ends = {
            EdgeType.ABOUT: tx.graph.name(memory, Mention(name="the port", aliases=("PORT",))),
            EdgeType.DERIVED_FROM: Node("turn", turn),
            EdgeType.SUPPORTS: Node("memory", other),
        }
        tx.graph.put(
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
    runs: tuple[Run, ...]


def known(store: SqliteStore, tenant: str) -> Known:
    with store.read(tenant) as tx:
        turns = tx.conversations.session_turns("s", 0, 1000)
        edited = next(turn for turn in turns if turn.message_id == "m")
        turns += tx.conversations.turn_versions(edited)
        memories = tx.memories.unverified(1000)
        over = map(tx.memories.get, tx.episodes.over([turn.n for turn in turns]))
        memories += [memory for memory in over if memory is not None]
        versions = [version.n for memory in memories for version in memory.versions]
        numbers = {turn.session_n for turn in turns}
        return Known(
            ns=tuple(sorted({*(turn.n for turn in turns), *versions})),
            sessions=tuple(numbers),
            turn_ids=tuple(turn.id for turn in turns),
            memory_ids=tuple(memory.id for memory in memories),
            fingerprints=tuple(tx.conversations.last_fingerprints(min(numbers), 1000)),
            entry_ids=tuple(entry.id for entry in tx.queue.entries(None, 1000)),
            entities=tuple(tx.graph.entities(["the port"], EVERY)),
            nodes=tuple(sorted(set(tx.graph.of_documents(range(1000)).values()))),
            runs=tuple(tx.night.runs(10)),
        )


BOTH: tuple[Kind, ...] = ("turn", "memory")
READS: dict[str, Callable[[Transaction, Known], object]] = {
    "documents.match": lambda tx, _: tx.documents.match(BOTH, ["port"], EVERY, 100),
    "documents.nearest": lambda tx, _: [
        tx.documents.nearest(kind, MODEL, vector("the port"), Filters(), 100) for kind in BOTH
    ],
    "documents.recent": lambda tx, _: tx.documents.recent(BOTH, EVERY, 100),
    "documents.words": lambda tx, them: tx.documents.words(them.ns),
    "documents.indexed": lambda tx, them: tx.documents.indexed(them.ns, 10_000),
    "documents.frequencies": lambda tx, _: list(
        tx.documents.frequencies(BOTH, ["port"], EVERY).holding.values()
    ),
    "documents.awaiting_vectors": lambda tx, them: tx.documents.awaiting_vectors(them.ns),
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
    "conversations.turn": lambda tx, them: [tx.conversations.turn(i) for i in them.turn_ids],
    "conversations.places": lambda tx, them: tx.conversations.places(them.ns, 2),
    "conversations.speakers": lambda tx, them: [
        f"said by {speaker}" for speaker in tx.conversations.speakers(them.ns)
    ],
    "conversations.remarks": lambda tx, them: tx.conversations.remarks(them.ns),
    "conversations.around": lambda tx, them: [
        tx.conversations.around(n, 1, 5) for n in them.sessions
    ],
    "conversations.span": lambda tx, them: [
        tx.conversations.span(n, 0, 100) for n in them.sessions
    ],
    "conversations.session_turns": lambda tx, _: tx.conversations.session_turns("s", 0, 100),
    "conversations.session_size": lambda tx, _: tx.conversations.session_size("s"),
    "conversations.stretches": lambda tx, _: tx.conversations.stretches("s"),
    "memories.get": lambda tx, them: [tx.memories.get(i) for i in them.memory_ids],
    "memories.said_again_in": lambda tx, them: tx.memories.said_again_in(them.ns),
    "memories.evidence": lambda tx, them: [tx.memories.evidence(i) for i in them.memory_ids],
    "audit.of": lambda tx, them: [tx.audit.of(i) for i in them.memory_ids],
    "memories.by_versions": lambda tx, them: tx.memories.by_versions(them.ns),
    "memories.with_fingerprint": lambda tx, _: [
        tx.memories.with_fingerprint(fingerprint(text)) for text in SAID
    ],
    "memories.unverified": lambda tx, _: tx.memories.unverified(100),
    "memories.about": lambda tx, _: tx.memories.about("user"),
    "memories.concluded": lambda tx, them: tx.memories.concluded(them.ns, InferredBy.MODEL),
    "memories.held_back": lambda tx, _: tx.memories.held_back(100),
    "memories.resting_on": lambda tx, them: tx.memories.resting_on(them.ns),
    "documents.holding": lambda tx, _: [tx.documents.holding(kind, ["port"]) for kind in BOTH],
    "documents.page": lambda tx, _: [tx.documents.page(kind, 0, 100) for kind in BOTH],
    "tombstones.any": lambda tx, _: tx.tombstones.any(),
    "tombstones.find": lambda tx, _: tx.tombstones.find([MARK], "memory"),
    "tombstones.of": lambda tx, _: tx.tombstones.of("ann's"),
    "tombstones.know_meanings": lambda tx, _: tx.tombstones.know_meanings(),
    "tombstones.like": lambda tx, _: tx.tombstones.like(MODEL, vector(MARK)),
    "tombstones.all": lambda tx, _: tx.tombstones.all(),
    "queue.entries": lambda tx, _: tx.queue.entries(None, 100),
    "queue.entry": lambda tx, them: [tx.queue.entry(i) for i in them.entry_ids],
    "queue.status": lambda tx, _: tx.queue.status().waiting,
    "queue.extractions": lambda tx, them: [
        tx.queue.extractions(n, "remember") for n in them.sessions
    ],
    "graph.read_by": lambda tx, them: [
        tx.graph.read_by(i) == "model" or tx.graph.edges(Node("memory", i), EVERY)
        for i in them.memory_ids
    ],
    "graph.entity": lambda tx, them: [tx.graph.entity(one.id, EVERY) for one in them.entities],
    "graph.entities": lambda tx, _: tx.graph.entities(["the port", "PORT"], EVERY),
    "graph.called": lambda tx, _: tx.graph.called(["the port"], EVERY),
    "graph.beginning": lambda tx, _: tx.graph.beginning("the p", EVERY, 100),
    "graph.edges": lambda tx, them: [
        tx.graph.edges(node, EVERY)
        for node in (
            *(Node("memory", i) for i in them.memory_ids),
            *(Node("turn", i) for i in them.turn_ids),
            *(Node("entity", one.id) for one in them.entities),
        )
    ],
    "graph.ties": lambda tx, them: tx.graph.ties(them.nodes, EVERY),
    "graph.neighbours": lambda tx, them: [
        f"node={n}" for others in tx.graph.neighbours(them.nodes, EVERY).values() for n in others
    ],
    "graph.busy": lambda tx, them: [f"node={n}" for n in tx.graph.busy(them.nodes, 0)],
    "graph.of_documents": lambda tx, them: [f"n={n}" for n in tx.graph.of_documents(them.ns)],
    "graph.documents": lambda tx, them: [f"n={n}" for n in tx.graph.documents(them.nodes).values()],
    "graph.predecessor": lambda tx, them: [tx.graph.predecessor(i) for i in them.memory_ids],
    "conversations.unread_stretches": lambda tx, _: tx.conversations.unread_stretches(100),
    "episodes.stretch": lambda tx, them: [tx.episodes.stretch(i) for i in them.memory_ids],
    "episodes.of": lambda tx, them: [tx.episodes.of(n, 0, 3) for n in them.sessions],
    "episodes.over": lambda tx, them: tx.episodes.over(them.ns),
    "core.memories": lambda tx, _: tx.core.memories(0),
    "core.disputes": lambda tx, _: tx.core.disputes(),
    "core.standing": lambda tx, them: tx.core.standing(them.memory_ids),
    "core.lines": lambda tx, _: tx.core.lines("MEMORY.md"),
    "core.state": lambda tx, _: [tx.core.state("MEMORY.md").pending],
    "scratchpads.get": lambda tx, _: tx.scratchpads.get("s"),
    "scratchpads.recent": lambda tx, _: tx.scratchpads.recent(100),
    "ledger.spent": lambda tx, _: tx.ledger.spent(0, 1 << 60).calls,
    "ledger.last": lambda tx, _: tx.ledger.last(),
    "pairs.alike": lambda tx, _: [
        f"n={n} " for pair in tx.pairs.alike(None, (0, 0), 0.5, 100) for n in pair[1:3]
    ],
    "pairs.wordings": lambda tx, _: tx.pairs.wordings(0, 0, 100),
    "pairs.any_changed": lambda tx, _: tx.pairs.any_changed(0),
    "pairs.merged": lambda tx, them: [*tx.pairs.merged(them.memory_ids).items()],
    "pairs.merged_into": lambda tx, them: [tx.pairs.merged_into(i) for i in them.memory_ids],
    "tiers.count_aged": lambda tx, _: tx.tiers.count_aged(EVER),
    "tiers.next_aged": lambda tx, _: tx.tiers.next_aged(EVER) is not None,
    "tiers.repack": lambda tx, them: [
        tx.tiers.repack(Aged(n, RawTier.COLD), 0).block for n in them.sessions
    ],
    "retention.expired": lambda tx, _: tx.retention.expired(1, 0, 100),
    "retention.vitals": lambda tx, _: tx.retention.vitals(0, 100),
    "retention.vitals_of": lambda tx, them: [tx.retention.vitals_of(i) for i in them.memory_ids],
    "retention.support": lambda tx, them: [tx.retention.support(i).theme for i in them.memory_ids],
    "days.closed_sessions": lambda tx, _: [
        (session.session_id, session.stamp) for session in tx.days.closed_sessions(0, 0, 100)
    ],
    "days.closed_session": lambda tx, them: [tx.days.closed_session(n) for n in them.sessions],
    "days.next_active": lambda tx, _: tx.days.next_active(0),
    "days.notes": lambda tx, _: list(tx.days.notes(0, 2**53).model_dump().values()),
    "days.summed_up": lambda tx, them: tx.days.summed_up(them.ns),
    "files.all": lambda tx, _: tx.files.all(),
    "files.get": lambda tx, _: tx.files.get("a.md"),
    "night.open_run": lambda tx, _: [run.id for run in [tx.night.open_run()] if run],
    "night.runs": lambda tx, _: [run.id for run in tx.night.runs(100)],
    "night.run": lambda tx, them: [tx.night.run(run.id) for run in them.runs],
    "night.tokens": lambda tx, them: [tx.night.tokens(run) for run in them.runs],
    "night.next_items": lambda tx, them: [tx.night.next_items(run, 0, 9) for run in them.runs],
}
NEED_OWN_ROWS = {  # take a turn or a run, which only its tenant can have
    "conversations.turn_versions",
    "night.changes",
}
WRITES = {
    "conversations.enter_session",
    "conversations.add_turn",
    "conversations.retire_turn",
    "conversations.extend_stretch",
    "conversations.close_stretch",
    "conversations.close_idle_stretches",
    "conversations.close_past_stretches",
    "memories.add",
    "memories.add_evidence",
    "memories.use",
    "memories.add_version",
    "memories.set_validity",
    "memories.mark",
    "memories.erase",
    "memories.erase_wording",
    "conversations.bar_turn",
    "conversations.erase_turn",
    "conversations.process",
    "queue.add",
    "queue.retry",
    "queue.drop",
    "queue.finish",
    "scratchpads.erase",
    "core.put",
    "core.drop",
    "core.expect",
    "core.settle",
    "tombstones.add",
    "tombstones.lift",
    "scratchpads.put",
    "audit.add",
    "ledger.add",
    "ledger.settle",
    "graph.name",
    "graph.put",
    "graph.unsay",
    "graph.merge",
    "graph.part",
    "episodes.put",
    "episodes.leave",
    "episodes.write_anew",
    "tiers.put",
    "tiers.settle",
    "retention.set_tier",
    "retention.note_review",
    "pairs.gather",
    "pairs.take_in",
    "pairs.note_merged",
    "pairs.keep_apart",
    "files.put",
    "files.drop",
    "files.forget",
    "night.begin",
    "night.set_state",
    "night.note_rows",
    "night.set_step",
    "night.add_plan",
    "night.clear_plan",
    "night.strike",
    "night.note_tokens",
    "night.revert",
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
        statements.remember("this waits for its vector", MemoryType.FACT, None, None, None)
    yield store
    store.close()


def nothing(found: object) -> bool:
    """Whether an answer holds nothing: empty, zero, None, or a list of such."""
    return not found or (isinstance(found, list) and all(map(nothing, found)))


def test_every_method_that_reads_is_tried() -> None:
    parts = {
        "documents": base.Documents,
        "conversations": base.Conversations,
        "memories": base.Memories,
        "graph": base.Graph,
        "episodes": base.Episodes,
        "core": base.CoreLines,
        "scratchpads": base.Scratchpads,
        "tombstones": base.Tombstones,
        "queue": base.Queue,
        "audit": base.Audit,
        "ledger": base.Ledger,
        "tiers": base.RawTiers,
        "retention": base.Retention,
        "pairs": base.Pairs,
        "night": base.Nights,
        "days": base.Days,
        "files": base.NightFiles,
    }
    methods = {
        f"{part}.{name}"
        for part, protocol in parts.items()
        for name in vars(protocol)
        if not name.startswith("_")
    }
    assert methods == READS.keys() | WRITES | NEED_OWN_ROWS


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
        5,
        6,
        {"active": 6, "archived": 1, "pending_confirmation": 2},
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
            statements.remember("x", MemoryType.FACT, None, None, turn_id)
    with two.write("bob") as tx:
        tx.conversations.close_idle_stretches(1 << 60)
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
        before = tx.graph.ties(them.nodes, EVERY), tx.graph.entities(["the port"], EVERY)
    ends = [Node("memory", i) for i in them.memory_ids]
    ends += [*(Node("turn", i) for i in them.turn_ids), Node("entity", port.id)]
    with two.write("bob") as tx:
        own = tx.memories.unverified(1)[0].id
        mine = tx.graph.name(own, Mention(name="the port"))
        for memory_id in them.memory_ids:
            tx.graph.unsay(memory_id)
            with pytest.raises(NotFoundError):
                tx.graph.name(memory_id, Mention(name="the port"))
        for end in ends:
            with pytest.raises(NotFoundError):
                tx.graph.put([_supports(Node("memory", own), end)])
        for first, second in ((port.id, mine.id), (mine.id, port.id)):
            with pytest.raises(NotFoundError):
                tx.graph.merge(first, second)
        with pytest.raises(NotFoundError):
            tx.graph.part(port.id)
        for memory_id in them.memory_ids:
            tx.pairs.gather(own, memory_id, 10)
            tx.pairs.gather(memory_id, own, 10)
            tx.pairs.take_in(memory_id, own, "tool", 0.1)
            tx.pairs.take_in(own, memory_id, "reported", 0.9)
            tx.pairs.note_merged(memory_id, own)
            tx.pairs.keep_apart(memory_id, own)
    with two.read("ann") as tx:
        after = tx.graph.ties(them.nodes, EVERY), tx.graph.entities(["the port"], EVERY)
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
    history=st.booleans(),
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
        owners = store._writer.execute(  # noqa: SLF001
            "SELECT DISTINCT t.name FROM documents d JOIN tenants t ON t.id = d.tenant_id "
            "WHERE d.n IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ns)),),
        )
        assert {row["name"] for row in owners} <= {tenant}
