"""Patterns: related memories, broadly enough supported to conclude something from them.

Memories are bound if they mean nearly the same, if they speak of one person, place or thing, and,
by little, if they are of one conversation. A feature that many have in common binds them less
(graph expansion counts so too), and one of very many, not at all. Nothing binds two scopes.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from operator import attrgetter

from memoria.graph.communities import find_communities
from memoria.lifecycle.derivation import MOST_SOURCES
from memoria.lifecycle.interface import StepContext
from memoria.lifecycle.pages import read_pages
from memoria.policy.tier_rules import SURE_CONFIDENCE, is_stable_pattern
from memoria.store.rows.derivations import DerivationCandidate, StatementOccasion
from memoria.store.rows.transaction import Transaction

LEAST_MEMBERS = 3
_PAGE = 500
_ENTITY, _CONVERSATION = 0.5, 0.1
"""Strength by which a rare common feature binds two of them, beside a cosine from 0.75 to 1."""
_FEW, _MANY = 8, 40
_MOST = 20_000
"""Number of memories that are looked at, the newest, so that it ends within seconds."""

Members = tuple[DerivationCandidate, ...]
_Ties = defaultdict[tuple[int, int], float]


def find_patterns(context: StepContext, since: int | None = None) -> list[Members]:
    """Find groups of related memories with broad support; the most broadly supported first.

    Args:
        context: whose memories.
        since: only such as have one that was changed after this, UTC epoch ms; None for all.
    """
    bases: dict[int, DerivationCandidate] = {}
    ties: _Ties = defaultdict(float)
    alike: list[tuple[int, int, float]] = []
    shared: dict[Hashable, list[int]] = defaultdict(list)
    told: dict[int, list[StatementOccasion]] = defaultdict(list)
    pages = read_pages(
        context,
        lambda tx, after: tx.derivations.list_candidates(after, _PAGE),
        attrgetter("n"),
        0,
    )
    for page in pages:
        sure = {
            one.n: one._replace(content="") for one in page if one.confidence >= SURE_CONFIDENCE
        }
        bases.update(sure)
        with context.store.read(context.tenant) as tx:
            alike += tx.derivations.similar_pairs(list(sure))
            _note_ties(tx, sure, shared, told)
    for one, other, cosine in alike:
        if one in bases and other in bases and bases[one].scope == bases[other].scope:
            ties[one, other] += cosine
    _tie_sharers(shared, ties)
    newest = set(sorted(bases)[-_MOST:])
    kept = ((*pair, weight) for pair, weight in ties.items() if newest.issuperset(pair))
    hanging = find_communities(kept, least=LEAST_MEMBERS)
    groups = (tuple(bases[n] for n in found[:MOST_SOURCES]) for found in hanging)
    fresh = [group for group in groups if since is None or any(m.updated_at > since for m in group)]
    return sorted(
        (group for group in fresh if _is_broad(group, told)),
        key=lambda group: (-_conversations(group, told), -len(group), group[0].n),
    )


def is_broadly_supported(said: Sequence[StatementOccasion]) -> bool:
    """Check whether a statement was made in several conversations, by several sources."""
    return is_stable_pattern(
        len({one.conversation for one in said}), len({one.source for one in said})
    )


def _note_ties(
    tx: Transaction,
    bases: Mapping[int, DerivationCandidate],
    shared: dict[Hashable, list[int]],
    told: dict[int, list[StatementOccasion]],
) -> None:
    for n, entity in tx.derivations.entities(list(bases)):
        shared[_ENTITY, entity, bases[n].scope].append(n)
    for said in tx.derivations.occasions(list(bases)):
        told[said.memory_n].append(said)
        key = _CONVERSATION, said.conversation, bases[said.memory_n].scope
        shared[key].append(said.memory_n)


def _tie_sharers(shared: Mapping[Hashable, Sequence[int]], ties: _Ties) -> None:
    for what, ns in shared.items():
        assert isinstance(what, tuple)  # noqa: S101  (made in `_note`)
        having = sorted(set(ns))
        if len(having) <= _MANY:
            weight = what[0] * min(1.0, _FEW / len(having))
            for pair in combinations(having, 2):
                ties[pair] += weight


def _is_broad(group: Members, told: Mapping[int, Sequence[StatementOccasion]]) -> bool:
    return is_broadly_supported([said for member in group for said in told.get(member.n, ())])


def _conversations(group: Members, told: Mapping[int, Sequence[StatementOccasion]]) -> int:
    return len({said.conversation for member in group for said in told.get(member.n, ())})
