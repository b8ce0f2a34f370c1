"""The files of the store's statements."""

from importlib import resources

SQL = resources.files("memoria.store.sqlite").joinpath("sql")


def list_shared() -> list[str]:
    """List the files of statements that every engine has in the same words."""
    return sorted(file.name.removesuffix(".sql") for file in SQL.iterdir() if file.is_file())


def list_own() -> list[str]:
    """List the files of statements that SQLite alone has."""
    return sorted(file.name.removesuffix(".sql") for file in SQL.joinpath("sqlite").iterdir())
