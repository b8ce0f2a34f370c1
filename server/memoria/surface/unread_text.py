"""Texts for agents on what nobody has read, and on what they have handed in."""

from collections.abc import Iterator

from memoria.model.handed_in import HandedIn, UnreadLeft

NOTHING_UNREAD = "Nothing is left to be read here."
A_MODEL_READS = "A chat model is configured, which reads what is said: there is nothing to do here."
_ONCE = "Once the first request is answered"
"""Time when an agent should read: it can't tell when a session ends."""
_WAITS = ": it waits until the user confirms it (`memoria revise ID confirm`)"


def unread_note(left: UnreadLeft) -> str:
    """Say in a line how many turns are unread, and what to do about it; empty where none is."""
    if not left.turns:
        return ""
    return (
        f"- Nobody has read {_count(left)} of what was said here. {_ONCE}, read `memory://unread` "
        "and hand in with `remember` what is worth keeping.\n"
    )


def unread_hint(left: UnreadLeft) -> str:
    """Say in few words how many turns are unread; empty where none is."""
    return f" {_ONCE}, read memory://unread: {_count(left)}." if left.turns else ""


def unread_word(left: UnreadLeft) -> str:
    """Say it below a search's answer, in 40 tokens at most, as nobody asked; empty for none."""
    if not left.turns:
        return ""
    return (
        f"Nobody has read {_count(left)} of what was said here: read `memory://unread` and hand in "
        "what is worth keeping, or tell the user of `memoria model`."
    )


def handed_in_text(done: HandedIn) -> str:
    """Render what became of several statements, a line each."""
    return "\n".join(_lines(done))


def _lines(done: HandedIn) -> Iterator[str]:
    yield f"{len(done.kept)} kept, {len(done.refused)} refused"
    for one in done.kept:
        waits = _WAITS if one.status == "pending" and not one.notes else ""
        yield f"{one.number}. {one.status.replace('_', ' ')} [memory {one.id}]{waits}"
        yield from (f"   note: {note}" for note in one.notes)
    for refused in done.refused:
        turn = f" [turn {refused.turn_id}]" if refused.turn_id else ""
        yield f"{refused.number}. refused: {refused.reason}{turn}"
    if done.refused:
        yield "The others stay. Mend those, and give them again without page, with their turn_id."
    if done.left is not None:
        yield _describe_left(done.left)


def _describe_left(left: UnreadLeft) -> str:
    if left.next_page is None:
        return f"The page is read. {NOTHING_UNREAD}"
    return f"The page is read. Left are {_count(left)}; next: memory://unread/{left.next_page}"


def _count(left: UnreadLeft) -> str:
    return f"{'over ' if left.is_more else ''}{left.turns} turn{'s' * (left.turns != 1)}"
