"""Findings of doctor on hooks: when each client's last came, what waits, what went wrong."""

from collections.abc import Iterator, Sequence

from memoria.bare.hook_log import read_failures, read_heard
from memoria.bare.spool import AsideEntry, list_aside, list_waiting, spool_folder
from memoria.config import Settings
from memoria.model import Finding, now_millis, to_iso

_RECENT_MS = 7 * 24 * 3_600_000
_CHECK = "hooks"
_MOST_NAMED = 5


def check_hooks(settings: Settings) -> Iterator[Finding]:
    """Yield findings on hooks, where a client's have ever run; none where none has."""
    home = str(settings.home_path)
    try:
        heard = read_heard(home, settings.tenant)
        waiting = len(list_waiting(home, settings.tenant))
        failures = read_failures(home, settings.tenant)
        aside = list_aside(home, settings.tenant)
    except OSError as error:
        yield Finding(
            check=_CHECK,
            state="warning",
            detail=f"what hooks have left in the home can't be read: {error}",
            cure="Check the owner of the home's folders hooks and spool, and that none is a link.",
        )
        return
    if aside:
        yield _describe_aside(aside, spool_folder(home, settings.tenant))
    if not heard and not waiting and not failures:
        return
    last = ", ".join(f"{client} {to_iso(at)}" for client, at in heard.items())
    detail = f"last heard of: {last or 'none'}; {waiting} entries wait to be taken in"
    recent = [one for one in failures if _moment(one) >= now_millis() - _RECENT_MS]
    if not recent:
        yield Finding(check=_CHECK, state="ok", detail=detail)
        return
    newest = recent[-1]
    yield Finding(
        check=_CHECK,
        state="warning",
        detail=f"{detail}; {len(recent)} failures in the last 7 days, the last one "
        f"{to_iso(_moment(newest))} ({newest.get('client')}): {newest.get('reason')}",
        cure="Free disk space if it says so, and see that this user may write to the home. What a "
        "transcript has is not lost: memoria import adds what is missing.",
    )


def _describe_aside(aside: Sequence[AsideEntry], folder: str) -> Finding:
    """Name what could not be taken in. Why, the log of failures says."""
    named = [
        f"{one.path}" + (f" ({one.client}: {one.transcript})" if one.transcript else "")
        for one in aside[:_MOST_NAMED]
    ]
    more = f" and {len(aside) - _MOST_NAMED} more" if len(aside) > _MOST_NAMED else ""
    return Finding(
        check=_CHECK,
        state="warning",
        detail=f"{len(aside)} entries of hooks failed or took too long, and are set aside: "
        f"{', '.join(named)}{more}",
        cure="Look whether the transcript and the folders it names can be read: what is said next "
        "in that session, an hour later, tries again, and memoria import FILE does now. An entry "
        f"that names no transcript has what was said: move it to {folder}, with the ending .json, "
        "to have it tried again. Delete what you do not want.",
    )


def _moment(failure: dict[str, object]) -> int:
    at = failure.get("at")
    return at if isinstance(at, int) else 0
