"""How a task is named, begun and ended in words, whatever the language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoria.text.pattern import LazyPattern

LONGEST_TASK = 120


@dataclass(frozen=True, slots=True)
class Opening:
    """How a task is begun; `task` is the group that names it."""

    pattern: LazyPattern
    clear: bool = False
    """Nobody says so of a mere step: whatever is in hand makes room."""
    asked: bool = False
    """It may be put as a question."""


@dataclass(frozen=True, slots=True)
class Found:
    """A task as somebody names it."""

    task: str
    clear: bool


@dataclass(frozen=True, slots=True)
class TaskLanguage:
    """How a language speaks of tasks. Every pattern is held against the start of a sentence."""

    cues: tuple[str, ...]
    """One of these, in lower case, is in every turn that says something; a sieve."""
    lead: LazyPattern
    """What may come before and says nothing."""
    aside: LazyPattern
    """What says that there is another task, before it is named."""
    openings: tuple[Opening, ...]
    ended: LazyPattern
    """The end of something; `rest` is what else the sentence says, any other group what it was."""
    pointing: LazyPattern
    """Words for what is in hand that don't name it."""
    polite: LazyPattern
    """What may follow an end without taking it back."""
    later: LazyPattern
    """Not now, or under a condition, or beside something else: nothing is begun."""
    tail: LazyPattern
    """Where a task's name is over: a new clause, a reason."""
    filler: LazyPattern
    """What a name neither begins nor ends with."""
    common: LazyPattern
    """Words that name no task: `fix`, `bug`, 修复."""

    def begun(self, sentence: str, *, asked: bool) -> Found | None:
        """The task that a sentence begins."""
        if self.later.compiled.search(sentence):
            return None
        start = _end(self.lead, sentence)
        aside = self.aside.compiled.match(sentence, start)
        if aside is None:
            return self._opened(sentence[start:], asked=asked, clear=False)
        rest = sentence[_end(self.lead, sentence, aside.end()) :]
        opened = self._opened(rest, asked=asked, clear=True)
        return opened or (self._found(rest, clear=True) if aside["names"] else None)

    def _opened(self, text: str, *, asked: bool, clear: bool) -> Found | None:
        for opening in self.openings:
            match = opening.pattern.compiled.match(text)
            if match and (opening.asked or not asked):
                return self._found(match["task"], clear=clear or opening.clear)
        return None

    def _found(self, raw: str, *, clear: bool) -> Found | None:
        task = self.filler.compiled.sub("", self.tail.compiled.sub("", raw)).strip(" ，,。：:、-–—")
        return Found(shortened(task), clear) if task else None

    def ends(self, text: str) -> re.Match[str] | None:
        """What a clause says is over."""
        return self.ended.compiled.match(text, _end(self.lead, text))

    def over(self, match: re.Match[str]) -> str:
        """What is over, by name; empty where that is whatever is in hand."""
        groups = match.groupdict().items()
        named = next((text for name, text in groups if name != "rest" and text), "").strip()
        return "" if self.pointing.compiled.fullmatch(named) else named


def shortened(task: str) -> str:
    """A task's name in a line, cut between words where it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def cued(languages: tuple[TaskLanguage, ...], text: str) -> bool:
    """Whether any cue stands in the text."""
    return any(cue in text for cue in _cues(languages))


def _cues(languages: tuple[TaskLanguage, ...]) -> Iterator[str]:
    return (cue for language in languages for cue in language.cues)


def _end(pattern: LazyPattern, text: str, start: int = 0) -> int:
    match = pattern.compiled.match(text, start)
    return match.end() if match else start
