"""The search after a capture finds what the process keeps brought up to date."""

from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, texts_of

import memoria
from memoria import Memoria
from memoria.store.image import tenant_image, tenant_images
from memoria.store.sql.tenant_rows import TenantRows

TIMEOUT_S = 60


async def say(m: Memoria, text: str) -> None:
    await m.record_conversation([{"role": "user", "content": text, "session_id": "s"}])


async def test_what_was_changed_is_read_when_its_vector_is_stored_not_when_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    read_few = tenant_image._read_few  # noqa: SLF001

    def noting(rows: TenantRows, name: str, after: int) -> object:
        read.append(name)
        return read_few(rows, name, after)

    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        for text in ("The ferry leaves at nine", "The harbour is closed", "The ferry is blue"):
            await say(m, text)
        await m.wait_until_idle(TIMEOUT_S)
        await m.search_memory("When does the ferry leave?")
        await m.search_conversation_traces("When does the ferry leave?")
        monkeypatch.setattr(tenant_image, "_read_few", noting)
        await say(m, "The ferry has a new captain")
        await m.wait_until_idle(TIMEOUT_S)
        assert read == ["few_changed"]
        found = await m.search_conversation_traces("Who is captain of the ferry?")
        assert texts_of(found)[0] == "The ferry has a new captain"
        assert read == ["few_changed"]


async def test_where_nobody_searches_nothing_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenant_images, "_LATELY_S", 0)
    read: list[str] = []
    monkeypatch.setattr(tenant_image, "_read_few", lambda _rows, name, _after: read.append(name))
    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        await say(m, "The ferry leaves at nine")
        await m.search_conversation_traces("When does the ferry leave?")
        read.clear()
        await say(m, "The ferry has a new captain")
        await m.wait_until_idle(TIMEOUT_S)
    assert read == []


async def test_what_has_no_vector_yet_is_found_by_a_search_that_follows_by_itself(
    tmp_path: Path,
) -> None:
    async with memoria.open(home=tmp_path, tenant="t", embedder=None) as m:
        await say(m, "The ferry leaves at nine")
        await m.search_conversation_traces("When does the ferry leave?")
        await say(m, "The ferry has a new captain")
        found = await m.search_conversation_traces("Who is captain of the ferry?")
        assert "The ferry has a new captain" in texts_of(found)
