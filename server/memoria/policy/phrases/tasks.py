"""How a task is named, begun and ended in words, whatever the language."""

from dataclasses import dataclass, replace

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
    asked: bool = False
    """It counts in a question, too."""


@dataclass(frozen=True, slots=True)
class Over:
    """The end of something."""

    what: str
    """Its name; empty where it is whatever is in hand."""
    rest: str
    """What else the sentence says."""

    @property
    def asked(self) -> bool:
        """A question ends nothing."""
        return False


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

    def begun(self, sentence: str) -> Found | None:
        """The task that a sentence begins."""
        found = self._named(sentence)
        return None if found is None or self.later.compiled.search(sentence) else found

    def ends(self, sentence: str) -> Over | None:
        """What a sentence says is over."""
        match = self.ended.compiled.match(sentence, _end(self.lead, sentence))
        if match is None:
            return None
        groups = match.groupdict().items()
        what = next((text for name, text in groups if name != "rest" and text), "").strip()
        unnamed = self.pointing.compiled.fullmatch(what)
        return Over("" if unnamed else what, match["rest"].lstrip(" ,，:–—-"))

    def _named(self, sentence: str) -> Found | None:
        start = _end(self.lead, sentence)
        aside = self.aside.compiled.match(sentence, start)
        if aside is None:
            return self._opened(sentence[start:])
        rest = sentence[_end(self.lead, sentence, aside.end()) :]
        opened = self._opened(rest)
        if opened is not None:
            return replace(opened, clear=True)
        return self._found(rest, Opening(self.aside, clear=True)) if aside["names"] else None

    def _opened(self, text: str) -> Found | None:
        for opening in self.openings:
            match = opening.pattern.compiled.match(text)
            if match:
                return self._found(match["task"], opening)
        return None

    def _found(self, raw: str, opening: Opening) -> Found | None:
        task = self.filler.compiled.sub("", self.tail.compiled.sub("", raw)).strip(" ，,。：:、-–—")
        return Found(shortened(task), opening.clear, opening.asked) if task else None


def shortened(task: str) -> str:
    """A task's name in a line, cut between words where it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def _end(pattern: LazyPattern, text: str, start: int = 0) -> int:
    match = pattern.compiled.match(text, start)
    return match.end() if match else start
