"""Merging: when two memories say the same so surely that no model is asked, and which one is kept.

Two memories that say the same do little harm, and a lost memory is lost. So the rule is narrow. Two
statements are one if their words are the same apart from fillers, or if their vectors are almost
identical and neither contains a word that reverses the meaning of the other. The cosine alone is
not enough: with the bundled model "tea over coffee" and "coffee over tea" have 0.997.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph import lexicon as known
from memoria.graph.mentions import find_names
from memoria.model import Memory, SourceKind, Trust, Validity
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.policy.conflict import predicate_key, subject_key
from memoria.text.analyser import tokens
from memoria.text.script import CJK, is_cjk
from memoria.text.statement import (
    canonical_form,
    differs_in_number_or_negation,
    is_meaningful_word,
    says_the_same,
    wording_key,
)

Pair = tuple[str, str]
_WORD = lazy_regex(rf"[{CJK}]|[^\s{CJK}]+")
_REVERSING_WORDS = frozenset(
    """
    not no never nobody nothing none neither nor without cannot hardly barely seldom rarely
    less fewer least more most only just all any some few many every always often sometimes usually
    before after until since over under above below up down left right first last next former
    past future ago now today yesterday tomorrow tonight morning noon afternoon evening night
    day week month year weekday weekend spring summer autumn fall winter
    one two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand
    million once twice half double
    was were will would could should might may must can if unless but than
    hate hates dislike dislikes like likes love loves start starts stop stops
    i me my you your he him his she her we us our they them their
    with against for from to in out on off by
    """.split()
)
"""If one of these is in only one of two statements, they say different things."""
_REVERSING_STEMS = frozenset(
    stem for word in _REVERSING_WORDS | known.RELATIONS for stem in (word, *tokens(word))
)
_NUMERAL = lazy_regex(r"\d|[零〇一二三四五六七八九十百千万亿两半]")
_AFTER_SURNAME = 2
"""Characters of a given name in Chinese."""


def near_identical(one: str, other: str, *, is_close: bool = False) -> bool:
    """Whether two statements say the same, as far as rules can tell.

    Args:
        one: a statement.
        other: another.
        is_close: whether their vectors are almost identical by the embedder's calibration.
    """
    if says_the_same(one, other):
        return True
    if not is_close:
        return False
    a, b = _meaningful_words(one), _meaningful_words(other)
    return bool(a and b) and _is_in_one_order(a, b) and not differs(one, other)


def differs(one: str, other: str) -> bool:
    """Whether a "not", a number, a date, a name or the like is in only one of two statements.

    In Chinese any character that replaces another counts, because no rule tells names from words.
    """
    a, b = _meaningful_words(one), _meaningful_words(other)
    more, less = _extra_words(a, b), _extra_words(b, a)
    if differs_in_number_or_negation(one, other) or any(
        word.reverses_meaning for word in (*more, *less)
    ):
        return True
    if any(word.is_chinese for word in more) and any(word.is_chinese for word in less):
        return True
    return _contains_name(one, more) or _contains_name(other, less)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a statement; in Chinese, a character."""

    text: str
    start: int

    @property
    def key(self) -> str:
        """A key that is equal for spellings of the same word."""
        return canonical_form(self.text)

    @property
    def is_meaningful(self) -> bool:
        """Whether it is neither punctuation nor a filler."""
        return is_meaningful_word(self.text, self.key, within=self.start > 0)

    @property
    def is_chinese(self) -> bool:
        """Whether it is a Chinese character."""
        return re.fullmatch(f"[{CJK}]", self.text) is not None

    @property
    def reverses_meaning(self) -> bool:
        """Whether it changes what a statement says: a number, a "not", a word of time or place."""
        stems = {self.key, *tokens(self.text)}
        return bool(_NUMERAL.search(self.key) or stems & _REVERSING_STEMS or stems & _REVERSING_ZH)


_REVERSING_ZH = frozenset(
    "不没未无非别勿莫否只仅都全每常总偶曾将要会能可应该必须若如但前后上下左右里外先再又还更最少多大小"
    "我你他她它咱年月日号周天时分点早晚午夜昨今明春夏秋冬东西南北男女父母爸妈从到给被把让比和跟与或过了着"
)


def _meaningful_words(text: str) -> list[_Word]:
    """The words of a statement without fillers and punctuation."""
    found = (_Word(match[0], match.start()) for match in _WORD.finditer(text))
    return [word for word in found if word.is_meaningful]


def _extra_words(some: Sequence[_Word], others: Sequence[_Word]) -> list[_Word]:
    """The words of a statement that another lacks, or has fewer of."""
    there = Counter(word.key for word in others)
    beyond = []
    for word in some:
        there[word.key] -= 1
        if there[word.key] < 0:
            beyond.append(word)
    return beyond


def _is_in_one_order(a: Sequence[_Word], b: Sequence[_Word]) -> bool:
    """Whether the words of both statements are in the same order in both."""
    both = {word.key for word in a} & {word.key for word in b}
    shared = ([word.key for word in words if word.key in both] for words in (a, b))
    short, long = sorted(shared, key=len)
    rest = iter(long)
    return all(word in rest for word in short)


def _contains_name(text: str, words: Sequence[_Word]) -> bool:
    """Whether one of some words of a statement is a name or a part of one."""
    spans = [(found.start, found.end) for found in find_names(text)]
    return any(
        (not is_cjk(text) if word.is_chinese else not word.text.islower())
        or any(start <= word.start < end for start, end in spans)
        or (word.is_chinese and _may_name(text, word.start))
        for word in words
    )


def _may_name(text: str, start: int) -> bool:
    """Whether a character may belong to a person's name or to a place."""
    before = text[max(0, start - _AFTER_SURNAME) : start + 1]
    around = text[max(0, start - _AFTER_SURNAME) : start + 1 + _AFTER_SURNAME]
    return any(char in _BEFORE_NAMES for char in before) or any(
        place in around for place in known.CITIES_ZH
    )


_BEFORE_NAMES = {*known.SURNAMES_ZH, *"".join(known.COMPOUND_SURNAMES_ZH), *"小老阿"}
_EQUAL_FIELDS = ("type", "project", "expires_at")
"""Fields that must be equal for two memories to be merged."""


def may_merge(one: Memory, other: Memory) -> bool:
    """Whether two memories may be merged, whatever they say.

    Type, scope, expiry, event time, subject and predicate must agree, and neither may be under
    review or derived from other memories. Two memories that the user has confirmed are merged only
    if they use the same words.
    """
    if one.id == other.id or not (_is_mergeable(one) and _is_mergeable(other)):
        return False
    if one.current.event_at != other.current.event_at:
        return False
    if one.verified and other.verified and wording_key(one.content) != wording_key(other.content):
        return False
    has_equal_fields = all(getattr(one, name) == getattr(other, name) for name in _EQUAL_FIELDS)
    subjects = {subject_key(memory.subject) for memory in (one, other) if memory.subject}
    predicates = {predicate_key(memory.predicate) for memory in (one, other) if memory.predicate}
    is_one_topic = len(subjects) <= 1 and len(predicates) <= 1
    return has_equal_fields and is_one_topic and _may_be_of_one_task(one, other)


def may_relate(one: Memory, other: Memory) -> bool:
    """Whether it makes sense to ask what one of two memories is to the other.

    Type and scope must agree. So must the subject, if it is not that of one is a part of that of
    the other ("Vi" and "Vi's car"). They may tell of two times or hold for two spans: then one may
    replace the other without being the same.
    """
    if one.id == other.id or not (_is_mergeable(one) and _is_mergeable(other)):
        return False
    scopes = {(memory.type, memory.project) for memory in (one, other)}
    is_one_task = _may_be_of_one_task(one, other)
    return len(scopes) == 1 and is_one_task and may_be_one_subject(one.subject, other.subject)


def _may_be_of_one_task(one: Memory, other: Memory) -> bool:
    """Whether two memories of a type may be one, as far as their tasks tell.

    A rule or a preference holds for its task alone; all else was only learnt there.
    """
    is_named_once = one.task is None or other.task is None
    return one.task == other.task or (is_named_once and not one.type.is_guide)


def may_be_one_subject(one: str | None, other: str | None) -> bool:
    """Whether two subjects may be one: they are equal, one has the other's words, or is unknown."""
    if one is None or other is None:
        return True
    short, long = sorted((subject_key(one), subject_key(other)), key=len)
    words = set(tokens(short))
    return short == long or (bool(words) and words <= set(tokens(long)))


def _is_mergeable(memory: Memory) -> bool:
    active = memory.validity is Validity.ACTIVE and memory.flag is None
    is_derived = memory.type.is_derived or memory.versions[-1].provenance.channel == NIGHTLY_CHANNEL
    return active and not is_derived


def merge_groups(
    memories: Mapping[str, Memory], same: Iterable[Pair], two: Container[Pair] = ()
) -> list[list[Memory]]:
    """Group memories that say the same.

    A chain of similar memories is not enough: two groups are joined only if each memory of one may
    be merged with each memory of the other.

    Args:
        memories: by id.
        same: pairs of ids that say the same, the surest first; in a pair, the smaller id first.
        two: pairs of ids that a model found to say different things.
    """
    same_pairs = dict.fromkeys(same)
    found = {memory_id: [memory] for memory_id, memory in memories.items()}
    for one, other in same_pairs:
        some, more = found[one], found[other]
        if some is not more and all(_may_join(a, b, same_pairs, two) for a in some for b in more):
            some.extend(more)
            found.update((memory.id, some) for memory in more)
    distinct = {id(group): group for group in found.values()}
    return [group for group in distinct.values() if len(group) > 1]


def _may_join(a: Memory, b: Memory, same: Container[Pair], two: Container[Pair]) -> bool:
    pair = (min(a.id, b.id), max(a.id, b.id))
    has_equal_fields = pair in same or (pair not in two and not differs(a.content, b.content))
    return has_equal_fields and may_merge(a, b)


def survivor(memories: Sequence[Memory]) -> Memory:
    """The memory to keep of some that say the same, independent of their order.

    It is one that the user confirmed, or else pinned, or else the one with the most evidence, or
    else the oldest.

    Args:
        memories: one or more.
    """
    return min(memories, key=_precedence)


def _precedence(memory: Memory) -> tuple[bool, bool, int, int, str]:
    first = min(version.valid_from for version in memory.versions)
    return (not memory.verified, not memory.pinned, -memory.evidence, first, memory.id)


@dataclass(frozen=True, slots=True)
class Authority:
    """How far a statement is to be believed, and whose word it is."""

    trust: Trust
    confidence: float
    source: SourceKind


_FROM_LEAST = (Trust.TOOL, Trust.REPORTED, Trust.USER)


def authority(memories: Sequence[Memory]) -> Authority:
    """How far a statement that several memories make is to be believed: as the least of them.

    If the user has confirmed some of them, only these count.

    Args:
        memories: one or more.
    """
    confirmed = [memory for memory in memories if memory.verified]
    sources = confirmed or memories
    least = min(
        (memory.current.provenance.trust for memory in sources),
        key=_FROM_LEAST.index,
    )
    kinds = {memory.current.provenance.source_kind for memory in sources}
    kind = kinds.pop() if len(kinds) == 1 else SourceKind.CONSOLIDATED
    return Authority(least, min(memory.confidence for memory in sources), kind)
