"""Homes of every schema version open with this code, and nothing in them is lost or comes back."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.homes.make import ARCHIVED
from tests.retrieval.toys import hits_of

import memoria
from memoria.app.upkeep import restore
from memoria.config import Settings
from memoria.errors import ForgottenError
from memoria.inference.embedder import BundledEmbedder
from memoria.store.sqlite.schema import migrations

pytestmark = pytest.mark.sqlite("homes of earlier versions")

HERE = Path(__file__).parent
VERSIONS = sorted(path.stem for path in HERE.glob("[0-9][0-9].zip"))
BACKUPS = sorted(HERE.glob("*.backup"))


def expected(version: str) -> dict[str, Any]:
    there: dict[str, Any] = json.loads((HERE / f"{version}.json").read_text("utf-8"))
    return there


def unpacked(version: str, folder: Path) -> Path:
    with zipfile.ZipFile(HERE / f"{version}.zip") as packed:
        packed.extractall(folder / "home")
    return folder / "home"


def test_a_home_of_every_former_schema_version_is_kept() -> None:
    former = {number for number, _ in migrations()[:-1]}
    assert former <= {int(version) for version in VERSIONS}, (
        "make the home of the last version with its code: python tests/homes/make.py tests/homes"
    )


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_former_home_has_the_same_rows_and_answers(
    version: str, tmp_path: Path, embedder: BundledEmbedder
) -> None:
    await look(unpacked(version, tmp_path), expected(version), embedder)


@pytest.mark.parametrize("backup", BACKUPS, ids=lambda path: path.stem)
async def test_a_former_backup_is_restored_with_the_same_rows_and_answers(
    backup: Path, tmp_path: Path, embedder: BundledEmbedder
) -> None:
    home = tmp_path / "home"
    restore(Settings(home=home), backup, lambda *_: None)
    await look(home, expected(backup.stem), embedder)


async def look(home: Path, there: dict[str, Any], embedder: BundledEmbedder) -> None:
    async with memoria.open(home=home, tenant="default", embedder=embedder) as m:
        for session_id, turns in there["turns"].items():
            session = await m.get_session(session_id)
            assert [[turn.id, turn.content] for turn in session.turns] == turns
        for memory_id, (kind, validity, wordings) in there["memories"].items():
            memory = await m.get_memory(memory_id)
            assert (memory.type.value, memory.validity.value) == (kind, validity)
            assert [version.content for version in memory.versions] == wordings
        await m.wait_until_idle(60)
        for question, content in there["memories_asked"].items():
            found = await m.search_memory(question)
            assert hits_of(found)[0].text == content, question
        for question, content in there["transcripts_asked"].items():
            found = await m.search_conversation_traces(question)
            assert content in found.hits[0].text or content in str(found.hits[0].tool), question
        assert ARCHIVED not in str((await m.search_memory(ARCHIVED, types=["fact"])).hits)
        if there["forgotten"] is not None:
            with pytest.raises(ForgottenError):
                await m.remember(there["forgotten"])
        problems = [one for one in (await m.health()).findings if one.state == "error"]
        assert problems == []


async def test_the_long_turns_of_a_former_home_get_passages_in_the_background(
    tmp_path: Path, embedder: BundledEmbedder
) -> None:
    home, there = unpacked("19", tmp_path), expected("19")
    ((_, text),) = there["turns"]["long"]
    async with memoria.open(home=home, tenant="default", embedder=embedder) as m:
        await m.wait_until_idle(60)
        vector = embedder.embed_query("Whose sister has a hobby?")
        with m._store.read("default") as tx:  # noqa: SLF001  (nothing else names a passage)
            ns = tx.documents.page("turn", 0, 100)
            (near,) = tx.documents.nearest_passages(ns, embedder.name, vector).values()
    assert "sister" in text[near.start : near.end]
