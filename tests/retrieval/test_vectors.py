"""Vectors of questions, of passages and of what was said a moment ago: the answer is the same."""

import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria
from memoria.app import DATABASE
from memoria.inference import embedder as lazy
from memoria.inference.embedder import BundledEmbedder
from memoria.model import Vector
from memoria.store.image import tenant_image, tenant_images
from memoria.store.rows import documents as concurrent_read
from memoria.store.rows.documents import Documents
from memoria.store.sql.statements import TenantRows
from memoria.store.values import DocumentKind, Filters, Match

TIMEOUT_S = 60
MEMORY, TURN = "The vehicle broke down", "My automobile is red"


class LogEmptyingEmbedder(ToyEmbedder):
    """Empties the log whenever it is asked, and notes whether a snapshot kept it from that."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.was_busy: list[int] = []

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        other = sqlite3.connect(self._file, timeout=0)
        self.was_busy.append(other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        other.close()
        return super().embed_query(text)


@pytest.mark.sqlite("looks into the file")
async def test_no_snapshot_is_open_while_a_vector_is_made_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy, "_QUICK_S", 0)
    embedder = LogEmptyingEmbedder(tmp_path / DATABASE)
    async with memoria.open(home=tmp_path, tenant="t", embedder=embedder) as m:
        await m.record_conversation([{"role": "user", "content": TURN}])
        await m.wait_until_idle(TIMEOUT_S)
        for question in ("Which car?", "What does the doctor drive?", "Where do we live?"):
            assert await m.search_conversation_traces(question) is not None
    assert embedder.was_busy == [0, 0, 0]


async def test_in_a_large_home_who_waits_for_the_turns_searches_the_memories_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    memories_known = threading.Event()
    nearest = Documents.nearest

    def search(
        documents: Documents,
        kind: DocumentKind,
        model: str,
        vector: Vector,
        filters: Filters,
        limit: int,
    ) -> list[Match]:
        if kind == "turn":
            assert memories_known.wait(TIMEOUT_S)
        found = nearest(documents, kind, model, vector, filters, limit)
        searched.append(kind)
        if kind == "memory":
            memories_known.set()
        return found

    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        keep(m, MEMORY, "2023-01-01")
        await m.record_conversation([{"role": "user", "content": TURN}])
        await m.wait_until_idle(TIMEOUT_S)
        small = await m.search_memory("Which car?")
        monkeypatch.setattr(concurrent_read, "BUDGET", 0)
        monkeypatch.setattr(Documents, "nearest", search)
        large = await m.search_memory("Which car?")
    assert searched[:2] == ["memory", "turn"]
    assert texts_of(large) == texts_of(small)
    assert set(texts_of(large)) == {MEMORY, TURN}


FILLER = (
    "The nightly build takes eleven minutes, most of them for the container image. ",
    "The dashboards were moved to the new cluster without any loss of history. ",
    "Log files are packed into an archive after thirty days. ",
    "The reviewers asked for shorter functions and one more round of tests. ",
    "A retry policy with four attempts was added to the payment client. ",
    "The certificates are renewed by a job on the first of the month. ",
    "Two flaky tests were traced to a clock that was read twice. ",
    "The release notes are written by whoever merges the last change. ",
    "Feature flags older than a quarter are removed on Fridays. ",
    "The staging database is filled from an anonymised copy. ",
    "Alerts go to the channel of the team that owns the service. ",
    "Each endpoint has a budget of two hundred milliseconds. ",
)
FILLER_ZH = (
    "夜间构建大约需要十一分钟，大部分时间花在打包镜像上。",
    "监控面板已经迁移到新的集群，历史数据没有丢失。",
    "日志保存三十天，之后会压缩归档。",
    "评审希望函数写得更短，并且再补一轮测试。",
    "支付客户端增加了最多四次的重试策略。",
    "证书由每个月第一天的任务自动更新。",
    "发布说明由最后合并改动的人来写。",
    "每个接口的响应预算是两百毫秒。",
    "预发环境的数据库用脱敏后的副本填充。",
    "告警会发到负责该服务的团队频道里。",
)
PHYSICIAN = "My aunt works as a doctor in a children's hospital. "
BILINGUAL = "I grew up bilingual with Portuguese and German at home. "
ALLERGY = "I get an allergic rash whenever I eat shrimp or peanuts. "
KITTEN = "我们上周日从收容所领养了一只小猫。"
NURSE = "我姑姑在儿童医院当护士。"
FACTS = (PHYSICIAN, BILINGUAL, ALLERGY, KITTEN, NURSE)
ASKED = {
    "Which family member is a physician?": PHYSICIAN,
    "Which languages do I speak?": BILINGUAL,
    "家里养了什么宠物？": KITTEN,
    "哪位亲戚做医护工作？": NURSE,
}
ASKED_ACROSS = {"我对什么食物过敏？": ALLERGY, "Which relative is a nurse?": NURSE}


def bury(fact: str, place: int) -> str:
    """The fact among ten sentences and more about something else."""
    filler = FILLER if fact.isascii() else FILLER_ZH
    turned = (*filler[place:], *filler[:place])
    return "".join(turned[:7]) + fact + "".join(turned[7:])


@pytest.fixture(scope="module")
async def m(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """Long answers; some have a fact of somebody's life among what they are about."""
    home = tmp_path_factory.mktemp("passages") / "home"
    texts = [bury("", place) for place in range(12)] + ["".join(FILLER_ZH) * 2]
    texts += [bury(fact, place) for place, fact in enumerate(FACTS)]
    async with memoria.open(home=home, tenant="t", embedder=embedder) as opened:
        turns = [
            {"role": "assistant", "content": text, "message_id": str(i), "session_id": str(i)}
            for i, text in enumerate(texts)
        ]
        await opened.record_conversation(turns)
        await opened.wait_until_idle(60)
        yield opened


async def test_a_fact_after_ten_sentences_is_found_by_what_it_means(m: Memoria) -> None:
    for question, fact in ASKED.items():
        found = await m.search_conversation_traces(question, without=["text"], max_tokens=8000)
        assert found.hits, question
        assert fact.strip() in found.hits[0].text, question


async def test_and_by_a_question_in_the_other_language(m: Memoria) -> None:
    for question, fact in ASKED_ACROSS.items():
        found = await m.search_conversation_traces(question, without=["text"], max_tokens=8000)
        assert found.hits, question
        assert fact.strip() in found.hits[0].text, question


async def test_the_nearest_passage_of_a_long_turn_holds_the_fact(
    m: Memoria, embedder: BundledEmbedder
) -> None:
    question, fact = next(iter(ASKED.items()))
    vector = embedder.embed_query(question)
    with m._store.read("t") as tx:  # noqa: SLF001  (what excerpts begin with)
        found = tx.documents.match(["turn"], ["doctor"], Filters(include_processed=True), 5)
        ns = [each.n for each in found]
        (near,) = tx.documents.nearest_passages(ns, embedder.name, vector).values()
        text = tx.conversations.turns([near.n])[near.n].content
    assert fact.strip() in text[near.start : near.end]
    assert near.end - near.start < len(text) / 2
    assert near.score > 0.3


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
