"""A fact among many sentences is found by what it means, as one that stands alone is."""

from collections.abc import AsyncIterator

import pytest

import memoria
from memoria import Memoria
from memoria.inference.bundled import BundledEmbedder
from memoria.store.values import Filters

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
def anyio_backend() -> str:
    return "asyncio"


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
