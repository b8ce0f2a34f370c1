"""What lifts a word: something was said or done since that may have mended the cause."""

import re
from typing import TYPE_CHECKING

from memoria.language.calls.outcome import Outcome

if TYPE_CHECKING:
    from memoria.policy.guard.steps import GuardStep

_MENDED = re.compile(
    r"\b(?:works?|runs?|goes|set)\b[^.!?]{0,40}\b(?:now|again|without|plain|fine)\b|\bthere now\b"
    r"|\bplain works\b|\bno longer\b|\bneed not\b"
    r"|\b(?:fixed|installed|granted|switched|upgraded|solved|mended)\b"
    r"|不用再|不需要|修好|好了|装好|装了|换成|解决|已经可以|现在可以",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[。!！?？\n])|(?<=[.;])(?=\s|$)")
_WRITES = re.compile(r"\b(?:echo|printf|cat|tee)\b.*>|\btee\b|\b(?:set|config)\b")
_PIECE = re.compile(r"[A-Za-z_][\w-]{2,}")
_PLAIN = frozenset("run the and use for test tests with this that from bin src app all".split())


def may_lift(step: "GuardStep") -> bool:
    """Check whether a step is of the kind that lifts words: said, or a change of a file."""
    if step.said:
        return True
    is_change = bool(step.edits) or _WRITES.search(step.line) is not None
    return is_change and step.outcome is not Outcome.FAILED


def list_mended(said: str) -> tuple[frozenset[str], ...]:
    """List the words of each sentence that says that something works or has changed."""
    return tuple(
        frozenset(one.casefold() for one in _PIECE.findall(sentence))
        for sentence in (_SENTENCE.split(said) if _MENDED.search(said) else ())
        if _MENDED.search(sentence)
    )


class Lifting:
    """Conditions that lift a word."""

    def __init__(self, failure: "GuardStep", match: dict[str, object]) -> None:
        """Take the words of a failure and of what helped.

        Args:
            failure: the step that failed.
            match: what a command has to have for the word.
        """
        self._cures = _list_cures(match)
        words = " ".join((failure.line, *self._cures, *failure.errors[:2]))
        self._named = {one.casefold() for one in _PIECE.findall(words)} - _PLAIN

    def is_lifted(self, step: "GuardStep") -> bool:
        """Check whether a step, of the kind that lifts, may have mended what failed."""
        told = step.said or step.added or step.line
        if any(_names(told, one) for one in self._cures):
            return True
        return bool(step.said) and any(self._named & one for one in step.mended)


def _names(text: str, cure: str) -> bool:
    """Check whether a text names what helped: a flag of one plain word only with its dashes."""
    bare = cure.strip("-+")
    name = bare if "-" in bare or "_" in bare or bare.isupper() else cure
    if name not in text:
        return False
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _list_cures(match: dict[str, object]) -> list[str]:
    found: list[str] = []
    for name in ("env", "flags", "good"):
        value = match.get(name)
        if isinstance(value, list):
            found += [one for one in value if len(one.strip("-+")) > 1]
    return found
