"""No search finds another tenant's document, whoever lives beside whom and whatever is filtered."""

import json
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.tenant_life import MODEL, SAID, live, vector
from tests.store.tenant_reads import BOTH

from memoria.language.words.analyser import query_terms
from memoria.model import (
    MemoryType,
    Role,
)
from memoria.store.sqlite import SqliteStore
from memoria.store.values import (
    Filters,
)

FILTERS = st.builds(
    Filters,
    since=st.none() | st.just(0),
    until=st.none() | st.just(1 << 50),
    session_id=st.none() | st.just("s"),
    roles=st.just(()) | st.just((Role.USER,)),
    tool=st.none() | st.just("ls"),
    types=st.just(()) | st.just((MemoryType.FACT,)),
    include_history=st.booleans(),
)
NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
    min_size=2,
    max_size=3,
    unique=True,
)


@settings(
    deadline=None,
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    NAMES,
    st.lists(st.sampled_from(SAID), min_size=1, max_size=3, unique=True),
    st.lists(FILTERS, min_size=6, max_size=6),
)
def test_no_search_of_any_tenant_with_any_filters_finds_anothers_document(
    store: SqliteStore, tenants: list[str], said: list[str], filtered: list[Filters]
) -> None:
    """A life costs more than many searches, so each home is searched in several ways."""
    for tenant in tenants:
        live(store, tenant, said)
    terms = sorted({term for text in (*said, "port") for term in query_terms(text)})
    for tenant, filters in product(tenants, filtered):
        with store.read(tenant) as tx:
            found = tx.documents.match(BOTH, terms, filters, 1000)
            for kind in BOTH:
                found += tx.documents.nearest(kind, MODEL, vector(said[0]), filters, 1000)
            ns = {match.n for match in found}
        owners = store._connections.writer.connection.execute(  # noqa: SLF001
            "SELECT DISTINCT t.name FROM documents d JOIN tenants t ON t.id = d.tenant_id "
            "WHERE d.n IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ns)),),
        )
        assert {row["name"] for row in owners} <= {tenant}
