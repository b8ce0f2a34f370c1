"""PostgreSQL finds words as FTS5 does in a file of one tenant alone."""

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import Databases
from tests.store.insides import index_of
from tests.store.plain import keep

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.language.words.analyser import FORM
from memoria.store.connection import Connection
from memoria.store.engine import Store
from memoria.store.image.words import CONTEXT_WEIGHT
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.sqlite.driver import SqliteConnection, sqlite3
from memoria.store.values import LAST
from memoria.store.word_query import WordQuery

psycopg = pytest.importorskip("psycopg")

INDEX = (
    "CREATE VIRTUAL TABLE search_index "
    "USING fts5 (scope, words, context, tokenize = \"ascii tokenchars '_'\")"
)
PLACES = "CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, search_index, instance)"
ADD_DOCUMENT = "INSERT INTO documents (tenant_id, kind) VALUES (?, 'turn') RETURNING n"
WORDS = [f"w{n}" for n in range(300)]
OFTEN = [*accumulate(1 / (n + 1) for n in range(300))]
SCOPES = ("turn1", "turn1_barred", "memory1w2")
TENANTS = ("ann", "bob", "cy")
MANY = 900
"""Documents of each tenant."""


def open_file() -> SqliteConnection:
    """Open the index of a file of one tenant."""
    connection = sqlite3.connect(":memory:", isolation_level=None, factory=SqliteConnection)
    connection.execute(INDEX)
    connection.execute(PLACES)
    return connection


class Pair:
    """The same documents in both engines, under the same numbers."""

    def __init__(self, database: Connection, number: int) -> None:
        self.file = open_file()
        self.ours = TenantRows(database, number, "documents")
        self.theirs = TenantRows(self.file, number, "documents")

    def add(self, scope: str, words: str, context: str) -> int:
        """Index a document."""
        (row,) = self.ours.connection.tuples(ADD_DOCUMENT, (self.ours.tenant,))
        self.put(row[0], scope, words, context)
        return int(row[0])

    def put(self, n: int, scope: str, words: str, context: str) -> None:
        """Index a document of a number."""
        document: dict[str, str | int] = {
            "scope": scope,
            "words": words,
            "context": context,
            "form": FORM,
        }
        for rows in (self.ours, self.theirs):
            rows.insert("index_document", n=n, **document)

    def change(self, name: str, **parameters: str | int) -> None:
        """Run a statement that changes the index."""
        for rows in (self.ours, self.theirs):
            rows.change(name, **parameters)

    def ask(self, name: str, query: WordQuery, **parameters: Any) -> list[list[Any]]:  # noqa: ANN401
        """Run a statement on PostgreSQL, then on the file."""
        return [
            rows.tuples(name, query=rows.connection.write_query(query), **parameters)
            for rows in (self.ours, self.theirs)
        ]

    def count(self, name: str, queries: Sequence[WordQuery], **parameters: int) -> list[list[int]]:
        """Count matches on PostgreSQL, then on the file."""
        written = (
            [*map(rows.connection.write_query, queries)] for rows in (self.ours, self.theirs)
        )
        return [
            [dict(rows.tuples(name, queries=as_json(each), **parameters))[one] for one in each]
            for rows, each in zip((self.ours, self.theirs), written, strict=True)
        ]


@pytest.fixture(scope="module")
def database(
    databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connection]:
    """A connection to an empty database, for all tenants."""
    from memoria.store.postgres.driver import PostgresConnection, adapters  # noqa: PLC0415

    with databases.dropping():
        url = databases.settings_of(tmp_path_factory.mktemp("words"))["database_url"]
        with psycopg.connect(url, autocommit=True, context=adapters()) as raw:
            raw.execute("SELECT set_config('memoria.tenant', '0', false)")
            for name in (*TENANTS, "dan"):
                raw.execute("INSERT INTO tenants (name, created_at) VALUES (%s, 0)", (name,))
            yield PostgresConnection(raw, only_reads=False)


@pytest.fixture(scope="module")
def pairs(database: Connection) -> list[Pair]:
    """Some thousand documents of three tenants, who speak in turn and of different things."""
    rng = random.Random(7)  # noqa: S311  (nothing here is secret)
    pairs = [Pair(database, number) for number in range(1, len(TENANTS) + 1)]
    database.execute("BEGIN")
    for _ in range(MANY):
        for skew, pair in enumerate(pairs):
            common = [WORDS[(n * (skew + 1)) % 300] for n in range(300)]
            said = rng.choices(common, cum_weights=OFTEN, k=rng.randint(1, 60))
            pair.add(rng.choice(SCOPES), " ".join(said), f"ann {rng.choice(common)}")
    database.execute("COMMIT")
    for table in ("postings", "search_index", "index_sizes"):
        database.execute(f"VACUUM (ANALYZE) {table}")
    return pairs


def choose_terms(rng: random.Random) -> list[str]:
    terms = rng.choices(WORDS, cum_weights=OFTEN, k=rng.randint(1, 5)) + rng.choices(WORDS, k=2)
    if rng.random() < 0.3:
        terms.append(" ".join(rng.choices(WORDS, cum_weights=OFTEN, k=2)))
    return [*dict.fromkeys((*terms, "ann" if rng.random() < 0.2 else "nobody"))]


QUESTIONS = [
    WordQuery.any_of(choose_terms(rng), rng.sample(SCOPES, rng.randint(0, 2)))
    for rng in map(random.Random, range(100))
]


def test_documents_have_the_order_and_the_scores_of_a_file_of_their_tenant_alone(
    pairs: list[Pair],
) -> None:
    for pair in pairs:
        for query in QUESTIONS:
            ours, theirs = pair.ask("match", query, limit=LAST, context_weight=CONTEXT_WEIGHT)
            assert ours == sorted(ours, key=lambda match: (-match[1], match[0]))
            scores = dict(theirs)
            assert ours == [(n, pytest.approx(scores[n], abs=1e-9)) for n, _ in ours]
            assert len(ours) == len(theirs)
            for (n, _), (next_n, _) in pairwise(ours):
                assert scores[n] > scores[next_n] - 1e-11, query  # FTS5 adds with an error
            best, _ = pair.ask("match", query, limit=30, context_weight=CONTEXT_WEIGHT)
            assert best == ours[:30]


def test_documents_among_a_few_have_the_same_scores(pairs: list[Pair]) -> None:
    allowed = [*range(100, 600)]
    where = {"allowed": as_json(allowed), "first": 100, "last": 600}
    for query in QUESTIONS[:20]:
        ours, theirs = pairs[1].ask(
            "match_filtered", query, limit=20, context_weight=CONTEXT_WEIGHT, **where
        )
        assert ours == [(n, pytest.approx(score, abs=1e-9)) for n, score in theirs]


def test_a_question_finds_the_newest_and_counts_as_a_file_does(pairs: list[Pair]) -> None:
    for pair, scopes in zip(pairs, [(), SCOPES[:1], SCOPES[:2]], strict=True):
        for word in ("w0", "w4", "w17", "w2 w0", "nobody"):
            queries = [WordQuery.any_of([each], scopes) for each in (word, "w1")]
            for name in ("count_each", "count_up_to"):
                ours, theirs = pair.count(name, queries, last=LAST, most=100)
                assert ours == theirs
            ours, theirs = pair.ask("match_newest", queries[1], limit=9)
            assert not scopes or ours == theirs
        alone = [WordQuery(scopes=(scope,)) for scope in SCOPES]
        for name in ("count_each", "count_up_to"):
            ours, theirs = pair.count(name, alone, last=LAST, most=100)
            assert ours == theirs


@pytest.mark.parametrize(
    "groups",
    [
        [["w0", "w1"]],
        [["w0", "w1", "w2", "w3"]],
        [["w0", "w9"], ["w1", "w30"], ["w200"]],
        [["w1 w0"], ["w2 w3", "w0"]],
        [["w0 w0"]],
        [["ann"]],
        [["nobody", "w0"]],
    ],
)
def test_documents_hold_all_terms_of_a_group_in_their_text(
    pairs: list[Pair], groups: list[list[str]]
) -> None:
    for pair in pairs:
        query = WordQuery.all_of(groups, SCOPES[1:])
        for name in ("matching", "count_matches"):
            ours, theirs = pair.ask(name, query)
            assert ours == theirs


TEXTS = st.text(
    st.one_of(st.sampled_from("abAB _-.,\t灯塔Éß"), st.characters(exclude_categories=["Cs"])),
    max_size=20,
).map(lambda text: text.replace("\0", " "))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "scope", "replace", "erase"]), st.integers(0, 9), TEXTS, TEXTS
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(STEPS)
def test_postings_are_the_words_of_the_documents_whatever_becomes_of_them(
    database: Connection, steps: list[tuple[str, int, str, str]]
) -> None:
    pair = Pair(database, 4)
    known: list[int] = []
    for step, at, words, context in steps:
        n = known[at % len(known)] if known else 0
        if step == "add" or not known:
            known.append(pair.add("turn4", words, context))
        elif step == "scope":
            pair.change("set_scope", n=n, scope="turn4_barred")
        else:
            pair.change("erase_tokens", n=n)
            if step == "replace":
                pair.put(n, "turn4", words, context)
            else:
                known.remove(n)
        assert list_postings(database) == list_places(pair.file)
    database.execute("DELETE FROM search_index WHERE tenant_id = 4")
    assert list_postings(database) == (set(), (0, 0))


def list_postings(database: Connection) -> tuple[set[Any], tuple[int, int]]:
    """List (word, document, times in its text, times in who said it and when), and the totals."""
    found = database.tuples("SELECT term, n, words, context FROM postings WHERE tenant_id = 4")
    sizes = database.tuples("SELECT documents, words FROM index_sizes WHERE tenant_id = 4")
    return set(found), sizes[0] if sizes else (0, 0)


def list_places(file: SqliteConnection) -> tuple[set[Any], tuple[int, int]]:
    """List the same of the index of a file."""
    found = file.tuples(
        "SELECT term, doc, sum(col = 'words'), sum(col = 'context') FROM temp.places "
        "WHERE col <> 'scope' GROUP BY term, doc"
    )
    words = file.tuples("SELECT count(*) FROM temp.places")[0][0]
    documents = file.tuples("SELECT count(*) FROM search_index")[0][0]
    return set(found), (documents, words)


def test_what_another_tenant_says_moves_no_score(pairs: list[Pair]) -> None:
    asked = {"limit": LAST, "context_weight": CONTEXT_WEIGHT}
    before = [pairs[0].ask("match", query, **asked)[0] for query in QUESTIONS[:20]]
    for _ in range(30):
        pairs[1].add("turn1", "w0 w1 w2 w200", "ann")
    assert [pairs[0].ask("match", query, **asked)[0] for query in QUESTIONS[:20]] == before


@pytest.mark.parametrize("word", ["x" * 100_000, "灯" * 100_000])
def test_a_word_without_an_end_is_found_and_goes_with_its_document(
    pairs: list[Pair], word: str
) -> None:
    pair = pairs[2]
    n = pair.add("turn1", f"before {word} after", "ann")
    for term in (word, f"before {word} after"):
        query = WordQuery.any_of([term], ["turn1"])
        ours, theirs = pair.ask("match", query, limit=9, context_weight=CONTEXT_WEIGHT)
        assert ours == [(n, pytest.approx(theirs[0][1], abs=1e-9))]
        assert pair.ask("matching", WordQuery.all_of([[term]], ["turn1"])) == [[(n,)], [(n,)]]
    pair.change("erase_tokens", n=n)
    postings = pair.ours.connection.tuples("SELECT count(*) FROM postings WHERE n = ?", (n,))
    assert postings == [(0,)]


def test_words_of_a_document_are_never_updated_in_place(database: Connection) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="DELETE and INSERT"):
        database.execute("UPDATE search_index SET words = 'other' WHERE tenant_id = 1")


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("match", r"_pkey on postings_\d+"),
        ("match_filtered", r"_pkey on postings_\d+"),
        ("match_newest", r"_pkey on postings_\d+"),
        ("vocabulary", r"_pkey on postings_\d+"),
        ("count_each", r"_pkey on postings_\d+"),
        ("count_up_to", r"_pkey on postings_\d+"),
        ("matching", r"_pkey on postings_\d+"),
        ("erase_tokens", "search_index_pkey on search_index"),
        ("set_scope", "search_index_pkey on search_index"),
    ],
)
def test_a_question_reads_the_index_of_one_tenant_alone(
    pairs: list[Pair], name: str, index: str
) -> None:
    rows = pairs[0].ours
    query = rows.connection.write_query(WordQuery.any_of(["w20", "w30"], SCOPES[:1]))
    asked = {
        "query": query,
        "queries": as_json([query]),
        "allowed": "[1, 2]",
        "limit": 9,
        "most": 9,
        "context_weight": CONTEXT_WEIGHT,
        "first": "w1",
        "last": "w2",
        "n": 1,
        "scope": "turn1",
        "tenant": 1,
    }
    sql = rows.connection.statements("documents")[name]
    plan = "\n".join(chain(*rows.connection.tuples(f"EXPLAIN {sql}", asked)))
    assert len({*re.findall(r"postings_\d+", plan)} - {"postings_pkey"}) <= 2  # a part, its index
    assert re.search(index, plan), plan
    assert not re.search("Seq Scan on (postings|search_index)", plan), plan


STORED = "SELECT n, words, context FROM search_index WHERE tenant_id = 1 ORDER BY n"
AGE = """
WITH gone AS (DELETE FROM search_index WHERE tenant_id = 1 RETURNING n, scope, context)
SELECT n, scope, context FROM gone
"""
AGED = (
    "INSERT INTO search_index (n, tenant_id, scope, words, context, form) "
    "VALUES (%s, 1, %s, 'of old', %s, 1)"
)


@pytest.fixture
def shared(databases: Databases, tmp_path: Path) -> Iterator[tuple[Store, Any]]:
    """A store in which a tenant has some memories, and a connection past the store."""
    given = databases.settings_of(tmp_path)
    store = open_store(Settings.from_values(home=tmp_path, **given))
    with closing(store), psycopg.connect(given["database_url"], autocommit=True) as raw:
        raw.execute("SELECT set_config('memoria.tenant', '0', false)")
        with store.write("ann") as tx:
            for at in range(5):
                keep(tx, f"The ferry leaves the harbour at {at}")
        yield store, raw


def age_words(raw: Any) -> None:  # noqa: ANN401
    """Give all documents words of an older version."""
    raw.cursor().executemany(AGED, raw.execute(AGE).fetchall())


def test_words_of_an_older_version_are_renewed_whatever_other_tenants_add_meanwhile(
    shared: tuple[Store, Any],
) -> None:
    store, raw = shared
    assert not store.renew_words(2)
    stored = raw.execute(STORED).fetchall()
    age_words(raw)
    with store.write("bob") as tx:
        index_of(tx).add("turn", None, "tea", "")
    while store.renew_words(2):
        pass
    assert raw.execute(STORED).fetchall() == stored
