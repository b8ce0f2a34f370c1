"""Speakers whom a query names.

"What did Caroline research?" wants what Caroline said, while her name stands mostly in what
others say to her. So a speaker's name is taken out of the words searched for and decides instead
whose turns count in full.
"""

from collections.abc import Iterable, Sequence

from memoria.language.words.analyser import tokens


def find_named_speakers(
    terms: Sequence[str], speakers: Iterable[str | None]
) -> dict[str, frozenset[str]]:
    """Find the speakers named by a query's terms, each with the tokens of the name.

    A first name names whoever has it. Where all who speak are named, or a query is nothing
    but a name, nobody is preferred to anybody.
    """
    present = sorted({speaker for speaker in speakers if speaker})
    asked = frozenset(terms)
    found = {one: name for one in present if (name := _first_name(one)) and name <= asked}
    others = asked.difference(*found.values())
    return found if others and len(found) < len(present) else {}


def _first_name(speaker: str) -> frozenset[str]:
    words = speaker.split()
    return frozenset(tokens(words[0])) if words else frozenset()
