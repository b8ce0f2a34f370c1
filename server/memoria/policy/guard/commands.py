"""Commands that failed here, where the same was done by other means afterwards.

A word asks for what would fail alike, and for none of the means that helped. The record speaks
against it: what has worked without them, and what was said or written since.
"""

from collections.abc import Iterable, Iterator, Sequence

from memoria.bare.guard import CHOSEN, EDIT, Act
from memoria.policy.guard.lessons import Lesson, read_lesson
from memoria.policy.guard.lifting import list_parts, list_telling
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, name_error, quote_code

Drawn = tuple[dict[str, object], tuple[str, ...]]


def draw_commands(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on commands, those of the newest failures first."""
    worked = [act for step in steps for act in step.successes]
    asked = max((k for k, step in enumerate(steps) if step.said), default=-1)
    for i in reversed(range(len(steps))):
        lesson = read_lesson(steps, i)
        match = _match_alike(lesson, worked) if lesson else None
        if lesson is None or match is None:
            continue
        failure, later = steps[i], steps[lesson.j]
        if _is_lifted(lesson, failure.error_text, steps[lesson.j + 1 :]):
            continue
        if lesson.j > asked and failure.session == later.session:  # whoever is still at it knows
            match["after"] = later.session
        ran = quote_code(lesson.failed.text, 80)
        line = (
            f"{ran} failed here on {name_day(failure.at)}{name_error(failure.errors)}; "
            f"{quote_code(later.line)} worked afterwards [{later.id}]"
        )
        yield {**match, "same": lesson.failed.text, "line": line}, (failure.id, later.id)


def _match_alike(lesson: Lesson, worked: Sequence[Act]) -> dict[str, object] | None:
    """Return what a call must have for a word, by what has worked without; None for nothing."""
    failed, against = lesson.failed, lesson.against | {CHOSEN} - lesson.failed.marks
    match: dict[str, object] = {"all": sorted(lesson.wanted), "none": sorted(against)}
    others = [one for one in worked if lesson.wanted <= one.marks and against.isdisjoint(one.marks)]
    topics = _list_topics(failed).difference(*map(_list_topics, others))
    if others and not topics:  # then it is the very same line alone
        alike = [] if any(act.text == failed.text for act in others) else sorted(failed.marks)
        return {"all": alike, "none": sorted(against)} if alike else None
    return {**match, "any": sorted(topics) if others else [], "none": sorted(against)}


def _is_lifted(lesson: Lesson, told: str, later: Iterable[GuardStep]) -> bool:
    """Check whether something was said or done since that may have mended the cause.

    That is a word of the user that the machine has changed, what helped written into a file,
    something that the error or what helped names put in its place, and a change of the file that
    the failure was about.
    """
    helped = list_telling(one.rpartition(" ")[2] for one in lesson.means)
    concerned = list_parts((told, *lesson.means))
    files = {one for one in lesson.wanted if one.startswith("at ")}
    return any(
        step.is_change
        or not helped.isdisjoint(step.names)
        or not concerned.isdisjoint(step.repairs)
        or any(EDIT in act.marks and not files.isdisjoint(act.marks) for act in step.acts)
        for step in later
    )


def _list_topics(act: Act) -> set[str]:
    """List what a command works on, and the part of the project in which it does."""
    return act.operands | {one for one in act.marks if one.startswith("in ") and one != "in "}
