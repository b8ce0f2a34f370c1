"""Documents of decisions: what says that one holds no longer, in its own file or in a later one."""

import re
from pathlib import PurePosixPath

from memoria.ground.blocks import FilePart, SourceFile

_STATUS = re.compile(r"(?i)[-*\s|]*(?:status|状态)\**\s*[:：|]")
_STATUS_HEADING = re.compile(r"(?i)(?:\d+\.\s*)?(?:status|状态)")
_SUPERSEDES = re.compile(r"(?i)supersed|replaced by|deprecat|obsolet|取代|替代|废弃|废止|作废")
_NUMBER = re.compile(r"\d{1,9}")


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
    decision = PurePosixPath(path)
    number = _NUMBER.match(decision.name)
    wanted = -1 if number is None else int(number[0])
    return [
        part.text
        for part in source.parts
        if _SUPERSEDES.search(part.text)
        and (
            source.path == path
            or decision.stem in part.text
            or wanted in map(int, _NUMBER.findall(part.text))
        )
    ]
