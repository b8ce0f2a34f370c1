"""A tenant's documents with vectors, and what a search of them must find."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.store.insides import index_of

from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.engine import Store
from memoria.store.rows.documents import Documents
from memoria.store.rows.workspaces import Workspaces
from memoria.store.values import DocumentKind, Filters, Match
from memoria.store.vectors import VectorIndex

DIMS = 4
MODEL = "letters/4"
TENANT = "ann"
PLACES = (None, "home", "work")
KINDS: tuple[DocumentKind, ...] = ("turn", "memory")
QUERY = np.array([0.5, 0.5, 0.5, 0.5], np.float32)


@dataclass(frozen=True)
class Add:
    """A new document, and its vector."""

    kind: DocumentKind
    place: str | None
    direction: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """Something done to the document added so many steps ago."""

    what: str
    ago: int


CHANGES = ["hide", "show", "bar", "erase", "embed anew", "forget the vector"]
DIRECTIONS = st.tuples(*[st.integers(-4, 4)] * DIMS).filter(any)
ADDS = st.builds(Add, st.sampled_from(KINDS), st.sampled_from(PLACES), DIRECTIONS)
STEPS = st.lists(ADDS | st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 5)), max_size=20)
QUESTIONS: tuple[tuple[DocumentKind, Filters], ...] = (
    ("turn", Filters()),
    ("turn", Filters(workspace="work", include_processed=True)),
    ("turn", Filters(everywhere=True, include_processed=True)),
    ("memory", Filters(workspace="home")),
    ("memory", Filters(everywhere=True)),
)


def unit(*direction: float) -> Vector:
    vector = np.array(direction, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


class VectorHome:
    """One tenant's documents, changed through the store's own methods."""

    def __init__(self, store: Store, tenant: str = TENANT) -> None:
        self.store = store
        self.tenant = tenant
        self.ns: list[int] = []
        with store.backlog(write=True) as backlog:
            backlog.choose_model(MODEL)

    def take(self, step: Add | Change) -> None:
        match step:
            case Add():
                self.embed(self.add(step.kind, step.place), unit(*step.direction))
            case Change() if step.ago < len(self.ns):
                self.change(step.what, self.ns[-1 - step.ago])
            case _:
                pass

    def add(self, kind: DocumentKind = "turn", place: str | None = None) -> int:
        with self.store.write(self.tenant) as tx:
            number = Workspaces(tx._connection, tx._tenant).enter(place)  # noqa: SLF001
            self.ns.append(index_of(tx).add(kind, number, "words", ""))
        return self.ns[-1]

    def embed(self, n: int, vector: Vector) -> None:
        with self.store.write(self.tenant) as tx:
            tx.backlog.add_vectors(MODEL, {n: vector})

    def change(self, what: str, n: int) -> None:
        if what == "embed anew":
            self.embed(n, unit(n, 1, 2, 3))
            return
        with self.store.write(self.tenant) as tx:
            match what:
                case "hide" | "show":
                    index_of(tx).set_current(n, current=what == "show")
                case "bar":
                    index_of(tx).suppress(n)
                case "forget the vector":
                    index_of(tx).queue_embedding(n)
                case "erase":
                    index_of(tx).erase(n)
                    self.ns.remove(n)


def answers(connection: Connection, way: VectorIndex, tenant: int = 1) -> list[list[Match]]:
    """The nearest documents on this snapshot, for every question."""
    documents = Documents(connection, tenant, way)
    return [documents.nearest(kind, MODEL, QUERY, seen, 50) for kind, seen in QUESTIONS]


def truth(connection: Connection, tenant: int = 1) -> list[list[float]]:
    """The scores of whatever may be found on this snapshot, best first, worked out afresh."""
    rows = connection.execute(
        "SELECT d.*, e.vector, w.name AS place FROM documents d "
        "JOIN embeddings e ON e.document_n = d.n LEFT JOIN workspaces w ON w.n = d.workspace_n "
        "WHERE d.current AND d.tenant_id = :tenant",
        {"tenant": tenant},
    ).fetchall()
    return [
        sorted(
            (
                float(np.frombuffer(row["vector"], np.float32) @ QUERY)
                for row in rows
                if row["kind"] == kind
                and (seen.everywhere or row["place"] in (None, seen.workspace))
                and (seen.include_processed or not row["suppressed"])
            ),
            reverse=True,
        )
        for kind, seen in QUESTIONS
    ]


def scores(found: list[list[Match]]) -> list[object]:
    return [pytest.approx([match.score for match in matches], abs=1e-5) for matches in found]
