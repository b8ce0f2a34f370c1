"""Commands that failed here, where the same was done by other means afterwards.

A word asks for what would fail alike, and for none of the means that helped. The record speaks
against it: what has worked without them, and what was said or written since.
"""

from collections.abc import Iterator, Mapping, Sequence

from memoria.bare.guard import NAMING, Act, fits
from memoria.policy.guard.lessons import Lesson, read_lesson
from memoria.policy.guard.lifting import list_quoted, list_telling
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, name_error, quote_code

_ASIDE = frozenset(
    "version help fmt format clean add remove update tree metadata login logout config info list ls"
    " search show init new outdated why audit doctor --version --help -V".split()
)
"""What hardly fails for what else a program does fails for."""

Drawn = tuple[dict[str, object], tuple[str, ...]]


def draw_commands(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on commands, those of the newest failures first."""
    lessons = [one for i in reversed(range(len(steps))) if (one := read_lesson(steps, i))]
    worked = _list_worked(steps)
    against = [[*_find_against(worked, one)] for one in lessons]
    refuted = [*map(_find_refuted, lessons, against)]
    asked = max((k for k, step in enumerate(steps) if step.said), default=-1)
    changes = [(k, step) for k, step in enumerate(steps) if step.changes or step.repairs]
    for lesson, others in zip(lessons, against, strict=True):
        failure, later = steps[lesson.i], steps[lesson.j]
        pairs = zip(refuted, lessons, strict=True)
        if any(k > lesson.i and _have_one_cause(steps, lesson, one) for k, one in pairs):
            continue
        acts = [act for _, act in others]
        match = _narrow(lesson, acts) or _match_line(lesson, acts)
        if match is None or _is_lifted(lesson, failure.error_text, changes):
            continue
        if lesson.j > asked:  # whoever is still at it knows
            match["after"] = later.session
        ran = quote_code(lesson.failed.text, 80)
        line = (
            f"{ran} failed here on {name_day(failure.at)}{name_error(failure.errors)}; "
            f"{quote_code(later.line)} worked afterwards [{later.id}]"
        )
        yield {**match, "same": lesson.failed.text, "line": line}, (failure.id, later.id)


def _list_worked(steps: Sequence[GuardStep]) -> dict[str, list[tuple[int, Act]]]:
    """List the commands that worked by their programs and first words, with their steps."""
    found: dict[str, list[tuple[int, Act]]] = {}
    for k, step in enumerate(steps):
        for act in step.successes:
            for mark in act.marks:
                if mark.startswith(("program ", "head ")):
                    found.setdefault(mark, []).append((k, act))
    return found


def _find_against(
    worked: Mapping[str, list[tuple[int, Act]]], lesson: Lesson
) -> Iterator[tuple[int, Act]]:
    """Yield the commands of a lesson's kind that worked without the means."""
    kinds = sorted(one for one in lesson.wanted if one in worked)
    match: dict[str, object] = {"all": [*lesson.wanted], "none": [*lesson.means]}
    return (one for one in worked[kinds[-1]] if fits(match, one[1])) if kinds else iter(())


def _find_refuted(lesson: Lesson, against: Sequence[tuple[int, Act]]) -> int:
    """Return the number of the newest step in which the same worked without the means; or -1."""
    failed = lesson.failed
    is_head = f"program {failed.program}" not in lesson.wanted
    return max(
        (
            k
            for k, act in against
            if k > lesson.i and (is_head or (act.key == failed.key and _is_about(act, lesson)))
        ),
        default=-1,
    )


def _have_one_cause(steps: Sequence[GuardStep], one: Lesson, other: Lesson) -> bool:
    """Check whether two failures have an error and means in common."""
    errors = {*steps[one.i].errors} & {*steps[other.i].errors}
    return one is other or bool(errors and one.means & other.means)


def _narrow(lesson: Lesson, others: Sequence[Act]) -> dict[str, object] | None:
    """Return what a call must have for a word, by what has worked without; None for nothing."""
    failed, against = lesson.failed, lesson.means
    if f"program {failed.program}" in lesson.wanted and f"key {failed.key}" not in lesson.wanted:
        asides = {f"do {one}" for one in _ASIDE} - failed.marks
        keys = {f"key {one.key}" for one in others if one.key != failed.key}
        against = against | asides | keys | {f"key {failed.program}"} - failed.marks
        others = [one for one in others if one.key == failed.key]
    topics = _list_topics(failed).difference(*map(_list_topics, others)) if others else set[str]()
    is_whole = NAMING not in failed.marks and all(NAMING in one.marks for one in others)
    if others and is_whole:  # parts that work tell nothing of the whole
        against = against | {NAMING}
    match = {"all": sorted(lesson.wanted), "any": sorted(topics), "none": sorted(against)}
    return {**match} if topics or is_whole or not others else None


def _match_line(lesson: Lesson, others: Sequence[Act]) -> dict[str, object] | None:
    """Return what the very same command has; None where that has worked without the means."""
    failed = lesson.failed
    if any(one.text == failed.text for one in others):
        return None
    return {"all": sorted(failed.marks), "none": sorted(lesson.means)}


def _is_lifted(lesson: Lesson, told: str, changes: Sequence[tuple[int, GuardStep]]) -> bool:
    """Check whether something was said or done since that may have mended the cause."""
    helped = list_telling(one.rpartition(" ")[2] for one in lesson.means)
    around = lesson.wanted | lesson.means
    programs = {one.partition(" ")[2] for one in around if one.startswith(("pro", "head", "via"))}
    named = helped | programs | list_telling((told, *lesson.wanted)) | list_quoted(told)
    for k, step in changes:
        if k <= lesson.j:
            continue
        if not (named if step.said else helped).isdisjoint(step.changes):
            return True
        if not named.isdisjoint(step.repairs) and not _uses_any(step, lesson.means):
            return True
    return False


def _uses_any(step: GuardStep, means: set[str]) -> bool:
    return any(not one.marks.isdisjoint(means) for one in step.acts)


def _list_topics(act: Act) -> set[str]:
    """List what a command works on, and the part of the project in which it does."""
    return act.operands | {one for one in act.marks if one.startswith("in ") and one != "in "}


def _is_about(act: Act, lesson: Lesson) -> bool:
    """Check whether a command works on what the failed one did; one that names nothing does.

    Where what helped is of that command alone, it must work on all of it.
    """
    ours, theirs = _list_topics(act), _list_topics(lesson.failed)
    if theirs and f"key {lesson.failed.key}" in lesson.wanted:
        return not ours or ours >= theirs
    return not ours or not ours.isdisjoint(theirs)
