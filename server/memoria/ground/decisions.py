"""Documents of decisions: what says that one holds no longer, in its own file or in a later one."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from memoria.ground.blocks import FilePart, SourceFile
from memoria.ground.streams import is_prose

_STATUS = re.compile(r"(?i)[-*\s|]*(?:status|状态)\**\s*[:：|]")
_STATUS_HEADING = re.compile(r"(?i)(?:\d+\.\s*)?(?:status|状态)")
_SUPERSEDES = re.compile(r"(?i)supersed|replaced by|deprecat|obsolet|取代|替代|废弃|废止|作废")
_ENDED_BY = re.compile(r"(?i)(?:superseded|replaced)\b.*|被.*")
"""What a document says was ended by another, told of itself or in a list of all."""
_NUMBER = re.compile(r"\d{1,9}")
NUMBERED = re.compile(r"(?i)(?<![a-z])adrs?[\s#-]*(\d{1,9})(?!\d)")
"""How a statement names a decision by its number."""


def is_status(source: SourceFile, part: FilePart) -> bool:
    """Check whether a part of a document says whether its decision holds."""
    if _STATUS.match(part.text):
        return True
    around = [block.name for block in source.find_blocks(part.first)][-1:]
    return any(_STATUS_HEADING.fullmatch(name) for name in around)


def list_superseding(source: SourceFile, path: str) -> list[str]:
    """List what a document says of a decision's end: of its own, or of that in another file.

    Args:
        source: the document.
        path: of the decision's file; another document names it or its number.
    """
    is_own, decision = source.path == path, PurePosixPath(path)
    texts = [part.text if is_own else _ENDED_BY.sub("", part.text) for part in source.parts]
    return [
        text
        for text in texts
        if _SUPERSEDES.search(text)
        and (
            is_own or decision.stem in text or _read_number(path) in map(int, _NUMBER.findall(text))
        )
    ]


def list_others(statement: str, paths: Iterable[str]) -> frozenset[str]:
    """List the decisions beside those that a statement names by number; none if it names none."""
    wanted = {*map(int, NUMBERED.findall(statement))}
    numbers = {path: _read_number(path) for path in paths if wanted and is_prose(path)}
    folders = {PurePosixPath(path).parent for path, number in numbers.items() if number in wanted}
    return frozenset(
        path
        for path, number in numbers.items()
        if number >= 0 and number not in wanted and PurePosixPath(path).parent in folders
    )


def _read_number(path: str) -> int:
    """Return the number with which a file's name begins; -1 if it begins with none."""
    found = _NUMBER.match(PurePosixPath(path).name)
    return -1 if found is None else int(found[0])
