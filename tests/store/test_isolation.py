"""A tenant can reach no other tenant's rows, whatever it asks and whatever both have said.

What each writes is its own as well (`test_isolation_of_changes`), and so is what any search finds
(`test_isolation_of_search`).
"""

import re
from functools import cached_property
from typing import get_type_hints

import pytest
from tests.store.tenant_reads import READS, Known, known

from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore

NEED_OWN_ROWS = {  # take a turn or a run, which only its tenant can have
    "conversations.turn_versions",
    "nightly_runs.list_changes",
    "nightly_runs.list_made",
}
FINDS_DEFECTS = {
    "dependencies.list_orphans",  # nothing in a sound home; see forgetting/test_verify
    "dependencies.list_unsupported_joins",  # likewise; see app/test_entities
}
OF_ALL = {
    "audit.newest",  # where the log ends: a number
    "metrics.count_index_segments",  # of the one index that holds everybody's text: a number
    "backlog.current_model",  # of the home
    "core.version",  # of the home: that something changed, not what or whose
    "documents.age",  # likewise, of the index
    "documents.follow_changes",  # brings caches up to date, and gives nothing
    "turn_columns.follow_changes",  # likewise
    "memories.is_private",  # of the settings
}
IN_TEST_TENANTS = {
    "backlog.awaits_vector",
    "backlog.last_erasure",
    "backlog.list_due",
    "leases.owner",
}
WRITES = {
    "accounts.hand_over",
    "audit.add",
    "backlog.add_vectors",
    "backlog.postpone",
    "conversations.add_turn",
    "conversations.close_idle_segments",
    "conversations.close_past_segments",
    "conversations.close_segment",
    "conversations.erase_turn",
    "conversations.erase_turns",
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
    "tombstones.lift",
    "transcripts.set",
}


@pytest.fixture(scope="module")
def them(two: SqliteStore) -> Known:
    """What whoever asks knows of Ann."""
    return known(two, "ann")


def nothing(found: object) -> bool:
    """Whether an answer holds nothing: empty, zero, None, or a list of such."""
    return not found or (isinstance(found, list) and all(map(nothing, found)))


def list_methods() -> set[str]:
    """Whatever a transaction's parts can do."""
    parts = {
        name: get_type_hints(member.func)["return"]
        for name, member in vars(Transaction).items()
        if isinstance(member, cached_property) and not name.startswith("_") and name != "snapshot"
    }
    return {
        f"{part}.{name}"
        for part, table in parts.items()
        for name in dir(table)
        if not name.startswith("_")
    }


def test_every_method_of_every_part_of_a_transaction_is_known_to_read_or_to_write() -> None:
    tried = READS.keys() | WRITES | NEED_OWN_ROWS | FINDS_DEFECTS | OF_ALL | IN_TEST_TENANTS
    assert list_methods() == tried


@pytest.mark.parametrize("name", READS)
def test_whoever_asks_with_anothers_numbers_and_ids_gets_nothing(
    two: SqliteStore, them: Known, name: str
) -> None:
    with two.read("ann") as tx:
        assert not nothing(READS[name](tx, them))
    with two.read("carol") as tx:
        assert nothing(READS[name](tx, them))


@pytest.mark.parametrize("name", READS)
def test_one_who_said_the_same_gets_none_of_anothers_rows(
    two: SqliteStore, them: Known, name: str
) -> None:
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
        {"active": 12, "archived": 2, "pending_confirmation": 2},
    )
    assert (carol.sessions, carol.turns, carol.memories, carol.vectors) == (0, 0, {}, 0)
    assert (carol.raw_chunks, carol.raw_bytes, carol.stored_bytes) == (0, 0, 0)


def test_what_rests_beside_anothers_session_is_nothing(two: SqliteStore, them: Known) -> None:
    own = known(two, "bob").sessions
    with two.read("bob") as tx:
        assert any(tx.queue.list_resting(n, -1) for n in own)
        assert not any(tx.queue.list_resting(n, -1) for n in them.sessions)
