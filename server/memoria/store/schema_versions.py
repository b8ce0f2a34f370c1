"""Versions of a store's schema, which every engine numbers by itself."""

from memoria.errors import StoreTooNewError


def refuse_newer(version: int, newest: int) -> None:
    """Refuse a store that a newer Memoria has changed.

    Args:
        version: the number of the store's schema.
        newest: the number of the newest schema that this version knows.

    Raises:
        StoreTooNewError: the store's is newer.
    """
    if version > newest:
        raise StoreTooNewError(
            f"This home was written by a newer Memoria (schema {version}, this one knows "
            f"{newest}). Nothing was changed. Upgrade with: pip install -U memoria-server; if "
            "that is done, start this process again."
        )
