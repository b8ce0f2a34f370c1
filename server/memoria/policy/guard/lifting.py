"""What lifts a word: something was said or done since that may have mended the cause."""

import re

from memoria.language.calls.outcome import Outcome
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


def is_lifted(step: GuardStep, failure: GuardStep, match: dict[str, object]) -> bool:
    """Check whether a later step may have mended what failed."""
    cures = _list_cures(match)
    if step.said:
        if any(_names(step.said, one) for one in cures):
            return True
        words = " ".join((failure.line, *cures, *failure.errors[:2]))
        named = {one.casefold() for one in _PIECE.findall(words)} - _PLAIN
        return any(
            named & {one.casefold() for one in _PIECE.findall(sentence)}
            for sentence in _SENTENCE.split(step.said)
            if _MENDED.search(sentence)
        )
    if step.outcome is Outcome.FAILED:
        return False
    changed = "\n".join(one.new for one in step.edits)
    if not changed and _WRITES.search(step.line):
        changed = step.line
    return any(_names(changed, one) for one in cures) if changed else False


def _names(text: str, cure: str) -> bool:
    """Check whether a text names what helped: a flag of one plain word only with its dashes."""
    bare = cure.strip("-+")
    name = bare if "-" in bare or "_" in bare or bare.isupper() else cure
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _list_cures(match: dict[str, object]) -> list[str]:
    found: list[str] = []
    for name in ("env", "flags", "good"):
        value = match.get(name)
        if isinstance(value, list):
            found += [one for one in value if len(one.strip("-+")) > 1]
    return found
