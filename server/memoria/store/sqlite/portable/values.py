"""Values of records as the tables have them."""

import json


def bytes_of(digits: str) -> bytes:
    """The bytes that a record has as hexadecimal digits."""
    return bytes.fromhex(digits)


def json_text(value: object) -> str:
    """A value as it is stored, and compared."""
    return json.dumps(value, ensure_ascii=False)
