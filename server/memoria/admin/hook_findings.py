"""What doctor says of hooks: when each client's last came, what waits, what went wrong."""

from collections.abc import Iterator

from memoria.bare.hook_log import read_failures, read_heard
from memoria.bare.spool import list_waiting
from memoria.config import Settings
from memoria.model import Finding, now_millis, to_iso

_RECENT_MS = 7 * 24 * 3_600_000
_CHECK = "hooks"


def check_hooks(settings: Settings) -> Iterator[Finding]:
    """One finding, where a client's hooks have ever run; none where none has."""
    home = str(settings.home_path)
    try:
        heard = read_heard(home, settings.tenant)
        waiting = len(list_waiting(home, settings.tenant))
        failures = read_failures(home, settings.tenant)
    except OSError as error:
        yield Finding(
            check=_CHECK,
            state="warning",
            detail=f"what hooks have left in the home can't be read: {error}",
            cure="Check the owner of the home's folders hooks and spool, and that none is a link.",
        )
        return
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


def _moment(failure: dict[str, object]) -> int:
    at = failure.get("at")
    return at if isinstance(at, int) else 0
