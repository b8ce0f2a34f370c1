"""Conversion of values between records and tables."""

import json


def bytes_of(digits: str) -> bytes:
    """Convert a record's hexadecimal digits to bytes."""
    return bytes.fromhex(digits)


def json_text(value: object) -> str:
    """Convert a value to JSON as it is stored and compared."""
    return json.dumps(value, ensure_ascii=False)
