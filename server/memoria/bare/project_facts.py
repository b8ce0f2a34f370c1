"""Marks by which a clone of a known project is recognised: its remotes, and its first commit.

They are read from git's own files, so git need not be installed. Only digests of them are given: a
remote's address may hold a password.
"""

import os

from memoria.bare.foreign_files import may_be_path, read_foreign
from memoria.bare.git_history import find_first_commit
from memoria.bare.git_links import list_settings

_MOST_CONFIG, _MOST_LOG = 1 << 20, 1 << 22
_DIGITS = 16
FIRST = "first:"
"""Start of a first commit's digest; alone, the commit is too far back to be found."""
_UNBORN = "0"
_INITIAL = "commit (initial)"


def read_facts(common: str, place: str) -> list[str]:
    """Read digests of what a repository shares with its clones, in no time.

    Args:
        common: its git common directory.
        place: where it is.
    """
    remotes = [_digest(_plain(url, place)) for url in _read_remotes(common)]
    begun = _read_beginning(common)
    return list(dict.fromkeys([*remotes, *([_digest(begun)] if begun else [])]))


def read_first_fact(common: str) -> str | None:
    """Read a digest of a repository's first commit, which takes a moment; None if it has none."""
    first = find_first_commit(common)
    return None if first is None else FIRST + (_digest(first) if first else "")


def fact_of_place(place: str) -> str:
    """Return the fact that clones made from a folder share."""
    return _digest(_without_end(place))


def _read_remotes(common: str) -> list[str]:
    config = _read(os.path.join(common, "config"), _MOST_CONFIG)
    return [url for section, url in list_settings(config, "url") if section.startswith("remote ")]


def _read_beginning(common: str) -> str:
    """Read the commit that was made first, where that was here, as the log says."""
    line = _read(os.path.join(common, "logs", "HEAD"), _MOST_LOG).partition("\n")[0]
    head, _, action = line.partition("\t")
    before, _, rest = head.partition(" ")
    is_first = not before.strip(_UNBORN) and action.startswith(_INITIAL)
    return rest.partition(" ")[0] if is_first else ""


def _plain(url: str, place: str) -> str:
    """Reduce an address to what all ways to reach the same repository have in common."""
    scheme, sign, rest = url.partition("://")
    host, colon, path = url.partition(":")
    if not sign and colon and "/" not in host and len(host) > 1:  # as ssh has it; no drive
        sign, rest = "://", f"{host}/{path}"
    if scheme == "file" or not sign:
        local = os.path.join(place, os.path.expanduser(rest if sign else url))
        return _without_end(os.path.realpath(local) if may_be_path(local) else local)
    host, _, path = rest.partition("/")
    name = host.rpartition("@")[2].partition(":")[0].lower()
    return _without_end(f"{name}/{path.lstrip('/')}")


def _without_end(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")


def _digest(text: str) -> str:
    from hashlib import sha256  # a hook in a known project needs none

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]


def _read(path: str, most: int) -> str:
    try:
        return read_foreign(path, most).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
