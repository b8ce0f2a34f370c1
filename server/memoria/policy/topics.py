"""What a user's turn plainly says about the task in hand: that another begins, or that it is over.

Precision before recall. Only the user's own sentences count (`spoken`), a few from the beginning of
a turn, and never a condition, hearsay, a negation or what is put off. How plainly a task is named
decides what it may do: "let's move on to …", "now let's write …", 换个话题 make whatever is in hand
room; "help me …", "can you fix …", 帮我…, which are as often said of a mere step, begin a task only
where none is in hand, or after a rest. A name that shares half of its telling words with what is in
hand is the same task; one without a telling word ("let's fix it") names none. An end counts if
nothing but thanks or the next task comes after it, and, where it names a task, if that is in hand.

Left undetected: a request that changes the task in so many words without saying so ("write the
changelog" after hours of something else, without a rest); a part of the task that shares no word
with its name, said as plainly as a new one, is taken for a new one; "done" in answer to a step the
assistant asked for is taken for the end; turns beyond some thousand characters, which are pastes
and stories; every language but English and Chinese.
"""

from dataclasses import dataclass
from itertools import islice

from memoria.model.memory import Trust
from memoria.policy.orders import instruction_shaped
from memoria.policy.phrases.tasks import Found, Over, TaskLanguage
from memoria.policy.phrases.tasks_chinese import CHINESE_TASKS
from memoria.policy.phrases.tasks_english import ENGLISH_TASKS
from memoria.policy.spoken import Sentence, sentences
from memoria.text.analyser import query_terms
from memoria.text.pattern import LazyPattern
from memoria.text.stopwords import STOP_WORDS

_LANGUAGES = (ENGLISH_TASKS, CHINESE_TASKS)
_LONGEST_TURN = 4_000
_SENTENCES = 6
_LONGEST_SENTENCE = 400
_SAME_TASK = 0.5
_REDACTED = "[redacted:"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a turn says about tasks."""

    begun: Found | None = None
    ended: bool = False
    over: str = ""
    """What has ended, where it is named."""


def heard(text: str) -> Heard | None:
    """What a user's turn says about tasks; None if nothing.

    Args:
        text: its words; anything at all.
    """
    if len(text) > _LONGEST_TURN or not _may_say(text):
        return None
    told = _NAME.compiled.sub(r"\1", text)  # `load_config` is a name, not a piece of code
    said = _heard(list(islice(sentences(told), _SENTENCES)))
    return None if said is None or instruction_shaped(text, Trust.USER) else said


def in_hand(said: Heard, task: str | None, *, rested: bool = False) -> str | None:
    """The task in hand after somebody has said so.

    Args:
        said: what was said.
        task: what was in hand until then.
        rested: whether nothing was said for so long that any task may be the next.
    """
    if said.ended and (not said.over or (task and same_task(said.over, task))):
        task = None
    begun = said.begun
    if begun is None or (task and not (begun.clear or rested)):
        return task
    return task if task and same_task(begun.task, task) else begun.task


def same_task(one: str | None, other: str | None) -> bool:
    """Whether two names mean the same task, as far as their words tell; no name means none."""
    if not one or not other:
        return False
    a, b = telling(one), telling(other)
    return bool(a and b) and len(a & b) >= _SAME_TASK * min(len(a), len(b))


def telling(name: str) -> frozenset[str]:
    """The words of a task's name by which it is told from others."""
    for language in _LANGUAGES:
        name = language.common.compiled.sub(" ", name)
    return frozenset(filter(_tells, query_terms(name)))


def names(task: str) -> bool:
    """Whether a name tells the task from others at all; "fix it" does not."""
    return bool(telling(task)) and _REDACTED not in task


def _tells(term: str) -> bool:
    return len(term) > 1 and term not in STOP_WORDS and bool(_LETTER.compiled.search(term))


def _may_say(text: str) -> bool:
    """A sieve: whether there is anything to look for. Most turns end here."""
    lowered = text.lower()
    found = any(any(map(lowered.__contains__, one.cues)) for one in _languages(text))
    return found or _ORDERED.compiled.match(lowered) is not None


def _languages(text: str) -> tuple[TaskLanguage, ...]:
    return (ENGLISH_TASKS,) if text.isascii() else _LANGUAGES


def _heard(said: list[Sentence]) -> Heard | None:
    over: str | None = None
    pieces = [(sentence.text, sentence) for sentence in said]
    while pieces:
        text, sentence = pieces.pop(0)
        match _says(text, sentence):
            case Found() as begun:
                return Heard(begun, over is not None, over or "")
            case Over() as ended:
                over = ended.what
                pieces = [(ended.rest, sentence), *pieces] if ended.rest else pieces
            case None if over is not None and not _polite(text):
                over = None
            case None:
                pass
    return None if over is None else Heard(ended=True, over=over)


def _says(text: str, sentence: Sentence) -> Found | Over | None:
    """What a sentence, or the rest of it, says about a task."""
    if len(text) > _LONGEST_SENTENCE or not _may_say(text):
        return None
    for language in _languages(text):
        said = language.ends(text) or language.begun(text)
        if said is None or (isinstance(said, Found) and not names(said.task)):
            continue
        return None if sentence.doubted or (sentence.asked and not said.asked) else said
    return None


def _polite(text: str) -> bool:
    return any(language.polite.compiled.match(text) for language in _LANGUAGES)


_NAME = LazyPattern(r"`([\w./:#-]{1,60})`")
_LETTER = LazyPattern(r"[^\W\d_]")
_ORDERED = LazyPattern(r"\s*(?:ok,?\s)?[a-z]{3,11}\s(?:up\s)?(?:me\s)?(?:the|an?|my|our|all)\s")
