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
from memoria.policy.own_words import Sentence, own_sentences
from memoria.policy.phrases.tasks import TaskEnd, TaskLanguage, TaskMention
from memoria.policy.phrases.tasks_chinese import CHINESE_TASKS
from memoria.policy.phrases.tasks_english import ENGLISH_TASKS
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
class TaskSignals:
    """What a turn says about tasks."""

    start: TaskMention | None = None
    is_end: bool = False
    ended_task: str = ""
    """What has ended, where it is named."""


def find_task_signals(text: str) -> TaskSignals | None:
    """What a user's turn says about tasks; None if nothing.

    Args:
        text: its words; anything at all.
    """
    if len(text) > _LONGEST_TURN or not _may_signal(text):
        return None
    plain_text = _CODE_NAME.regex.sub(r"\1", text)  # `load_config` is a name, not a piece of code
    signals = _signals_in(list(islice(own_sentences(plain_text), _SENTENCES)))
    return None if signals is None or instruction_shaped(text, Trust.USER) else signals


def next_task(signals: TaskSignals, task: str | None, *, after_rest: bool = False) -> str | None:
    """The task in hand after somebody has said so.

    Args:
        signals: what was said.
        task: what was in hand until then.
        after_rest: whether nothing was said for so long that any task may be the next.
    """
    if signals.is_end and (
        not signals.ended_task or (task and same_task(signals.ended_task, task))
    ):
        task = None
    start = signals.start
    if start is None or (task and not (start.is_clear or after_rest)):
        return task
    return task if task and same_task(start.task, task) else start.task


def same_task(one: str | None, other: str | None) -> bool:
    """Whether two names mean the same task, as far as their words tell; no name means none."""
    if not one or not other:
        return False
    a, b = discriminative_terms(one), discriminative_terms(other)
    return bool(a and b) and len(a & b) >= _SAME_TASK * min(len(a), len(b))


def discriminative_terms(name: str) -> frozenset[str]:
    """The words of a task's name by which it is told from others."""
    for language in _LANGUAGES:
        name = language.common.regex.sub(" ", name)
    return frozenset(filter(_is_discriminative, query_terms(name)))


def names_a_task(task: str) -> bool:
    """Whether a name tells the task from others at all; "fix it" does not."""
    return bool(discriminative_terms(task)) and _REDACTED not in task


def _is_discriminative(term: str) -> bool:
    return len(term) > 1 and term not in STOP_WORDS and bool(_LETTER.regex.search(term))


def _may_signal(text: str) -> bool:
    """A sieve: whether there is anything to look for. Most turns end here."""
    lowered = text.lower()
    found = any(any(map(lowered.__contains__, one.cues)) for one in _languages_for(text))
    return found or _IMPERATIVE.regex.match(lowered) is not None


def _languages_for(text: str) -> tuple[TaskLanguage, ...]:
    return (ENGLISH_TASKS,) if text.isascii() else _LANGUAGES


def _signals_in(signals: list[Sentence]) -> TaskSignals | None:
    ended_name: str | None = None
    pieces = [(sentence.text, sentence) for sentence in signals]
    while pieces:
        text, sentence = pieces.pop(0)
        match _signal_of(text, sentence):
            case TaskMention() as start:
                return TaskSignals(start, ended_name is not None, ended_name or "")
            case TaskEnd() as task_end:
                ended_name = task_end.what
                pieces = [(task_end.rest, sentence), *pieces] if task_end.rest else pieces
            case None if ended_name is not None and not _is_polite(text):
                ended_name = None
            case None:
                pass
    return None if ended_name is None else TaskSignals(is_end=True, ended_task=ended_name)


def _signal_of(text: str, sentence: Sentence) -> TaskMention | TaskEnd | None:
    """What a sentence, or the rest of it, says about a task."""
    if len(text) > _LONGEST_SENTENCE or not _may_signal(text):
        return None
    for language in _languages_for(text):
        signals = language.find_end(text) or language.find_start(text)
        if signals is None or (isinstance(signals, TaskMention) and not names_a_task(signals.task)):
            continue
        return (
            None
            if sentence.is_doubtful or (sentence.is_question and not signals.counts_in_question)
            else signals
        )
    return None


def _is_polite(text: str) -> bool:
    return any(language.polite.regex.match(text) for language in _LANGUAGES)


_CODE_NAME = LazyPattern(r"`([\w./:#-]{1,60})`")
_LETTER = LazyPattern(r"[^\W\d_]")
_IMPERATIVE = LazyPattern(r"\s*(?:ok,?\s)?[a-z]{3,11}\s(?:up\s)?(?:me\s)?(?:the|an?|my|our|all)\s")
