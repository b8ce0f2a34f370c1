"""The life of a tenant that does everything it can; what it says, anybody may have said."""

from dataclasses import replace

import numpy as np

from memoria.erasure.suppression import Digester
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.sessions import update_scratchpad
from memoria.memories.details import StatementDetails
from memoria.memories.links import link_contradictions
from memoria.memories.statements import Statements
from memoria.memories.user_edits import UserEdits
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
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
    Trust,
    Turn,
    Validity,
    Vector,
    new_id,
)
from memoria.model.access import Access, Token
from memoria.model.attachment import Attachment
from memoria.model.core import CoreLine
from memoria.model.events import Webhook
from memoria.model.forgetting import ForgetReport
from memoria.model.metadata import Metadata
from memoria.model.nightly import GeneratedFile, RunOptions
from memoria.model.privacy import PrivateTime
from memoria.model.provenance import transcript_channel
from memoria.store.engine import Store
from memoria.store.rows.capture import TranscriptPlace
from memoria.store.rows.forgotten import HiddenFile
from memoria.store.rows.outbox import KeptWebhook
from memoria.store.rows.transaction import Transaction
from memoria.store.values import (
    NewEvidence,
    NewMemory,
    NewQueueEntry,
    NewVersion,
    SuppressedMeaning,
    Tombstone,
    TombstoneRecord,
)

LIMITS = CaptureLimits(max_turn_bytes=10_000, idle_minutes=30, max_attachment_bytes=100)
SAID = ["the port is 8080", "the cat is called Momo", "会议改到星期四"]
MODEL = "letters/8"
CALL = ModelCall(
    at=1, purpose="p", prompt="p/1", model="m", input_tokens=1, output_tokens=1, outcome="ok"
)
MARK = "the mark of what everybody forgot"
IMPORTED = "said in a file"
PROJECT = "a project"
METADATA: Metadata = {"ticket": "T-1", "count": 3, "done": True, "tags": ["a", "会议"]}
LONG = " ".join(map(str, range(400)))


def vector(text: str) -> Vector:
    counts = np.full(8, 0.1, np.float32)
    for char in text:
        counts[ord(char) % 8] += 1
    return counts / np.float32(np.linalg.norm(counts))


def marks(tenant: str) -> Digester:
    return Digester(tenant, lambda: b"a key")


def live(store: Store, tenant: str, said: list[str]) -> None:
    """Everything a tenant can do: talk, edit a message, remember, correct, archive, take notes."""
    capture = Capture(store, tenant, LIBRARY, LIMITS, marks(tenant))
    capture.record([Turn(role=Role.USER, content=text) for text in said], "s", None)
    for content in ("the port is 1", "the port is 2"):
        edited = Turn(role=Role.USER, content=content, message_id="m", speaker="Port")
        capture.record([edited], "s", None)
    import_turn(store, tenant)
    args, result = {"why": LONG, "command": ["cat", "port.txt"]}, f"8080 {LONG[::-1]}"
    call = Turn(
        role=Role.TOOL, tool_name="ls", tool_args=args, tool_result=result, metadata=METADATA
    )
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
        note_quotes(tx, tenant, version, again.n)
        rival_id = add_rival(tx, memory.id, version)
        tx.memories.add(
            NewMemory(new_id(), MemoryType.FACT, 0, 0, validity=Validity.ARCHIVED),
            replace(version, expires_at=1),
        )
    archived = statements.remember(
        "the port was 3",
        MemoryType.RULE,
        StatementDetails(task=f"{tenant} looks for the port", metadata=METADATA),
    )
    statements.revise(archived.id, "archive", None)
    sum_up(store, tenant, turn)
    with store.write(tenant) as tx:
        note_forgetting(tx, tenant)
        newest = tx.conversations.session_turns("s", 0, 100)[-1]
        place = newest.session_n, 0, newest.turn_index - 1
        tx.queue.add(NewQueueEntry(new_id(), QueueKind.EXTRACT, *place, 9, "remember", 1))
        tx.ledger.add(CALL)
        tx.private_times.add(PrivateTime(workspace="a project", began_at=1, ended_at=2))
        tx.scratchpads.put("early", f"{tenant} looks for a berth", [], 1, 5)
        give_token_and_plan_night(tx, tenant)
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


def talk_in_project(store: Store, tenant: str) -> None:
    """A turn of a session in a project."""
    told = Turn(role=Role.USER, content=f"{tenant} keeps the port in a project")
    Capture(store, tenant, LIBRARY, LIMITS, marks(tenant), PROJECT).record([told], "p", None)


def import_turn(store: Store, tenant: str) -> None:
    """A turn of the session comes from its client's transcript, and is summed up."""
    talk_in_project(store, tenant)
    imports = Capture(store, tenant, transcript_channel("library"), LIMITS, marks(tenant))
    sent = (Attachment.of_bytes(f"\0{tenant}".encode()),)
    told = Turn(role=Role.USER, content=IMPORTED, message_id="t", attachments=sent)
    imports.record([told], "s", None)
    with store.write(tenant) as tx:
        tx.transcripts.set(TranscriptPlace("library", "/t.jsonl", "s", 9, "{}", 9))
        origin = Provenance(source_kind="user_said", trust="user", channel="test")
        summary = NewVersion(f"{tenant} imported it", b"s", 1, 1, origin, None)
        tx.memories.add(NewMemory(new_id(), MemoryType.EPISODE, 0.5, 0.5), summary)


def note_quotes(tx: Transaction, tenant: str, version: NewVersion, turn_n: int) -> None:
    """A wish without effect, a turn at which nobody has looked, what rules made, a bound one."""
    assert version.turn_n is not None
    tx.conversations.mark(version.turn_n, None)
    tx.conversations.mark(turn_n, "wish")
    tx.conversations.pass_over([turn_n])
    told = {"client": "rules", "trust": Trust.REPORTED}
    read = replace(
        version,
        content=f"{tenant} said so, by rules",
        fingerprint=b"r",
        provenance=version.provenance.model_copy(update=told),
        inferred_by=InferredBy.RULES,
    )
    tx.memories.add(NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5), read)
    bind_to_files(tx, version)


def bind_to_files(tx: Transaction, version: NewVersion) -> None:
    """A memory of a project that is bound to a file, and one at which nobody has looked."""
    for is_bound in (True, False):
        told = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5, workspace=PROJECT)
        tx.memories.add(told, version)
        kept = tx.memories.get(told.id)
        if is_bound and kept is not None:
            tx.grounds.bind(kept.current.n, [("port.py", "", "f", None)])


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
    with tx.hidden.hide_changes(f"{tenant}'s"):
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
    tx.hidden.hide_file(f"{tenant}'s", HiddenFile(f"{tenant}.md", b"x", None))


def sum_up(store: Store, tenant: str, turn: StoredTurn) -> None:
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


def edit_by_hand(store: Store, tenant: str, memory: str) -> None:
    hand = UserEdits(store, tenant, marks(tenant))
    with store.write(tenant) as tx:
        known = tx.memories.get(memory)
        assert known is not None
        hand.add_pending(tx, known, "the port is by hand")
        tx.core.set_line("MEMORY.md", CoreLine(known.id, f"m:{known.id}", b"port", known.current.n))
        tx.core.announce_write("MEMORY.md", b"port")


def give_token_and_plan_night(tx: Transaction, tenant: str) -> None:
    tx.tokens.add(Token(id=f"token of {tenant}", access=Access.READ, created_at=1), b"digest")
    webhook = Webhook(id=f"webhook of {tenant}", url="https://a.example", created_at=1)
    tx.webhooks.add(KeptWebhook(webhook, "whsec_"))
    item = f"{tenant}'s item"
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
        (src, EdgeType.SIMILAR_TO, merged),
        (src, EdgeType.VERSION_NEXT, dst),
        (merged, EdgeType.SIMILAR_TO, dst),
        (merged, EdgeType.SUPPORTS, dst),
        (src, EdgeType.CAUSES, dst),
    ]
    tx.graph.upsert_edges(
        Edge(src=here, type=kind, dst=there, weight=1, confidence=1, made_at=1)
        for here, kind, there in ends
    )
    tx.pairs.mark_distinct(one, other)


def present(tx: Transaction, *ids: str) -> list[int]:
    return [memory.current.n for i in ids if (memory := tx.memories.get(i)) is not None]


def interlink(store: Store, tenant: str, memory: str, other: str, turn: str) -> None:
    """A graph that looks the same in every tenant: two memories, a turn and a port."""
    src = Node("memory", memory)
    with store.write(tenant) as tx:
        tx.graph.upsert_turn_entity(turn, Mention(name="the port"))
        for quay in (("the quay",), ("the pier",), ("the pier", "the quay")):
            tx.graph.upsert_entity(other, Mention(name=quay[0], aliases=quay[1:]))
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
