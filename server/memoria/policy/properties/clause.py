"""Clauses: a statement taken apart, and each part read."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memoria.policy.properties import chinese, english
from memoria.policy.properties import english_words as vocabulary
from memoria.policy.properties.base import WHOLE, Property
from memoria.policy.properties.keys import ASSISTANT, USER
from memoria.policy.properties.rules import read_rule
from memoria.policy.properties.values import COUNTS, stem
from memoria.policy.properties.wording import Wording
from memoria.text.pattern import LazyPattern, has_any, small_letters
from memoria.text.remembered import remember_results

_WORD = LazyPattern(r"[^\s,;!?\"“”()]+")
_MARKERS = frozenset(
    """
    not never no longer any more anymore stopped stop quit instead again do does did has
    have been now actually currently is are was be always please from on you may can
    should must
    """.split()
)
_EMPTY = vocabulary.FILLERS | _MARKERS
_NEGATIVE = frozenset("not never no stopped quit without stop".split())
_AUXILIARIES = "am is are was were be do does did can must has have had will would should could may"
_NOT_BEHIND_ONE = "".join(f"(?<!\\b{word})" for word in _AUXILIARIES.split())
"""Behind an auxiliary a "not" denies the whole clause, and tells no other value that is wrong."""
_NOT_THAT = LazyPattern(
    rf"""(?xi){_NOT_BEHIND_ONE},?\s(?:and\s)?
      (?:not|instead\sof|rather\sthan)\s(?:an?\s|the\s)?(?P<what>[^,;]{{1,40}}?)(?:\sone)?[.!]?$
    |[,]?(?:而)?不是(?P<what_zh>[^,;]{{1,20}})[。!]?$"""
)
_MOST_CLAUSES = 4
"""A text of more clauses is a report; rules do not compare it."""
_ORDER = LazyPattern(
    r"""(?xi)^(?:always|never|please|do\snot|from\snow\son|use|answer|reply|respond|write|call|address|keep|give
    |run|commit|push|format|explain|include|add|show|speak|avoid|make|be|put|prefer|indent|start|stop|deploy
    |ask|cite|the\sassistant|assistant|you)\b
    |^(?:以后|从现在|今后|请|不要|别|用(?!户)|都用|统一|一律|回答|回复|提交|写|叫|只用|助手|每次)"""
)
_ABOUT_ANSWERS = LazyPattern(r"(?i)\b(?:answers?|replies|responses?|addressed)\b|回答|回复")

_ANSWER_SIGNS = ("answer", "repl", "respons", "addressed", "回答", "回复")


@dataclass(frozen=True, slots=True)
class Part:
    """A clause that is not read yet."""

    text: str
    words: tuple[str, ...]
    """Its words without fillers and without what denies or changes it."""
    is_order: bool
    """Whether it tells the assistant what to do."""
    may_be_rule: bool
    """Whether it may be a rule for the assistant: an order, or something about answers."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a statement, as rules read it."""

    properties: tuple[Property, ...]
    words: tuple[str, ...]
    """Its words without fillers and without what denies or changes it."""
    is_rule: bool = False
    """Whether it tells the assistant what to do."""
    is_affirmed: bool = True
    """Whether nothing in it denies it."""

    @property
    def holds_now(self) -> bool:
        """Whether all it tells is true now."""
        return all(one.holds_now for one in self.properties)


def split_wording(wording: Wording, *, in_chinese: bool) -> tuple[Part, ...]:
    """The clauses of a statement; none of one that has too many to be compared."""
    texts = (chinese if in_chinese else english).split_clauses(wording.text)
    if len(texts) > _MOST_CLAUSES:
        return ()
    return tuple(_make_part(text, wording, in_chinese=in_chinese) for text in texts)


def _make_part(text: str, wording: Wording, *, in_chinese: bool) -> Part:
    words = _words_of(text, in_chinese=in_chinese)
    is_order = wording.is_order or bool(_ORDER.regex.match(text))
    return Part(text, words, is_order, is_order or _is_about_answers(text))


def _is_about_answers(text: str) -> bool:
    may_be = has_any(small_letters(text), _ANSWER_SIGNS)
    return may_be and _ABOUT_ANSWERS.regex.search(text) is not None


def read_denied(text: str, *, in_chinese: bool) -> tuple[str, ...]:
    """The words of the value that a statement says is wrong: "6 March, not 5 March"."""
    aside = _NOT_THAT.regex.search(text) if _may_say_not(text) else None
    return _words_of(aside["what"] or aside["what_zh"], in_chinese=in_chinese) if aside else ()


def read_clauses(parts: Iterable[Part], *, in_chinese: bool, is_change: bool) -> tuple[Clause, ...]:
    """What clauses tell, one after the other: "it" is what the one before speaks of.

    Args:
        parts: the clauses in their order.
        in_chinese: whether they are in Chinese.
        is_change: whether they are introduced as news about something known.
    """
    clauses: list[Clause] = []
    previous: tuple[Property, ...] = ()
    for part in parts:
        found = _read_part(part, previous, in_chinese=in_chinese)
        if is_change:
            found = tuple(replace(one, is_change=True) for one in found)
        is_affirmed = _is_affirmed(part.text, in_chinese=in_chinese)
        clauses.append(Clause(found, part.words, part.is_order, is_affirmed))
        previous = found or previous
    return tuple(clauses)


def _read_part(
    part: Part, previous: tuple[Property, ...], *, in_chinese: bool
) -> tuple[Property, ...]:
    found = read_rule(part.text) if part.may_be_rule else ()
    if not found and not part.is_order:
        found = (chinese if in_chinese else english).read_clause(part.text, previous)
    return found or (_read_whole(part, in_chinese=in_chinese),)


def _read_whole(part: Part, *, in_chinese: bool) -> Property:
    """A clause that no rule reads, as one property that is stated or denied."""
    language = chinese if in_chinese else english
    change, past, tentative = language.times_of(part.text)
    key = " ".join(part.words)
    subject = ASSISTANT if part.is_order else language.subject_of(part.text)
    affirmed = _is_affirmed(part.text, in_chinese=in_chinese)
    return Property(subject, f"{WHOLE}{key}", key, False, affirmed, change, past, tentative)


def list_subjects(parts: Iterable[Part]) -> frozenset[str]:
    """Of whom or what English clauses may tell something, where a rule reads them; maybe more.

    What no rule reads is compared by its words. To find the subjects takes a fourth of the time
    that it takes to read what is said of them.
    """
    every: set[str] = set()
    before: frozenset[str] = frozenset()
    for at, part in enumerate(parts):
        found = frozenset((ASSISTANT, USER)) if part.may_be_rule else frozenset[str]()
        whole = ASSISTANT
        if not part.is_order:
            found |= english.list_subjects(part.text, before if at else None)
            whole = english.subject_of(part.text)
        every |= found
        before = found | {whole}
    return frozenset(every)


def _is_affirmed(part: str, *, in_chinese: bool) -> bool:
    """Whether nothing in a clause denies it."""
    if in_chinese:
        return not chinese.is_denied(part)
    return not _NEGATIVE & {word.lower().strip(".,!") for word in part.split()}


def _words_of(text: str, *, in_chinese: bool) -> tuple[str, ...]:
    """Its words without fillers, without what denies or changes it, and without "not that"."""
    plain = _NOT_THAT.regex.sub("", text) if _may_say_not(text) else text
    if in_chinese:
        return chinese.plain_words(plain)
    return tuple(filter(None, map(_plain_word, _WORD.regex.findall(plain))))


def _may_say_not(text: str) -> bool:
    """Whether it has a word for "not that", which few have and a pattern is long in looking for."""
    return has_any(small_letters(text), ("not", "instead", "rather", "不是"))


@remember_results(16_384)
def _plain_word(word: str) -> str:
    """A word as it is compared; empty for a filler. Cached, as stems are."""
    plain = word.lower().strip(".:'")
    if not plain or plain in _EMPTY:
        return ""
    plain = COUNTS.get(plain, plain)
    return plain if any(map(str.isdigit, plain)) else stem(plain)
