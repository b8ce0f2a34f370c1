"""Whatever outlives its sources is found, and doctor says so: each kind planted by hand."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.databases import (
    change_rows,
    copy_home,
    engine_settings,
    open_home,
    read_text,
    settings_elsewhere,
    write_text,
)
from tests.ingest.play import add, answers, opened, reader
from tests.lifecycle.test_consolidate import concept
from tests.llm.scripted import Asked, ScriptedModel

from memoria.app import nightly
from memoria.app.upkeep import diagnose
from memoria.config import Settings
from memoria.erasure.verify import MEMORY_KINDS, repair_orphans, verify
from memoria.model import new_id

SAID = (
    "Badger is written in Rust",
    "Badger is tested on every push",
    "Badger is released on Fridays",
)
HISTORY_FILE = "conversation_history/of-nobody.jsonl"


def reads(n: int, _who: str, text: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    more: dict[str, Any] = {"entities": [{"name": "Badger", "kind": "product"}], "confidence": 0.95}
    return [add(words, n, subject="Badger", **more) for words in SAID if words in text]


def sums_up(asked: Asked) -> object:
    words = next(words for words in SAID if words in asked.text)
    return {"goal": "Talk", "summary": "They spoke.", "quotes": [{"turn": 1, "quote": words}]}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with conclusions, episodes, a concept and files that nights wrote."""
    home = tmp_path_factory.mktemp("lived")
    script = answers(extract=reader(reads), episode=sums_up, concept=concept())
    with ScriptedModel(answer=script) as model:
        settings = anyio.run(live, home, model)
        nightly.run_nightly(settings)
    return settings.model_copy(update={"llm_base_url": None, "llm_model": None})


async def live(home: Path, model: ScriptedModel) -> Settings:
    async with opened(home, model) as m:
        for i, words in enumerate(SAID):
            at = f"2026-03-0{i + 1}T09:00:00Z"  # what is said on one day is no pattern yet
            turns = [{"role": "user", "content": f"{words}, you know, as I said {i}.", "at": at}]
            turns += [{"role": "assistant", "content": f"So it is, number {i}.", "at": at}] * 3
            await m.record_conversation(turns, "session_end", session_id=f"s{i}")
        await m.wait_until_idle(60)
        return m.settings


@pytest.fixture
def settings(lived: Settings, home: Path) -> Settings:
    """Of a copy of that home."""
    copy_home(lived.home_path, home)
    return settings_elsewhere(lived, home)


def found(settings: Settings) -> list[tuple[str, str]]:
    """(kind, id) of what is left without a source, looked for as doctor does."""
    store = open_home(settings.home_path)
    with closing(store):
        orphans = verify(store)
    return [(one.kind, one.id) for one in orphans.get(settings.tenant, [])]


LOOSEN = """
SELECT 'ALTER TABLE ' || CAST(conrelid AS REGCLASS) || ' DROP CONSTRAINT ' || quote_ident(conname)
FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0
  AND connamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE)
UNION ALL
SELECT 'DROP TRIGGER ' || quote_ident(tgname) || ' ON ' || CAST(tgrelid AS REGCLASS)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT tgisinternal AND tgparentid = 0
  AND c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE)
"""
"""Statements by which PostgreSQL lets go of references and triggers."""


def execute(settings: Settings, sql: str, *parameters: object) -> list[Any]:
    """Change rows as nothing of ours would, past every reference and trigger."""
    if engine_settings(settings.home_path):
        with change_rows(settings.home_path) as rows:
            for (loosen,) in rows.tuples(LOOSEN):
                rows.execute(loosen)
            done = rows.execute(sql, parameters)
            return done.fetchall() if sql.strip().startswith("SELECT") else []
    with closing(sqlite3.connect(settings.home_path / "memoria.db")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        return connection.execute(sql, parameters).fetchall()


def first(settings: Settings, sql: str) -> Any:  # noqa: ANN401
    return execute(settings, sql)[0][0]


CONCLUSION = """
SELECT memory_n FROM memory_versions
WHERE channel = 'extraction' AND memory_n NOT IN (SELECT memory_n FROM episodes)
"""


def id_of(settings: Settings, n: int) -> str:
    return str(execute(settings, "SELECT id FROM memories WHERE n = ?", n)[0][0])


def lose_turn(settings: Settings) -> str:
    n = first(settings, CONCLUSION)
    execute(settings, "UPDATE memory_versions SET turn_n = NULL WHERE memory_n = ?", n)
    execute(settings, "DELETE FROM memory_evidence WHERE memory_n = ?", n)
    return id_of(settings, n)


def lose_derivation(settings: Settings) -> str:
    n = first(settings, "SELECT n FROM memories WHERE type = 'concept'")
    execute(settings, "DELETE FROM memory_evidence WHERE memory_n = ?", n)
    execute(
        settings,
        "DELETE FROM edges WHERE code = 8 AND src_n = (SELECT n FROM nodes WHERE memory_n = ?)",
        n,
    )
    return id_of(settings, n)


def lose_span(settings: Settings) -> str:
    n = first(settings, "SELECT memory_n FROM episodes")
    execute(settings, "UPDATE episodes SET first_index = 9, last_index = 9 WHERE memory_n = ?", n)
    return id_of(settings, n)


def add_former_wording(settings: Settings) -> str:
    n = first(settings, CONCLUSION)
    columns = (
        "tenant_id, content, fingerprint, valid_from, ingested_at, source_kind, trust, channel"
    )
    execute(
        settings,
        f"INSERT INTO memory_versions (n, memory_n, version, valid_to, inferred_by, {columns})"  # noqa: S608
        f" SELECT 9999, memory_n, 0, valid_from, 'model', {columns} FROM memory_versions"
        " WHERE memory_n = ? LIMIT 1",
        n,
    )
    return id_of(settings, n)


def add_core_line(settings: Settings) -> str:
    execute(
        settings,
        "INSERT INTO core_lines (tenant_id, file, memory_n, mark, digest, version_n)"
        " VALUES ((SELECT id FROM tenants), 'USER.md', 4711, 'm:00000000', ?, 4711)",
        b"\0",
    )
    return "USER.md m:00000000"


def add_history_line(settings: Settings) -> str:
    turn_id = new_id()
    line = json.dumps({"id": turn_id, "content": "gone"})
    write_text(settings, HISTORY_FILE, f"{line}\nby hand\n")
    return turn_id


def add_entry(settings: Settings) -> str:
    entry_id = new_id()
    execute(
        settings,
        "INSERT INTO extraction_queue (id, tenant_id, kind, session_n, first_index, last_index,"
        " newest_n, priority, reason, created_at)"
        " SELECT ?, tenant_id, 'extract', n, 90, 99, 1, 0, 'test', 1 FROM sessions LIMIT 1",
        entry_id,
    )
    return entry_id


def add_plan_item(settings: Settings) -> str:
    memory_id = new_id()
    tenant = ", tenant_id" if engine_settings(settings.home_path) else ""
    execute(
        settings,
        f"INSERT INTO nightly_plan (run_n, step, ordinal, item{tenant})"  # noqa: S608
        f" SELECT n, 0, 99, CAST(? AS TEXT){tenant} FROM nightly_runs LIMIT 1",
        json.dumps({"key": f"merge|{memory_id}", "says": "gone"}),
    )
    return memory_id


def cut_edge(settings: Settings) -> str:
    """An edge one of whose ends is gone."""
    ends = execute(settings, "SELECT tenant_id, src_n FROM edges LIMIT 1")[0]
    execute(
        settings,
        "INSERT INTO edges (tenant_id, src_n, code, dst_n, weight, confidence, negated, modality,"
        " by_model, created_at, power) VALUES (?, ?, 6, 4711, 1, 1, ?, 0, ?, 1, 1)",
        *ends,
        False,
        False,
    )
    return f"{ends[1]}-6-4711"


def unname(settings: Settings) -> str:
    """A link to an entity that the memory no longer names."""
    src, dst = execute(settings, "SELECT src_n, dst_n FROM edges WHERE code = 3")[0]
    execute(settings, "DELETE FROM edges WHERE src_n = ? AND code <> 3 AND dst_n = ?", src, dst)
    execute(
        settings,
        "DELETE FROM name_uses WHERE node_n = ?"
        " AND name_n IN (SELECT n FROM entity_names WHERE entity_n = ?)",
        src,
        dst,
    )
    return f"{src}-3-{dst}"


PLANTS: dict[str, tuple[str, Callable[[Settings], str]]] = {
    "a conclusion of no turn": ("memory", lose_turn),
    "a concept of no memory": ("derived memory", lose_derivation),
    "an episode of no turn": ("episode", lose_span),
    "a wording that no longer holds, of no turn": ("former wording", add_former_wording),
    "a core line of no memory": ("core line", add_core_line),
    "a history line of no turn": ("history line", add_history_line),
    "a queue entry of no turn": ("queue entry", add_entry),
    "an item of a nightly plan of no memory": ("plan item", add_plan_item),
    "an edge that leads nowhere": ("edge", cut_edge),
    "a link to somebody who is not named": ("edge", unname),
}


REPAIRABLE = [name for name, (kind, _) in PLANTS.items() if kind not in MEMORY_KINDS]


def test_in_a_home_that_has_lived_everything_has_its_source(settings: Settings) -> None:
    assert found(settings) == []
    checks = {one.check: one for one in diagnose(settings, "none", lambda *_: None).health.findings}
    assert checks["sources"].state == "ok"


@pytest.mark.parametrize("plant", PLANTS)
def test_what_has_outlived_its_sources_is_found_and_doctor_names_it_with_a_cure(
    settings: Settings, plant: str
) -> None:
    kind, make = PLANTS[plant]
    orphan_id = make(settings)
    assert found(settings) == [(kind, orphan_id)]
    health = diagnose(settings, "none", lambda *_: None).health
    (finding,) = [one for one in health.findings if one.check == "sources"]
    assert finding.state == "warning"
    assert kind in finding.detail
    if kind in MEMORY_KINDS:
        assert finding.cure == f"memoria forget {orphan_id}"
    else:
        assert finding.cure == "memoria doctor --fix"


@pytest.mark.parametrize("plant", REPAIRABLE)
def test_what_is_no_memory_is_mended_and_nothing_else_with_it(
    settings: Settings, plant: str
) -> None:
    _, make = PLANTS[plant]
    make(settings)
    store = open_home(settings.home_path)
    with closing(store):
        assert repair_orphans(store, settings.home_path) == 1
    assert found(settings) == []
    if plant == "a history line of no turn":
        assert read_text(settings, HISTORY_FILE) == "by hand\n"
