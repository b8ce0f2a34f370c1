"""Tables of words: rows of a file beside the module that reads it, with tabs between the columns.

A table is read when it is first asked for: a start waits for none.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """Words of a kind, in both languages. Each list is itself alone, so that it may be a key."""

    english: frozenset[str]
    chinese: frozenset[str]


def read_rows(package: str, file: str, columns: int) -> Iterator[list[str]]:
    """Yield the columns of each row; a line that begins with # is a comment.

    Args:
        package: the module's package.
        file: the table's name.
        columns: number of columns; those that a row lacks at its end are empty.
    """
    for line in files(package).joinpath(file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            yield [*cells, *[""] * (columns - len(cells))]


def read_word_lists(package: str, file: str) -> Mapping[str, WordList]:
    """Read a table of a name, English words and Chinese words; rows of one name are one list.

    Args:
        package: the module's package.
        file: the table's name.
    """
    english, chinese = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for name, of_english, of_chinese in read_rows(package, file, 3):
        english[name] += of_english.split()
        chinese[name] += of_chinese.split()
    return {name: WordList(frozenset(english[name]), frozenset(chinese[name])) for name in english}
