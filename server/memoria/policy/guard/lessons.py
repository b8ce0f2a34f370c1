"""Lessons of failures: by which other means the same was done afterwards.

The means are the marks that the command which worked has and the failed one has not: a variable, a
flag, a program, a value. What the error names counts before what it does not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoria.bare.guard import NAMING, Act, blur_numbers, last_part
from memoria.bare.shell_programs import MANAGERS, SCRIPT_RUNNERS
from memoria.language.calls.kinship import is_reader
from memoria.policy.guard.lifting import names_any
from memoria.policy.guard.steps import GuardStep

_REACH = 30
"""Number of calls behind a failure within which something else worked."""
_UNKNOWN_PROGRAM = re.compile(r"command not found|: not found$|is not recognized", re.MULTILINE)
_FINDINGS = re.compile(
    r"(?<![\d.:])[1-9]\d{0,2} (?:failed|failing|failures?|errors?|problems?|issues?)\b"
    r"|\bFAIL(?:ED)?\b|^\S*\w\.\w+[:(]\d+",
    re.MULTILINE,
)
"""What a checker found in the code: only the same check by other means says that it was not."""
_CHOICES = frozenset("-k -t -m -g -R -x --grep --filter --only --lf --run -run --tests".split())
"""Flags by which less is checked."""
_TASK_RUNNERS = frozenset((*SCRIPT_RUNNERS, *"make just task rake gulp grunt docker git".split()))
"""Programs whose subcommands are programs of their own."""
_LEAST_CHARS = 3
_NO_MEANS = frozenset("--fix --write -w --force -f --no-verify --help --version".split())
"""Flags that mend the code, go past a check, or ask."""
_AROUND = ("via ", "source ", "nvm ", "conda ")
_NOT_COMPARED = ("line ", "do ", "program ", "key ", "at ", "edit ", NAMING)


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


def read_lesson(steps: Sequence[GuardStep], i: int) -> Lesson | None:
    """Return what a failure teaches; None for nothing."""
    failed, told = steps[i].failure, steps[i].error_text
    if failed is None or is_reader(failed.program):
        return None
    found = _find_cure(steps, i, failed)
    if found is None:
        return None
    j, cured, means = found
    lost = _list_compared(failed) - _list_compared(cured)
    heads = {one for one in failed.marks if one.startswith("head ")}
    if (
        means
        and _UNKNOWN_PROGRAM.search(told)
        and names_any(told, (one.removeprefix("head ") for one in heads))
    ):
        return Lesson(i, j, failed, heads, means)
    asked = _list_named(means, told)
    before = _list_before(cured)
    run = {one for one in means if one in before or _is_around(one) or one.startswith("head ")}
    is_less = cured.program != failed.program or not means or means & _CHOICES
    if is_less and not asked and _FINDINGS.search(steps[i].output):
        return None
    if not means and not _does_same(failed, cured, told):
        return Lesson(i, j, failed, failed.marks, means)
    named = _list_named(lost, told)
    wanted = _list_wanted(failed, told, asked or run, before) | named
    if not run and "do install" not in failed.marks:  # what that names is what it gets
        wanted |= _list_named(failed.operands, told)
    if not run and not asked and not named:
        wanted |= lost
    if failed.operands and means and means <= {*cured.operands, *map(blur_numbers, cured.operands)}:
        wanted.add(NAMING)
    return Lesson(i, j, failed, wanted, asked or run or means) if means or lost else None


def _list_wanted(failed: Act, told: str, means: set[str], before: set[str]) -> set[str]:
    """List the marks of what would fail alike.

    Where variables helped, a wrapper or a flag before the subcommand, that is whatever the program
    does, in every part of the project; but for managers a wrapper is of the command.
    """
    flags = _list_named((one for one in failed.tokens if one[:1] == "-"), told)
    wanted = {f"program {failed.program}", *flags}
    is_by_variables = all(one.endswith("=") for one in means)
    runners = _TASK_RUNNERS if is_by_variables else _TASK_RUNNERS | MANAGERS
    if means and all(map(_is_around, means - before)) and failed.program not in runners:
        return wanted
    place = {one for one in failed.marks if one.startswith("in ")}
    return {*wanted, *place, f"key {failed.key}"}


def _list_before(act: Act) -> set[str]:
    """List the flags, with their values, before what tells what a program does."""
    first = act.key.removeprefix(act.program).split()[:1]
    at = act.tokens.index(first[0]) if first and first[0] in act.tokens else 0
    return {*act.tokens[:at]} if act.tokens[:1] and act.tokens[0][:1] == "-" else set()


def _is_around(mark: str) -> bool:
    """Check whether a mark tells in what a command runs, whatever that does."""
    return mark.endswith("=") or mark.startswith(_AROUND)


def _list_named(marks: Iterable[str], told: str) -> set[str]:
    """List the words and variables that a text names."""
    return {
        one
        for one in marks
        if len(one) >= _LEAST_CHARS and " " not in one and names_any(told, (one.removesuffix("="),))
    }


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
            elif act in step.successes and means.isdisjoint(_NO_MEANS):
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
        if steps[j].session != steps[i].session or calls >= _REACH:
            return
        if not steps[j].said:
            calls += 1
            yield j, steps[j]


def _list_compared(act: Act) -> set[str]:
    """List the marks by which means are told apart."""
    return {one for one in act.marks if not one.startswith(_NOT_COMPARED)}


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
