"""SQLite's integers of variable length, as FTS5 writes them into its own tables.

Seven bits a byte, the highest first, and eight in a ninth.
"""

from collections.abc import Iterator

_MORE = 0x80
_NINTH = 8


def read_varints(block: bytes) -> Iterator[int]:
    """Yield the numbers of a block, one after the other.

    >>> [*read_varints(bytes([5, 0x81, 0]))]
    [5, 128]
    """
    number = read = 0
    for byte in block:
        read += 1
        if read > _NINTH:
            yield number << 8 | byte
        else:
            number = number << 7 | byte & ~_MORE
            if byte & _MORE:
                continue
            yield number
        number = read = 0


def sum_varints(block: bytes) -> int:
    """Add up the numbers of a block. Numbers under 128 are single bytes."""
    return sum(block) if block.isascii() else sum(read_varints(block))
