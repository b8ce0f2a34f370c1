"""Words for the rules that read whom an English text speaks of: lists, and a text split up."""

import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph import lexicon as known
from memoria.text.name import name_key

OWN = frozenset("my our".split())
SELF = frozenset("i i'm i've i'd i'll me myself we we're we've us".split())
LISTENER = frozenset("you you're you've yourself".split())
THIRD = {
    **dict.fromkeys("he he's him himself".split(), "m"),
    **dict.fromkeys("she she's herself hers".split(), "f"),
    **dict.fromkeys("they they're them".split(), "-"),
}
THIRD_OWNERS = {"his": "m", "her": "f", "their": "-"}
WHICH = {
    **dict.fromkeys("older elder eldest oldest big first".split(), "elder"),
    **dict.fromkeys("younger youngest little baby kid small second".split(), "younger"),
    **dict.fromkeys("ex former".split(), "former"),
    **dict.fromkeys("middle maternal paternal step half".split(), None),
    **{word: word for word in ("middle", "maternal", "paternal", "step", "half")},
}
SAYING = frozenset(
    """
    told tell say said mention mentioned think thought know knew believe guess heard hear remember
    wonder wondering ask asked asking hope sure afraid forgot forget recall learned learnt noticed
    notice found explain explained
    """.split()
)
FILL = frozenset(
    """
    have had did do don't didn't can can't could couldn't just also already ever never once really
    would like need want to should must might am was not still only always
    """.split()
)
ASKS_FOR = frozenset("tell remind show give let help".split())
JOINT = frozenset(
    """
    family families relatives household everyone everybody anyone anybody someone somebody people
    guests
    """.split()
)
DEEDS = frozenset(
    """
    booked ordered scheduled reserved arranged gave sent brought invited paid reminded promised
    recommended suggested picked prescribed diagnosed advised referred fed feed
    """.split()
)
"""What one does for another: "my wife booked the flight" may tell of anybody's flight."""
THINGS = frozenset(
    """
    appointment appointments visit visits checkup food bed litter bill bills office list toy toys
    collar walk walks bowl tongue sitter shower shelter shelters owner owners lover lovers care
    walker walkers training lesson lessons meeting meetings conference
    """.split()
)
"""What follows "my dentist" or "my dog" where neither is meant."""
BEING = frozenset("is was am are i'm he's she's as be".split())
BEFORE_PLACES = frozenset(
    "in at from to near of for on by with the a an into via as via and or is was called".split()
)
"""After these a capital is no sign of a person."""
HAVING = frozenset("have has had having got get getting adopted own owns i've".split())
JOINING = frozenset(("and", "or", ","))
MARKS = frozenset(".;!?\n")
"""What ends a sentence."""
KEEPING = frozenset("keep keeps kept".split())
ASKS_WHICH = frozenset("which what many".split())
ANIMALS = frozenset("animal animals".split())
"""Words for pets where a question asks what one has, and for any animal elsewhere."""
INDEFINITE = frozenset("a an one two three new another".split())
GREETINGS = frozenset(
    "hey hi hello thanks thank dear okay bye congrats congratulations wow".split()
)
BY_THEMSELVES = frozenset(
    """
    mom mum mommy mummy mama momma dad daddy papa grandma grandpa granny gran nana grandad granddad
    gramps
    """.split()
)
WITH_CAPITAL = frozenset("mother father grandmother grandfather".split())
WITH_NAME = frozenset("uncle aunt auntie cousin".split())
SUBJECT_VERBS = frozenset(
    """
    is was has had does did can can't cannot could will would likes loves hates prefers lives works
    drives plays speaks takes eats drinks wears studies owns wants needs goes moved joined
    """.split()
)
ASKED_AFTER = frozenset("does did is was has about can will".split())
NO_PERSON = known.NAMELESS | known.CITIES | known.NO_PLACES | known.PRODUCTS | known.NUMBERED
_TOKEN = lazy_regex(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:['’][a-z]*)?|\d[\w-]*|[.,;:!?()\"“”\n—–]")
_BEFORE_A_SENTENCE = frozenset('.!?:;\n"“(')
_IN_LAW = lazy_regex(r"\b(\w+)[ -]in[ -]laws?\b", re.IGNORECASE)


TELLING = frozenset().union(
    OWN, SELF, LISTENER, THIRD, THIRD_OWNERS, WHICH, JOINT, DEEDS, ANIMALS,
    ("your", "mine", "user", "who"),
)  # fmt: skip
"""Words that tell something of people by themselves, beside names and relations."""


class EnglishWord(NamedTuple):
    """A word or a mark as the rules see it."""

    text: str
    """Without a possessive ending."""
    lower: str
    is_possessive: bool
    is_capital: bool
    begins: bool
    """Whether a sentence begins with it."""


class EnglishText:
    """The words and marks of a text. Each is read when a rule asks for it: most never are."""

    def __init__(self, text: str) -> None:
        if "in" in text and "law" in text:
            text = _IN_LAW.sub(r"\1-in-law", text)
        self.pieces: list[str] = _TOKEN.findall(text)
        """The words and marks as they were written."""
        self._words: list[EnglishWord | None] = [None] * len(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, at: int) -> EnglishWord:
        word = self._words[at]
        if word is None:
            begins = at == 0 or self.pieces[at - 1] in _BEFORE_A_SENTENCE
            word = self._words[at] = _read_word(self.pieces[at], begins=begins)
        return word

    def between(self, start: int, end: int) -> Iterator[EnglishWord]:
        """The words from one position to before another."""
        return (self[at] for at in range(start, min(end, len(self))))

    def read_name(self, start: int) -> list[EnglishWord]:
        """The words with a capital from a position on, to the end of a possessive."""
        parts: list[EnglishWord] = []
        for at in range(start, len(self.pieces)):
            word = self[at]
            if not word.is_capital or word.text in NO_PERSON:
                break
            parts.append(word)
            if word.is_possessive:
                break
        return parts

    def list_telling(self, words: Set[str]) -> list[int]:
        """Where one of these words stands, or one with a capital or an ending."""
        return [
            at
            for at, piece in enumerate(self.pieces)
            if piece.lower() in words or piece[0].isupper() or "'" in piece or "’" in piece
        ]


def _read_word(piece: str, *, begins: bool) -> EnglishWord:
    """A word or a mark; an apostrophe may make it a possessive."""
    whole, is_possessive = piece, False
    if "'" in piece or "’" in piece:
        whole, is_possessive = _split_ending(piece)
    return EnglishWord(whole, whole.lower(), is_possessive, piece[0].isupper(), begins)


def _split_ending(piece: str) -> tuple[str, bool]:
    """A word with an apostrophe without what makes it a possessive, and whether it is one."""
    base, _, ending = piece.replace("’", "'").partition("'")
    is_possessive = ending == "s" or (not ending and base.endswith("s"))
    return (base if is_possessive else f"{base}'{ending}"), is_possessive


def join_name(words: Iterable[EnglishWord]) -> str:
    """A name in its normal form."""
    return name_key(" ".join(word.text for word in words))


def is_speech(words: EnglishText, at: int) -> bool:
    """Whether the subject at a position merely says or thinks what follows."""
    for n in range(at + 1, min(at + 5, len(words))):
        lower = words[n].lower
        if lower not in FILL:
            return lower in SAYING
    return False


def is_addressed(words: EnglishText, start: int, end: int) -> bool:
    """Whether a name is that of whoever is spoken to: Hey Anna! That's great, Anna."""
    previous = words[start - 1].lower if start else ""
    after = words[end].text if end < len(words) else "."
    ends = after in ",.!?;\n"
    opens = words[start].begins and after == ","
    return opens or (ends and (previous == "," or previous in GREETINGS))


def is_said_of_somebody(words: EnglishText, at: int) -> bool:
    """Whether a relation is what somebody is: she is a doctor."""
    before = [word.lower for word in words.between(max(at - 2, 0), at)]
    return len(before) > 1 and before[1] in ("a", "an") and before[0] in BEING


def may_name_person(words: EnglishText, at: int) -> bool:
    """Whether a word with a capital may be somebody's name, of whom nothing else tells."""
    word, previous = words[at], words[at - 1] if at else None
    if previous is None or word.begins or word.text.isupper():
        return False
    return previous.text.islower() and previous.lower not in BEFORE_PLACES
