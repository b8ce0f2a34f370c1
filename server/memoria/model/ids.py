"""Identifiers: UUIDv7 (RFC 9562), so that they sort by the time they were made."""

import uuid_utils


def new_id() -> str:
    """A new identifier, 36 characters, greater than every one this process made before."""
    return str(uuid_utils.uuid7())
