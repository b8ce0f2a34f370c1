"""Documents as searches read them: by words, by vectors and by time, in one thread or two.

SQLite and the vector indexes both work outside of Python's lock, so a search by words and one by
vectors, run at the same time, take no longer than the slower. The second thread has a connection
with a snapshot of its own. Every change to what a tenant's vectors find is counted: two snapshots
with the same count give the same answer.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.connection import Connection, Row
from memoria.store.features import IndexTokens
from memoria.store.image.cached_reads import RememberedRows
from memoria.store.image.candidate_filter import CandidateFilter
from memoria.store.image.counts import BUDGET, CountCache
from memoria.store.image.tenant_images import ImageReader
from memoria.store.image.tenants import StoreTenant
from memoria.store.image.words import LONGEST_KEPT, KeptTokens
from memoria.store.rows.matching import Matching
from memoria.store.rows.workspaces import Visibilities, Workspaces
from memoria.store.sql.statements import TenantRows, as_json, as_json_or_null, list_numbers
from memoria.store.values import DocumentKind, Filters, Frequencies, Match, PassageMatch
from memoria.store.vectors import VectorIndex, VectorQuery, find_model
from memoria.store.vectors.models import EmbeddingModel
from memoria.store.word_query import WordQuery


class DocumentTokens:
    """Tokens of a tenant's documents, as one transaction sees them."""

    def __init__(self, rows: TenantRows, reading: ImageReader | None) -> None:
        """Bind to a transaction.

        Args:
            rows: the statements about documents.
            reading: caches for a reader; None for a writer, which reads everything each time.
        """
        self._rows = rows
        self._reading = reading
        self._by_length: dict[int, RememberedRows[IndexTokens]] = {}

    def look_up(self, ns: Sequence[int], most_chars: int) -> dict[int, IndexTokens]:
        """Map documents to their tokens; those of more than `most_chars` characters are missing."""
        if most_chars not in self._by_length:
            self._by_length[most_chars] = RememberedRows(is_kept=self._reading is not None)
        return self._by_length[most_chars].look_up(ns, partial(self._read, most_chars))

    def _read(self, most_chars: int, ns: Sequence[int]) -> dict[int, IndexTokens]:
        """Read tokens from the image, or else from the index."""
        if self._reading is None or most_chars < LONGEST_KEPT:
            rows = self._rows.tuples("indexed", ns=list_numbers(ns), most=most_chars)
            return {n: tokens for n, tokens, _ in rows}
        with self._reading.open() as image:
            known = image.column(KeptTokens).recall(ns)
        unknown = [n for n in ns if n not in known]
        if unknown:
            rows = self._rows.tuples("indexed", ns=list_numbers(unknown), most=most_chars)
            with self._reading.open() as image:
                image.column(KeptTokens).keep({n: tokens for n, tokens, changed in rows if changed})
            known |= {n: tokens for n, tokens, _ in rows}
        return known


_LAST_CHARACTER = chr(0x10FFFF)


class Documents:
    """Searches of a tenant's documents by words, vectors and time."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        vectors: VectorIndex,
        reading: ImageReader | None = None,
        workspaces: Workspaces | None = None,
        counted: CountCache | None = None,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "documents")
        self._vectors = vectors
        self._matching = Matching(self._rows, reading, counted or CountCache())
        self._reading = reading
        self._tokens = DocumentTokens(self._rows, reading)
        self._stored: dict[int, RememberedRows[Vector]] = {}
        """Vectors that were read, by the number of their model."""
        self._workspaces = workspaces or Workspaces(connection, tenant)
        self._visibilities = Visibilities(self._rows, self._workspaces, reading)

    def match(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters, limit: int
    ) -> list[Match]:
        """Return the best documents by BM25 that hold any of the terms, best first."""
        if not terms or not kinds:
            return []
        narrowing = self._narrowing(kinds, filters)
        return self._matching.best(
            terms, self._visibilities.read_scopes(kinds, filters), narrowing, limit
        )

    def keep_passing(
        self, kinds: Sequence[DocumentKind], ns: Sequence[int], filters: Filters
    ) -> list[int]:
        """Return those of some documents that are visible and pass the filters, in their order."""
        narrowing = self._narrowing(kinds, filters)
        return [match.n for match in narrowing.best([Match(n, 0.0) for n in ns], len(ns))]

    def age(self) -> tuple[int, ...]:
        """Return a stamp of the full-text index: with equal stamps, a query has equal matches."""
        return self._matching.age()

    def follow_changes(self) -> None:
        """Bring what the process knows of the tenant up to date with the file."""
        if self._reading is not None:
            tenant = self._reading.tenant
            self._vectors.follow(tenant.number, tenant.changed)
            with self._reading.open():
                pass

    def nearest(
        self, kind: DocumentKind, model: str, vector: Vector, filters: Filters, limit: int
    ) -> list[Match]:
        """Return the nearest current documents by cosine (-1 to 1), best first.

        Raises:
            EmbedderError: the vector is not as long as the model's stored vectors.
        """
        known = find_model(self._rows.connection, model)
        if known is None:
            return []
        if len(vector) != known.dims:
            raise EmbedderError(
                f"{model} gives vectors of {len(vector)} numbers; in this home it gave {known.dims}"
            )
        # Vectors of documents that are no longer current are not searched.
        seen = replace(filters, include_history=False) if filters.include_history else filters
        scopes = self._visibilities.read_scopes([kind], seen).seen
        narrowing = self._narrowing([kind], seen)
        where = VectorQuery(
            known.n,
            self._rows.tenant,
            kind,
            scopes,
            narrowing.ids_if_few,
            narrowing if narrowing.is_narrow and narrowing.ids_if_few is None else None,
            None if self._reading is None else self._reading.tenant.changed,
        )
        return self._vectors.nearest(where, vector, limit)

    def vectors(self, ns: Sequence[int], model: str) -> dict[int, Vector]:
        """Map documents to their vectors; documents without a vector are left out."""
        known = find_model(self._rows.connection, model)
        if known is None or not ns:
            return {}
        if known.n not in self._stored:
            self._stored[known.n] = RememberedRows(is_kept=self._reading is not None)
        return self._stored[known.n].look_up(ns, partial(self._read_vectors, known))

    def _read_vectors(self, model: EmbeddingModel, ns: Sequence[int]) -> dict[int, Vector]:
        from memoria.store.vectors.stored import stack_vectors  # noqa: PLC0415  (brings NumPy)

        own = self._rows.tuples("vectors", model=model.n, ns=list_numbers(ns))
        found, rows = stack_vectors(own, model.dims)
        return dict(zip(found.tolist(), rows, strict=True))

    def nearest_passages(
        self, ns: Sequence[int], model: str, vector: Vector
    ) -> dict[int, PassageMatch]:
        """Map documents to their nearest passages; only the most promising documents have one.

        Raises:
            EmbedderError: the vector is not as long as the model's stored vectors, or a stored
                vector is damaged.
        """
        known = find_model(self._rows.connection, model)
        if known is None or not known.has_passages or not ns:
            return {}
        from memoria.store.vectors.stored import nearest_passages  # noqa: PLC0415  (brings NumPy)

        def read(name: str, ns: Collection[int]) -> Sequence[Row]:
            return self._rows.all(name, model=known.n, ns=list_numbers(ns))

        found = nearest_passages(
            vector, partial(read, "passage_signs"), partial(read, "passage_records"), ns
        )
        return {match.n: match for match in found}

    def recent(self, kinds: Sequence[DocumentKind], filters: Filters, limit: int) -> list[int]:
        """List the newest documents that pass the filters, by the time said or valid from."""
        view: dict[str, str | int | None] = {
            "workspace": self._workspaces.number(filters.workspace),
            "everywhere": filters.everywhere,
            "private": as_json(self._workspaces.private),
            "history": filters.include_history,
            "include_processed": filters.include_processed,
            "since": filters.since,
            "until": filters.until,
            "session_id": filters.session_id,
            "metadata": filters.metadata,
            "limit": limit,
        }
        found: list[Row] = []
        if "turn" in kinds and filters.includes_turns:
            roles = as_json_or_null(filters.roles)
            found += self._rows.all("recent_turns", roles=roles, tool=filters.tool, **view)
        if "memory" in kinds and not (filters.roles or filters.tool):
            del view["include_processed"]
            types = as_json_or_null(filters.types)
            tasks = None if filters.tasks is None else as_json(filters.tasks)
            found += self._rows.all("recent_memories", types=types, tasks=tasks, **view)
        newest = sorted(found, key=lambda row: (-row["at"], -row["n"]))
        return [row["n"] for row in newest[:limit]]

    def distinct_words(self, ns: Sequence[int]) -> dict[int, frozenset[str]]:
        """Map documents to the distinct tokens of their text, without those of speaker and time."""
        return {
            row["n"]: frozenset(row["words"].split(" "))
            for row in self._rows.all("words", ns=list_numbers(ns))
        }

    def index_tokens(self, ns: Sequence[int], most_chars: int) -> dict[int, IndexTokens]:
        """Map documents to their tokens; those of more than `most_chars` characters are missing."""
        return self._tokens.look_up(ns, most_chars)

    def frequencies(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> Frequencies:
        """Count the visible documents, in all and with each term; other filters do not apply."""
        if not kinds:
            return Frequencies(0, dict.fromkeys(terms, 0))
        return self._matching.frequencies(terms, self._visibilities.read_scopes(kinds, filters))

    def find_words(
        self,
        kinds: Sequence[DocumentKind],
        beginnings: Sequence[str],
        accept: Callable[[str], bool],
        filters: Filters,
    ) -> dict[str, int]:
        """Map words of visible documents, with one of the beginnings, to numbers of documents.

        The vocabulary is that of the whole home; words that only other tenants used are left out.

        Args:
            kinds: the kinds of documents to look in.
            beginnings: the beginnings that a word may have.
            accept: returns True if a word is wanted.
            filters: the filters that decide which documents are visible.
        """
        words = [
            str(row["term"])
            for first in dict.fromkeys(beginnings)
            for row in self._rows.all("vocabulary", first=first, last=first + _LAST_CHARACTER)
            if accept(row["term"])
        ]
        counts = self.frequencies(kinds, words, filters).by_term
        return {word: counts[word] for word in words if counts[word]}

    def page(self, kind: DocumentKind, after: int, limit: int) -> list[int]:
        """List the tenant's documents of a kind with numbers beyond `after`, in order."""
        return self._rows.column("page", kind=kind, after=after, limit=limit)

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Select the documents that have no vector yet."""
        oldest = self._rows.connection.read_settled(
            ("oldest awaiting", self._rows.tenant), lambda: self._rows.number("oldest_awaiting")
        )
        recent = [n for n in ns if n >= oldest]
        if not recent:  # nearly always
            return set()
        return set(self._rows.column("awaiting_vectors", ns=list_numbers(recent)))

    def count_hidden(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> int:
        """Count the visible documents that are no longer current and that hold all of the terms."""
        if not terms or not kinds:
            return 0
        seen = self._visibilities.list_visible(kinds, replace(filters, include_history=True))
        past = [each.token for each in seen if not each.current]
        return self._matching.count_holding_all(terms, past)

    def list_elsewhere(
        self,
        kinds: Sequence[DocumentKind],
        groups: Sequence[Sequence[str]],
        filters: Filters,
        limit: int,
    ) -> dict[int, str]:
        """Map the newest documents that only other workspaces see to the names of these workspaces.

        Documents of private workspaces are left out.

        Args:
            kinds: the kinds of documents to look for.
            groups: groups of terms; a document must hold every term of a group.
            filters: the filters that a document must pass, but for the workspace.
            limit: the largest number of documents.
        """
        places = {*self._workspaces.all()} - {*self._workspaces.private}
        places.discard(self._workspaces.number(filters.workspace))
        if not places or not groups:
            return {}
        seen = self._visibilities.list_visible(kinds, replace(filters, everywhere=True))
        scopes = [each.token for each in seen if each.workspace in places]
        query = self._rows.connection.write_query(WordQuery.all_of(groups, scopes))
        rows = self._rows.all("elsewhere", query=query, limit=limit)
        names = {row["n"]: str(row["name"]) for row in rows}
        if not filters.is_narrow:
            return names
        narrowing = self._narrowing(kinds, replace(filters, everywhere=True))
        passing = narrowing.best([Match(n, 0.0) for n in names], limit)
        return {match.n: names[match.n] for match in passing}

    def list_containing(self, kind: DocumentKind, terms: Sequence[str]) -> list[int]:
        """List every document of the tenant that holds all of the terms, visible or not."""
        if not terms:
            return []
        scopes = [every.token for every in self._visibilities.list_all([kind])]
        query = self._rows.connection.write_query(WordQuery.all_of([terms], scopes))
        return self._rows.column("matching", query=query)

    def _narrowing(self, kinds: Sequence[DocumentKind], filters: Filters) -> CandidateFilter:
        place = self._workspaces.number(filters.workspace)
        return CandidateFilter(self._rows, kinds, filters, place, self._workspaces.private)


_T = TypeVar("_T")


@contextmanager
def run_concurrently(work: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Run work in a thread while the block runs; the thread has ended when the block has."""
    with ThreadPoolExecutor(1, "memoria-beside") as thread:
        yield thread.submit(work).result


class LargeTenants:
    """Tenants with so many vectors that a search in two threads is faster.

    A tenant that was large once counts as large: a second thread slows no small tenant down.
    """

    def __init__(self) -> None:
        self._known: set[int] = set()

    def includes(self, connection: Connection, tenant: StoreTenant) -> bool:
        """Check whether a tenant is large, or was."""
        if tenant.number not in self._known:
            if tenant.newest_document <= BUDGET:
                return False
            asked = {"tenant": tenant.number, "few": BUDGET}
            if (
                connection.execute(connection.statements("vectors")["more_than"], asked).fetchone()
                is None
            ):
                return False
            self._known.add(tenant.number)
        return True
