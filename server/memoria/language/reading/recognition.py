"""Recognition: the words of a text, in a form that is the same however the text is written.

What was forgotten is compared in this form, which is wide where `language/reading/statement` is
narrow. It does not see letter case, width and composition, invisible characters, emoji,
punctuation, quotation marks, dashes, spaces and line breaks, HTML with its entities, Markdown, the
escapes of JSON, letters of other alphabets that look like Latin ones, and whether it says "I" or
"you". It does see what changes the meaning: 1.5 is not 15, -5 is not 5, $5 is not €5, C++ is not C,
and a word more or less within is another statement.

A change of this form makes older digests useless: let it have another `FORM` then, and let
`erasure/suppression` look for both.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import remember_results
from memoria.language.reading.fences import INVISIBLE
from memoria.language.words.characters import CJK

FORM = "words"
"""Name of the form within a digest."""
Place = Literal["anywhere", "end", "clause", "text"]
"""Place of a statement's words in a text that states it: anywhere, at the end of a clause, as a
whole clause, or as the whole text. The shorter it is, the less may it take along."""

_INVISIBLE = lazy_regex(f"[{INVISIBLE}\u20e3]+")
_INLINE = (
    "a|abbr|b|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strike|strong"
    "|sub|sup|tt|u|wbr"
)
_ELEMENT = rf"</?(?:(?P<inline>{_INLINE})\b|[a-z][\w-]*)(?P<attributes>\s[^<>]*)?/?>"
_TAG = lazy_regex(rf"(?s)<!--(?P<comment>.*?)-->|{_ELEMENT}", re.IGNORECASE)
_TAG_BEHIND_COMMENTS = lazy_regex(rf"(?P<comment>(?!))|{_ELEMENT}", re.IGNORECASE)
"""Matches tags where no comment is closed, so that none is looked for from each beginning."""
_ESCAPE = lazy_regex(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>.))")
_LINK = lazy_regex(r"!?\[([^\[\]]*)\](?:\(([^()]*)\)|\[[^\[\]]*\])")
_REFERENCE = lazy_regex(r"\[\^?\d{1,3}\]|\[\^[\w-]{1,40}\]")
_QUOTED_LINE = lazy_regex(r"(?m)^[ \t]*(?:[>|][ \t]*)+")
_APOSTROPHES = lazy_regex(r"(?<=\w)['’‘ʼ`´＇](?=\w)")
_DASHES = lazy_regex("[‐‑‒–—―−﹘﹣－]")
_LETTER = rf"[^\W_{CJK}]"
_WORD = lazy_regex(
    rf"""(?x)
    (?P<word>(?:(?<![^\s(\[{{:=,"'“‘])[-+](?=\d))?
      {_LETTER}+(?:(?<=\d)[.,](?=\d){_LETTER}+)*(?:\+{{1,2}}|\#(?!\w))?
    | [{CJK}] | [$¢-¥₠-⃏%‰≤≥≠±×÷] | [<>=](?=\s?[-+]?\d))
    | (?P<end>[.,!?;:()\[\]{{}}"«»“”„|。，、；：！？「」『』【】《》〈〉\r\n]+|\s-+\s)"""
)
_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТУХІЈЅԀԚԜавекмнорстухіјѕԁԛԝһӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχıɡɑ",
    "ABEKMHOPCTYXIJSDQWabekmhopctyxijsdqwhlvABEZHIKMNOPTYXaikvoptuxiga",
)
_SAME = {
    "you": "i", "me": "i", "your": "my", "yours": "mine", "yourself": "myself",
    "您": "我", "你": "我",
    "am": "is", "are": "is", "im": "i is", "youre": "i is", "ive": "i have", "youve": "i have",
    "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "is not",
    "cannot": "can not", "cant": "can not", "wont": "will not", "havent": "have not",
    "hasnt": "has not",
}  # fmt: skip
"""Words that are read as others: the speaker and the hearer, and the short for the long form."""
_THIRD_PERSON = {
    ("the", "user"): "i", ("the", "users"): "my", ("用", "户"): "我", ("该", "我"): "我"
}  # fmt: skip
_VERBS = {
    "has": "have", "hasnt": "havent", "does": "do", "doesnt": "dont", "is": "is", "was": "was",
}  # fmt: skip
_ENDING = lazy_regex(r"(?<=ch)es$|(?<=sh)es$|(?<=ss)es$|(?<=[xo])es$|(?<=[a-rt-z])s$")
_READ_OTHERWISE = frozenset(
    word
    for table in (_SAME, _THIRD_PERSON, _VERBS)
    for words in table.values()
    for word in words.split()
)
_PARTICLES = frozenset("了 啦 吧 啊 呢 哦 嘛 呀 的 哟 哈".split())
_SENTENCE_END = lazy_regex(
    r"(?:(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]+[”’」』）*_]*)[ \t]*\n*"
    r"|(?:(?<![ \t])[ \t]++)?[\r\n]+"
)
_NESTED = 2
"""Times that something may have been escaped: JSON that holds JSON, HTML that shows HTML."""
_LEAST_ANYWHERE, _LEAST_AT_END = 12, 8
_WORDS_AT_END, _WORDS_ANYWHERE = 3, 2
_DIGIT_WEIGHT, _IDEOGRAM_WEIGHT = 3, 2
_FIRST_IDEOGRAM = "\u2e80"


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as its words in order."""

    words: list[str] = field(default_factory=list)
    ends: set[int] = field(default_factory=set)
    """The numbers of words after which a clause ends; the last one's is among them."""

    @property
    def form(self) -> str:
        """All words as one string, equal for all spellings of a statement."""
        return " ".join(self.words)

    def is_at(self, place: Place, start: int, length: int) -> bool:
        """Check whether `length` words from `start` on stand at a place of the text."""
        end = start + length
        if place == "anywhere":
            return True
        if place == "text":
            return start == 0 and end == len(self.words)
        while end - 1 not in self.ends and end < len(self.words) and self.words[end] in _PARTICLES:
            end += 1
        begins = place == "end" or start == 0 or start - 1 in self.ends
        return begins and end - 1 in self.ends

    def states(self, statement: "Reading", place: Place) -> bool:
        """Check whether a statement's words stand side by side at a place of the text."""
        length, before = len(statement.words), 0
        padded, wanted = f" {self.form} ", f" {statement.form} "
        at = padded.find(wanted)
        while at >= 0:
            before = padded.count(" ", 0, at)
            if self.is_at(place, before, length):
                return True
            at = padded.find(wanted, at + 1)
        return False


def read_words(text: str) -> Reading:
    """Return the words of a text, in the form by which statements are recognised."""
    words, ends = list[str](), set[int]()
    is_users_verb = False
    for found in _WORD.finditer(fold(strip_markup(text))):
        word = found["word"]
        if word is None:
            ends.update([len(words) - 1] if words else ())
            continue
        if is_users_verb:
            word = _VERBS.get(word) or _ENDING.sub("", word)
        user = _THIRD_PERSON.get((words[-1], word)) if words else None
        if user is None:
            words += _SAME.get(word, word).split()
        else:
            words[-1] = user
        is_users_verb = user == "i"
    ends.update([len(words) - 1] if words else ())
    return Reading(words, ends)


@remember_results(256)
def recognition_key(text: str) -> str:
    """Return a string that is equal for all spellings of a statement; of mere signs, the text."""
    return read_statement(text).form


def read_statement(text: str) -> Reading:
    """Return the words of a text; a text without words is itself its only word."""
    reading = read_words(text)
    return reading if reading.words else Reading([text.strip()], {0})


def place_of(words: list[str]) -> Place:
    """Return where in a text these words must stand for the text to state them."""
    weight = sum(map(_weigh, words))
    if len(words) >= _WORDS_ANYWHERE and weight >= _LEAST_ANYWHERE:
        return "anywhere"
    if len(words) >= _WORDS_AT_END and weight >= _LEAST_AT_END:
        return "end"
    return "clause" if len(words) >= _WORDS_ANYWHERE or weight >= _LEAST_ANYWHERE else "text"


def find_anchor(words: list[str]) -> int:
    """Return the number of the first of the two neighbouring words that count most."""
    weights = [_weigh(one) + _weigh(other) for one, other in pairwise(words)]
    return weights.index(max(weights)) if weights else 0


def list_anchors(reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield the places at which a statement may be found, each with the two words there.

    Words that are a clause by themselves are a place, too: some statements have one word.
    """
    words = reading.words
    for start, (one, other) in enumerate(pairwise(words)):
        yield start, f"{one} {other}"
    for end in reading.ends:
        if end == 0 or end - 1 in reading.ends:
            yield end, words[end]


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences and lines; joined they are the text."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if end > start]


def strip_markup(text: str) -> str:
    """Return the visible text, without HTML, Markdown links and invisible characters.

    What tags and links say beside the text follows it.
    """
    plain, aside = text, list[str]()
    for _ in range(_NESTED):  # of JSON, it is read as it stands, and as it was meant
        if "\\" in text:
            text = _ESCAPE.sub(_resolve_escape, text)
            plain = f"{plain}\n{text}"
    for _ in range(_NESTED):
        plain = html.unescape(plain) if "&" in plain else plain
    plain = _INVISIBLE.sub("", plain)
    if "<" in plain:
        inside, end, behind = plain.rpartition("-->")
        pieces = ((_TAG, inside + end), (_TAG_BEHIND_COMMENTS, behind))
        plain = "".join(
            pattern.sub(lambda tag: _take_out(tag, aside), piece) for pattern, piece in pieces
        )
    if "]" in plain:
        plain = _LINK.sub(lambda link: _show_link(link, aside), plain)
        plain = _REFERENCE.sub("", plain)
    if ">" in plain or "|" in plain:
        plain = _QUOTED_LINE.sub("", plain)
    for mark in ("**", "__", "~~", "`"):
        plain = plain.replace(mark, "")
    return "\n".join((plain, *aside))


def fold(text: str) -> str:
    """Return the text in one script, width and case, without unseen characters and apostrophes."""
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_LOOKALIKES)
        text = _DASHES.sub("-", text)
    return _APOSTROPHES.sub("", text).casefold()


def is_read_as_written(word: str) -> bool:
    """Check whether a word of a reading is spelled so in every text that has it."""
    return word not in _READ_OTHERWISE


def _resolve_escape(escape: re.Match[str]) -> str:
    if escape["code"]:
        char = chr(int(escape["code"], 16))
        return char if char.isprintable() else " "
    return "\n" if escape["char"] in "nrtbf" else escape["char"]


def _take_out(tag: re.Match[str], aside: list[str]) -> str:
    """Return the replacement of a tag; the tag's own words are put aside, to follow the text."""
    aside.extend(filter(None, (tag["comment"], tag["attributes"])))
    return "" if tag["inline"] else "\n" if tag["comment"] is None else " "


def _show_link(link: re.Match[str], aside: list[str]) -> str:
    aside.extend(filter(None, (link[2],)))
    return link[1]


def _weigh(word: str) -> int:
    """Return how many letters a word counts for: a digit counts for three, an ideogram for two."""
    return sum(
        _DIGIT_WEIGHT if char.isdigit() else _IDEOGRAM_WEIGHT if char >= _FIRST_IDEOGRAM else 1
        for char in word
        if char.isalnum()
    )
