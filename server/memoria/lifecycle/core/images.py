"""Images of the core files before a run wrote them, kept as long as the run can be undone.

An image has no secret and no private text. Where the user's own text with such stays in the file,
an undo leaves it there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memoria.disk.folders import BEFORE_IMAGES
from memoria.disk.interface import TenantFiles
from memoria.language.reading.clean import Tally, clean_text
from memoria.model.core import CoreFile

_NEW = ".new"
"""Ending of the name that stands for a file there was none of."""


@dataclass(frozen=True, slots=True)
class CoreImages:
    """A tenant's core files as they were before one run.

    Every method raises `UnusableFileError` where a file can't be read or written.
    """

    files: TenantFiles
    run_id: str

    def save(self, file: CoreFile) -> None:
        """Keep a file as it stands, once: the run may have written it since."""
        if self.read(file) is not None or self.was_missing(file):
            return
        before = self.files.read(file)
        place = self._image(file) if before is not None else self._missing(file)
        self.files.write(place, _clean((before or b"").decode("utf-8", "replace")).encode())

    def read(self, file: CoreFile) -> bytes | None:
        """Return a file's content before the run; None without a file then, or an image now."""
        return self.files.read(self._image(file))

    def was_missing(self, file: CoreFile) -> bool:
        """Check whether there was no such file before the run."""
        return self.files.read(self._missing(file)) is not None

    def _image(self, file: CoreFile) -> str:
        return f"{BEFORE_IMAGES}/{self.run_id}/{file}"

    def _missing(self, file: CoreFile) -> str:
        return f"{self._image(file)}{_NEW}"


def put_own_text(image: bytes, present: bytes) -> bytes:
    """Put what was cleaned out of an image back into it, as far as the file still says it."""
    text = present.decode("utf-8", "replace")
    if _clean(text) == text:
        return image
    lines, parts = _split(image.decode()), list(_join_uncleanable(_split(text)))
    same = SequenceMatcher(None, lines, [_clean(part) for part in parts], autojunk=False)
    for first, there, count in same.get_matching_blocks():
        lines[first : first + count] = parts[there : there + count]
    return "".join(lines).encode()


def _clean(text: str) -> str:
    return clean_text(text, Tally())


def _join_uncleanable(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, of which those are joined over which a secret or a private span runs.

    They are halved as long as each half can be cleaned by itself: line by line, everything behind
    a line would be cleaned once more for it.
    """
    text = "".join(lines)
    cleaned = _clean(text)
    if cleaned == text:
        yield from lines
        return
    middle = len(lines) // 2
    for at in sorted(range(1, len(lines)), key=lambda at: abs(at - middle)):
        if _clean("".join(lines[:at])) + _clean("".join(lines[at:])) == cleaned:
            yield from _join_uncleanable(lines[:at])
            yield from _join_uncleanable(lines[at:])
            return
    yield text


def _split(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]
