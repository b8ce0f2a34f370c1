"""SQL statements: each runs on every engine, and goes by an index."""

import re
from pathlib import Path

import psycopg
import pytest
from tests.store.postgres import PostgresServer
from tests.store.sql_files import list_own, list_shared

from memoria.store.postgres import schema
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.schema import migrate

FULL_TEXT = "the full text is a table of FTS5"
OWN = {
    "documents": (4, FULL_TEXT),
    "examination": (5, "tables and indexes as SQLite describes them"),
    "index_segments": (4, FULL_TEXT),
    "moves": (3, "a file has the numbers of rows in a table"),
    "packed_texts": (3, "tables that a migration of SQLite drops"),
    "scrub": (3, FULL_TEXT),
}
"""Of each file of what SQLite alone says, how many statements it has, and why."""
_PARAMETER = re.compile(r"(?<!:):(\w+)")


def _number_parameters(sql: str) -> str:
    """Return a statement with $1 for the first parameter it names, as PREPARE has them."""
    numbers: dict[str, int] = {}
    bare = re.sub(r"--.*", "", sql)
    return _PARAMETER.sub(lambda m: f"${numbers.setdefault(m[1], len(numbers) + 1)}", bare)


def test_postgres_understands_every_shared_statement(postgres: PostgresServer) -> None:
    refused = {}
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        schema.migrate(connection)
        for file in list_shared():
            for name, sql in statements(file, "postgres").items():
                try:
                    connection.execute(f'PREPARE "{file}.{name}" AS {_number_parameters(sql)}')
                except psycopg.Error as error:
                    refused[f"{file}.{name}"] = str(error)
    assert not refused


def test_only_what_sqlite_alone_has_stands_apart() -> None:
    only = {file: set(statements(file)) - set(statements(file, "postgres")) for file in list_own()}
    assert {file: len(names) for file, names in only.items() if names} == {
        file: count for file, (count, _) in OWN.items()
    }


def test_sqlite_keeps_its_hints_and_postgres_gets_none() -> None:
    sql = {d: " ".join(statements("conversations", d).values()) for d in ("sqlite", "postgres")}
    assert "+tenant_id" in sql["sqlite"]
    assert "CROSS JOIN" in sql["sqlite"]
    assert "+tenant_id" not in sql["postgres"]
    assert "CROSS JOIN" not in sql["postgres"]


# These look at everything on purpose: counts for people, rebuilding, the short backlog.
WALKS = {
    ("statistics", "chunks"),
    ("statistics", "failed"),
    ("statistics", "memories"),
    ("statistics", "pending"),
    ("statistics", "sessions"),
    ("statistics", "turn_versions"),
    ("statistics", "turns"),
    ("statistics", "vectors"),
    ("attachments", "old"),  # once a night; files of messages have an index
    ("backlog", "due_tenants"),
    ("conversations", "unread"),  # from the newest turn back, up to the limit
    ("conversations", "calls_and_words"),  # as `unread`
    ("graph", "named_anyhow"),  # its own two rows
    ("graph", "same_named"),  # a person reviews: each name is held against its namesakes
    ("audit", "by_action"),  # a person takes something back: the log from its end
    ("audit", "latest"),  # a person reads the log from its end
    ("tenant_backlog", "due"),  # the short backlog, up to the limit
    ("backlog", "enqueue_missing"),
    ("backlog", "failed"),
    ("backlog", "last_error"),
    ("backlog", "pending"),
    ("conversations", "cite_evidence"),  # the wordings of one turn, with their evidence
    ("conversations", "places"),  # its own list
    ("conversations", "wishes"),  # these have an index, and only the newest are read
    ("conversations", "unmarked"),  # what nobody has looked at has an index; up to the limit
    ("conversations", "count_unmarked"),  # once a night
    ("conversations", "user_speakers"),  # a row a name, from one to the next by the index
    ("core_lines", "present"),  # what files say, the rules and some hundred of the newest
    ("core_lines", "projects"),  # once a night
    ("documents", "count_all"),  # in a small home only
    ("documents", "erasures_of_all"),  # in a home of many documents only: a row a tenant
    ("documents", "has_other_tenants"),  # stops at the first
    ("documents", "match_seen"),  # what it has found
    ("documents", "note_words"),  # the one row before
    ("turn_columns", "columns"),  # its own list of turns
    ("turn_columns", "spans"),  # its own list
    ("tenants", "erasures"),  # a row a tenant
    ("tenants", "find"),  # of the others: stops at the first
    ("tenants", "names"),
    ("scratchpads", "in_hand"),  # as `recent`
    ("documents", "oldest_awaiting"),  # stops at the first
    ("days", "files"),  # a row a conversation and a day
    ("days", "sessions"),  # its own list of a day's turns
    ("days", "wordings"),  # its own list of a day's
    ("dependencies", "by_evidence"),  # its own list of turns
    ("dependencies", "delete_core_lines"),  # for doctor, as all orphans
    ("dependencies", "delete_edges"),
    ("dependencies", "drop_entries"),  # what waits only
    ("dependencies", "orphan_core_lines"),  # for doctor, as all orphans
    ("dependencies", "orphan_edges"),
    ("dependencies", "orphan_entries"),
    ("dependencies", "orphan_memories"),
    ("dependencies", "orphan_wordings"),
    ("dependencies", "planned_items"),
    ("dependencies", "unsupported_joins"),  # once a forget, and few are joined
    ("dependencies", "unsupported_wordings"),  # its own list of turns
    ("graph", "evidence_to_transfer"),  # what was merged only
    ("documents", "allowed_memories"),
    ("ledger", "last"),  # stops at the first
    ("links", "count_edges"),
    ("links", "lost_canonicals"),
    ("links", "lost_edges"),
    ("links", "lost_entities"),
    ("links", "lost_names"),
    ("links", "lost_nodes"),
    ("links", "lost_turns"),
    ("links", "lost_uses"),
    ("listings", "held"),  # its own list of a day's turns, up to the limit
    ("listings", "memories"),  # who browses is told how many there are in all
    ("listings", "sessions"),
    ("listings", "walk"),  # what it has reached
    ("memories", "by_turns"),  # its own list of turns
    ("memories", "contradicted"),  # contradictions alone have an index, and somebody settles them
    ("memories", "held_back"),
    ("memories", "successors"),  # its own list of turns and wordings
    ("memories", "turns_spoken_for"),  # its own list of turns
    ("memories", "unverified"),
    ("metrics", "alike"),  # once a night, as all of metrics
    ("metrics", "edges"),
    ("metrics", "likenesses"),
    ("metrics", "memories"),
    ("metrics", "nodes"),
    ("metrics", "sample"),
    ("metrics", "index_segments"),
    ("ledger", "last"),  # stops at the first
    ("short_ids", "list_forgotten"),  # only who asks for what is not there
    ("short_ids", "list_entities"),  # as before, and there are few
    ("derivations", "sources"),  # what a few memories were derived from
    ("derivations", "changed_sources"),  # as before
    ("derivations", "changed_turns"),  # the turns of a few conversations
    ("nightly_runs", "drop_items"),  # nights are few, and plans done with soon
    ("nightly_runs", "drop_left"),
    ("nightly_runs", "open_run"),
    ("nightly_runs", "run"),  # nights are few
    ("nightly_runs", "runs"),
    ("purge", "close_runs"),  # nights are few
    ("purge", "drop_images"),
    ("projects", "documents"),  # once, when a person joins two projects
    ("projects", "joining_memories"),
    ("projects", "joining_sessions"),
    ("projects", "parting_memories"),
    ("projects", "move_memories"),
    ("projects", "move_scratchpads"),
    ("projects", "move_sessions"),
    ("projects", "held"),  # a person lists projects
    ("projects", "used"),  # where a search found nothing here, and elsewhere something
    ("queue", "counts"),
    ("queue", "entries"),
    ("queue", "last_error"),
    ("queue", "lease"),  # what waits only; stops at the first that is due
    ("queue", "in_hand"),  # stops at the first
    ("queue", "renew"),  # what waits only
    ("queue", "widen"),  # its own row
    ("queue", "next_due"),  # what waits only
    ("purge", "close_runs"),
    ("purge", "drop_images"),
    ("retention", "rule_made"),  # nights are few
    ("retention", "support"),  # the turns of one memory
    ("scratchpads", "recent"),
    ("scratchpads", "later_sessions"),  # a row a session, where a task is told of
    ("grounds", "of_project"),  # in the background: what is bound, of all projects
    ("tool_calls", "below"),  # where a folder is asked for
    ("tool_calls", "holding"),  # where no command is called so
    ("tool_calls", "keys"),  # what calls were, where somebody asks for an error or a command
    ("tool_calls", "pending"),  # of older versions; up to the limit
    ("transcripts", "live"),  # its own list
    ("transcripts", "recent"),  # a row a session, when another begins
    ("private_times", "applying"),  # a few of a tenant
    ("private_times", "count"),
    ("private_times", "list"),
    ("tokens", "drop_all"),  # a few of a tenant
    ("tokens", "list"),
    ("events", "latest"),  # the last of them, up to the limit
    ("events", "newest"),  # these stop at the first
    ("events", "oldest"),
    ("webhooks", "drop_all"),  # ten of a tenant at most
    ("webhooks", "list"),
    ("webhooks", "due"),  # of all tenants: a row a webhook
    ("webhooks", "any_of_all"),  # stops at the first
    ("webhooks", "drop_of_all"),  # of a copy
    ("examination", "announce_words"),
    ("examination", "await_damaged_passages"),
    ("examination", "await_missing_vectors"),
    ("examination", "count_damaged_passages"),
    ("examination", "count_lost_files"),
    ("examination", "count_lost_records"),
    ("examination", "count_missing_vectors"),
    ("examination", "definitions"),
    ("examination", "documents"),
    ("examination", "drop_damaged_passages"),
    ("examination", "drop_stale_leases"),
    ("examination", "forget_indexes"),
    ("examination", "forget_table"),
    ("examination", "forgive_failures"),
    ("examination", "full_text_drift"),
    ("examination", "indexes"),
    ("examination", "leases"),
    ("examination", "raw_chunks"),
    ("examination", "tables"),
    ("examination", "totals"),
    ("examination", "wordings"),
    ("vectors", "models"),
    ("vectors", "count_indexable"),
    ("workspaces", "all"),
    ("texts", "in_use"),  # rare: whether another turn shares a text
    ("conversations", "unqueued_segments"),  # once, when a chat model is first named
    ("conversations", "close_past"),  # open segments only
    ("scratchpads", "notes"),
    ("tombstones", "all"),
    ("tombstones", "any"),  # stops at the first
    ("tombstones", "has_meanings"),  # stops at the first
    ("documents", "allowed_memories_of_tasks"),  # where a search names a task
    ("tasks", "memories"),  # where a forget takes a task's name away
    ("tasks", "names"),  # where a search names a task, and once a forget
}
ERASURES = (  # once a forget
    *("memories", "turns", "about", "sole_hashes", "count_texts", "reports"),
    *("turns_with_metadata", "memories_with_metadata"),
    *(
        "newest_documents",
        "holdings",
        "count_all",
        "count_all_full_text",
        "all_wordings",
        "all_messages",
    ),
    *(name for name in statements("erasures") if name.startswith("clear_")),  # all of a tenant's
)
WALKS |= {
    ("hidden", name)
    for name in (
        *(
            "any",
            "due",
            "drop_all_changes",
            "drop_all_texts",
            "drop_all_files",
        ),  # few, and soon gone
        *("drop_empty_sessions", "drop_empty_workspaces"),  # once everything was forgotten
    )
}
WALKS |= {("erasures", name) for name in ERASURES}
MOVES = ("triggers", "numbers", "numbered", "raise_number", "begin_number")
WALKS |= {("moves", name) for name in MOVES}  # the few lines of tables that list tables
WALKS |= {("figures", name) for name in statements("figures")}  # of the whole home, kept for 10 s
PAGES = ("workspace", "private_time", "scratchpad", "merge")  # few of each in a tenant
COUNTS = tuple(name for name in statements("portable") if name.startswith("count_"))
WALKS |= {("portable", name) for name in (*COUNTS, *PAGES)}  # an export reads everything, once
WALKS |= {
    ("portable_put", name) for name in ("copy_evidence", "newest_memory")
}  # its own rows; once
LISTS = {"ns": "[1]", "allowed": "[1]", "roles": '["user"]', "types": '["fact"]', "query": "a"}


def _walks(step: str) -> bool:
    """Whether a step of a query plan reads all rows of a tenant or of a table."""
    whole_table = (
        step.startswith("SCAN ")
        and not step.startswith("SCAN (subquery")
        and "VIRTUAL TABLE" not in step
        and "CONSTANT" not in step
    )
    return whole_table or step.endswith("(tenant_id=?)")


@pytest.mark.parametrize("file", sorted({*list_shared(), *list_own()} - {"packed_texts"}))
def test_a_statement_reads_no_more_rows_than_it_names(file: str, tmp_path: Path) -> None:
    connection = connect(tmp_path / "plans.db", 5000)
    migrate(connection)
    connection.execute("PRAGMA writable_schema = ON")  # one statement takes a table out by hand
    walking = set()
    for name, sql in statements(file).items():
        parameters = {key: LISTS.get(key, 1) for key in re.findall(r":(\w+)", sql)}
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)]
        if any(map(_walks, plan)):
            walking.add((file, name))
    connection.close()
    assert walking <= WALKS
