"""How a task is named, begun and ended in words, whatever the language."""

from dataclasses import dataclass, replace

from memoria.text.pattern import LazyPattern

LONGEST_TASK = 120


@dataclass(frozen=True, slots=True)
class TaskOpening:
    """How a task is begun; `task` is the group that names it."""

    pattern: LazyPattern
    is_clear: bool = False
    """Nobody says so of a mere step: whatever is in hand makes room."""
    counts_in_question: bool = False
    """It may be put as a question."""


@dataclass(frozen=True, slots=True)
class TaskMention:
    """A task as somebody names it."""

    task: str
    is_clear: bool
    counts_in_question: bool = False
    """It counts in a question, too."""


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """The end of something."""

    what: str
    """Its name; empty where it is whatever is in hand."""
    rest: str
    """What else the sentence says."""

    @property
    def counts_in_question(self) -> bool:
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
    openings: tuple[TaskOpening, ...]
    end_pattern: LazyPattern
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

    def find_start(self, sentence: str) -> TaskMention | None:
        """The task that a sentence begins."""
        found = self._find_mention(sentence)
        return None if found is None or self.later.regex.search(sentence) else found

    def find_end(self, sentence: str) -> TaskEnd | None:
        """What a sentence says is over."""
        match = self.end_pattern.regex.match(sentence, _match_end(self.lead, sentence))
        if match is None:
            return None
        groups = match.groupdict().items()
        what = next((text for name, text in groups if name != "rest" and text), "").strip()
        is_pointing = self.pointing.regex.fullmatch(what)
        return TaskEnd("" if is_pointing else what, match["rest"].lstrip(" ,，:–—-"))

    def _find_mention(self, sentence: str) -> TaskMention | None:
        start = _match_end(self.lead, sentence)
        aside = self.aside.regex.match(sentence, start)
        if aside is None:
            return self._match_opening(sentence[start:])
        rest = sentence[_match_end(self.lead, sentence, aside.end()) :]
        mention = self._match_opening(rest)
        if mention is not None:
            return replace(mention, is_clear=True)
        return (
            self._make_mention(rest, TaskOpening(self.aside, is_clear=True))
            if aside["names"]
            else None
        )

    def _match_opening(self, text: str) -> TaskMention | None:
        for opening in self.openings:
            match = opening.pattern.regex.match(text)
            if match:
                return self._make_mention(match["task"], opening)
        return None

    def _make_mention(self, raw: str, opening: TaskOpening) -> TaskMention | None:
        task = self.filler.regex.sub("", self.tail.regex.sub("", raw)).strip(" ，,。：:、-–—")
        return (
            TaskMention(shorten_task(task), opening.is_clear, opening.counts_in_question)
            if task
            else None
        )


def shorten_task(task: str) -> str:
    """A task's name in a line, cut between words where it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def _match_end(pattern: LazyPattern, text: str, start: int = 0) -> int:
    match = pattern.regex.match(text, start)
    return match.end() if match else start
