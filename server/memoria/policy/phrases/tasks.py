"""How tasks are named, begun and ended, whatever the language."""

from dataclasses import dataclass, replace

from memoria.text.pattern import LazyPattern

LONGEST_TASK = 120


@dataclass(frozen=True, slots=True)
class TaskOpening:
    """A phrase that begins a task; its group `task` is the name."""

    pattern: LazyPattern
    is_clear: bool = False
    """Whether it is never said of a mere step, and so always begins a new task."""
    counts_in_question: bool = False
    """Whether it begins a task in a question, too."""


@dataclass(frozen=True, slots=True)
class TaskMention:
    """A task that a sentence names."""

    task: str
    is_clear: bool
    counts_in_question: bool = False
    """Whether it counts in a question, too."""


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """The end of a task."""

    what: str
    """The name of the task; empty for the current one."""
    rest: str
    """The rest of the sentence."""

    @property
    def counts_in_question(self) -> bool:
        """Whether it counts in a question, too: it never does."""
        return False


@dataclass(frozen=True, slots=True)
class TaskLanguage:
    """The phrases of a language about tasks. Patterns match at the start of a sentence."""

    cues: tuple[str, ...]
    """One of these, in lower case, occurs in every turn that says something about tasks."""
    lead: LazyPattern
    """Fillers before a phrase."""
    aside: LazyPattern
    """Announces another task before it is named."""
    openings: tuple[TaskOpening, ...]
    end_pattern: LazyPattern
    """Ends a task; the group `rest` is the rest of the sentence, any other group the name."""
    pointing: LazyPattern
    """Words for the current task that are no name."""
    polite: LazyPattern
    """Words that may follow an end without undoing it."""
    later: LazyPattern
    """Words that put a task off, make it conditional or secondary: it does not begin."""
    tail: LazyPattern
    """What follows a task's name: a new clause, a reason."""
    filler: LazyPattern
    """Words that a name neither begins nor ends with."""
    common: LazyPattern
    """Words that distinguish no task: `fix`, `bug`, 修复."""

    def find_start(self, sentence: str) -> TaskMention | None:
        """The task that a sentence begins, if it does."""
        found = self._find_mention(sentence)
        return None if found is None or self.later.regex.search(sentence) else found

    def find_end(self, sentence: str) -> TaskEnd | None:
        """The task that a sentence ends, if it does."""
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
    """A task's name in one line, cut between words if it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def _match_end(pattern: LazyPattern, text: str, start: int = 0) -> int:
    match = pattern.regex.match(text, start)
    return match.end() if match else start
