"""Places of programs' data on this machine."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def home_folder(*parts: str) -> Path:
    """Return a place below the user's own folder."""
    return Path.home().joinpath(*parts)


def list_named(variable: str) -> Iterator[Path]:
    """Yield the place that a variable of the environment names."""
    if value := os.environ.get(variable):
        yield Path(value).expanduser()


def data_folders(*parts: str) -> Iterator[Path]:
    """Yield a program's places among the data of programs, as each platform has them."""
    if sys.platform == "darwin":
        yield home_folder("Library", "Application Support", *parts)
    if sys.platform == "win32":
        for variable in ("APPDATA", "LOCALAPPDATA"):
            yield from (place.joinpath(*parts) for place in list_named(variable))
    shared = next(list_named("XDG_DATA_HOME"), home_folder(".local", "share"))
    yield shared.joinpath(*parts)


def settings_folders(*parts: str) -> Iterator[Path]:
    """Yield a program's places among the settings of programs, as each platform has them."""
    if sys.platform == "darwin":
        yield home_folder("Library", "Application Support", *parts)
    if sys.platform == "win32":
        yield from (place.joinpath(*parts) for place in list_named("APPDATA"))
    shared = next(list_named("XDG_CONFIG_HOME"), home_folder(".config"))
    yield shared.joinpath(*parts)


def downloads(*patterns: str) -> Iterator[Path]:
    """Yield files in the Downloads folder, and in the folders in it."""
    folder = home_folder("Downloads")
    for pattern in patterns:
        for place in (pattern, f"*/{pattern}"):
            yield from sorted(file for file in folder.glob(place) if file.is_file())
