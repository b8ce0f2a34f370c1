"""A reranker moves hits and the threshold, sees what may be seen, and is not missed if it fails."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from anyio import from_thread
from tests.llm.scripted import Asked, Behaviour, ScriptedModel
from tests.retrieval.town import SECRETS, settle_elsewhere, settle_town
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria, SearchResult, Settings
from memoria.disk.home_files import DATABASE
from memoria.model import LIBRARY, ExplainedCandidate, PartReport
from memoria.store.sqlite.driver import sqlite3
from memoria.surface.cli.answers import explanation_lines

QUESTION = "gate number of the depot"
FIRST = "The gate number of the depot is E4711"
SECOND = "The gate of the depot had another code once"
NO_WORD = "Whoever comes in by the fence needs a badge"
UNLIKE = (
    "Do visitors show papers, passports, permits, letters, tickets, photographs, stamps, visas or"
    " invitations at the fence?"
)
"""Has a word in common with the one above, and no more."""
OFF_TOPIC = "harbour fence paint"


class Scripted:
    """Gives each text the score of the first marker in it, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, scores: Mapping[str, float] | None = None, otherwise: float = 0.3) -> None:
        self.by_marker = dict(scores or {})
        self.otherwise = otherwise
        self.asked: list[tuple[str, list[str]]] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """What the script says."""
        self.asked.append((query, list(texts)))
        self.meanwhile()
        return [
            next((self.by_marker[key] for key in self.by_marker if key in text), self.otherwise)
            for text in texts
        ]


@pytest.fixture
def reranker() -> Scripted:
    return Scripted()


@pytest.fixture
async def m(home: Path, reranker: Scripted) -> AsyncIterator[Memoria]:
    """A home with two answers, and something that shares no word with the question."""
    async with memoria.open(home=home, embedder=ToyEmbedder(), reranker=reranker) as opened:
        for text in (FIRST, SECOND, NO_WORD):
            keep(opened, text, "2023-01-01")
        await opened.wait_until_idle(60)
        yield opened


def report(found: SearchResult) -> PartReport | None:
    """What the trace says of the reranker."""
    assert found.explanation is not None
    return next((each for each in found.explanation.parts if each.part == "rerank"), None)


def explain_texts(found: SearchResult) -> dict[str, ExplainedCandidate]:
    assert found.explanation is not None
    return {each.text: each for each in found.explanation.candidates}


async def test_the_order_is_that_of_our_word_and_the_rerankers_together(
    m: Memoria, reranker: Scripted
) -> None:
    alone = explain_texts(await m.search_memory(QUESTION, without=["rerank"], explain=True))
    for scores in ({"E4711": 0.9, "once": 0.2}, {"E4711": 0.2, "once": 1.0}):
        reranker.by_marker = scores
        found = await m.search_memory(QUESTION, explain=True)
        best = max([FIRST, SECOND], key=lambda t: scores[t.split()[-1]])
        assert found.explanation is not None
        ranked = sorted(found.explanation.candidates, key=lambda each: -each.score)
        assert ranked[0].text == best
        told = explain_texts(found).items()
        for text, each in ((text, each) for text, each in told if each.reranked is not None):
            score = next((scores[key] for key in scores if key in text), reranker.otherwise)
            assert each.reranked == score
            assert each.relevance == pytest.approx((alone[text].relevance + score) / 2, abs=1e-4)


async def test_a_turn_that_words_place_late_becomes_the_first_of_the_record(
    m: Memoria, reranker: Scripted
) -> None:
    turns = [f"The depot code of gate {n} is long gone" for n in range(14)]
    texts = [*turns, "A code it is, that much they said of it and of many other things in spring"]
    await m.record_conversation([{"role": "user", "content": text} for text in texts])
    await m.wait_until_idle(60)
    reranker.by_marker = {"spring": 1.0}
    plain = await m.search_conversation_traces(QUESTION, without=["rerank"], limit=10)
    found = await m.search_conversation_traces(QUESTION, limit=10)
    assert texts[-1] not in texts_of(plain)
    assert texts_of(found)[0] == texts[-1]
    assert len(found.hits) == 10


async def test_what_it_was_not_asked_about_counts_as_the_worst_it_was_asked_about(
    m: Memoria, reranker: Scripted
) -> None:
    for n in range(30):
        keep(m, f"Gate {n} of the depot has a code", "2023-01-01")
    await m.wait_until_idle(60)
    reranker.by_marker = {"E4711": 0.9}
    reranker.otherwise = 0.4
    alone = explain_texts(
        await m.search_memory(QUESTION, limit=40, without=["rerank"], explain=True)
    )
    found = explain_texts(await m.search_memory(QUESTION, limit=40, explain=True))
    ((query, texts),) = reranker.asked
    assert query == QUESTION
    assert len(texts) == 20
    unseen = [each for text, each in found.items() if text not in texts]
    assert unseen
    for each in unseen:
        assert each.reranked is None
        assert each.relevance == pytest.approx((alone[each.text].relevance + 0.4) / 2, abs=1e-4)


async def test_what_it_is_sure_of_passes_the_threshold_and_what_is_beside_the_point_does_not(
    m: Memoria, reranker: Scripted
) -> None:
    question = UNLIKE
    assert not (await m.search_memory(question, without=["rerank"])).answered
    for score, passes in ((0.49, False), (0.5, True)):
        reranker.by_marker = {"badge": score}
        assert (await m.search_memory(question)).answered is passes
    for score, passes in ((0.1, True), (0.09, False)):
        reranker.otherwise, reranker.by_marker = 0.0, {"once": score}
        question = "Which code did the guard of the depot gate use?"
        assert (await m.search_memory(question)).answered is passes


async def test_its_no_is_none_against_a_text_that_holds_every_word_that_tells(
    m: Memoria, reranker: Scripted
) -> None:
    reranker.otherwise = 0.0
    assert FIRST in texts_of(await m.search_memory("E4711"))


async def test_its_yes_is_none_where_whom_the_question_names_stands_nowhere(
    m: Memoria, reranker: Scripted
) -> None:
    reranker.otherwise = 0.99
    question = "Which gate code did Zoltan Kovacs get?"
    found = await m.search_memory(question, without=["graph"], explain=True)
    assert report(found) == PartReport(part="rerank", state="used", found=3)
    assert not found.answered


async def test_of_a_record_that_has_nothing_to_say_it_says_so(
    m: Memoria, reranker: Scripted
) -> None:
    await m.record_conversation([{"role": "user", "content": "The depot has a gate"}])
    question = "depot gate opening hours"
    assert (await m.search_conversation_traces(question, without=["rerank"])).answered
    reranker.otherwise = 0.01
    assert not (await m.search_conversation_traces(question)).answered


async def test_a_prompt_that_nobody_asked_for_wants_it_surer_and_asks_it_once(
    m: Memoria, reranker: Scripted
) -> None:
    question = f"my exact words: {UNLIKE}"
    await m.record_conversation([{"role": "user", "content": "I must show nothing at the fence"}])
    for score, passes in ((0.79, False), (0.8, True)):
        reranker.asked.clear()
        reranker.by_marker = {"badge": score}
        package = await m.build_context(question)
        assert ("badge" in package.recall) is passes
        assert len(reranker.asked) == 1


async def test_it_is_shown_who_said_it_and_the_part_that_answers(
    m: Memoria, reranker: Scripted
) -> None:
    long = "padding " * 400 + "the walnut lies here " + "stuffing " * 400
    await m.record_conversation([{"role": "user", "speaker": "Lin", "content": long}])
    await m.search_conversation_traces("Where does the walnut lie?")
    ((_, (text,)),) = reranker.asked
    assert text.startswith("Lin: ")
    assert "the walnut lies here" in text
    assert len(text) <= 1000 + len("Lin: ")


async def test_the_same_words_are_asked_about_once_and_score_alike(
    m: Memoria, reranker: Scripted
) -> None:
    turns = [{"role": "user", "content": "The bridge is shut"}] * 3
    await m.record_conversation(turns)
    found = await m.search_conversation_traces("Is the bridge shut?", explain=True)
    ((_, texts),) = reranker.asked
    assert texts == ["The bridge is shut"]
    assert found.explanation is not None
    assert [each.reranked for each in found.explanation.candidates] == [reranker.otherwise] * 3


@pytest.mark.sqlite("looks into the file")
async def test_no_snapshot_is_open_while_it_is_asked(m: Memoria, reranker: Scripted) -> None:
    """Else the log could not be emptied: a reader would still need what stands in it."""
    emptied = []

    def empty_the_log() -> None:
        keep(m, "Written while the reranker thinks", "2023-01-01")
        other = sqlite3.connect(m.settings.home_path / DATABASE, timeout=10)
        emptied.append(other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
        other.close()

    reranker.meanwhile = empty_the_log
    await m.search_memory(QUESTION)
    await m.search_conversation_traces(FIRST)
    await m.build_context(QUESTION)
    assert len(reranker.asked) == len(emptied) >= 2
    assert {busy for busy, _, _ in emptied} == {0}


async def test_what_is_forgotten_while_it_thinks_is_not_shown(
    m: Memoria, reranker: Scripted
) -> None:
    shown = (await m.search_memory(QUESTION, without=["rerank"])).hits
    first = next(hit for hit in shown if hit.text == FIRST)

    def forget() -> None:
        from_thread.run(lambda: m.forget_memory([first.id]))

    reranker.meanwhile = forget
    reranker.otherwise = 0.9
    found = await m.search_memory(QUESTION, explain=True)
    assert FIRST in reranker.asked[0][1]
    assert "E4711" not in found.model_dump_json()
    assert texts_of(found)[0] == SECOND


async def test_a_wording_that_changes_while_it_thinks_has_no_score_of_the_old_one(
    m: Memoria, reranker: Scripted
) -> None:
    shown = (await m.search_memory(QUESTION, without=["rerank"])).hits
    first = next(hit for hit in shown if hit.text == FIRST)
    new = "The gate number of the depot is F0815"

    def correct() -> None:
        from_thread.run(lambda: m.revise_memory(first.id, "correct", new))

    reranker.meanwhile = correct
    reranker.by_marker = {"E4711": 0.9}
    found = explain_texts(await m.search_memory(QUESTION, explain=True))
    assert FIRST not in found
    assert found[new].reranked is None
    assert found[SECOND].reranked == reranker.otherwise


class Failing:
    """A reranker that is out of order."""

    name = "broken"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Fail, as a program of somebody else's may."""
        raise RuntimeError(f"{query} {texts}")


async def test_when_it_fails_the_search_goes_on_as_without_and_says_so(
    m: Memoria, home: Path
) -> None:
    why = "broken failed: RuntimeError"
    async with memoria.open(home=home, embedder=ToyEmbedder(), reranker=Failing()) as broken:
        for search in ("search_memory", "search_conversation_traces"):
            found = await getattr(broken, search)(QUESTION, explain=True)
            plain = await getattr(m, search)(QUESTION, without=["rerank"])
            assert found.hits == plain.hits
            expected = [
                PartReport(part="rerank", state="missing", why=why),
                PartReport(part="rerank", state="idle", why="there is nothing to put in order"),
            ]
            assert report(found) == expected[search != "search_memory"]
        assert (await broken.search_memory(QUESTION)).notes == (f"searched without rerank: {why}",)
        assert (await broken.build_context(QUESTION)).notes == (f"searched without rerank: {why}",)


async def test_switched_off_it_is_not_asked_and_the_answer_says_so(
    m: Memoria, reranker: Scripted
) -> None:
    found = await m.search_memory(QUESTION, without=["rerank"], explain=True)
    assert reranker.asked == []
    assert report(found) == PartReport(part="rerank", state="off", why="switched off")
    assert found.notes == ("searched without rerank: switched off",)
    assert found.explanation is not None
    assert "rerank" not in found.explanation.path + found.explanation.formula


async def test_where_there_is_none_nothing_is_said_of_it(m: Memoria, home: Path) -> None:
    async with memoria.open(home=home, embedder=ToyEmbedder()) as plain:
        for without in ([], ["rerank"]):
            found = await plain.search_memory(QUESTION, without=without, explain=True)
            assert report(found) is None
            assert found.notes == ()
            assert found.hits == (await m.search_memory(QUESTION, without=["rerank"])).hits


@pytest.mark.parametrize("question", ["What is the latest?", "?!"])
async def test_a_question_without_a_word_to_go_by_is_not_put_to_it(
    m: Memoria, reranker: Scripted, question: str
) -> None:
    found = await m.search_memory(question, explain=True)
    assert reranker.asked == []
    part = report(found)
    assert part is not None
    assert part.state == "idle"


async def test_the_trace_tells_its_share(m: Memoria, reranker: Scripted) -> None:
    reranker.by_marker = {"E4711": 0.87}
    found = await m.search_memory(QUESTION, explain=True)
    assert found.explanation is not None
    assert found.explanation.path.endswith(" → rerank")
    assert found.explanation.formula.startswith("½(1 − ")
    assert found.explanation.formula.endswith(") + ½·rerank, × boosts")
    printed = "\n".join(explanation_lines(found.explanation))
    assert "used 3 candidates" in printed
    assert "rerank 0.87" in printed


async def test_every_channel_has_it(m: Memoria, reranker: Scripted) -> None:
    await m.with_channel(LIBRARY).search_memory(QUESTION)
    assert len(reranker.asked) == 1


_WORDS = tuple(SECRETS.values())
ABOUT = ["Who is Priya?", "harbour report E4711", " ".join(_WORDS[:6]), " ".join(_WORDS[6:])]


async def test_it_is_never_shown_what_may_not_be_seen_from_where_was_asked(tmp_path: Path) -> None:
    reranker = Scripted()
    embedder = ToyEmbedder()
    async with memoria.open(home=tmp_path, tenant="other", embedder=embedder) as other:
        await settle_elsewhere(other)
    async with memoria.open(
        home=tmp_path, tenant="t", embedder=embedder, reranker=reranker
    ) as town:
        await settle_town(town)
        for place, own in (("none", set[str]()), ("alpha", {"alpha"}), ("beta", {"beta"})):
            for search, more in (
                (town.search_memory, {"later"}),
                (town.search_conversation_traces, {"later", "suppressed"}),
            ):
                reranker.asked.clear()
                for question in ABOUT:
                    await search(question, workspace=place)
                sent = " ".join(text for _, texts in reranker.asked for text in texts)
                assert {key for key, word in SECRETS.items() if word in sent} == own | more
            reranker.asked.clear()
            for question in ABOUT:
                await town.build_context(question, workspace=place)
            sent = " ".join(text for _, texts in reranker.asked for text in texts)
            assert {key for key, word in SECRETS.items() if word in sent} == own | {"later"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ScriptedModel() as model:
        yield model


def prefers(marker: str) -> Callable[[Asked], Behaviour]:
    """An endpoint that finds one text to be the answer."""

    def answer(asked: Asked) -> Behaviour:
        listed = [{"index": n, "relevance_score": 0.95 if marker in text else 0.2}
                  for n, text in enumerate(asked.body["documents"])]  # fmt: skip
        return Behaviour(json.dumps({"results": listed}).encode())

    return answer


async def test_the_configured_endpoint_is_asked_and_not_missed_when_it_is_gone(
    home: Path, server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_RERANK_BASE_URL", server.url)
    monkeypatch.setenv("MEMORIA_RERANK_MODEL", "tiny")
    monkeypatch.setenv("MEMORIA_RERANK_TIMEOUT_S", "30")
    server.answer = prefers("once")
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        for text in (FIRST, SECOND, OFF_TOPIC):
            keep(m, text, "2023-01-01")
        assert texts_of(await m.search_memory(QUESTION)) == [SECOND, FIRST]
        assert server.requests[0].body["query"] == QUESTION
        assert OFF_TOPIC not in str(server.requests)
        server.answer = lambda _: Behaviour(status=503)
        found = await m.search_memory(QUESTION)
    assert texts_of(found)[0] == FIRST
    assert "searched without rerank: the rerank endpoint failed: HTTP 503" in found.notes
