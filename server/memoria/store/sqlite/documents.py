"""The derived indexes: full text and vectors over whatever can be found."""

from collections.abc import Sequence

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json, as_json_or_null
from memoria.store.sqlite.vectors import Neighbourhood, VectorIndex, known_model
from memoria.store.values import Filters, Kind, Match

# Who said it and when: worth less than what was said. On LoCoMo 0.3 to 1.0 are within a point.
_CONTEXT_WEIGHT = 0.6


def scope_token(kind: str, tenant: int, *, current: bool) -> str:
    """The token that says whose document it is: full text is narrowed by it, not by a join."""
    return f"{kind}{tenant}" if current else f"{kind}{tenant}_past"


class SqliteDocuments:
    """A tenant's documents in the indexes."""

    def __init__(self, connection: Connection, tenant: int, vectors: VectorIndex) -> None:
        self._rows = TenantRows(connection, tenant, "documents")
        self._vectors = vectors

    def add(self, kind: Kind, words: str, context: str) -> int:
        """A new document, indexed and waiting for its vector. Gives its number."""
        n = self._rows.insert("add_document", kind=kind)
        scope = scope_token(kind, self._rows.tenant, current=True)
        self._rows.insert("index_document", n=n, scope=scope, words=words, context=context)
        self._rows.insert("await_vector", n=n)
        return n

    def set_current(self, n: int, kind: Kind, *, current: bool) -> None:
        """Show or hide a document; hidden ones are found on request only, by text."""
        self._rows.change("set_current", n=n, current=int(current))
        scope = scope_token(kind, self._rows.tenant, current=current)
        self._rows.change("set_scope", n=n, scope=scope)
        if current:
            self._vectors.restore(n)
            self._rows.change("await_vector_if_missing", n=n)
        else:
            self._rows.change("leave_backlog", n=n)
            self._vectors.remove(n)

    def match(
        self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters, limit: int
    ) -> list[Match]:
        """The best documents by BM25."""
        if not terms or not kinds:
            return []
        query = self._query(kinds, terms, past=filters.history)
        allowed = self._allowed(kinds, filters)
        rows = (
            self._rows.all("match", query=query, context_weight=_CONTEXT_WEIGHT, limit=limit)
            if allowed is None
            else self._rows.all(
                "match_filtered",
                query=query,
                context_weight=_CONTEXT_WEIGHT,
                limit=limit,
                allowed=as_json(allowed),
            )
        )
        return [Match(row["n"], row["score"]) for row in rows]

    def nearest(
        self, kind: Kind, model: str, vector: Vector, filters: Filters, limit: int
    ) -> list[Match]:
        """The nearest current documents by cosine."""
        known = known_model(self._rows.connection, model)
        if known is None:
            return []
        if len(vector) != known.dims:
            raise EmbedderError(
                f"{model} gives vectors of {len(vector)} numbers; in this home it gave {known.dims}"
            )
        allowed = self._allowed([kind], filters)
        where = Neighbourhood(known.n, self._rows.tenant, kind, allowed)
        found = self._vectors.nearest(where, vector, limit)
        # Another process without the extension may have hidden some: the truth decides.
        shown = {
            row["n"]
            for row in self._rows.all(
                "current_of", kind=kind, ns=as_json(match.n for match in found)
            )
        }
        return [match for match in found if match.n in shown]

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Which of the documents have no vector yet."""
        return {row["n"] for row in self._rows.all("awaiting_vectors", ns=as_json(ns))}

    def count_hidden(self, kinds: Sequence[Kind], terms: Sequence[str]) -> int:
        """How many documents that are no longer current hold all of the terms."""
        if not terms or not kinds:
            return 0
        scope = " OR ".join(scope_token(k, self._rows.tenant, current=False) for k in kinds)
        words = " AND ".join(map(_quoted, terms))
        return self._rows.number("count_matches", query=f"scope:({scope}) AND words:({words})")

    def _query(self, kinds: Sequence[Kind], terms: Sequence[str], *, past: bool) -> str:
        """An FTS5 expression. Terms are finished tokens, quoted, so no operator can hide in one."""
        scopes = [
            scope_token(kind, self._rows.tenant, current=current)
            for kind in kinds
            for current in ((True, False) if past else (True,))
        ]
        words = " OR ".join(map(_quoted, terms))
        return f"scope:({' OR '.join(scopes)}) AND {{words context}}:({words})"

    def _allowed(self, kinds: Sequence[Kind], filters: Filters) -> set[int] | None:
        """The documents that pass the filters, or None where there is nothing to pass."""
        if not filters.narrow:
            return None
        shared = {
            "since": filters.since,
            "until": filters.until,
            "session_id": filters.session_id,
            "history": int(filters.history),
        }
        allowed: set[int] = set()
        if "turn" in kinds and not filters.types:
            roles = as_json_or_null(filters.roles)
            rows = self._rows.all("allowed_turns", roles=roles, tool=filters.tool, **shared)
            allowed.update(row["n"] for row in rows)
        if "memory" in kinds and not (filters.roles or filters.tool):
            types = as_json_or_null(filters.types)
            rows = self._rows.all("allowed_memories", types=types, **shared)
            allowed.update(row["n"] for row in rows)
        return allowed


def _quoted(term: str) -> str:
    return f'"{term}"'
