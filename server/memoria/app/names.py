"""The names that a memory is used by: none of them may hold a secret.

What a name is compared with decides what becomes of one that does. A client's name is shown and
kept beside what it said, so it is cleaned like any text. A tenant or a workspace decides who sees
what: cleaned, two of them could become one, so it is refused. Ids of sessions and messages are
replaced, each by one of its own (`ingest/identity.py`), for nobody chooses them by hand.
"""

from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.language.reading.clean import Tally, clean_name
from memoria.language.remembered import remember_results
from memoria.model import Channel


def clean_channel(channel: Channel) -> Channel:
    """Redact secrets in a channel's client and session."""
    names = {"client": channel.client, "session": channel.session}
    cleaned = {field: name and _clean(name) for field, name in names.items()}
    return channel if cleaned == names else channel.model_copy(update=cleaned)


def check_settings(settings: Settings) -> None:
    """Check that nothing is kept under a secret.

    Raises:
        InvalidInputError: the tenant's or the workspace's name holds one.
    """
    require_no_secret("tenant", settings.tenant)
    if settings.workspace is not None:
        require_no_secret("workspace", settings.workspace)


def require_no_secret(field: str, name: str) -> None:
    """Check that a name that decides who sees what holds no secret.

    Raises:
        InvalidInputError: it holds one.
    """
    if _clean(name) != name:
        raise InvalidInputError(
            f"{field}: a key or password seems to stand in its name, and nothing is kept under "
            "one. Give it another name. Nothing was done."
        )


@remember_results(256)
def _clean(name: str) -> str:
    return clean_name(name, Tally())
