"""How much work a search is: statements and rows are counted, for they don't depend on the machine.

Rows are those handed to Python. What SQLite walks through is in tests/store/test_statements.py.
"""

import gc
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.columns import hear, remark, say_in_columns
from tests.retrieval.toys import ToyEmbedder, keep
from tests.store.insides import Work, noted_work

import memoria
from memoria import Memoria
from memoria.language.asking.aim import Aim
from memoria.model import Mention, SearchResult
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.retrieval import SearchOptions, plan_memories, plan_transcript
from memoria.retrieval.query.options import ALL_STAGES
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.evidence.columns import rank_rows
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, Priors, rank_with_priors
from memoria.store.features import TurnMetadata
from memoria.store.rows.transaction import Transaction

PRIYA = (Mention(name="Priya", kind="person"),)
QUESTION = "Which harbour report did Priya take to Lisbon with the budget?"
WORDS = "harbour report budget Lisbon gate tea orchid train depot letter".split()
COUNTS = re.compile(r"occurrences|find_(words|documents)\(")
RANKS = re.compile(r"embedding MATCH|rank_documents\(")
"""What is near on SQLite, what shares words on PostgreSQL."""
COUNTED = re.compile(r'"\(\\"(\w+)\\"\)"')


async def fill(m: Memoria, turns: int) -> None:
    rng = Random(1)  # noqa: S311  (nothing here is secret)
    said = [
        {"role": "user", "content": " ".join(rng.choices(WORDS, k=12)), "message_id": str(i)}
        for i in range(turns)
    ]
    for start in range(0, turns, 50):
        await m.record_conversation(said[start : start + 50], session_id=f"s{start}")
    for i in range(turns // 10):
        keep(m, f"Priya and the {WORDS[i % 10]} number {i}", "2023-01-01", about=PRIYA)
    await m.wait_until_idle(60)


_LOADED_AFTER = 2
"""Number of searches after which a home's vectors are in memory."""


@pytest.fixture(scope="module")
async def homes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Memoria, Memoria]]:
    """One with more than any search looks at, and one with three times as much."""
    folder = tmp_path_factory.mktemp("work")
    async with (
        memoria.open(home=folder / "one", tenant="t", embedder=ToyEmbedder()) as one,
        memoria.open(home=folder / "three", tenant="t", embedder=ToyEmbedder()) as three,
    ):
        await fill(one, 500)
        await fill(three, 1500)
        for m in (one, three):
            for _ in range(_LOADED_AFTER):
                await m.search_conversation_traces(QUESTION)
        yield one, three


@contextmanager
def count_work(m: Memoria) -> Iterator[Work]:
    """What the one reader of a home is asked meanwhile."""
    with m._store.read("t") as tx:  # noqa: SLF001  (no face tells)
        counting = noted_work(tx)
    with counting as work:
        yield work


def search(m: Memoria, plan: SearchPlan) -> tuple[SearchResult, Work]:
    """Search twice; return what the second one, a warm one, found, and what it took."""
    m._search.run(plan)  # noqa: SLF001
    with count_work(m) as work:
        return m._search.run(plan), work  # noqa: SLF001


def work_of(m: Memoria, plan: SearchPlan) -> Work:
    return search(m, plan)[1]


def memories(question: str, way: SearchOptions | None = None) -> SearchPlan:
    return plan_memories(MemoryQuery(query=question), way or SearchOptions())


def traces(question: str, way: SearchOptions | None = None) -> SearchPlan:
    return plan_transcript(TranscriptQuery(query=question), way or SearchOptions())


@pytest.mark.parametrize(
    ("plan", "statements", "rows"),
    [
        (memories, {"sqlite": 24, "postgres": 43}, 1500),
        (traces, {"sqlite": 15, "postgres": 30}, 1000),
    ],
)
async def test_a_search_is_a_bounded_number_of_statements_and_rows(
    homes: tuple[Memoria, Memoria],
    engine: str,
    plan: Callable[[str], SearchPlan],
    statements: Mapping[str, int],
    rows: int,
) -> None:
    (found, small), (_, large) = (search(m, plan(QUESTION)) for m in homes)
    assert found.hits
    assert len(large.statements) <= statements[engine]
    assert large.rows <= rows
    assert len(large.statements) <= len(small.statements) + 4


READ_TOGETHER = 4
"""The hits, what is nearest, when that which may be later was said, and what of it is shown."""


async def test_memories_are_read_together_with_all_their_wordings(
    homes: tuple[Memoria, Memoria],
) -> None:
    read = work_of(homes[0], memories(QUESTION)).statements
    for what in ("v.quote, v.inferred_by", "m.last_used_at, m.flag"):
        assert sum(what in each for each in read) <= READ_TOGETHER


async def test_that_the_record_has_no_more_is_told_by_what_the_search_has_read(
    homes: tuple[Memoria, Memoria],
) -> None:
    question = "Which zebra cooked soup for a giraffe beside the gate?"
    found, work = search(homes[0], memories(question))
    assert found.hits[0].score < 0.35  # a guess, so the record is looked at
    assert found.hint is None
    assert not any(COUNTS.search(each) for each in work.statements)


@pytest.mark.sqlite("reads the lists of words of FTS5")
async def test_the_list_of_a_word_is_read_once_and_no_word_is_counted_beside_it(
    homes: tuple[Memoria, Memoria],
) -> None:
    with count_work(homes[0]) as work:
        for plan in (memories, traces):
            homes[0]._search.run(plan("Which orchid stood by the train to the depot?"))  # noqa: SLF001
    read = [word for each in work.statements if "occurrences" in each
            for word in re.findall(r'"(\w+)"', each)]  # fmt: skip
    assert "orchid" in read
    assert len(read) == len(set(read))
    assert not [each for each in work.statements if "count(*)" in each and COUNTED.search(each)]


@pytest.mark.parametrize("plan", [memories, traces])
async def test_a_search_leaves_nothing_that_only_a_garbage_collector_finds(
    homes: tuple[Memoria, Memoria], plan: Callable[[str], SearchPlan]
) -> None:
    searches = homes[0]._search  # noqa: SLF001
    searches.run(plan(QUESTION))
    gc.collect()
    gc.disable()
    try:
        searches.run(plan(QUESTION))
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("plan", [memories, traces])
async def test_nobody_looks_for_garbage_while_a_search_ranks(
    homes: tuple[Memoria, Memoria], plan: Callable[[str], SearchPlan]
) -> None:
    looks: list[str] = []

    def note(phase: str, _about: dict[str, int]) -> None:
        looks.append(phase)

    searches = homes[0]._search  # noqa: SLF001
    searches.run(plan(QUESTION))
    before = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(100)
    try:
        searches.run(plan(QUESTION))
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
    assert looks.count("start") < 10


@pytest.mark.parametrize("plan", [memories, traces])
async def test_what_a_search_has_read_is_let_go_before_anybody_looks_for_garbage(
    homes: tuple[Memoria, Memoria], plan: Callable[[str], SearchPlan]
) -> None:
    met: list[object] = []

    def note(_phase: str, _about: dict[str, int]) -> None:
        met.extend(one for one in gc.get_objects() if isinstance(one, Transaction))

    gc.collect()  # what other tests have left would be met as well
    searches = homes[0]._search  # noqa: SLF001
    searches.run(plan(QUESTION))
    before = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(100)
    try:
        searches.run(plan(QUESTION))
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
    assert not met


async def test_who_has_switched_the_collector_off_finds_it_so_after_a_search(
    homes: tuple[Memoria, Memoria],
) -> None:
    gc.disable()
    try:
        homes[0]._search.run(memories(QUESTION))  # noqa: SLF001
        assert not gc.isenabled()
    finally:
        gc.enable()


async def test_documents_are_ranked_once_however_many_are_wanted(
    homes: tuple[Memoria, Memoria],
) -> None:
    def count_rankings(limit: int) -> int:
        query = TranscriptQuery(query=QUESTION, limit=limit)
        work = work_of(homes[0], plan_transcript(query, SearchOptions()))
        return sum("o.turn_index BETWEEN" in each for each in work.statements)

    assert count_rankings(limit=80) == count_rankings(limit=3)


async def test_a_question_that_names_nobody_expands_nowhere(homes: tuple[Memoria, Memoria]) -> None:
    work = work_of(homes[0], memories("harbour report budget"))
    # Of a replaced memory, and of memories that were judged to be another matter.
    others = ("held_until", "by_model")
    read = [each for each in work.statements if not any(other in each for other in others)]
    assert not [each for each in read if "FROM json_each" in each and "edges" in each]


class Listening:
    """A reranker that finds everything equally good, and lets something happen meanwhile."""

    name = "listening"

    def __init__(self) -> None:
        self.meanwhile: Callable[[], object] = lambda: None

    def score(self, query: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002  (the protocol's)
        self.meanwhile()
        return [0.5] * len(texts)


@pytest.mark.parametrize("plan", [memories, traces])
async def test_what_a_reranker_was_shown_is_searched_for_again_only_if_something_was_written(
    tmp_path: Path, plan: Callable[..., SearchPlan]
) -> None:
    reranker = Listening()
    async with memoria.open(tmp_path, "t", embedder=ToyEmbedder(), reranker=reranker) as m:
        await fill(m, 30)

        def count_searches(way: SearchOptions) -> int:
            asked = work_of(m, plan(QUESTION, way)).statements
            return sum(RANKS.search(each) is not None for each in asked)

        without = count_searches(SearchOptions(stages=replace(ALL_STAGES, rerank=False)))
        assert without
        assert count_searches(SearchOptions()) == without
        reranker.meanwhile = lambda: keep(m, f"The depot has {uuid4()}", "2023-01-01")
        assert count_searches(SearchOptions()) > without


def say(words: int, asks: bool, speaker: str | None, role: str, wish: str) -> TurnMetadata:
    return remark(wish + "word " * words + ("?" if asks else ""), speaker, role=role)


REMARKS = st.builds(
    say,
    st.integers(0, 30),
    st.booleans(),
    st.sampled_from(["Ann", "Ben", None]),
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["", "Always ", "I prefer "]),
)
RANKED = st.lists(st.tuples(st.floats(0, 1), st.none() | REMARKS), max_size=60)


@given(RANKED, st.integers(1, 12), st.sampled_from([Aim.FACT, Aim.HELP, Aim.REPLY]))
def test_what_is_left_unread_could_not_have_come_among_the_best(
    ranked: Sequence[tuple[float, TurnMetadata | None]], most: int, aim: Aim
) -> None:
    in_order = sorted(ranked, key=lambda each: -each[0])
    scores, said = np.array([score for score, _ in in_order]), [one for _, one in in_order]
    remarks, wanted = say_in_columns(said), ExpectedAnswer(("Ann",), None, aim)

    every = Priors.among(remarks, wanted, ALL_STAGES).apply(scores, hear(said))
    found = rank_with_priors(
        scores, remarks, lambda rows, _: hear([said[row] for row in rows]), wanted, most, ALL_STAGES
    )
    best = rank_rows(every, most)
    assert found.may_be_best[best].all()
    assert found.values[found.may_be_best].tolist() == every[found.may_be_best].tolist()
