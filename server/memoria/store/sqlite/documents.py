"""The derived indexes: full text and vectors over whatever can be found."""

from collections.abc import Sequence
from dataclasses import replace

from memoria.errors import EmbedderError, StoreError
from memoria.model import Vector
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.rows import TenantRows, as_json, as_json_or_null
from memoria.store.sqlite.standing import Standing, standing
from memoria.store.sqlite.terms import BUDGET, affordable
from memoria.store.sqlite.vectors import Neighbourhood, VectorIndex, known_model
from memoria.store.sqlite.workspaces import SqliteWorkspaces
from memoria.store.values import Filters, Frequencies, Indexed, Kind, Match

# Who said it and when: worth less than what was said. On LoCoMo 0.3 to 1.0 are within a point.
_CONTEXT_WEIGHT = 0.6
_TEXT = "{words context}"


class SqliteDocuments:
    """A tenant's documents in the indexes."""

    def __init__(self, connection: Connection, tenant: int, vectors: VectorIndex) -> None:
        self._rows = TenantRows(connection, tenant, "documents")
        self._vectors = vectors
        self._workspaces = SqliteWorkspaces(connection, tenant)

    def add(
        self, kind: Kind, workspace: int | None, words: str, context: str, *, barred: bool = False
    ) -> int:
        """A new document, indexed and waiting for its vector. Gives its number."""
        n = self._rows.insert("add_document", kind=kind, workspace=workspace, barred=int(barred))
        scope = Standing(kind, self._rows.tenant, workspace, settled=barred).token
        self._rows.insert("index_document", n=n, scope=scope, words=words, context=context)
        self._rows.insert("await_vector", n=n)
        return n

    def set_current(self, n: int, *, current: bool) -> None:
        """Show or hide a document; hidden ones are found on request only, by text."""
        self._rows.change("set_current", n=n, current=int(current))
        self._restate(n)
        if current:
            self._rows.change("await_vector_if_missing", n=n)
        else:
            self._rows.change("leave_backlog", n=n)

    def bar(self, n: int) -> None:
        """Let nothing be concluded from a document any more; the record still has it."""
        self._rows.change("bar", n=n)
        self._restate(n)

    def erase(self, n: int) -> None:
        """Take a document out of every index, with its vectors. What it was is gone already."""
        self._vectors.erase(n)
        for name in ("erase_embeddings", "leave_backlog", "erase_tokens", "erase_document"):
            self._rows.change(name, n=n)
        self._rows.change("count_erasure")
        self._rows.change("want_scrub")

    def embed_again(self, n: int) -> None:
        """Forget a document's vectors and let new ones be made: what they rested on is gone."""
        self._vectors.erase(n)
        self._rows.change("erase_embeddings", n=n)
        self._rows.change("count_erasure")
        self._rows.change("want_scrub")
        self._rows.change("await_vector_if_missing", n=n)

    def process(self, n: int) -> None:
        """The extractor has looked at it: the first level has what it says as memories, or not."""
        self._rows.change("process", n=n)
        self._restate(n)

    def _restate(self, n: int) -> None:
        """Bring the indexes in line with how the document now stands."""
        self._rows.change("set_scope", n=n, scope=self._standing(n).token)
        self._vectors.move(n)
        self._rows.change("count_change")
        self._rows.change("note_change", n=n)

    def _standing(self, n: int) -> Standing:
        row = self._rows.first("standing", n=n)
        if row is None:
            raise StoreError(f"Document {n} vanished while it was changed. Run `memoria doctor`.")
        return standing(row)

    def match(
        self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters, limit: int
    ) -> list[Match]:
        """The best documents by BM25."""
        if not terms or not kinds:
            return []
        allowed = self._allowed(kinds, filters)
        if allowed is None or len(allowed) > BUDGET:
            terms = self._affordable(kinds, terms, filters)
        query = self._query(kinds, terms, filters)
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
        return [Match(*row) for row in rows]

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
        seen = replace(filters, history=False)  # vectors of what is past are not searched
        scopes = tuple(standing.token for standing in self._seen([kind], seen))
        where = Neighbourhood(known.n, self._rows.tenant, kind, scopes, allowed)
        return self._vectors.nearest(where, vector, limit)

    def recent(self, kinds: Sequence[Kind], filters: Filters, limit: int) -> list[int]:
        """The newest documents that pass the filters, newest first."""
        view: dict[str, str | int | None] = {
            "workspace": self._workspaces.number(filters.workspace),
            "everywhere": int(filters.everywhere),
            "history": int(filters.history),
            "settled": int(filters.settled),
            "since": filters.since,
            "until": filters.until,
            "session_id": filters.session_id,
            "limit": limit,
        }
        found: list[Row] = []
        if "turn" in kinds and not filters.types:
            roles = as_json_or_null(filters.roles)
            found += self._rows.all("recent_turns", roles=roles, tool=filters.tool, **view)
        if "memory" in kinds and not (filters.roles or filters.tool):
            del view["settled"]
            types = as_json_or_null(filters.types)
            found += self._rows.all("recent_memories", types=types, **view)
        newest = sorted(found, key=lambda row: (-row["at"], -row["n"]))
        return [row["n"] for row in newest[:limit]]

    def words(self, ns: Sequence[int]) -> dict[int, frozenset[str]]:
        """The distinct tokens of what the documents say."""
        return {
            row["n"]: frozenset(row["words"].split(" "))
            for row in self._rows.all("words", ns=as_json(ns))
        }

    def indexed(self, ns: Sequence[int], most_chars: int) -> dict[int, Indexed]:
        """The tokens of the documents that are not too long."""
        rows = self._rows.all("indexed", ns=as_json(ns), most=most_chars)
        return {row["n"]: Indexed(row["words"], row["context"]) for row in rows}

    def frequencies(
        self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters
    ) -> Frequencies:
        """How common the terms are among what can be seen."""
        if not kinds:
            return Frequencies(0, dict.fromkeys(terms, 0))
        scope = self._scope(kinds, filters)
        total = self._count(scope)
        if total > BUDGET:
            total = max(total, self._rows.number("newest"))
        holding = {t: self._count(f"{scope} AND {_TEXT}:{_quoted(t)}") for t in terms}
        return Frequencies(total, holding)

    def page(self, kind: Kind, after: int, limit: int) -> list[int]:
        """The tenant's documents with numbers beyond `after`, in order."""
        rows = self._rows.all("page", kind=kind, after=after, limit=limit)
        return [row["n"] for row in rows]

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Which of the documents have no vector yet."""
        return {row["n"] for row in self._rows.all("awaiting_vectors", ns=as_json(ns))}

    def count_hidden(self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters) -> int:
        """How many documents that are no longer current hold all of the terms."""
        if not terms or not kinds:
            return 0
        seen = self._seen(kinds, replace(filters, history=True))
        scope = " OR ".join(standing.token for standing in seen if not standing.current)
        words = " AND ".join(map(_quoted, terms))
        return self._rows.number("count_matches", query=f"scope:({scope}) AND words:({words})")

    def holding(self, kind: Kind, terms: Sequence[str]) -> list[int]:
        """Every document of the tenant that holds all of the terms, wherever and however old."""
        if not terms:
            return []
        everything = Filters(history=True, everywhere=True, settled=True)
        scope = " OR ".join(standing.token for standing in self._seen([kind], everything))
        words = " AND ".join(map(_quoted, terms))
        query = f"scope:({scope}) AND words:({words})"
        return [row["n"] for row in self._rows.all("matching", query=query)]

    def _affordable(
        self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters
    ) -> Sequence[str]:
        """The terms, without the commonest where reading all of them would take too long."""
        if self._rows.number("newest") <= BUDGET:
            return terms
        kept = affordable(terms, lambda term: self._count(f"{_TEXT}:{_quoted(term)}"))
        if len(kept) == len(terms) or self._count(self._scope(kinds, filters)) <= BUDGET:
            return terms
        return kept

    def _count(self, query: str) -> int:
        """How many documents match, up to one more than the budget."""
        return self._rows.number("count_up_to", query=query, most=BUDGET + 1)

    def _query(self, kinds: Sequence[Kind], terms: Sequence[str], filters: Filters) -> str:
        """An FTS5 expression. Terms are finished tokens, quoted, so no operator can hide in one."""
        words = " OR ".join(map(_quoted, terms))
        return f"{self._scope(kinds, filters)} AND {_TEXT}:({words})"

    def _scope(self, kinds: Sequence[Kind], filters: Filters) -> str:
        """An FTS5 expression for whatever a question may see."""
        tokens = (standing.token for standing in self._seen(kinds, filters))
        return f"scope:({' OR '.join(tokens)})"

    def _seen(self, kinds: Sequence[Kind], filters: Filters) -> list[Standing]:
        """The standings that a question may see."""
        return [
            Standing(kind, self._rows.tenant, place, current, settled)
            for kind in kinds
            for place in self._places(filters)
            for current in ((True, False) if filters.history else (True,))
            for settled in ((False, True) if filters.settled and kind == "turn" else (False,))
        ]

    def _places(self, filters: Filters) -> list[int | None]:
        """The workspaces a question may see; None stands for what belongs to none."""
        if filters.everywhere:
            return [None, *self._workspaces.all()]
        own = self._workspaces.number(filters.workspace)
        return [None] if own is None else [None, own]

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
            name = "allowed_turns" if filters.session_id is None else "allowed_turns_of_session"
            rows = self._rows.all(name, roles=roles, tool=filters.tool, **shared)
            allowed.update(row["n"] for row in rows)
        if "memory" in kinds and not (filters.roles or filters.tool):
            types = as_json_or_null(filters.types)
            rows = self._rows.all("allowed_memories", types=types, **shared)
            allowed.update(row["n"] for row in rows)
        return allowed


def _quoted(term: str) -> str:
    return f'"{term}"'
