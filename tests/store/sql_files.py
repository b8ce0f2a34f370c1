"""The files of the store's statements."""

import re
from importlib import resources

STORE = resources.files("memoria.store")


def list_shared() -> list[str]:
    """List the files of statements that every engine has in the same words."""
    return _list_files("sql")


def list_own() -> list[str]:
    """List the files of statements that SQLite alone has."""
    return _list_files("sqlite")


def _list_files(folder: str) -> list[str]:
    names = (file.name for file in STORE.joinpath(folder).iterdir())
    return sorted(name.removesuffix(".sql") for name in names if name.endswith(".sql"))


def list_names(folder: str, file: str) -> list[str]:
    """List the names of the statements that a file has in a folder, if it is there."""
    place = STORE.joinpath(folder, f"{file}.sql")
    return re.findall(r"(?m)^-- name: (\w+)$", place.read_text("utf-8")) if place.is_file() else []
