"""Candidates for a merge: pairs of memories that may say the same, and a chat model's rulings.

Pairs that mean nearly the same are known since they were embedded: the edges between neighbours are
the answers of those searches, so that a run need not search for each memory again; a model is asked
about them. Pairs in the same words are found by reading all wordings once.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from operator import attrgetter

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_rulings
from memoria.ingest.processing import compact_json, describe_pair, shorten_statement
from memoria.language.names.keys import USER, predicate_key, subject_key
from memoria.language.names.mentions import find_names
from memoria.language.names.roles import parse_sentence
from memoria.language.reading.statement import (
    differs_in_number_or_negation,
    says_the_same,
    wording_key,
)
from memoria.language.words.analyser import query_terms
from memoria.lifecycle.interface import StepContext, read_pages
from memoria.memories.times import date_of_memory
from memoria.memories.verdicts import RelatedMemories
from memoria.model import InferredBy, Memory, Relation
from memoria.model.moments import Zone
from memoria.policy.merging import Pair, may_merge, may_relate
from memoria.store.rows.derivations import SimilarWordings
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

MAX_PAIRS_ASKED = 200
"""Pairs that a chat model is asked about in a run, the nearest first; others wait for the next."""
_PAGE = 200
_MAX_SAME_WORDING = 30
"""Number of memories in the same words that are compared with each other."""
_MOST_TERMS = 64
_NEAREST = 4
_MOST_RELATED = 2
"""Others of its subject that a memory is compared with where nothing else brings them together."""
_MIN_SHARED_WORDS = 0.5
"""Share of their words that two statements have in common, from which they may be one."""
_START = (0, 0)
_USER_WORDS = {"user", "用户"}
_OF_THE_USER = lazy_regex(r"\b(?:user|i|i['’]m|my)\b|用户|我(?!们)", re.IGNORECASE)

_MemoryPair = tuple[Memory, Memory]


@dataclass(slots=True)
class MergeCandidates:
    """The pairs, by id; of each pair the smaller id comes first."""

    memories: dict[str, Memory] = field(default_factory=dict)
    same: list[Pair] = field(default_factory=list)
    """Pairs in the same words."""
    doubtful: list[Pair] = field(default_factory=list)
    """Pairs to be asked about, the nearest first."""
    unlinked: set[Pair] = field(default_factory=set)
    """Doubtful pairs that nothing but their subject brings together."""

    def add_pair(self, one: Memory, other: Memory) -> Pair:
        """Add two memories, and return them as a pair."""
        self.memories.update({one.id: one, other.id: other})
        return (min(one.id, other.id), max(one.id, other.id))


def find_candidates(context: StepContext, since: int | None) -> MergeCandidates:
    """Find pairs that may say the same or replace each other, one of which was changed lately.

    Args:
        context: whose memories.
        since: the moment after which one of them was changed, UTC epoch ms; None for all.
    """
    found = MergeCandidates()
    found.same += _list_in_same_words(found, context, since)
    _add_doubtful(found, chain(_nearest(context), _sharing_words(context, since)))
    linked = set(found.doubtful)
    if context.chat is not None and context.recall is not None:
        _add_doubtful(found, _list_related(context, context.recall, since))
    found.unlinked = set(found.doubtful) - linked
    return found


def _add_doubtful(found: MergeCandidates, pairs: Iterable[_MemoryPair]) -> None:
    known = {*found.same, *found.doubtful}
    for one, other in pairs:
        if len(found.doubtful) < MAX_PAIRS_ASKED and may_relate(one, other):
            pair = found.add_pair(one, other)
            found.doubtful += [] if pair in known else [pair]
            known.add(pair)


def _list_in_same_words(
    found: MergeCandidates, context: StepContext, since: int | None
) -> Iterator[Pair]:
    """Yield the pairs that are one statement by their words."""
    for one, other in _by_words(context, since):
        if may_merge(one, other) and says_the_same(one.content, other.content):
            yield found.add_pair(one, other)


def _similar_pages(
    context: StepContext, since: int | None, least: float
) -> Iterator[Sequence[SimilarWordings]]:
    return read_pages(
        context,
        lambda tx, after: tx.pairs.list_similar(since, after, least, _PAGE),
        attrgetter("edge"),
        _START,
    )


def _memories_of(tx: Transaction, pairs: Sequence[SimilarWordings]) -> dict[int, Memory]:
    return tx.memories.by_version_numbers(
        sorted({n for pair in pairs for n in (pair.one, pair.other)})
    )


def _by_words(context: StepContext, since: int | None) -> Iterator[_MemoryPair]:
    for ns in _wordings_in_same_words(context, since or 0):
        with context.store.read(context.tenant) as tx:
            memories = tx.memories.by_version_numbers(ns)
        yield from combinations(memories.values(), 2)


def _wordings_in_same_words(context: StepContext, since: int) -> Iterator[list[int]]:
    """Yield groups of wordings in the same words, one of which is new, by number."""
    alike: dict[int, list[int]] = {}
    new = set[int]()
    after = 0
    with context.store.read(context.tenant) as tx:
        changed = tx.pairs.has_changes(since)
    while changed:
        with context.store.read(context.tenant) as tx:
            page = tx.pairs.list_wordings(since, after, _PAGE)
        if not page:
            break
        for wording in page:
            alike.setdefault(hash((wording_key(wording.content), wording.scope)), []).append(
                wording.n
            )
        new.update(wording.n for wording in page if wording.changed)
        after = page[-1].n
    for ns in alike.values():
        if len(ns) > 1 and not new.isdisjoint(ns):
            yield ns[:_MAX_SAME_WORDING]


def _nearest(context: StepContext) -> Iterator[_MemoryPair]:
    """Yield the nearest pairs that no model has ruled on, nearest first, whenever they changed."""
    pages = _similar_pages(context, context.run.options.since, context.calibration.neighbour)
    pairs = (pair for page in pages for pair in page)
    nearest = heapq.nsmallest(
        3 * MAX_PAIRS_ASKED, pairs, key=lambda pair: (-pair.cosine, pair.edge)
    )
    with context.store.read(context.tenant) as tx:
        memories = _memories_of(tx, nearest)
    yield from ((memories[pair.one], memories[pair.other]) for pair in nearest)


def _sharing_words(context: StepContext, since: int | None) -> Iterator[_MemoryPair]:
    """Yield memories changed lately, with memories that share half of their words."""
    for n in _latest_changes(context, since or 0):
        with context.store.read(context.tenant) as tx:
            memory = tx.memories.by_version_numbers([n]).get(n)
            if memory is None:
                continue
            words = tx.documents.distinct_words([n]).get(n, frozenset())
            terms = query_terms(memory.content)[:_MOST_TERMS]
            seen = Filters(workspace=memory.workspace)
            matches = tx.documents.match(("memory",), terms, seen, _NEAREST)
            ns = [match.n for match in matches if match.n != n]
            said, others = tx.documents.distinct_words(ns), tx.memories.by_version_numbers(ns)
        for m in ns:
            both = words & said.get(m, frozenset())
            if m in others and len(both) >= _MIN_SHARED_WORDS * len(
                words | said.get(m, frozenset())
            ):
                yield memory, others[m]


def _list_related(
    context: StepContext, recall: RelatedMemories, since: int | None
) -> Iterator[_MemoryPair]:
    """Yield memories changed lately, with others of the same subject; the nearest first.

    A memory may share no word with its replacement: "sold the car" and "takes the bus to work".
    """
    nearest: list[list[_MemoryPair]] = [[] for _ in range(_MOST_RELATED)]
    for n in _latest_changes(context, since or 0):
        with context.store.read(context.tenant) as tx:
            memory = tx.memories.by_version_numbers([n]).get(n)
            if memory is None:
                continue
            others = recall.find_related(tx, memory.content, memory.workspace)
        pairs = (
            (memory, other)
            for other in others
            if may_relate(memory, other)
            and _may_be_of_one(memory, other)
            and _may_be_of_one_property(memory, other)
            and not _were_read_together(memory, other, context.store.zone)
        )
        for rank, pair in zip(nearest, pairs, strict=False):
            rank.append(pair)
    yield from chain.from_iterable(nearest)


def _were_read_together(one: Memory, other: Memory, zone: Zone) -> bool:
    """Check whether a model that knew of both has concluded them from one day's words."""
    by_model = all(memory.current.inferred_by is InferredBy.MODEL for memory in (one, other))
    return by_model and date_of_memory(one, zone) == date_of_memory(other, zone)


def _may_be_of_one_property(one: Memory, other: Memory) -> bool:
    """Check whether two memories may tell of one property: it is the same, or unknown of one.

    A model that named two properties told them apart when it read the later one.
    """
    return not (one.predicate and other.predicate) or (
        predicate_key(one.predicate) == predicate_key(other.predicate)
    )


def _may_be_of_one(one: Memory, other: Memory) -> bool:
    """Check whether two memories may be of one subject: it is the same, or they share a word.

    A sentence that names nobody may be the user's, for it is mostly they who speak of themselves.
    """
    subjects = {_subject_of(one), _subject_of(other)}
    if len(subjects) == 1 and None not in subjects:
        return True
    if _topic_words(one) & _topic_words(other):
        return True
    return USER in subjects and not any(
        _subject_of(memory) is None and find_names(memory.content) for memory in (one, other)
    )


def _topic_words(memory: Memory) -> set[str]:
    """Return the words that may name what it is about; in Chinese pairs of characters."""
    return {word for word in query_terms(memory.content) if len(word) > 1} - _USER_WORDS


def _subject_of(memory: Memory) -> str | None:
    if memory.subject is not None:
        return subject_key(memory.subject)
    return USER if _OF_THE_USER.search(memory.content) else None


def _latest_changes(context: StepContext, since: int) -> list[int]:
    found: list[int] = []
    pages = read_pages(
        context,
        lambda tx, after: tx.pairs.list_wordings(since, after, _PAGE),
        attrgetter("n"),
        0,
    )
    for page in pages:
        found = (found + [wording.n for wording in page if wording.changed])[-MAX_PAIRS_ASKED:]
    return found[::-1]


_AT_ONCE = 20
_DIGITS = lazy_regex(r"\d+")


def adjudicate_pairs(
    context: StepContext, chat: ChatClient, memories: Mapping[str, Memory], pairs: Sequence[Pair]
) -> tuple[dict[Pair, Relation], str | None]:
    """Ask for a ruling on each pair; return them, and why some pairs were not asked about, if any.

    A ruling that two are the same is not believed where one of them turns the other round.

    Args:
        context: whose tokens are spent, and up to how many an answer may take.
        chat: the chat model.
        memories: by id.
        pairs: ids; the surest first.
    """
    ruled: dict[Pair, Relation] = {}
    pairs = [pair for pair in pairs if all(_fits_whole(memories[i]) for i in pair)]
    for first in range(0, len(pairs), _AT_ONCE):
        asked = [_oldest_first(memories, pair) for pair in pairs[first : first + _AT_ONCE]]
        try:
            found = _ask(context, chat, asked)
        except (InvalidAnswerError, ModelRefusedError):
            continue
        except ChatModelError as error:
            return (
                ruled,
                f"{len(pairs) - first} of {len(pairs)} pairs were not asked about: {error}",
            )
        for (known, new), relation in zip(asked, found, strict=True):
            doubted = relation == "same" and _may_differ(known.content, new.content)
            if relation is not None and not doubted:
                ruled[min(known.id, new.id), max(known.id, new.id)] = relation
    return ruled, None


def _may_differ(one: str, other: str) -> bool:
    """Check whether one of two statements may turn the other round, or have another number.

    Not every word for a number counts something ("一下雨就"), and two statements may deny the same
    in two ways ("can't stand", "does not like"): so the sentences are compared and not their words.
    """
    if not differs_in_number_or_negation(one, other):
        return False
    if set(_DIGITS.findall(one)) != set(_DIGITS.findall(other)):
        return True
    return parse_sentence(one).negated != parse_sentence(other).negated


def _fits_whole(memory: Memory) -> bool:
    """Check whether the whole memory fits into a question: its beginning alone would not do."""
    return shorten_statement(memory.content) == memory.content


def _oldest_first(memories: Mapping[str, Memory], pair: Pair) -> tuple[Memory, Memory]:
    """Return the two memories of a pair, the older one first."""
    one, other = sorted(
        (memories[memory_id] for memory_id in pair), key=lambda m: (m.current.valid_from, m.id)
    )
    return one, other


def _ask(
    context: StepContext, chat: ChatClient, pairs: Sequence[tuple[Memory, Memory]]
) -> list[Relation | None]:
    lines = (_line(number, *pair, context.store.zone) for number, pair in enumerate(pairs, 1))
    question = request_rulings(pairs="\n".join(lines), max_output_tokens=context.output_tokens)
    answers = {r.pair: r.relation for r in chat.ask(context.tenant, question).rulings}
    return [answers.get(number) for number in range(1, len(pairs) + 1)]


def _line(number: int, known: Memory, new: Memory, zone: Zone) -> str:
    both = ((shorten_statement(one.content), date_of_memory(one, zone)) for one in (known, new))
    return compact_json({"number": number, **describe_pair(*both)})
