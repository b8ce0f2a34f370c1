"""Likely replaced: which memory a new statement may take the place of, by its likeness alone.

Nothing is replaced by that: whoever has made the statement is asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoria.inference import LazyEmbedder, calibration_of
from memoria.language.statements.classifier import guess_type
from memoria.language.words.analyser import query_terms
from memoria.memories.details import StatementDetails
from memoria.memories.handed_episodes import HandedEpisodes
from memoria.memories.wordings import MOST_GIVEN_CHARS, require_short
from memoria.model import Memory, MemoryType, RelatedStatement, RememberResult
from memoria.model.parse import as_statable_type
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST = 8


@dataclass(frozen=True, slots=True)
class LikeMemories:
    """Finds the memories that are like a statement, among what is seen from one place."""

    store: Store
    tenant: str
    embedder: LazyEmbedder | None
    workspace: str | None

    def find(self, content: str) -> Sequence[Memory]:
        """Find the active memories that are like a statement, the likeliest first.

        Shared words decide while the embedder is not loaded, as nobody waits for it.
        """
        finder = RelatedMemoryFinder(self.embedder)
        meanings = finder.embed_meanings([content], wait=False)
        with self.store.read(self.tenant) as tx:
            if meanings.vectors:
                least = calibration_of(self.embedder).alike
                return finder.find_near(tx, meanings, content, self.workspace, least)
            return list(_find_by_words(tx, content, self.workspace))


def keep_and_ask(
    statements: HandedEpisodes,
    like: LikeMemories,
    content: str,
    given_type: str | None,
    details: StatementDetails,
) -> RememberResult:
    """Keep a statement; the result names the type its wording gave, and what it may replace.

    Args:
        statements: where it is kept.
        like: where the memories are that it may replace.
        content: the statement.
        given_type: its type, where whoever states it has named one.
        details: what is known of it beside its words.
    """
    require_short(content, MOST_GIVEN_CHARS)  # before its type is read
    if details.covers:
        return statements.hand_in(content, given_type, details)
    kind = as_statable_type(guess_type(content) if given_type is None else given_type)
    known = like.find(content)
    kept = statements.remember(content, kind, details)
    is_guess = given_type is None and kind is not MemoryType.FACT
    question = {
        "guessed_type": kind if is_guess else None,
        "may_replace": _pick_replaced(kept, known),
    }
    return kept.model_copy(update=question)


def _find_by_words(tx: Transaction, content: str, workspace: str | None) -> Iterator[Memory]:
    """Yield active memories that share half of a statement's words, or half of their own."""
    terms = frozenset(query_terms(content))
    matches = tx.documents.match(("memory",), sorted(terms), Filters(workspace=workspace), _MOST)
    found = tx.memories.by_version_numbers([one.n for one in matches])
    for memory in (found[one.n] for one in matches if one.n in found):
        own = frozenset(query_terms(memory.content))
        if 2 * len(own & terms) >= min(len(own), len(terms)) and not memory.type.is_derived:
            yield memory


def _pick_replaced(kept: RememberResult, known: Sequence[Memory]) -> RelatedStatement | None:
    """Pick the memory that a statement may replace; None where that is settled.

    That is the newest of the memories that share with the statement all words that the nearest
    memory shares; if the nearest shares none, the nearest.
    """
    if kept.status != "remembered" or kept.supersedes or kept.contradicts or kept.superseded_by:
        return None
    others = [one for one in known if one.id != kept.id and one.content != kept.content]
    if not others:
        return None
    terms = frozenset(query_terms(kept.content))
    common = terms.intersection(query_terms(others[0].content))
    rivals = [one for one in others if common and common <= {*query_terms(one.content)}]
    chosen = max(rivals or others[:1], key=lambda one: (one.current.valid_from, one.current.n))
    return RelatedStatement(id=chosen.id, content=chosen.content)
