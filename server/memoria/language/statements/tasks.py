"""Tasks: names that mean the same task, as far as their words tell.

A name that shares half of its distinguishing words with another is the same task; one without such
a word ("fix it") is no task. The tasks themselves come from a model, an agent or a person.
"""

from memoria.language.pattern import LazyPattern
from memoria.language.words.analyser import query_terms
from memoria.language.words.stopwords import list_stop_words

LONGEST_TASK = 120
_SAME_TASK = 0.5
_REDACTED = "[redacted:"
_LETTER = LazyPattern(r"[^\W\d_]")
_COMMON = LazyPattern(
    r"""(?xi)\b(?:work|start|fix|mend|solve|write|add|make|build|refactor|codes?|bugs?|errors?
      |functions?|files?|problems?|issues?|tests?|help|new|next|\d+)\b
    |修复|修改|重构|实现|编写|开发|添加|做|写|改|一下|一个|问题|东西|代码|函数|文件|测试|错误|事情?|[的了把在和与]|\d+"""
)
"""Words that distinguish no task."""


_GOING_ON = LazyPattern(
    r"""(?xi)\b(?:continue|resume|carry\s+on|go(?:ing)?\s+on|pick\s+up|left\s+off|where\s+w(?:e|as|ere))\b
    |继续|接着|上次"""
)
"""Words by which somebody goes on with a task in hand, without naming it."""
_LEAST_WORDS, _HARDLY_SHARED = 3, 0.25


def is_about_another(opening: str, task: str) -> bool:
    """Check whether the first prompt of a session is about something else than a task.

    One of hardly any words, or that goes on with what was in hand, tells nothing.
    """
    said, named = list_telling_words(opening), list_telling_words(task)
    if not named or len(said) < _LEAST_WORDS or _GOING_ON.regex.search(opening):
        return False
    return len(said & named) < _HARDLY_SHARED * min(len(said), len(named))


def same_task(one: str | None, other: str | None) -> bool:
    """Check whether two names mean the same task by their words; an empty one never does."""
    if not one or not other:
        return False
    a, b = list_telling_words(one), list_telling_words(other)
    return bool(a and b) and len(a & b) >= _SAME_TASK * min(len(a), len(b))


def list_telling_words(name: str) -> frozenset[str]:
    """Return the words of a task's name that distinguish it from other tasks."""
    return frozenset(filter(_is_telling, query_terms(_COMMON.regex.sub(" ", name))))


def names_a_task(task: str) -> bool:
    """Check whether a name has a word that distinguishes the task; "fix it" has none."""
    return bool(list_telling_words(task)) and _REDACTED not in task


def shorten_task(task: str) -> str:
    """Return a task's name in one line, cut between words if it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def _is_telling(term: str) -> bool:
    return len(term) > 1 and term not in list_stop_words() and bool(_LETTER.regex.search(term))
