"""Spelling: two names that may be one name, written otherwise.

People who ask have heard a name, or read it in another script than its writer: Katherine and
Cathrine, 乔治 and 喬治, 李晓芬 and 李小芬. So names are compared by how they sound. Vowels tell
least, as Soundex has it (R. Russell, 1918): names of four consonants and more are one if these are
the same in their order (Mohammed and Muhhamed). Short names that differ by a vowel are mostly two
people (Tim and Tom), and so are names that differ by an ending in -a (Julian and Juliana).
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import read_rows
from memoria.language.words.analyser import fold

_LONG = 6
"""Number of letters from which the second of a name may be another vowel."""
_LEAST_CONSONANTS = 4
"""Least number of consonants of a name whose vowels may differ: Marina and Moreno are two."""
_VOWELS = "aeiouy"
_NO_VOWELS = str.maketrans("", "", _VOWELS)
_FIRST_VARIANTS = {
    "c": "ck", "k": "kc", "q": "qk", "f": ("f", "ph"), "ph": ("ph", "f"), "v": "vw", "w": "wv",
    "s": "sz", "z": "zs", "y": "yji", "j": "jy", "i": "iy",
}  # fmt: skip
_SOUNDS = (
    (lazy_regex(r"sch|sh"), "S"),
    (lazy_regex(r"ch(?=[rl])|ck|q(?:u(?=[eiy]))?|c(?![eiyh])"), "k"),
    (lazy_regex(r"ph|v|w"), "f"),
    (lazy_regex(r"x"), "ks"),
    (lazy_regex(r"c(?=[eiy])|z"), "s"),
    (lazy_regex(r"(?<=[bcdfgjklmnprtvw])h|h(?=[bcdfgjklmnprtvw]|$)"), ""),
    (lazy_regex(r"ie$|ey$|ee|ea|ei|y(?![aou])"), "i"),
    (lazy_regex(r"(?<=[^aeiou])e$"), ""),
    (lazy_regex(r"(.)\1+"), r"\1"),
)
"""Spellings of one sound in English and its neighbours, from the left to the right of the table."""


def may_be_one_name(one: str, other: str) -> bool:
    """Check whether two spellings may be of one name.

    >>> may_be_one_name("Katherine", "Cathrine"), may_be_one_name("Tim", "Tom")
    (True, False)
    """
    if _is_han(one) or _is_han(other):
        return _sound_alike_in_chinese(one, other)
    first, second = _sound(fold(one)), _sound(fold(other))
    if first == second:
        return True
    if first.endswith("a") != second.endswith("a"):
        return False
    return _list_consonants(first) == _list_consonants(second) != ""


def may_be_stems_of_one_name(one: str, other: str) -> bool:
    """Check whether two words of the index may be of one name.

    A stem lacks an ending that a name only seems to have, such as the -ed of Mohamed.
    """
    if may_be_one_name(one, other):
        return True
    shorter, longer = sorted((_sound(one), _sound(other)), key=len)
    told, whole = (each[:1] + each[1:].translate(_NO_VOWELS) for each in (shorter, longer))
    return len(told) >= _LEAST_CONSONANTS - 1 and whole[: len(told)] == told


def _list_consonants(sound: str) -> str:
    """Return a name's first sound and the consonants behind it; empty for a short name."""
    found = sound[:1] + sound[1:].translate(_NO_VOWELS)
    return found if len(found) >= _LEAST_CONSONANTS else ""


def iterate_beginnings(name: str) -> Iterator[str]:
    """Yield beginnings of words of the same sound: two letters, of Chinese one character."""
    if _is_han(name):
        yield from _list_forms(name[0])
        return
    word = fold(name)
    first = "ph" if word.startswith("ph") else word[:1]
    second = word[len(first) : len(first) + 1]
    for variant in _FIRST_VARIANTS.get(first, (first,)):
        yield variant + second
        if second and second in _VOWELS and len(name) >= _LONG:
            yield from (variant + other for other in _VOWELS.replace(second, ""))
        elif second == "h":  # Christine, Kristine; Johan begins like John
            yield variant + word[len(first) + 1 : len(first) + 2]
        elif first in ("c", "k") and second in ("r", "l"):
            yield f"{variant}h"


def simplify(text: str) -> str:
    """Return the text with its common characters in their simplified form."""
    return text.translate(_map_forms())


def _sound(word: str) -> str:
    """Return how a word sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _sound_alike_in_chinese(one: str, other: str) -> bool:
    """Check whether two names differ in nothing but characters that are read alike."""
    first, second = simplify(one), simplify(other)
    if first == second:
        return True
    if len(first) != len(second) or len(first) <= 2 or first[0] != second[0]:  # noqa: PLR2004
        return False
    return all(map(is_read_alike, first, second))


def is_read_alike(one: str, other: str) -> bool:
    """Check whether two characters are read alike, or are two forms of one."""
    first, second = simplify(one), simplify(other)
    return first == second or (_reading(first) == _reading(second) != -1)


def _reading(character: str) -> int:
    """Return the number of a character's reading; -1 for a rare character."""
    place = _place(character)
    return bisect_right(_first_places(), place) - 1 if place else -1


def _place(character: str) -> int:
    """Return a character's place in GB 2312, if that part is ordered by reading; else 0."""
    try:
        place = int.from_bytes(character.encode("gb2312"), "big")
    except UnicodeEncodeError:
        return 0
    return place if 0xB0A1 <= place < 0xD8A1 else 0  # noqa: PLR2004  (level 1 of the standard)


@cache
def _first_places() -> list[int]:
    firsts = "".join(row for (row,) in read_rows(__package__, "syllables.tsv", 1))
    return [int.from_bytes(one.encode("gb2312"), "big") for one in firsts]


@cache
def _map_forms() -> dict[int, str]:
    rows = read_rows(__package__, "scripts.tsv", 2)
    return {ord(t): s for old, new in rows for t, s in zip(old, new, strict=True)}


def _list_forms(character: str) -> list[str]:
    """List a character as it is, simplified, and in its traditional forms."""
    plain = simplify(character)
    traditional = (chr(t) for t, s in _map_forms().items() if s == plain)
    return list(dict.fromkeys((character, plain, *traditional)))


def _is_han(text: str) -> bool:
    return "一" <= text[:1] <= "鿿"
