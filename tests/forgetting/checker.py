"""A second opinion on what is left in a home: every row of every table, read without our own code.

It knows the tables' columns and nothing else of the product. It says which rows have outlived their
sources, and what the live rows say, so that anything else with the same bytes is a remnant.
"""

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.databases import change_rows, engine_settings

Row = dict[str, Any]
Tables = dict[str, list[Row]]
DERIVED_FROM = 8
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ENTITY_LINKS = {2, 3, *range(21, 30)}


def read_tables(home: Path) -> Tables:
    """Every plain table of the database."""
    if engine_settings(home):
        with change_rows(home) as rows:
            tables_of = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
            return {
                name: [
                    dict(zip(row.keys(), row, strict=True))
                    for row in rows.execute(f'SELECT * FROM "{name}"')  # noqa: S608
                ]
                for (name,) in rows.tuples(tables_of)
            }
    connection = sqlite3.connect(f"file:{home / 'memoria.db'}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    tables = {
        name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]  # noqa: S608
        for (name,) in names.fetchall()
    }
    connection.close()
    return tables


def rows_without_sources(home: Path) -> list[str]:
    """What is kept though everything it came from is gone, a line each."""
    tables = read_tables(home)
    checks = (
        _memories,
        _former_wordings,
        _documents,
        _queue_entries,
        _edges,
        _names,
        _core_lines,
        _plan_items,
        _texts,
    )
    found = [line for check in checks for line in check(tables)]
    return found + list(_history_lines(home, tables))


def _memories(tables: Tables) -> Iterator[str]:
    turns = {row["n"]: row for row in tables["turns"]}
    memories = {row["n"] for row in tables["memories"]}
    rows, wordings = tables["memory_versions"], defaultdict[int, list[Row]](list)
    for row in rows:
        wordings[row["memory_n"]].append(row)
    evidence = _evidence(tables)
    derived = _derived_from(tables)
    covered = {row["memory_n"]: row for row in tables["episodes"]}
    yield from (f"wording of no memory {n}" for n in wordings.keys() - memories)
    yield from (f"episode of no memory {n}" for n in covered.keys() - memories)
    yield from (f"evidence of no wording {n}" for n in evidence.keys() - {r["n"] for r in rows})
    for n in memories:
        present = [row for row in wordings[n] if row["valid_to"] is None]
        if len(present) != 1:
            yield f"memory {n} has {len(present)} present wordings"
        elif present[0]["inferred_by"] == "statement":
            continue
        elif n in covered:
            if not _readable_in(covered[n], tables):
                yield f"episode {n} sums up nothing"
        elif not (_sources(present[0], evidence) & turns.keys() or derived[n] & memories):
            yield f"memory {n} rests on nothing"


def _sources(wording: Row, evidence: dict[int, set[int]]) -> set[int]:
    return {wording["turn_n"]} | evidence[wording["n"]]


def _evidence(tables: Tables) -> dict[int, set[int]]:
    """The turns that bear each wording out: it was the newest when they were noted.

    What a night derived says what memories say, whichever turns these rest on.
    """
    wordings: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(tables["memory_versions"], key=lambda row: row["version"]):
        wordings[row["memory_n"]].append(row)
    found: dict[int, set[int]] = defaultdict(set)
    for row in tables["memory_evidence"]:
        of = wordings[row["memory_n"]]
        derived = of and of[0]["channel"] == "night"
        known = [one for one in of if derived or one["ingested_at"] <= row["ingested_at"]]
        borne_out = known[-1] if known else of[0] if of else {"n": -1}
        found[borne_out["n"]].add(row["turn_n"])
    return found


def _derived_from(tables: Tables) -> dict[int, set[int | None]]:
    memory_of = {row["n"]: row["memory_n"] for row in tables["nodes"]}
    derived: dict[int, set[int | None]] = defaultdict(set)
    for row in tables["edges"]:
        if row["code"] == DERIVED_FROM and memory_of.get(row["src_n"]) is not None:
            derived[memory_of[row["src_n"]]].add(memory_of.get(row["dst_n"]))
    return derived


def _readable_in(span: Row, tables: Tables) -> list[Row]:
    suppressed = {row["n"] for row in tables["documents"] if row["suppressed"]}
    return [
        turn
        for turn in tables["turns"]
        if turn["session_n"] == span["session_n"]
        and span["first_index"] <= turn["turn_index"] <= span["last_index"]
        and turn["n"] not in suppressed
    ]


def _former_wordings(tables: Tables) -> Iterator[str]:
    turns, evidence = {row["n"] for row in tables["turns"]}, _evidence(tables)
    for row in tables["memory_versions"]:
        concluded = row["inferred_by"] != "statement" and row["channel"] != "night"
        if row["valid_to"] is not None and concluded and not _sources(row, evidence) & turns:
            yield f"former wording {row['n']} rests on no turn"


def _documents(tables: Tables) -> Iterator[str]:
    turns = {row["n"] for row in tables["turns"]}
    wordings = {row["n"] for row in tables["memory_versions"]}
    documents = {row["n"] for row in tables["documents"]}
    yield from (f"document {n} of nothing" for n in documents - turns - wordings)
    for name in ("embeddings", "passages", "embedding_backlog"):
        yield from (
            f"{name} of no document {row['document_n']}"
            for row in tables[name]
            if row["document_n"] not in documents
        )
    indexed = list_indexed(tables)
    yield from (f"indexed text of no document {n}" for n in indexed - documents)


def list_indexed(tables: Tables) -> set[int]:
    """The documents that full text knows, however an engine keeps it."""
    if "search_index_content" in tables:
        return {row["id"] for row in tables["search_index_content"]}
    return {row["n"] for name in ("search_index", "postings") for row in tables[name]}


def _queue_entries(tables: Tables) -> Iterator[str]:
    for entry in tables["extraction_queue"]:
        if entry["state"] in ("waiting", "dead") and not any(
            turn["session_n"] == entry["session_n"]
            and entry["first_index"] <= turn["turn_index"] <= entry["last_index"]
            for turn in tables["turns"]
        ):
            yield f"queue entry {entry['n']} without a turn"


def _edges(tables: Tables) -> Iterator[str]:
    nodes = {row["n"]: row for row in tables["nodes"]}
    turns = {row["n"] for row in tables["turns"]}
    memories = {row["n"] for row in tables["memories"]}
    entity_of = {row["n"]: row["entity_n"] for row in tables["entity_names"]}
    named = {(row["node_n"], entity_of.get(row["name_n"])) for row in tables["name_uses"]}
    for node in nodes.values():
        if node["memory_n"] is not None and node["memory_n"] not in memories:
            yield f"node {node['n']} of no memory"
        if node["turn_n"] is not None and node["turn_n"] not in turns:
            yield f"node {node['n']} of no turn"
    for edge in tables["edges"]:
        where = f"{edge['src_n']}-{edge['code']}-{edge['dst_n']}"
        if edge["src_n"] not in nodes or edge["dst_n"] not in nodes:
            yield f"edge {where} leads nowhere"
        elif edge["turn_n"] is not None and edge["turn_n"] not in turns:
            yield f"edge {where} of no turn"
        elif edge["code"] in _ENTITY_LINKS and (edge["src_n"], edge["dst_n"]) not in named:
            yield f"edge {where} to somebody who is not named"


def _names(tables: Tables) -> Iterator[str]:
    used = {row["name_n"] for row in tables["name_uses"]}
    yield from (f"name {row['n']} unused" for row in tables["entity_names"] if row["n"] not in used)


def _core_lines(tables: Tables) -> Iterator[str]:
    memories = {row["n"] for row in tables["memories"]}
    for row in tables["core_lines"]:
        if row["memory_n"] not in memories:
            yield f"core line {row['file']} {row['mark']} of no memory"


def _plan_items(tables: Tables) -> Iterator[str]:
    ids = _ids(tables) | {row["session_id"].lower() for row in tables["sessions"]}
    for row in tables["nightly_plan"]:
        named = set(_ID.findall(row["item"]))
        if named and not named & ids:
            yield f"plan item {row['ordinal']} of nothing"


def _texts(tables: Tables) -> Iterator[str]:
    columns = ("content_hash", "args_hash", "result_hash")
    used = {row[column] for row in tables["turns"] for column in columns}
    for row in tables["raw_chunks"]:
        if row["hash"] not in used:
            yield "a text of no turn"


def _history_lines(home: Path, tables: Tables) -> Iterator[str]:
    ids = _ids(tables)
    for file in home.rglob("conversation_history/*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            if json.loads(line)["id"] not in ids:
                yield f"a line of {file.name} of no turn"


def _ids(tables: Tables) -> set[str]:
    names = ("memories", "turns", "extraction_queue")
    return {row["id"] for name in names for row in tables[name]}
