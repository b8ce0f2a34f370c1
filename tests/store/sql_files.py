"""The files of the store's statements."""

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
