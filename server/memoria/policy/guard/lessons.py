"""Lessons of failures: by which other means the same was done afterwards.

The means are the marks that the command which worked has and the failed one has not: a variable, a
flag, a program, a value. What the error names counts before what it does not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoria.bare.guard import CHOSEN, Act, last_part
from memoria.language.calls.kinship import is_reader
from memoria.policy.guard.lifting import names_any
from memoria.policy.guard.steps import GuardStep

_REACH = 30
"""Number of calls behind a failure within which something else worked."""
_UNKNOWN_PROGRAM = re.compile(r"command not found|: not found$|is not recognized", re.MULTILINE)
_PASSES = re.compile(
    r"\btime(?:d[ -])?out\b|\bhandshake\b|reset by peer|\btemporar|too many requests|超时",
    re.IGNORECASE,
)
"""What may be gone by itself the next time: it teaches when it comes again."""
_FINDINGS = re.compile(
    r"(?<![\d.:])[1-9]\d{0,2} (?:failed|failing|failures?|errors?|problems?|issues?)\b"
    r"|\bFAIL(?:ED)?\b|^\S*\w\.\w+[:(]\d+",
    re.MULTILINE,
)
"""What a checker found in the code: only the same check by other means says that it was not."""
_CHOICES = frozenset("-k -t -m -g -R -x --grep --filter --only --lf --run -run --tests".split())
"""Flags by which less is checked."""
_LEAST_CHARS = 3
"""Of a word that an error is asked for."""
_PATH = re.compile(r"/|\w\.\w")
_ONCE = re.compile(
    r"^-[wf]$|^--(?:[\w-]*-)?(?:fix|write|force|no-verify|help|version|create|init|install|update"
    r"|upgrade|sync|fetch|reset|clean|repair|rebuild)(?:-|$)"
)
"""Flags by which something is made, mended or asked for once; then it works without, too."""
_AROUND = ("via ", "source ", "nvm ", "conda ")
_NOT_COMPARED = ("line ", "do ", "program ", "key ", "at ", "edit ", CHOSEN)


@dataclass(frozen=True)
class Lesson:
    """A failure, and what worked afterwards."""

    i: int
    """Number of the step that failed."""
    j: int
    """Number of the step that worked."""
    failed: Act
    wanted: set[str]
    """Marks of what would fail alike."""
    means: set[str]
    against: set[str]
    """Marks of what would not fail alike: the means, or none where the error blames a word."""


def read_lesson(steps: Sequence[GuardStep], i: int) -> Lesson | None:
    """Return what a failure teaches; None for nothing."""
    failed, told = steps[i].failure, steps[i].error_text
    found = _find_cure(steps, i, failed) if failed else None
    if failed is None or found is None or (_PASSES.search(told) and not _comes_again(steps, i)):
        return None
    j, cured, means = found
    heads = {one for one in failed.marks if one.startswith("head ")}
    names = [one.removeprefix("head ") for one in heads]
    if means and _UNKNOWN_PROGRAM.search(told) and names_any(told, names):
        return Lesson(i, j, failed, heads, means, means)
    is_less = cured.program != failed.program or not means or means & _CHOICES
    if is_less and not _list_named(means, told) and _FINDINGS.search(steps[i].output):
        return None
    if not means and not _does_same(failed, cured, told):
        return Lesson(i, j, failed, failed.marks, means, means)
    lost = _list_compared(failed) - _list_compared(cured)
    wanted, helped = _list_wanted(failed, cured, told, means, lost)
    against = set() if _list_named(lost, told) else helped
    return Lesson(i, j, failed, wanted, helped, against) if means or lost else None


def _comes_again(steps: Sequence[GuardStep], i: int) -> bool:
    """Check whether another call has failed with an error that this one has."""
    errors = {*steps[i].errors}
    return any(k != i and not errors.isdisjoint(step.errors) for k, step in enumerate(steps))


def _list_wanted(
    failed: Act, cured: Act, told: str, means: set[str], lost: set[str]
) -> tuple[set[str], set[str]]:
    """List the marks of what would fail alike, and those that helped.

    Where no part of the command is to blame by the error, and nothing around it has helped, it is
    about the files that it names.
    """
    asked, named = _list_named(means, told), _list_named(lost, told)
    run = {one for one in means if _is_around(one) or one.startswith("head ")}
    place = {one for one in failed.marks if one.startswith("in ")}
    wanted = {f"key {failed.key}", f"program {failed.program}", *place, *named}
    if not named and not asked and all(one.startswith("head ") for one in run):
        wanted |= lost
        if run and failed.text in cured.text:  # a shell of another program around it
            wanted |= {*failed.tokens}
    if not run and not asked:
        paths = {f"at {one.removeprefix('./')}" for one in failed.operands if _PATH.search(one)}
        wanted |= paths & failed.marks
    return wanted, asked or run or means


def _is_around(mark: str) -> bool:
    """Check whether a mark tells in what a command runs, whatever that does."""
    return mark.endswith("=") or mark.startswith(_AROUND)


def _list_named(marks: Iterable[str], told: str) -> set[str]:
    """List the words and variables that a text names, by themselves or by their first part."""
    found = set()
    for one in marks:
        names = (one.removesuffix("="), one.lstrip("-"), one.partition(":")[0])
        if len(one) >= _LEAST_CHARS and " " not in one and names_any(told, names):
            found.add(one)
    return found


def _find_cure(steps: Sequence[GuardStep], i: int, failed: Act) -> tuple[int, Act, set[str]] | None:
    """Find what did the same by other means; None where the same command worked.

    Where nothing did the same, it is what worked next, for which no means are known: that tells
    of the very same line alone.
    """
    ours, told = _list_compared(failed), steps[i].error_text
    errors = {*steps[i].errors}
    tried: list[set[str]] = []
    """Means with which it went further, to another error: then an edit may have done the rest."""
    other, is_edited = None, False
    for j, step in list_following(steps, i):
        for act in step.acts if step.line else ():
            means = _list_compared(act) - ours
            if act in step.successes and act.text == failed.text and not means:
                return None
            known = [one for one in tried if one <= means]
            is_kin = bool(known) and act.program == failed.program
            if not is_kin and not _does_same(failed, act, told):
                is_next = act.key == failed.key or _is_other(failed, act)
                if act in step.successes and not is_edited and is_next:
                    other = other or (j, act, set[str]())
            elif act in step.successes:
                if any(map(_ONCE.search, means)):
                    return None
                if known or not is_edited:
                    return j, act, known[0] if known else means
            elif act is step.failure and means and not is_edited and errors != {*step.errors}:
                tried.append(means)
        is_edited = is_edited or step.is_edit
    return other


def list_following(steps: Sequence[GuardStep], i: int) -> Iterator[tuple[int, GuardStep]]:
    """Yield the calls behind a step in its session, each with its number."""
    calls = 0
    for j in range(i + 1, len(steps)):
        if calls >= _REACH:
            return
        if not steps[j].said:
            calls += 1
            yield j, steps[j]


def _list_compared(act: Act) -> set[str]:
    """List the marks by which means are told apart; the first word counts as `head` alone."""
    words = {one for one in act.marks if not one.startswith(_NOT_COMPARED)}
    return words - {one.removeprefix("head ") for one in words if one.startswith("head ")}


def _does_same(failed: Act, other: Act, told: str) -> bool:
    """Check whether a command does what another was to do: what that works on stays.

    A value of a flag may differ, and what the error names.
    """
    left = failed.operands - other.marks
    unnamed = left - _list_named(left, told)
    if failed.key == other.key:
        values = {after for flag, after in pairwise(failed.tokens) if flag[:1] == "-"}
        return unnamed <= values
    if unnamed or not _is_other(failed, other):
        return False
    last = failed.key.rpartition(" ")[2]
    return left < failed.operands or last in {
        *map(last_part, other.tokens), *other.key.split(" ")
    }  # fmt: skip


def _is_other(failed: Act, act: Act) -> bool:
    """Check whether another program may have been run in a command's place."""
    programs = {failed.program, act.program}
    return len(programs) > 1 and "git" not in programs and not is_reader(act.key)
