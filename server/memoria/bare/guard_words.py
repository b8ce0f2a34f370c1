"""The words before a mistake that a server has laid ready, and what became of those that were said.

They stand among the kept answers, and are told as long as nothing was taken back: whoever forgets
finds them there. What was said is noted among what agents were shown, by the ends of turns' ids.
Nothing is laid ready before a client is wired to ask, or has asked once.
"""

import os

from memoria.bare.home import make_tenant_folder, open_to_append, tenant_folder
from memoria.bare.kept_before import read_since
from memoria.bare.plain_json import read_json
from memoria.bare.spool import HOOKS

WORDS = "words"
"""Name of the kept answer."""
MOST_WORDS_BYTES = 120_000
_ASKED = "guard"
_SAID, _AGAIN = "guard", "guard-again"
_LONGEST_LINE = 800
_NAMING_KINDS = frozenset(("program", "head", "do", "at"))
"""Marks whose name stands in the call itself."""


def note_asked(home: str, tenant: str) -> None:
    """Note that a client asks for words, so that some are laid ready from now on.

    Raises:
        OSError: it can't be written.
    """
    path = os.path.join(make_tenant_folder(home, tenant, HOOKS), _ASKED)
    if not os.path.exists(path):
        os.close(open_to_append(path))


def is_asked(home: str, tenant: str) -> bool:
    """Check whether a client asks for words."""
    return os.path.exists(os.path.join(tenant_folder(home, tenant), HOOKS, _ASKED))


def choose_line(
    home: str, tenant: str, workspace: str | None, session: str, tool: str, args: object
) -> str:
    """Return the line that is worth saying before a call, once a session; empty for none.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        workspace: the project.
        session: the client's id of the session.
        tool: the client's name of the tool.
        args: its arguments.

    Raises:
        OSError: what was said can't be noted.
    """
    text = read_since(home, tenant, workspace, WORDS)
    if not text:
        return ""
    head, *words = (read_json(line) for line in text.splitlines())
    root = head.get("root") if isinstance(head, dict) else None
    told = _flatten(args)
    known = [one for one in words if isinstance(one, dict) and _may_fit(one, told)]
    known = [one for one in known if one.get("after") != session]
    if not known:
        return ""
    from memoria.bare.guard import find_word  # to take a line apart is for the few
    from memoria.bare.shown import name_end, note_shown, read_shown

    word = find_word(known, tool, args, root if isinstance(root, str) else "")
    if word is None:
        return ""
    number, line = name_end(str(word["id"])), " ".join(str(word["line"]).split())
    notes = read_shown(home, tenant, session)
    ways = {one.get("way") for one in notes if number in _list_ids(one)}
    if not ways & {_SAID, _AGAIN}:
        note_shown(home, tenant, session, _SAID, [number])
        return line[:_LONGEST_LINE]
    if _AGAIN not in ways:
        note_shown(home, tenant, session, _AGAIN, [number])
    return ""


def count_words(home: str, tenant: str) -> tuple[int, int]:
    """Return how many words were said lately, and after how many the same was done again.

    Raises:
        OSError: the notes can't be read.
    """
    from memoria.bare.shown import list_notes

    ways = [one.get("way") for one in list_notes(home, tenant)]
    return ways.count(_SAID), ways.count(_AGAIN)


def _may_fit(word: dict[str, object], told: str) -> bool:
    """Check whether the names that a word asks for stand in what is told of a call."""
    wanted = word.get("all")
    for mark in wanted if isinstance(wanted, list) else ():
        kind, blank, name = mark.partition(" ")
        if not blank or kind in _NAMING_KINDS:
            named = name.rpartition(" ")[2].rpartition("/")[2] if blank else mark.removesuffix("=")
            if named not in told:
                return False
    return True


def _flatten(value: object) -> str:
    """Return all texts of a call's arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(map(_flatten, value))
    return value if isinstance(value, str) else ""


def _list_ids(note: dict[str, object]) -> list[object]:
    ids = note.get("ids")
    return ids if isinstance(ids, list) else []
