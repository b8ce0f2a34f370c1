"""Echoes: turns of an assistant that only repeat stand behind what they repeat.

An agent that has searched says again what it found ("According to memory, the ladder is …"), and so
does a tool that looked it up. Such a turn holds the question's words as well as what it cites does,
often more of them. So before it comes what said the same earlier: a memory, or somebody's
statement. It is told by the words: all that the earlier one says beside the question stands in the
echo, which has hardly a word more, and the part of the echo that answers is none that was added.
The question that an echo answers goes with it.
"""

from collections.abc import Iterator, Sequence, Set
from itertools import chain

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.asking.aim import Aim
from memoria.language.reading.recognition import split_sentences
from memoria.language.reading.saying import read_saying
from memoria.language.words.analyser import distinct_tokens, tokens
from memoria.language.words.script import CJK, is_cjk_character
from memoria.language.words.stopwords import list_stop_words
from memoria.model import Role, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import READ_CHARS
from memoria.retrieval.ranking.score import ScoredCandidate

_IS_CJK = lazy_regex(f"[{CJK}]")
_MOST_HITS = 40
"""Number of first hits that are looked at: what stands further down outranks nobody."""
_LONGEST = 300
"""Most distinct words of an echo: whoever says more has more to say."""
_REPEATED = 0.8
"""Least share of the words of what is repeated that an echo has."""
_LEAST_ADDED = 6
"""Words that an echo may add, to say whose they are; and as many as it repeats."""
_ANSWERED = 0.25
"""Least share of the words of the part that answers that stand in what is repeated. An added
sentence has none of them; one that says whose they are at length has a third."""


def place_echoes(plan: SearchPlan, hits: Sequence[ScoredCandidate]) -> Sequence[ScoredCandidate]:
    """Order the hits so that each echo is behind what it repeats.

    Who asks what the assistant has said is given that.
    """
    if plan.parsed.is_time_only or plan.parsed.aim is Aim.REPLY:
        return hits
    first = hits[:_MOST_HITS]
    echoes = [each for each in first if _may_be_echo(each)]
    if not echoes:
        return hits
    asked = list_stop_words().union(tokens(plan.query))
    originals = {echo.candidate.n: [*_list_originals(echo, first, asked)] for echo in echoes}
    originals |= {each.candidate.n: [] for each in first if each.candidate.n not in originals}
    for question in first:
        if not question.words - asked:
            answers = (originals[echo.candidate.n] for echo in echoes if _is_of_one(echo, question))
            originals[question.candidate.n] += chain.from_iterable(answers)
    placed: dict[int, ScoredCandidate] = {}
    for hit in first:
        for each in (*originals[hit.candidate.n], hit):
            placed.setdefault(each.candidate.n, each)
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
    near = [hit for hit in hits if _is_repeated(hit, echo, asked)]
    answer = _read_answer(echo, asked) if near else frozenset()
    return (hit for hit in near if len(answer & hit.words) >= _ANSWERED * len(answer))


def _is_repeated(hit: ScoredCandidate, echo: ScoredCandidate, asked: Set[str]) -> bool:
    """Return whether a hit states what stands in a later echo, which adds little."""
    said, told = echo.words - asked, hit.words - asked
    is_near = told and len(said & told) >= _REPEATED * len(told)
    return (
        bool(is_near)
        and _count_words(said - told) <= max(_LEAST_ADDED, _count_words(told))
        and _is_earlier(hit, echo)
        and _states(hit)
    )


def _read_answer(echo: ScoredCandidate, asked: Set[str]) -> frozenset[str]:
    """Return the words, beside the question's, of the part of an echo that answers.

    That is the part nearest to the question by meaning, or the sentences with most of its words.
    """
    span, text = echo.candidate.passage, echo.text
    parts = split_sentences(text[:READ_CHARS]) if span is None else [text[slice(*span)]]
    telling = [words for words in map(distinct_tokens, parts) if words - asked]
    named = asked - list_stop_words()
    most = max((len(words & named) for words in telling), default=0)
    best = (words for words in telling if len(words & named) == most)
    return frozenset(chain.from_iterable(best)) - asked


def _count_words(terms: Set[str]) -> float:
    """Count words; of a script without spaces two characters are one."""
    characters = sum(map(is_cjk_character, terms))
    return characters / 2 + sum(not _IS_CJK.match(term) for term in terms)


def _is_earlier(hit: ScoredCandidate, echo: ScoredCandidate) -> bool:
    return hit.id != echo.id and _find_time(hit) <= _find_time(echo)


def _find_time(hit: ScoredCandidate) -> tuple[int, int]:
    """Return the time something was said first; of what was said at once, a memory is earlier."""
    document = hit.document
    if isinstance(document, StoredTurn):
        return document.at, document.n
    return min(document.memory.created_at, document.version.valid_from), 0


def _states(hit: ScoredCandidate) -> bool:
    """Return whether it says something of its own: a question does not."""
    document = hit.document
    return not isinstance(document, StoredTurn) or not read_saying(document.content).asks
