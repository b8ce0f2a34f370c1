"""Candidates for a merge: pairs of memories that may say the same, and a chat model's rulings.

Pairs that mean nearly the same are known since they were embedded, by the edges between neighbours,
so that a run need not search for each memory again; a model is asked about them. Pairs in the same
words are found by reading all wordings once.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

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
from memoria.store.rows.derivations import ActiveWording
from memoria.store.values import Filters

MAX_PAIRS_ASKED = 200
"""Pairs that a chat model is asked about in a run, the nearest first; others wait for the next."""
_PAGE = 200
_MAX_SAME_WORDING = 30
"""Most memories in the same words that are compared with each other."""
_MOST_TERMS = 64
_NEAREST = 4
_MOST_RELATED = 2
"""Most memories of the same subject that a memory is compared with for that alone."""
_MIN_SHARED_WORDS = 0.5
"""Share of common words from which two statements may say the same."""
_USER_WORDS = {"user", "用户"}
_OF_THE_USER = lazy_regex(r"\b(?:user|i|i['’]m|my)\b|用户|我(?!们)", re.IGNORECASE)

_MemoryPair = tuple[Memory, Memory]
_AT_ONCE = 20
_DIGITS = lazy_regex(r"\d+")


@dataclass(slots=True)
class MergeCandidates:
    """Pairs of memories that may say the same; in each pair the smaller id comes first."""

    memories: dict[str, Memory] = field(default_factory=dict)
    same: list[Pair] = field(default_factory=list)
    """Pairs in the same words."""
    doubtful: list[Pair] = field(default_factory=list)
    """Pairs to be asked about, the nearest first."""
    unlinked: set[Pair] = field(default_factory=set)
    """Doubtful pairs that are compared for their subject alone."""

    def add_pair(self, one: Memory, other: Memory) -> Pair:
        """Add two memories, and return them as a pair."""
        self.memories.update({one.id: one, other.id: other})
        return (min(one.id, other.id), max(one.id, other.id))


def find_candidates(context: StepContext, since: int | None) -> MergeCandidates:
    """Find pairs of memories that may say the same or replace each other, one changed lately.

    Args:
        context: whose memories.
        since: the moment after which one of them was changed, UTC epoch ms; None for all.
    """
    found = MergeCandidates()
    found.same += (found.add_pair(*pair) for pair in _list_in_same_words(context, since))
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


def _list_in_same_words(context: StepContext, since: int | None) -> Iterator[_MemoryPair]:
    """Yield pairs that say the same in the same words."""
    for ns in _wordings_in_same_words(context, since or 0):
        with context.store.read(context.tenant) as tx:
            memories = tx.memories.by_version_numbers(ns)
        for one, other in combinations(memories.values(), 2):
            if may_merge(one, other) and says_the_same(one.content, other.content):
                yield one, other


def _wordings_in_same_words(context: StepContext, since: int) -> Iterator[list[int]]:
    """Yield the numbers of wordings in the same words, in groups with a new wording."""
    with context.store.read(context.tenant) as tx:
        if not tx.pairs.has_changes(since):
            return
    alike: dict[int, list[int]] = defaultdict(list)
    new = set[int]()
    for page in _wording_pages(context, since):
        for wording in page:
            alike[hash((wording_key(wording.content), wording.scope))].append(wording.n)
        new.update(wording.n for wording in page if wording.changed)
    for ns in alike.values():
        if len(ns) > 1 and not new.isdisjoint(ns):
            yield ns[:_MAX_SAME_WORDING]


def _wording_pages(context: StepContext, since: int) -> Iterator[Sequence[ActiveWording]]:
    return read_pages(context, lambda tx, after: tx.pairs.list_wordings(since, after, _PAGE))


def _nearest(context: StepContext) -> Iterator[_MemoryPair]:
    """Yield the pairs nearest by meaning on which no model has ruled, the nearest first."""
    since, least = context.run.options.since, context.calibration.neighbour
    pages = read_pages(
        context, lambda tx, after: tx.pairs.list_similar(since, after, least, _PAGE), (0, 0)
    )
    nearest = heapq.nsmallest(
        3 * MAX_PAIRS_ASKED, chain.from_iterable(pages), key=lambda pair: (-pair.cosine, pair.edge)
    )
    ns = sorted({n for pair in nearest for n in (pair.one, pair.other)})
    with context.store.read(context.tenant) as tx:
        memories = tx.memories.by_version_numbers(ns)
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
    """Check whether a model that saw both memories concluded them from turns of the same day."""
    by_model = all(memory.current.inferred_by is InferredBy.MODEL for memory in (one, other))
    return by_model and date_of_memory(one, zone) == date_of_memory(other, zone)


def _may_be_of_one_property(one: Memory, other: Memory) -> bool:
    """Check whether two memories may tell of one property: the same one, or one is unknown.

    A model that named two properties told them apart when it read the later one.
    """
    return not (one.predicate and other.predicate) or (
        predicate_key(one.predicate) == predicate_key(other.predicate)
    )


def _may_be_of_one(one: Memory, other: Memory) -> bool:
    """Check whether two memories may have one subject: the same one, or they share a word.

    A sentence that names nobody may be about the user: people mostly speak of themselves.
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
    """Return the words that may name a memory's topic; in Chinese, pairs of characters."""
    return {word for word in query_terms(memory.content) if len(word) > 1} - _USER_WORDS


def _subject_of(memory: Memory) -> str | None:
    if memory.subject is not None:
        return subject_key(memory.subject)
    return USER if _OF_THE_USER.search(memory.content) else None


def _latest_changes(context: StepContext, since: int) -> list[int]:
    found: list[int] = []
    for page in _wording_pages(context, since):
        found = (found + [wording.n for wording in page if wording.changed])[-MAX_PAIRS_ASKED:]
    return found[::-1]


def adjudicate_pairs(
    context: StepContext, chat: ChatClient, memories: Mapping[str, Memory], pairs: Sequence[Pair]
) -> tuple[dict[Pair, Relation], str | None]:
    """Ask for a ruling on each pair; return the rulings, and why some pairs were not asked about.

    A ruling that two memories say the same is not believed if one may be the opposite of the other.

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
    """Check whether two statements may be opposites, or differ in a number.

    Not every word for a number counts something ("一下雨就"), and two statements may deny the same
    in two ways ("can't stand", "does not like"): so the sentences are compared and not their words.
    """
    if not differs_in_number_or_negation(one, other):
        return False
    if set(_DIGITS.findall(one)) != set(_DIGITS.findall(other)):
        return True
    return parse_sentence(one).negated != parse_sentence(other).negated


def _fits_whole(memory: Memory) -> bool:
    """Check whether a memory fits whole into a question: no pair is judged by a beginning alone."""
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
