"""Repeats: hits that say what another hit says, and make room for that hit or for others.

Diversity: maximal marginal relevance (J. Carbonell and J. Goldstein, "The use of MMR,
diversity-based reranking for reordering documents and producing summaries", 1998). The next hit is
the one with the most relevance left after the share of its discriminative words which stand in one
hit already chosen. Below six tenths that share counts for nothing, for on one topic everybody uses
the same words; and a text of more than three times the words holds many of any short one by chance.
Decision 018 has what diversity gains and costs.

Stand-ins: a memory that says what its turn says to the question answers for the turn and stands
where the turn would, if that is higher. A far longer turn that holds more of the question's words
has more to say: both are then shown.

Echoes: an agent that has searched says again what it found ("According to memory, the ladder is
…"), and so does a tool. Before such a turn comes what said the same earlier: a memory, or a
statement. An echo is told by its words: all that the earlier text says beside the question stands
in the echo, which has hardly a word more, and the part of the echo that answers is none that was
added. The question that an echo answers goes with the echo.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import chain
from math import ceil, floor
from typing import Protocol, TypeVar

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.asking.aim import Aim, read_saying
from memoria.language.reading.recognition import split_sentences
from memoria.language.words.analyser import distinct_tokens, list_stop_words, tokens
from memoria.language.words.characters import CJK, is_cjk_character
from memoria.model import MemoryVersion, Role, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import READ_CHARS, MemoryWording, ScoredCandidate

_REPEAT_SIMILARITY = 0.9
_REPEAT_SHARE = 0.6
_LONGEST_REPEATED = 3
_PENALTY = 0.4
"""Share of its score that a hit loses which repeats another hit word for word."""


class HasWords(Protocol):
    """Protocol of a hit: its score and its words."""

    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def words(self) -> frozenset[str]: ...  # noqa: D102


_W = TypeVar("_W", bound=HasWords)


def diversify(ranked: Sequence[_W], most: int) -> list[_W]:
    """Order hits by the relevance that is left after what earlier hits have said.

    Args:
        ranked: hits, best first.
        most: the number of hits that are chosen so; the others follow in their order.
    """
    words = _as_bits([each.words - list_stop_words() or each.words for each in ranked])
    sizes = [each.bit_count() for each in words]
    scores = [each.score for each in ranked]
    order = list(range(len(ranked)))
    chosen: list[int] = []
    while order and len(chosen) < most:
        best = max(order, key=scores.__getitem__)  # of equals the first
        order.remove(best)
        chosen.append(best)
        said, size = words[best], sizes[best]
        for i in order:
            least = _REPEAT_SHARE * sizes[i]
            if not least <= size <= _LONGEST_REPEATED * sizes[i]:
                continue
            common = (words[i] & said).bit_count()
            if common > least:
                rest = 1 - _PENALTY * _excess(common / sizes[i])
                scores[i] = min(scores[i], ranked[i].score * rest)
    return [ranked[i] for i in (*chosen, *order)]


def _as_bits(texts: Sequence[frozenset[str]]) -> list[int]:
    """Encode the words of each text as bits of a number, so that two texts are compared fast."""
    every = dict.fromkeys(chain.from_iterable(texts))
    bits = {word: 1 << n for n, word in enumerate(every)}
    return [sum(map(bits.__getitem__, words)) for words in texts]


def word_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common, 0 to 1.

    >>> word_similarity(frozenset({"gate", "opens"}), frozenset({"gate"}))
    0.5
    """
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _excess(share: float) -> float:
    """Return the excess of a share of repeated words over the share that counts, 0 to 1."""
    return max(0.0, (share - _REPEAT_SHARE) / (1 - _REPEAT_SHARE))


_FAR_LONGER = 2
"""Factor of a memory's number of words beyond which its turn may say more."""


def stand_for_turns(
    found: Sequence[ScoredCandidate], spared: Collection[int] = ()
) -> tuple[list[ScoredCandidate], set[int]]:
    """Raise each memory to the place of its turn; return the hits and the turns answered for.

    Args:
        found: the candidates that pass the threshold, best first.
        spared: turns that are known to say what no memory says.
    """
    memories = _list_memories_by_turn(found)
    raised: dict[int, ScoredCandidate] = {}
    answered: set[int] = set()
    for turn in found:
        memory = memories.get(turn.id) if turn.kind == "turn" else None
        if memory is None or turn.n in spared or _says_more(turn, memory):
            continue
        answered.add(turn.n)
        known = raised.get(memory.n, memory)
        raised[memory.n] = known._replace(score=max(known.score, turn.score))
    placed = (raised.get(each.n, each) for each in found)
    return sorted(placed, key=lambda each: -each.score), answered


def _says_more(turn: ScoredCandidate, memory: ScoredCandidate) -> bool:
    """Return whether a turn says more to the question than the memory made of the turn."""
    is_longer = len(turn.words) > _FAR_LONGER * len(memory.words)
    return is_longer and turn.signals.coverage > memory.signals.coverage


def _list_memories_by_turn(found: Sequence[ScoredCandidate]) -> dict[str, ScoredCandidate]:
    """Map the id of each turn to the best memory made of the turn.

    The present wording of a memory answers for the turns of its former wordings, too.
    """
    memories: dict[str, ScoredCandidate] = {}
    for each in found:
        if isinstance(each.document, MemoryWording):
            for version in _list_versions_answered_for(each.document):
                if version.provenance.turn_id is not None:
                    memories.setdefault(version.provenance.turn_id, each)
    return memories


def _list_versions_answered_for(document: MemoryWording) -> tuple[MemoryVersion, ...]:
    """Return the wordings whose turns a memory answers for: the present wording for all of them."""
    is_present = document.version.n == document.memory.current.n
    return document.memory.versions if is_present else (document.version,)


_IS_CJK = lazy_regex(f"[{CJK}]")
_MOST_HITS = 40
"""Number of first hits among which echoes are looked for."""
_LONGEST = 300
"""Most distinct words of an echo."""
_REPEATED = 0.8
"""Least share of an earlier hit's words that its echo holds."""
_LEAST_ADDED = 6
"""Number of words that an echo may add in any case; it may also add as many as it repeats."""
_ANSWERED = 0.25
"""Least share of the words of an echo's answer that stand in the hit that it repeats."""


def place_echoes(plan: SearchPlan, hits: Sequence[ScoredCandidate]) -> Sequence[ScoredCandidate]:
    """Order the hits so that each echo is behind the hit that it repeats.

    A question for what the assistant has said is exempt.
    """
    if plan.parsed.is_time_only or plan.parsed.aim is Aim.REPLY:
        return hits
    first = hits[:_MOST_HITS]
    echoes = [each for each in first if _may_be_echo(each)]
    if not echoes:
        return hits
    asked = list_stop_words().union(tokens(plan.query))
    originals = {echo.n: [*_list_originals(echo, first, asked)] for echo in echoes}
    originals |= {each.n: [] for each in first if each.n not in originals}
    for question in first:
        if not question.words - asked:
            answers = (originals[echo.n] for echo in echoes if _is_of_one(echo, question))
            originals[question.n] += chain.from_iterable(answers)
    placed: dict[int, ScoredCandidate] = {}
    for hit in first:
        for each in (*originals[hit.n], hit):
            placed.setdefault(each.n, each)
    return [*placed.values(), *hits[_MOST_HITS:]]


def _is_of_one(echo: ScoredCandidate, question: ScoredCandidate) -> bool:
    """Return whether two turns are of one session, the question before the echo."""
    said, asked = echo.document, question.document
    if not isinstance(said, StoredTurn) or not isinstance(asked, StoredTurn):
        return False
    return said.session_n == asked.session_n and asked.turn_index < said.turn_index


def _may_be_echo(hit: ScoredCandidate) -> bool:
    document = hit.document
    is_told = isinstance(document, StoredTurn) and document.role in (Role.ASSISTANT, Role.TOOL)
    return is_told and len(hit.words) <= _LONGEST


def _list_originals(
    echo: ScoredCandidate, hits: Sequence[ScoredCandidate], asked: Set[str]
) -> Iterator[ScoredCandidate]:
    """Yield the hits that an echo repeats."""
    near = [hit for hit in hits if _is_echoed(hit, echo, asked)]
    answer = _read_answer(echo, asked) if near else frozenset()
    return (hit for hit in near if len(answer & hit.words) >= _ANSWERED * len(answer))


def _is_echoed(hit: ScoredCandidate, echo: ScoredCandidate, asked: Set[str]) -> bool:
    """Return whether a later echo holds what a hit states, and adds little."""
    said, told = echo.words - asked, hit.words - asked
    is_near = told and len(said & told) >= _REPEATED * len(told)
    return (
        bool(is_near)
        and _count_words(said - told) <= max(_LEAST_ADDED, _count_words(told))
        and _is_earlier(hit, echo)
        and _states(hit)
    )


def _read_answer(echo: ScoredCandidate, asked: Set[str]) -> frozenset[str]:
    """Return the words of the part of an echo that answers, without those of the question.

    The part is nearest to the question by meaning, or has most of the question's words.
    """
    span, text = echo.candidate.passage, echo.text
    parts = split_sentences(text[:READ_CHARS]) if span is None else [text[slice(*span)]]
    telling = [words for words in map(distinct_tokens, parts) if words - asked]
    named = asked - list_stop_words()
    most = max((len(words & named) for words in telling), default=0)
    best = (words for words in telling if len(words & named) == most)
    return frozenset(chain.from_iterable(best)) - asked


def _count_words(terms: Set[str]) -> float:
    """Count words; in a script without spaces two characters are a word."""
    characters = sum(map(is_cjk_character, terms))
    return characters / 2 + sum(not _IS_CJK.match(term) for term in terms)


def _is_earlier(hit: ScoredCandidate, echo: ScoredCandidate) -> bool:
    return hit.id != echo.id and _find_time(hit) <= _find_time(echo)


def _find_time(hit: ScoredCandidate) -> tuple[int, int]:
    """Return the time at which a hit was said first; of equal times, a memory's is earlier."""
    document = hit.document
    if isinstance(document, StoredTurn):
        return document.at, document.n
    return min(document.memory.created_at, document.version.valid_from), 0


def _states(hit: ScoredCandidate) -> bool:
    """Return whether a hit states something; a question does not."""
    document = hit.document
    return not isinstance(document, StoredTurn) or not read_saying(document.content).asks


def find_repeats(found: Sequence[ScoredCandidate]) -> set[int]:
    """Find the turns that say word for word what a better hit says."""
    better: dict[int, list[frozenset[str]]] = defaultdict(list)  # by how many words they have
    repeats: set[int] = set()
    for each in found:
        words = each.words
        if each.kind == "turn" and any(
            word_similarity(words, other) >= _REPEAT_SIMILARITY
            for size in _list_sizes_alike(len(words))
            for other in better[size]
        ):
            repeats.add(each.n)
        else:
            better[len(words)].append(words)
    return repeats


def _list_sizes_alike(size: int) -> range:
    """List the numbers of words of texts that may repeat a text of `size` words."""
    return range(ceil(_REPEAT_SIMILARITY * size), floor(size / _REPEAT_SIMILARITY) + 1)
