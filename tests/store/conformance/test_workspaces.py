"""A workspace's rows are seen from it alone, but for what is about the person.

What is in a private workspace is seen from it alone, even where all of them are asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.insides import connection_of, index_of
from tests.store.plain import keep, wording
from tests.store.tenant_life import LIMITS, MODEL, marks, vector

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.ingest.capture import Capture
from memoria.ingest.sessions import update_scratchpad
from memoria.memories.details import StatementDetails
from memoria.memories.statements import Statements
from memoria.model import LIBRARY, MemoryType, Role, Scope, Turn
from memoria.model.query import MemoryQuery, TranscriptQuery, build_query
from memoria.retrieval import Search, plan_memories, plan_transcript
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Filters, Frequencies, Match

TENANTS = ("ann", "bob")
PLACES = (None, "red", "blue", "diary")
PRIVATE = "diary"
OF_NOBODY, OF_PROJECT, OF_USER = (
    "port number",
    "in this repo, port number",
    "about my son's port number",
)
PERSONAL = {MemoryType.PREFERENCE, MemoryType.RULE, MemoryType.RELATIONSHIP}


@dataclass(frozen=True)
class Row:
    """Something kept: by whom, where, and as what; a turn where there is no type."""

    tenant: str
    place: str | None
    kind: MemoryType | None
    current: bool = True
    words: str = OF_NOBODY
    scope: Scope | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether it is seen from every workspace."""
        if self.kind is None or self.place is None:
            return self.place is None
        by_words = {OF_PROJECT: False, OF_USER: True}.get(self.words, self.kind in PERSONAL)
        summary = self.kind is MemoryType.EPISODE
        decided = by_words and not summary and self.place != PRIVATE
        return decided if self.scope is None else self.scope == "everywhere"

    def seen_by(self, tenant: str, filters: Filters) -> bool:
        """What the promise says, written down a second time."""
        near = self.is_everywhere or self.place == filters.workspace
        return (
            self.tenant == tenant
            and (near or (filters.everywhere and self.place != PRIVATE))
            and (self.current or filters.include_history)
            and (not filters.types or self.kind in filters.types)
            and (not filters.roles or self.kind is None)
        )


ROWS = st.lists(
    st.builds(
        Row,
        tenant=st.sampled_from(TENANTS),
        place=st.sampled_from(PLACES),
        kind=st.none() | st.sampled_from(list(MemoryType)),
        current=st.booleans(),
        words=st.sampled_from((OF_NOBODY, OF_PROJECT, OF_USER)),
        scope=st.sampled_from((None, "everywhere", "project")),
    ),
    min_size=1,
    max_size=12,
)
QUESTIONS = st.builds(
    Filters,
    workspace=st.sampled_from((*PLACES, "never heard of")),
    everywhere=st.booleans(),
    include_history=st.booleans(),
    types=st.just(()) | st.just((MemoryType.FACT, MemoryType.RULE)),
    roles=st.just(()) | st.just((Role.USER,)),
    include_processed=st.booleans(),
)


def opened(home: Path) -> Store:
    return open_store(Settings.load(home=home, private_workspaces=[PRIVATE]))


def keep_row(store: Store, i: int, row: Row) -> None:
    text = f"{row.words} {i}"
    if row.kind is None:
        capture = Capture(store, row.tenant, LIBRARY, LIMITS, marks(row.tenant), row.place)
        said = [Turn(role=Role.USER, content=text, message_id=str(i))]
        capture.record(said, f"in {row.place}", None)
        if not row.current:
            with store.write(row.tenant) as tx:
                (turn,) = [
                    t
                    for t in tx.conversations.session_turns(f"in {row.place}", 0, 99)
                    if t.message_id == str(i)
                ]
                tx.conversations.retire_turn(turn.n)
        return
    statements = Statements(store, row.tenant, LIBRARY, marks(row.tenant), row.place)
    kept = statements.remember(text, row.kind, StatementDetails(scope=row.scope))
    if not row.current:
        statements.revise(kept.id, "archive", None)


def embed(store: Store) -> None:
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    for tenant in store.tenants():
        with store.write(tenant) as tx:
            due = tx.backlog.list_due(0, 1000, 5)
            if due:
                tx.backlog.add_vectors(MODEL, {pending.n: vector("port") for pending in due})


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(ROWS, st.lists(QUESTIONS, min_size=1, max_size=4))
def test_a_question_sees_its_own_workspace_and_what_holds_everywhere_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], questions: list[Filters]
) -> None:
    home = tmp_path_factory.mktemp("home")
    store = opened(home)
    try:
        for i, row in enumerate(rows):
            keep_row(store, i, row)
        embed(store)
        for filters in questions:
            for tenant in TENANTS:
                seen = {i for i, row in enumerate(rows) if row.seen_by(tenant, filters)}
                assert found(store, tenant, filters) == seen
                current = {i for i in seen if rows[i].current}
                assert near(store, tenant, filters) == current
    finally:
        store.close()


ASKED_FROM = st.sampled_from((*PLACES, "never heard of", EVERYWHERE))


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(ROWS, ASKED_FROM, st.booleans(), st.none() | st.sampled_from(["in red", "in None"]))
def test_no_answer_of_either_level_shows_anybody_elses_words_not_even_beside_a_hit(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Row],
    place: str | None,
    history: bool,
    session: str | None,
) -> None:
    home = tmp_path_factory.mktemp("home")
    store = opened(home)
    filters = Filters(workspace=place, everywhere=place == EVERYWHERE, include_history=history)
    try:
        for i, row in enumerate(rows):
            keep_row(store, i, row)
        for tenant in TENANTS:
            seen = {i for i, row in enumerate(rows) if row.seen_by(tenant, filters)}
            search = Search(store, tenant, None, 0)
            asked = {
                "query": "which port",
                "limit": 100,
                "max_tokens": 9000,
                "workspace": place,
                "include_history": history,
                "session_id": session,
            }
            first = plan_memories(build_query(MemoryQuery, asked))
            second = plan_transcript(build_query(TranscriptQuery, {**asked, "context": 3}))
            for plan in (first, second):
                hits = search.run(plan).hits
                beside = [one for hit in hits for one in (*hit.before, *hit.after)]
                shown = [hit.text for hit in hits] + [one.text for one in beside]
                assert {int(text.rsplit(" ", 1)[1]) for text in shown} <= seen
    finally:
        store.close()


BOTH: tuple[DocumentKind, ...] = ("turn", "memory")


def found(store: Store, tenant: str, filters: Filters) -> set[int]:
    with store.read(tenant) as tx:
        ns = [match.n for match in tx.documents.match(BOTH, ["port"], filters, 1000)]
    return numbers(store, tenant, ns)


def near(store: Store, tenant: str, filters: Filters) -> set[int]:
    with store.read(tenant) as tx:
        ns = [
            match.n
            for kind in BOTH
            for match in tx.documents.nearest(kind, MODEL, vector("port"), filters, 1000)
        ]
    return numbers(store, tenant, ns)


def numbers(store: Store, tenant: str, ns: list[int]) -> set[int]:
    """Which of the rows the documents are."""
    with store.read(tenant) as tx:
        turns = [turn.content for turn in tx.conversations.turns(ns).values()]
        memories = [memory.content for memory in tx.memories.by_version_numbers(ns).values()]
    assert len(turns) + len(memories) == len(ns)
    return {int(text.rsplit(" ", 1)[1]) for text in turns + memories}


def test_the_same_words_in_two_workspaces_are_two_facts(store: Store) -> None:
    ids = set()
    for place in ("red", "blue", "red"):
        statements = Statements(store, "ann", LIBRARY, marks("ann"), place)
        kept = statements.remember("the port is 8080", MemoryType.FACT)
        ids.add(kept.id)
    assert len(ids) == 2


def test_a_preference_of_one_workspace_is_known_already_in_another(store: Store) -> None:
    ids = set()
    for place in ("red", "blue"):
        statements = Statements(store, "ann", LIBRARY, marks("ann"), place)
        kept = statements.remember("commits in English", MemoryType.PREFERENCE)
        ids.add(kept.id)
    assert len(ids) == 1


def test_the_notes_of_another_workspace_are_not_shown(store: Store) -> None:
    for session, place in (("r", "red"), ("b", "blue"), ("n", None)):
        update_scratchpad(store, "ann", session, f"focus in {place}", None, marks("ann"), place)
    with store.read("ann") as tx:
        assert {pad.session_id for pad in tx.scratchpads.list_recent(9, "red")} == {"r", "n"}
        assert {pad.session_id for pad in tx.scratchpads.list_recent(9)} == {"n"}


def test_memories_of_another_workspace_are_not_put_up_for_review(store: Store) -> None:
    for place in ("red", "blue"):
        statements = Statements(store, "ann", LIBRARY, marks("ann"), place)
        statements.remember(f"it is {place}", MemoryType.FACT)
    with store.read("ann") as tx:
        assert [memory.content for memory in tx.memories.list_unverified(9, "red")] == ["it is red"]


WORDS = ("harbour", "ferry", "港口", "unheard")
KINDS: tuple[tuple[DocumentKind, ...], ...] = (("turn",), ("memory", "turn"))
SIGHTS = [
    (kinds, Filters(include_history=history, include_processed=processed, workspace=place))
    for kinds, history, processed, place in product(
        KINDS, (False, True), (False, True), (None, "red")
    )
]


def fill(store: Store, place: str | None) -> None:
    """Turns that are seen, and a few documents of every kind that is hidden from some question."""
    with store.write("ann") as tx:
        for i in range(40):
            words = f"harbour {'ferry' if i % 3 else '港口'} {'tide ' * (i % 5)}"
            index_of(tx).add("turn", None, words, "ann")
        for flag in (True, False):
            index_of(tx).add("turn", None, "harbour ferry", "ann", suppressed=flag)
        gone = index_of(tx).add("turn", None, "harbour 港口", "ann")
        index_of(tx).set_current(gone, current=False)
        old = keep(tx, "The ferry leaves the harbour at six", workspace=place)
        tx.memories.add_version(old, wording("The ferry leaves the harbour at eight"))


def ask(store: Store) -> list[tuple[list[Match], list[Match], Frequencies]]:
    asked = []
    for kinds, filters in SIGHTS:
        with store.read("ann") as tx:
            few = tx.documents.match(kinds, WORDS, filters, 5)
            many = tx.documents.match(kinds, WORDS, filters, 30)
            assert tx.documents.match(kinds, WORDS, filters, 5) == few
            assert tx.documents.match(kinds, WORDS, filters, 50)[:30] == many
            asked.append((few, many, tx.documents.frequencies(kinds, WORDS, filters)))
    return asked


@pytest.mark.parametrize("place", [None, "red"])
def test_a_question_finds_and_counts_the_same_whether_or_not_others_share_its_home(
    store: Store, place: str | None
) -> None:
    fill(store, place)
    alone = ask(store)
    with store.write("bob"):
        pass  # somebody else, who has said nothing yet
    assert ask(store) == alone
    assert len({str(one) for one in alone}) > 4  # the sights do differ


def list_statements(store: Store, ask: Callable[[Transaction], object]) -> set[str]:
    """The statements that a question of Ann runs, without the index's own."""
    run: list[str] = []
    with store.read("ann") as tx:
        connection_of(tx).set_trace_callback(run.append)
        try:
            ask(tx)
        finally:
            connection_of(tx).set_trace_callback(None)
    return {sql for sql in run if not sql.startswith("--")}


@pytest.mark.sqlite("counts statements on FTS5")
@pytest.mark.parametrize("others", [(), ("bob",)])
def test_the_words_of_a_long_question_are_counted_by_as_many_statements_as_one_word(
    store: Store, others: tuple[str, ...]
) -> None:
    fill(store, None)
    for name in others:
        with store.write(name):
            pass

    def count(*words: str) -> int:
        asked = list_statements(
            store, lambda tx: tx.documents.frequencies(["turn"], words, Filters())
        )
        return len(asked)

    one_word = count("harbour")
    assert 0 < count("ferry", "港口", *(f"word{i}" for i in range(30))) <= one_word


@pytest.mark.sqlite("counts statements on FTS5")
def test_where_nothing_is_hidden_what_is_found_is_not_looked_at_again(store: Store) -> None:
    with store.write("ann") as tx:
        said = index_of(tx).add("turn", None, "harbour ferry 港口", "ann")

    def find(tx: Transaction) -> None:
        assert [one.n for one in tx.documents.match(["turn"], WORDS, Filters(), 5)] == [said]

    assert not [sql for sql in list_statements(store, find) if f"json_each('[{said}]')" in sql]
