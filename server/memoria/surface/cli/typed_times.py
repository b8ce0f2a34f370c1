"""Moments as they are typed on the command line: ISO 8601, or words such as `yesterday`."""

from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from memoria.errors import InvalidInputError
from memoria.model import now_millis, parse_instant, to_iso

if TYPE_CHECKING:
    from memoria.surface.cli.console import Options


def read_moment(context: typer.Context, value: str | None) -> str | None:
    """Read the first moment of what was typed, as ISO 8601; what is no time stays, to be told of.

    Words without a direction are of the past: nothing on record is of another time.
    """
    if value is None:
        return None
    with suppress(InvalidInputError):
        parse_instant(value)
        return value
    from memoria.language.dates import times  # noqa: PLC0415  (only who types words pays for it)

    options: Options = context.obj
    zone = options.settings.zone
    words = value.strip()
    for span in times(words, now_millis(), zone, prefer="past"):
        if (span.start, span.end) == (0, len(words)):
            return to_iso(span.from_ms, zone)
    return value
