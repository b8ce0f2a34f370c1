"""Claims of a statement that no part of a file carries: a place, and that there is no more of it.

"The runbook is docs/failover.md" holds while that path is there. "Only main calls open_limited"
can be false though all that it speaks of stands as before, because something has come beside it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from memoria.ground.anchors import Anchors, list_names, list_phrases, list_terms
from memoria.ground.blocks import FilePart, SourceFile, find_set
from memoria.ground.fingerprints import Mark, digest

PLACE, NO_MORE, UNSURE = "f", "n", "u"
"""Kinds of marks: of a file or folder as such; of all that a file has of a statement's terms; of a
statement whose numbers or names no part has: while its parts stand, nothing is known."""
_NO_MORE = re.compile(
    r"(?i)\b(?:only|no|not|never|none|nowhere|nothing|without|neither|nor|sole|solely|cannot)\b|n't\b"
    r"|只|仅|没|无|不|未|唯一|别无"
)
_WRITTEN = re.compile(r"(?<![\w/.-])[\w.@-]+(?:/[\w.@-]+)*/?")
_NONE = "-"


def find_places(statement: str, paths: Iterable[str]) -> list[str]:
    """List the files and folders that a statement about places gives; a folder ends with `/`.

    A statement that has a name, a number or a quotation beside is about what is in the files.
    """
    words = [word for word in _WRITTEN.findall(statement) if _is_path(word)]
    rest = without_paths(statement)
    is_about_more = any(term[0] in "=#" for term in list_terms(rest))
    if not words or is_about_more or any(list_names(rest)) or any(list_phrases(rest)):
        return []
    known = {*paths}
    folders = {path[: place + 1] for path in known for place in _find_slashes(path)}
    found = (word.rstrip(".") for word in words)
    return [
        one if one in known else f"{one.rstrip('/')}/"
        for one in dict.fromkeys(found)
        if one in known or f"{one.rstrip('/')}/" in folders
    ]


def without_paths(statement: str) -> str:
    """Return a statement without the paths that it writes with a `/`."""
    return _WRITTEN.sub(lambda found: " " if _is_path(found[0]) else found[0], statement)


def _is_path(word: str) -> bool:
    return "/" in word and any(map(str.isalpha, word))


def _find_slashes(path: str) -> list[int]:
    return [place for place, sign in enumerate(path) if sign == "/"]


def mark_claim(kind: str) -> Mark:
    """Return a mark that is of no part."""
    return Mark(kind, 0, _NONE, _NONE, _NONE, _NONE, 0, ())


def says_no_more(statement: str) -> bool:
    """Check whether a statement says that something is not there, or nothing beside it."""
    return _NO_MORE.search(statement) is not None


def mark_no_more(source: SourceFile, anchors: Anchors) -> Mark | None:
    """Return the mark of all that a file has of a statement's terms; None if it has none.

    Its length is the number of whole names among them, which are looked for in other files, too.
    """
    terms = sorted(term for term in anchors.stated if term.isascii() and term[0] != "#")
    names = tuple(digest((term,)) for term in terms)
    whole = sum(term[0] == "=" for term in terms)
    mark = mark_claim(NO_MORE)._replace(length=whole, names=names)
    times = len(list_alike(source, mark))
    return mark._replace(times=times) if times else None


@lru_cache(maxsize=1 << 16)
def _digest_term(term: str) -> str:
    """Return the hash of a term of a file; what a statement says is not kept."""
    return digest((term,))


def list_alike(source: SourceFile, mark: Mark, *, by_name: bool = False) -> list[FilePart]:
    """List the lines of code that have two terms of a mark, a whole name, or set one of them.

    Args:
        source: the file.
        mark: of a statement's terms.
        by_name: whether whole names alone count.
    """
    wanted = {*mark.names}
    found: list[FilePart] = []
    for part, terms in zip(source.parts, source.terms, strict=True):
        shared = [] if part.is_prose else [one for one in terms if _digest_term(one) in wanted]
        if any(one[0] == "=" for one in shared):
            found.append(part)
        elif shared and not by_name:
            name = find_set(part.text)
            is_set = name is not None and not list_terms(name).isdisjoint(shared)
            found += [part] if is_set or len(shared) > 1 else []
    return found
