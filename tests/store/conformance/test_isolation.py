"""A tenant can reach no other tenant's rows, whatever it asks and whatever both have said.

What each writes is its own as well (`test_isolation_of_changes`), and so is what any search finds
(`test_isolation_of_search`).
"""

import re
from functools import cached_property
from itertools import count, product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import change_rows
from tests.store.tenant_life import MODEL, SAID, live, marks, vector
from tests.store.tenant_reads import BOTH, EVERY, READS, Known, known

from memoria.errors import NotFoundError
from memoria.language.words.analyser import query_terms
from memoria.memories.details import StatementDetails
from memoria.memories.statements import Statements
from memoria.model import LIBRARY, Edge, EdgeType, MemoryType, Mention, Node, Role
from memoria.store.engine import Store
from memoria.store.rows.listings import JoinedRows
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

NEED_OWN_ROWS = {  # take a turn or a run, which only its tenant can have
    "attachments.find_message",
    "attachments.read_bytes",
    "conversations.turn_versions",
    "nightly_runs.list_changes",
    "nightly_runs.list_changes_in_words",
    "nightly_runs.list_made",
}
FINDS_DEFECTS = {
    "dependencies.list_orphans",  # nothing in a sound home; see forgetting/test_verify
    "tool_calls.list_pending",  # likewise, but of an older version; see ingest/test_renewal
    "dependencies.list_unsupported_joins",  # likewise; see app/test_entities
}
OF_ALL = {
    "audit.newest",  # where the log ends: a number
    "metrics.count_index_segments",  # of the one index that holds everybody's text: a number
    "backlog.hold_model",  # of the home
    "core.version",  # of the home: that something changed, not what or whose
    "documents.age",  # likewise, of the index
    "documents.follow_changes",  # brings caches up to date, and gives nothing
    "memories.is_private",  # of the settings
}
IN_TEST_TENANTS = {
    "backlog.awaits_vector",
    "backlog.last_erasure",
    "backlog.list_due",
    "leases.owner",
}
WRITES = {
    "tokens.add",
    "tokens.exchange",
    "tokens.note_use",
    "tokens.replace",
    "tokens.revoke",
    "accounts.hand_over",
    "audit.add",
    "backlog.add_vectors",
    "backlog.postpone",
    "conversations.add_turn",
    "conversations.ask_for_idle_segments",  # as `expect_turns`: it prepares, and gives nothing
    "conversations.close_idle_segments",
    "conversations.close_past_segments",
    "conversations.close_segment",
    "conversations.erase_turn",
    "conversations.erase_turns",
    "conversations.expect_turns",
    "conversations.extend_segment",
    "conversations.mark",
    "conversations.mark_processed",
    "conversations.pass_over",
    "conversations.retire_turn",
    "conversations.suppress_turn",
    "conversations.upsert_session",
    "conversations.write_turn",
    "core.announce_write",
    "core.confirm_write",
    "core.drop_line",
    "core.set_line",
    "dependencies.delete_orphan_rows",
    "dependencies.drop_unsupported_edges",
    "dependencies.drop_unsupported_entries",
    "episodes.add",
    "episodes.requeue_summaries",
    "episodes.requeue_summary",
    "episodes.stop_summarising",
    "erasures.add_report",
    "erasures.erase_all",
    "file_records.drop",
    "file_records.forget",
    "file_records.put",
    "graph.merge_entities",
    "graph.remove_edge",
    "graph.remove_extracted",
    "graph.remove_turn_names",
    "graph.split_entity",
    "graph.transfer_evidence",
    "graph.upsert_edges",
    "graph.upsert_entity",
    "graph.upsert_turn_entity",
    "hidden.hide_changes",
    "hidden.hide_file",
    "hidden.hide_texts",
    "hidden.purge",
    "hidden.put_back",
    "leases.release",
    "leases.take",
    "ledger.add",
    "ledger.settle",
    "memories.add",
    "memories.add_evidence",
    "memories.add_past_version",
    "memories.add_use",
    "memories.add_version",
    "memories.describe",
    "memories.erase",
    "memories.erase_wording",
    "memories.set_flags",
    "memories.set_scope",
    "memories.set_subject",
    "memories.set_validity",
    "metrics.add",
    "nightly_runs.add_plan",
    "nightly_runs.begin_run",
    "nightly_runs.clear_plan",
    "nightly_runs.drop_items",
    "nightly_runs.drop_leftovers",
    "nightly_runs.note_rows",
    "nightly_runs.note_tokens",
    "nightly_runs.remove_items",
    "nightly_runs.revert",
    "nightly_runs.revert_core_file",
    "nightly_runs.set_state",
    "nightly_runs.set_step",
    "pairs.absorb",
    "pairs.copy_evidence",
    "pairs.mark_distinct",
    "pairs.note_merged",
    "portable.join_entities",
    "portable.attempt",
    "portable.put",
    "private_times.add",
    "private_times.end",
    "private_times.merge",
    "projects.join",
    "projects.part",
    "purge.close_runs",
    "purge.drop_images",
    "queue.absorb",
    "queue.add",
    "queue.drop",
    "queue.finish",
    "queue.finish_summary",
    "queue.retry",
    "queue.widen",
    "retention.note_review",
    "retention.set_tier",
    "scratchpads.erase",
    "scratchpads.put",
    "tasks.erase",
    "tombstones.add",
    "tombstones.add_all",
    "tombstones.ask_for_any",
    "tombstones.lift",
    "attachments.clear",
    "grounds.bind",
    "grounds.bind_anew",
    "tool_calls.drop",
    "tool_calls.note",
    "tool_calls.renew",
    "transcripts.set",
    "webhooks.add",
    "webhooks.note_failed",
    "webhooks.note_sent",
    "webhooks.remove",
    "webhooks.replace",
}


@pytest.fixture(scope="module")
def them(two: Store) -> Known:
    """What whoever asks knows of Ann."""
    return known(two, "ann")


def nothing(found: object) -> bool:
    """Whether an answer holds nothing: empty, zero, None, or a list of such."""
    return not found or (isinstance(found, list) and all(map(nothing, found)))


def list_methods(tx: Transaction) -> set[str]:
    """Whatever a transaction's parts can do."""
    return {
        f"{part}.{name}"
        for part, member in vars(Transaction).items()
        if isinstance(member, cached_property) and not part.startswith("_") and part != "snapshot"
        for name in dir(type(getattr(tx, part)))
        if not name.startswith("_")
    }


def test_every_method_of_every_part_of_a_transaction_is_known_to_read_or_to_write(
    two: Store,
) -> None:
    tried = READS.keys() | WRITES | NEED_OWN_ROWS | FINDS_DEFECTS | OF_ALL | IN_TEST_TENANTS
    with two.read("ann") as tx:
        assert list_methods(tx) == tried


@pytest.mark.parametrize("name", READS)
def test_whoever_asks_with_anothers_numbers_and_ids_gets_nothing(
    two: Store, them: Known, name: str
) -> None:
    with two.read("ann") as tx:
        assert not nothing(READS[name](tx, them))
    with two.read("carol") as tx:
        assert nothing(READS[name](tx, them))


@pytest.mark.parametrize("name", READS)
def test_one_who_said_the_same_gets_none_of_anothers_rows(
    two: Store, them: Known, name: str
) -> None:
    with two.read("bob") as tx:
        answer = repr(READS[name](tx, them))
    ids = [*them.turn_ids, *them.memory_ids, *(one.id for one in them.entities)]
    ids += [run.id for run in them.runs]
    assert not [secret for secret in ids if secret in answer]
    assert not [n for n in them.ns if re.search(rf"\bn={n}\b", answer)]
    assert not [n for n in them.nodes if re.search(rf"\b(src|dst|node)={n}\b", answer)]


def test_statistics_count_ones_own_rows_only(two: Store) -> None:
    counted = []
    for tenant in ("ann", "bob", "carol"):
        with two.read(tenant) as tx:
            counted.append(tx.statistics())
    ann, bob, carol = counted
    assert ann.model_dump(exclude={"tenant"}) == bob.model_dump(exclude={"tenant"})
    assert (ann.turns, ann.turn_versions, ann.memories) == (
        8,
        9,
        {"active": 14, "archived": 2, "pending_confirmation": 2},
    )
    assert (carol.sessions, carol.turns, carol.memories, carol.vectors) == (0, 0, {}, 0)
    assert (carol.raw_chunks, carol.raw_bytes, carol.stored_bytes) == (0, 0, 0)


def test_what_rests_beside_anothers_session_is_nothing(two: Store, them: Known) -> None:
    own = known(two, "bob").sessions
    with two.read("bob") as tx:
        assert any(tx.queue.list_resting(n, -1) for n in own)
        assert not any(tx.queue.list_resting(n, -1) for n in them.sessions)


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
_LIVES = count()
NAMES = st.lists(
    # PostgreSQL has no NUL in a text.
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5
    ),
    min_size=2,
    max_size=3,
    unique=True,
)


@settings(
    deadline=None,
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    NAMES,
    st.lists(st.sampled_from(SAID), min_size=1, max_size=3, unique=True),
    st.lists(FILTERS, min_size=6, max_size=6),
)
def test_no_search_of_any_tenant_with_any_filters_finds_anothers_document(
    store: Store, home: Path, tenants: list[str], said: list[str], filtered: list[Filters]
) -> None:
    """A life costs more than many searches, so each home is searched in several ways."""
    tenants = [f"{name} {next(_LIVES)}" for name in tenants]  # of all examples in one home
    for tenant in tenants:
        live(store, tenant, said)
    terms = sorted({term for text in (*said, "port") for term in query_terms(text)})
    for tenant, filters in product(tenants, filtered):
        with store.read(tenant) as tx:
            found = tx.documents.match(BOTH, terms, filters, 1000)
            for kind in BOTH:
                found += tx.documents.nearest(kind, MODEL, vector(said[0]), filters, 1000)
            ns = {match.n for match in found}
        with change_rows(home) as connection:
            rows = (
                "SELECT d.n FROM documents d JOIN tenants t ON t.id = d.tenant_id WHERE t.name = ?"
            )
            assert ns <= {n for (n,) in connection.tuples(rows, (tenant,))}


def test_nobody_can_change_anothers_memories_turns_or_sessions(two: Store) -> None:
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


def test_nobody_can_pass_over_anothers_turns_or_join_anothers_projects(two: Store) -> None:
    them = known(two, "ann")
    with two.read("ann") as tx:
        before = tx.conversations.list_passed_over(them.ns), tx.projects.list_held()
    with two.write("bob") as tx:
        tx.conversations.pass_over(them.ns)
        tx.projects.join("a project", "another")
        assert [one.name for one in tx.projects.list_held()] == ["another"]
        theirs = JoinedRows(1, 2, [*them.sessions], [*them.memory_ids], [*range(9)])
        for former, into in ((1, 2), (2, 1), (1, 0), (0, 1)):
            tx.projects.part(theirs._replace(former=former, into=into), 1 << 60)
    with two.read("ann") as tx:
        after = tx.conversations.list_passed_over(them.ns), tx.projects.list_held()
    assert after == before


def test_nobody_can_change_anothers_graph(two: Store) -> None:
    them = known(two, "ann")
    (port,) = them.entities
    with two.read("ann") as tx:
        before = tx.graph.neighbours(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    ends = [Node("memory", i) for i in them.memory_ids]
    ends += [*(Node("turn", i) for i in them.turn_ids), Node("entity", port.id)]
    with two.write("bob") as tx:
        own = tx.memories.list_unverified(1)[0].id
        mine = tx.graph.upsert_entity(own, Mention(name="the port"))
        for memory_id in them.memory_ids:
            tx.graph.remove_extracted(memory_id)
            for other_id in them.memory_ids:
                tx.graph.remove_edge(
                    Node("memory", memory_id), EdgeType.CONTRADICTS, Node("memory", other_id)
                )
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
        after = tx.graph.neighbours(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    assert after == before


def _supports(src: Node, dst: Node) -> Edge:
    return Edge(src=src, type=EdgeType.SUPPORTS, dst=dst, weight=1, confidence=1, made_at=1)
