"""The one question that `connect` asks about nights: may a server run them by itself?"""

from memoria.admin.settings.change import change_settings
from memoria.connectors.schedules.manage import find_installed
from memoria.surface.cli.console import Options, is_agreed

_SETTING = "nightly_idle_minutes"
_IDLE_MINUTES = 10


def offer_nights(options: Options) -> None:
    """Ask whether servers may run nightly maintenance, and write the answer down, yes or no.

    Nothing is asked where an answer is set already or a scheduler has the job.
    """
    settings = options.settings
    if _SETTING in settings.model_fields_set or find_installed(settings).found:
        return
    answer = _IDLE_MINUTES if is_agreed(_QUESTION.format(tokens=settings.nightly_tokens)) else 0
    change_settings(settings.home_path, {_SETTING: str(answer)})


_QUESTION = (
    "Let a server that nobody has asked for ten minutes run `memoria nightly` by itself, once a "
    "day at most? It tidies up, and can be undone for seven days; a chat model, where one reads, "
    "is asked for at most {tokens:,} tokens of its day's."
)
