"""Statistics of a query's words in the record.

A word that stands nowhere, or in few places, tells more than one that stands everywhere; and a name
tells most of all. A query about somebody who is named nowhere is a query about another world,
however many of its other words are on record. One about somebody well known nearly always finds
something: so much is said of them that it takes more to be an answer.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from math import log, log10

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.words.analyser import tokens
from memoria.language.words.characters import is_cjk, is_cjk_character
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.wording import is_on_record, list_name_tokens
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

_EMPTY_CHINESE = frozenset(
    "我你他她它们的了是在有什么哪个几多少谁怎样吗呢呀啊吧来着那这一不和就都也还要说过提到叫请问时候"
    "另外其以及与对于从给把被让很最些次里上下中为位项"
)
"""Characters of asking and joining: a pair with such a character is seldom asked about."""
_FREQUENT = 100
"""Number of a term's documents from which on the term counts as frequent."""
_RARE = 3
"""Most documents of a rare term. Two rare terms seldom meet in a text by chance."""
RARE_TOGETHER = 3
"""Number of rare words of a question that a text hardly holds by chance."""
_CODE = lazy_regex(r"[a-z]+\d+\w*|\d{5,}")


@dataclass(frozen=True, slots=True)
class QueryStatistics:
    """Statistics of a query, before any one document is looked at."""

    weights: Mapping[str, float] = field(default_factory=dict)
    """Weight of each discriminative term in coverage. Names that stand everywhere have none, nor in
    a search of memories any name; but the pairs of a Chinese name have, as many others are no
    words."""
    frequent_entity: bool = False
    """True if the query names somebody or something that much of the record is about."""
    unknown_entity: bool = False
    """True if the query has names, and none of them is on record."""
    strange_share: float = 0.0
    """Share of the query's names that are not on record, 0 to 1."""
    rare_terms: frozenset[str] = frozenset()
    """Telling words of the query that very few documents hold."""
    codes: frozenset[str] = frozenset()
    """Codes and long numbers among the rare terms."""
    telling_terms: int = 0
    """Number of words that tell what the query asks about."""
    documents: int = 0
    """Number of documents that may be found."""
    names_asker: bool = False
    """True if the query says "the user" of whoever asks."""
    is_cjk: bool = False
    """True if the query is written in Chinese, Japanese or Korean."""
    has_vectors: bool = True
    """True if vectors could be compared."""

    @property
    def terms(self) -> frozenset[str]:
        """Words that are looked for in a document."""
        return self.rare_terms.union(self.codes, self.weights)

    def count_rare(self, words: Set[str]) -> int:
        """Count the rare words among the words of a text; a code counts as several."""
        if not self.rare_terms:
            return 0
        codes = len(self.codes & words)
        return len(self.rare_terms & words) + codes * (RARE_TOGETHER - 1)


def count_frequencies(tx: Transaction, plan: SearchPlan) -> Frequencies:
    """Count the documents that hold each word and each name of the query."""
    terms = list(dict.fromkeys((*plan.terms, *_proper_name_tokens(plan))))
    if "text" in plan.options.without:
        return Frequencies(0, dict.fromkeys(terms, 1))  # without the index nobody can tell
    return tx.documents.frequencies(plan.kinds, terms, plan.filters)


def build_statistics(
    plan: SearchPlan, sources: SourceScores, frequencies: Frequencies
) -> QueryStatistics:
    """Build the statistics of the query.

    Args:
        plan: the search.
        sources: what the sources have found.
        frequencies: how common the query's words and names are.
    """
    terms = discriminative_terms(plan)
    names = _proper_name_tokens(plan)
    counts = frequencies.by_term
    strange = _list_strange(plan, sources, frequencies)
    ignores = plan.profile.ignores_names
    ignored = {n for n in names if (ignores and n.isascii()) or _is_frequent(counts, n)}
    others = [term for term in terms if term not in ignored] or terms
    telling = list_telling_terms(plan)
    rare = frozenset(term for term in telling if 0 < counts.get(term, 0) <= _RARE)
    return QueryStatistics(
        weights={term: _term_weight(counts.get(term, 0)) for term in others},
        frequent_entity=any(_is_frequent(counts, name) for name in names),
        unknown_entity=bool(names) and len(strange) == len(plan.parsed.proper_names),
        strange_share=len(strange) / max(len(plan.parsed.proper_names), 1),
        rare_terms=rare,
        codes=frozenset(filter(_CODE.fullmatch, rare)),
        telling_terms=len(telling),
        documents=frequencies.total,
        names_asker=plan.parsed.names_asker,
        is_cjk=is_cjk(plan.query),
        has_vectors=bool(sources.cosine),
    )


def _list_strange(plan: SearchPlan, sources: SourceScores, frequencies: Frequencies) -> list[str]:
    """List the names in the query that neither the record nor the graph knows."""
    in_graph = _name_tokens_in_graph(sources)
    return [
        name
        for name in plan.parsed.proper_names
        if not is_on_record(name, frequencies) and in_graph.isdisjoint(list_name_tokens(name))
    ]


def _is_frequent(counts: Mapping[str, int], name: str) -> bool:
    return counts.get(name, 0) >= _FREQUENT


def _name_tokens_in_graph(sources: SourceScores) -> frozenset[str]:
    """Return the tokens of the names in the query that the graph knows."""
    known = frozenset[str]().union(*sources.expansion.entity_names.values())
    return frozenset(tokens(" ".join(known)))


def _term_weight(documents: int) -> float:
    return 1 / (1 + log10(1 + min(documents, _FREQUENT)))


def discriminative_terms(plan: SearchPlan) -> list[str]:
    """List the terms an answer is about; of Chinese the pairs, without single characters."""
    terms = plan.parsed.discriminative or plan.terms
    return [term for term in terms if not is_cjk_character(term)] or list(terms)


def list_telling_terms(plan: SearchPlan) -> list[str]:
    """List the discriminative terms without pairs of Chinese characters that ask or join."""
    return [term for term in discriminative_terms(plan) if _EMPTY_CHINESE.isdisjoint(term)]


def _proper_name_tokens(plan: SearchPlan) -> frozenset[str]:
    return frozenset(token for name in plan.parsed.proper_names for token in list_name_tokens(name))


def weigh_terms(plan: SearchPlan, frequencies: Frequencies) -> dict[str, float]:
    """Map the terms of a plan to their weights: the rarer on record, the more."""
    counts, total = frequencies.by_term, frequencies.total
    return {term: log(1 + (1 + total) / (1 + counts.get(term, 0))) for term in plan.terms}


def merge_weights(searches: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Merge the weights of several wordings: each term has its greatest weight."""
    merged: dict[str, float] = {}
    for weights in searches:
        for term, weight in weights.items():
            merged[term] = max(weight, merged.get(term, 0.0))
    return merged
