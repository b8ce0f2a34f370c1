"""Settings that hooks read by themselves (`bare/settings_file.py`)."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field


def split_parts(value: object) -> object:
    """Return a text as the list of values between its commas, and any other value as it is."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


class HookSettings(BaseModel):
    """Settings of what hooks record and say."""

    ignored_folders: Annotated[tuple[str, ...], BeforeValidator(split_parts)] | None = None
    """Folders of which hooks and imports keep nothing, such as `/home/ann/diary,~/taxes`."""

    silent_share: float = Field(0.0, ge=0, le=0.9)
    """Share of sessions in which memory is silent, chosen by their ids, such as 0.2: hooks tell
    them nothing unasked, and whatever is asked for is answered as ever. `memoria value` compares
    them with the others. Hooks that report to a server elsewhere leave none silent."""
