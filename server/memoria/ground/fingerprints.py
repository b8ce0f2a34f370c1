"""Marks by which a part of a file is found again, wherever it went.

A mark is made of hashes: of a part nothing can be read from it but that another is the same.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, Self

from memoria.ground.anchors import is_composed
from memoria.ground.blocks import Block, FilePart, SourceFile
from memoria.ground.streams import TokenStream, is_program

_SIZE = 6
_TELLING_NAME = 4
"""Letters of a name from which on it is looked for in settings of other files."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPTION = re.compile(r"(?<=-D)([A-Za-z_]\w*)=")
_SETTING = re.compile(r"([A-Za-z_]\w*)[\"'\]]*\s*(?:[?:+]?=(?![=>])|:(?!:))")


class Mark(NamedTuple):
    """Hashes and counts that are kept of a part."""

    kind: str
    """`p` prose, `s` code that sets a telling name, `c` other code; in capitals where the statement
    says that it is in this file."""
    length: int
    """Number of its tokens."""
    first: str
    whole: str
    before: str
    """Hash of the token before it; it still begins there if it no longer begins a line."""
    after: str
    times: int
    """Number of times that it stood in the file."""
    names: tuple[str, ...]
    """Hashes of the names that it gives a value or a body, or takes from outside."""

    @property
    def is_prose(self) -> bool:
        """Check whether it is prose."""
        return self.kind in "pP"

    @property
    def is_setting(self) -> bool:
        """Check whether it gives a name of its own a value, which another file may override."""
        return self.kind in "sS"

    @property
    def is_placed(self) -> bool:
        """Check whether it must stay in its file."""
        return self.kind.isupper()

    def encode(self) -> str:
        """Return it as text."""
        return " ".join(map(str, self[:-1])) + f" {','.join(self.names) or '-'}"

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return the mark of a text.

        Raises:
            ValueError: it is none.
        """
        kind, length, first, whole, before, after, times, told = text.split(" ")
        names = () if told == "-" else tuple(told.split(","))
        return cls(kind, int(length), first, whole, before, after, int(times), names)


def digest(tokens: tuple[str, ...] | list[str]) -> str:
    """Return the hash of tokens."""
    text = "\n".join(tokens).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=_SIZE).hexdigest()


def make_mark(
    source: SourceFile, part: FilePart, names: Sequence[str], *, is_setting: bool, is_placed: bool
) -> Mark | None:
    """Return the mark of a part; None if it has no tokens of its own."""
    stream = source.streams.prose if part.is_prose else source.streams.code
    tokens = find_tokens(stream, part)
    if not tokens:
        return None
    places = _find_equal(stream, tokens)
    at = next((place for place in places if stream.lines[place] == part.first), None)
    if at is None:
        return None
    end = at + len(tokens)
    kind = "p" if part.is_prose else "s" if is_setting else "c"
    return Mark(
        kind=kind.upper() if is_placed else kind,
        length=len(tokens),
        first=digest(tokens[:1]),
        whole=digest(tokens),
        before=digest(stream.tokens[at - 1 : at]),
        after=digest(stream.tokens[end : end + 1]),
        times=len(places),
        names=tuple(digest((name,)) for name in names),
    )


def find_tokens(stream: TokenStream, part: FilePart) -> list[str]:
    """Return a part's tokens as they stand in the stream."""
    if part.is_prose:
        return [*part.tokens]
    first = next((at for at, line in enumerate(stream.lines) if line >= part.first), None)
    if first is None:
        return []
    last = next((at for at, line in enumerate(stream.lines) if line > part.last), None)
    return stream.tokens[first:last]


def _find_equal(stream: TokenStream, tokens: list[str]) -> list[int]:
    """List where tokens stand in a stream."""
    size, first = len(tokens), tokens[0]
    return [
        at
        for at, token in enumerate(stream.tokens)
        if token == first and stream.tokens[at : at + size] == tokens
    ]


def find_mark(source: SourceFile, mark: Mark) -> list[int]:
    """List the lines at which a marked part stands in a file."""
    stream = source.streams.prose if mark.is_prose else source.streams.code
    tokens, size = stream.tokens, mark.length
    found: list[int] = []
    hashes: dict[str, str] = {}

    def matches(at: int, wanted: str) -> bool:
        token = tokens[at] if 0 <= at < len(tokens) else None
        key = "" if token is None else token
        if key not in hashes:
            hashes[key] = digest(() if token is None else (token,))
        return hashes[key] == wanted

    for at in range(len(tokens) - size + 1):
        if not matches(at, mark.first) or digest(tokens[at : at + size]) != mark.whole:
            continue
        begins = at in stream.starts or matches(at - 1, mark.before)
        ends = stream.ends(at + size) or matches(at + size, mark.after)
        if begins and ends:
            found.append(stream.lines[at])
    return found


def is_within(lines: list[int], blocks: list[Block]) -> bool:
    """Check whether one of some lines is in one of some blocks, their headers counted."""
    return any(block.first <= line <= block.last for line in lines for block in blocks)


def is_named(source: SourceFile, name: str) -> bool:
    """Check whether a file gives the name of a hash a value or a body."""
    return any(digest((one,)) == name for one in source.definitions)


def sets_within(source: SourceFile, symbol: str, name: str) -> bool:
    """Check whether a file gives the name of a hash a value in a place."""
    lines = [
        line
        for one, places in source.definitions.items()
        if digest((one,)) == name
        for line in places
    ]
    return is_within(lines, source.find_place(symbol))


def count_settings(path: str, content: bytes, names: Sequence[str]) -> int:
    """Count the places that set names of hashes from outside: in settings, or for a compiler."""
    if is_program(path) and b"-D" not in content:
        return 0
    pattern = _OPTION if is_program(path) else _SETTING
    return sum(
        digest((each,)) in names
        for found in pattern.finditer(content.decode("utf-8", "replace"))
        for each in {found[1], found[1].removeprefix("D")}
        if is_telling_name(each)
    )


def is_telling_name(name: str) -> bool:
    """Check whether another file that sets a name must mean the same."""
    is_telling = is_composed(name) or name.isupper()
    return len(name) >= _TELLING_NAME and is_telling


def mentions(source: SourceFile, names: Sequence[str]) -> bool:
    """Check whether code of a file has one of the names of hashes."""
    words = {word for line in source.lines for word in _NAME.findall(line.code)}
    return any(digest((word,)) in names for word in words)
