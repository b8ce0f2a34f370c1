"""Task signals: what a user's turn says about the current task, that it ends or another begins.

The rules rather miss a signal than invent one. They look only at the user's own words
(`own_words`), at the first few sentences of a turn, and never at conditions, hearsay, negations or
what is put off. A clear phrase ("let's move on to …", "now let's write …", 换个话题) always begins
a new task. A weaker one ("help me …", "can you fix …", 帮我…) is often said of a mere step, so it
begins a task only if there is none, or after a break. A name that shares half of its discriminative
words with the current task is the same task; a name without such a word ("let's fix it") is no
task. An end counts if only thanks or the next task follow, and if it names the current task or
none.

Known limits: a request that changes the task without saying so ("write the changelog" after hours
of something else) is missed; a part of the task that shares no word with its name is taken for a
new task; "done" in answer to the assistant's question is taken for the end; turns of more than some
thousand characters, which are pastes and stories, and languages other than English and Chinese are
not looked at.
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
    """What a turn says about the current task."""

    start: TaskMention | None = None
    is_end: bool = False
    ended_task: str = ""
    """The name of the task that has ended, if the turn names it."""


def find_task_signals(text: str) -> TaskSignals | None:
    """Find what a user's turn says about tasks; None if it says nothing.

    Args:
        text: its words.
    """
    if len(text) > _LONGEST_TURN or not _may_signal(text):
        return None
    plain_text = _CODE_NAME.regex.sub(r"\1", text)  # `load_config` is a name, not a piece of code
    signals = _signals_in(list(islice(own_sentences(plain_text), _SENTENCES)))
    return None if signals is None or instruction_shaped(text, Trust.USER) else signals


def next_task(signals: TaskSignals, task: str | None, *, after_rest: bool = False) -> str | None:
    """The current task after a turn.

    Args:
        signals: what the turn says about tasks.
        task: the current task before it.
        after_rest: whether the turn follows a break, after which any task may begin.
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
    """Whether two names mean the same task, as far as their words tell; an empty one never does."""
    if not one or not other:
        return False
    a, b = discriminative_terms(one), discriminative_terms(other)
    return bool(a and b) and len(a & b) >= _SAME_TASK * min(len(a), len(b))


def discriminative_terms(name: str) -> frozenset[str]:
    """The words of a task's name that distinguish it from other tasks."""
    for language in _LANGUAGES:
        name = language.common.regex.sub(" ", name)
    return frozenset(filter(_is_discriminative, query_terms(name)))


def names_a_task(task: str) -> bool:
    """Whether a name has a word that distinguishes the task; "fix it" has none."""
    return bool(discriminative_terms(task)) and _REDACTED not in task


def _is_discriminative(term: str) -> bool:
    return len(term) > 1 and term not in STOP_WORDS and bool(_LETTER.regex.search(term))


def _may_signal(text: str) -> bool:
    """Whether a text contains a cue at all: a quick check that most turns fail."""
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
    """The signal of a sentence or of the rest of one."""
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
