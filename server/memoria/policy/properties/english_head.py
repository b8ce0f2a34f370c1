"""Finds subject and verb of an English clause, and what denies, dates or changes it."""

import re
from dataclasses import dataclass, field

from memoria.policy.properties import english_words as vocabulary
from memoria.policy.properties.base import Property
from memoria.policy.properties.keys import USER, subject_key
from memoria.policy.properties.values import stem
from memoria.text.pattern import LazyPattern

_MAX_SUBJECT = 7
_REASON = LazyPattern(r"(?i)[\s,]+(?:because|due to|so that|in order to)\b.*$")
_INSTEAD = LazyPattern(
    r"(?i)^(?P<new>.+?)(?:,\s*(?:and\s)?not|\sinstead\sof|\srather\sthan)\s(?P<old>[^,]+)$"
)
_BUT = LazyPattern(r"(?i)^(?P<front>.*?)\bnot\s(?P<old>[^,]+?),?\sbut\s(?P<new>[^,]+)$")

_NO_LONGER_BUT = LazyPattern(
    r"(?i)^(?P<front>(?:\w+(?:ed|en|ing)\s(?=\w+\s))?)(?P<old>[^,]+?),?\sbut\s(?P<new>[^,]+)$"
)


@dataclass(slots=True)
class Parse:
    """What was gathered about a clause so far."""

    subject: str
    verb: str = ""
    rest: str = ""
    affirmed: bool = True
    is_change: bool = False
    is_past: bool = False
    is_tentative: bool = False
    denied: list[str] = field(default_factory=list)


def parse_head(text: str, previous: tuple[Property, ...]) -> Parse | None:
    """Find the subject and the verb, and what stands between them."""
    words = text.split()
    low = [word.lower().strip(",") for word in words]
    end = _subject_end(low, has_previous=bool(previous))
    if end is None:
        return None
    _put_be_last(words, end)
    low = [word.lower().strip(",") for word in words]
    parse = Parse(_subject_of(words[:end]) if end else previous[-1].subject)
    at = _read_markers(low, end, parse)
    if at >= len(words):
        return None
    verb = low[at]
    parse.is_past = parse.is_past or _is_past_form(verb, low[end:at])
    parse.verb = (
        "be" if verb in vocabulary.BE else "have" if verb in vocabulary.HAVE else stem(verb)
    )
    if verb in ("moved", "relocated", "joined", "switched", "became"):
        parse.is_change, parse.is_past = True, False
    parse.rest = " ".join(words[at + 1 :])
    if parse.verb == "be" and parse.rest.lower().startswith("born "):
        parse.is_past = False  # where one was born holds for ever
    return parse


def find_subject(text: str, *, has_previous: bool) -> str | None:
    """The subject of a clause; empty where it has none of its own, None where none is seen."""
    words = text.split()
    end = _subject_end([word.lower().strip(",") for word in words], has_previous=has_previous)
    return None if end is None else _subject_of(words[:end])


def _subject_of(words: list[str]) -> str:
    return subject_key(_plain_subject(" ".join(words))) if words else ""


def _plain_subject(subject: str) -> str:
    return re.sub(r"(?i)^(?:the|an?)\s+(?!user\b)", "", subject.strip(","))


def _subject_end(low: list[str], *, has_previous: bool) -> int | None:
    """Where the subject ends; 0 if the clause has none of its own."""
    start = 1 if low[:1] == ["the"] else 0
    if low[start : start + 1] == ["user"]:
        return start + 1 if len(low) > start + 1 else None
    if has_previous and low and (low[0] in vocabulary.VERBS or low[0] in vocabulary.ADVERBS):
        return 0
    for at in range(1, min(len(low), _MAX_SUBJECT + 1)):
        is_open = low[at - 1].endswith("'s") or low[at - 1] in vocabulary.PREPOSITIONS
        is_open = is_open or low[at - 1] in ("the", "a", "an", "user's", "and", "or")
        if not is_open and (low[at] in vocabulary.VERBS or low[at] in vocabulary.ADVERBS):
            return at
    return None


def _read_markers(low: list[str], start: int, parse: Parse) -> int:
    """Read what stands before the main verb ("no longer", "used to"); gives the verb's place."""
    at = start
    while at < len(low):
        step = next((n for n in (read(low, at, parse) for read in _MARKERS) if n), 0)
        if not step:
            break
        at += step
    return at


def _word_at(low: list[str], at: int) -> str:
    return low[at] if at < len(low) else ""


def _read_denial(low: list[str], at: int, parse: Parse) -> int:
    """Read "not", "never", "no longer", "stopped"; gives how many words were read."""
    word, after = low[at], _word_at(low, at + 1)
    if word == "no" and after == "longer":
        parse.affirmed, parse.is_change = False, True
        return 2
    if word in vocabulary.STOPS and (after == "up" or after.endswith("ing")):
        parse.affirmed, parse.is_change = False, True
        return 2 if after == "up" else 1
    if word in ("not", "never"):
        parse.affirmed = not parse.affirmed
        return 1
    return 1 if word == "can" and after == "not" else 0


def _read_wish(low: list[str], at: int, parse: Parse) -> int:
    """Read "might", "plans to", "is thinking of"."""
    word, after = low[at], _word_at(low, at + 1)
    if word in vocabulary.MODALS:
        parse.is_tentative = True
        return 1
    if word in vocabulary.BE and after in vocabulary.INTENTIONS:
        third = _word_at(low, at + 2)
        parse.is_tentative = parse.is_tentative or after != "going" or third == "to"
        return (3 if third in ("to", "of") else 2) if parse.is_tentative else 0
    is_address = low[at + 2 : at + 4] == ["be", "called"]
    if word in vocabulary.WISHES and after == "to" and not is_address:
        parse.is_tentative = True
        return 2
    return 0


def _read_auxiliary(low: list[str], at: int, parse: Parse) -> int:
    """Read "has" of "has moved", "is" of "is learning", "used to", "started to"."""
    word, after = low[at], _word_at(low, at + 1)
    if word == "used" and after == "to":
        parse.is_past = True
        return 2
    if word in vocabulary.DO or word == "did":
        if after not in ("not", "never"):
            return 0
        parse.is_past = parse.is_past or word == "did"
        return 1
    if word in vocabulary.STARTS and (after == "to" or after.endswith("ing")):
        parse.is_change = True
        return 2 if after == "to" else 1
    is_perfect = word in vocabulary.HAVE and _is_participle(after)
    is_progressive = word in vocabulary.BE and after.endswith("ing")
    parse.is_past = parse.is_past or (is_progressive and word in ("was", "were"))
    return 1 if is_perfect or is_progressive else 0


def _read_adverb(low: list[str], at: int, parse: Parse) -> int:
    word = low[at]
    if word not in vocabulary.ADVERBS or at + 1 == len(low):
        return 0
    parse.is_change = parse.is_change or word in ("now", "instead", "again", "actually")
    parse.is_past = parse.is_past or word in ("formerly", "previously", "once")
    parse.is_tentative = parse.is_tentative or word in vocabulary.TENTATIVE
    return 1


_MARKERS = (_read_denial, _read_wish, _read_auxiliary, _read_adverb)


def _put_be_last(words: list[str], start: int) -> None:
    """Put "is" behind the adverbs after it: "no longer is", as "no longer lives"."""
    if start < len(words) and words[start].lower() in vocabulary.BE:
        at = start + 1
        while at < len(words) and words[at].lower() in vocabulary.AFTER_BE:
            at += 1
        words[start:at] = [*words[start + 1 : at], words[start]]


def _is_participle(word: str) -> bool:
    return (
        word
        in ("been", "quit", "given", "become", "gone", "left", "begun", "taken", "not", "never")
        or word in vocabulary.ADVERBS
        or (word.endswith("ed") and len(word) > len("need"))
    )


def _is_past_form(verb: str, before: list[str]) -> bool:
    """Whether a verb's form tells of the past; "has lived" tells of the present."""
    if any(word in vocabulary.HAVE | vocabulary.BE for word in before):
        return False
    return verb in vocabulary.PAST or (
        verb.endswith("ed") and verb not in ("need", "feed", "speed")
    )


def read_ends(parse: Parse) -> None:
    """Take off the rest what says when it holds and what it is not."""
    parse.rest = _REASON.regex.sub("", parse.rest)
    but = _BUT.regex.match(parse.rest) if parse.affirmed else _NO_LONGER_BUT.regex.match(parse.rest)
    instead = None if but else _INSTEAD.regex.match(parse.rest)
    if but and not parse.affirmed:
        parse.affirmed = True
    if but:
        parse.rest = f"{but['front']}{but['new']}"
        parse.denied.append(f"{but['front']}{but['old']}")
    elif instead:
        lead = re.match(r"(?i)(?:(?:at|on|in|by|to|with)\s)?", instead["new"])
        old = instead["old"]
        has_lead = old.split()[0].lower() in vocabulary.PREPOSITIONS
        parse.rest = instead["new"]
        parse.denied.append(old if has_lead or lead is None else lead[0] + old)
    while ending := vocabulary.END_ADVERBS.regex.search(f" {parse.rest}"):
        parse.rest = f" {parse.rest}"[: ending.start()].strip(" ,")
        parse.is_change = parse.is_change or ending["word"].lower() in vocabulary.CHANGE_ADVERBS
    if parse.is_change:
        parse.rest = vocabulary.LATELY.regex.sub("", parse.rest)
    is_birth = parse.verb == "be" and parse.rest.lower().startswith("born ")
    if vocabulary.PAST_TIME.regex.search(parse.rest) and not is_birth:
        parse.is_past = True
    if vocabulary.FUTURE_TIME.regex.search(parse.rest) and parse.subject == USER:
        parse.is_tentative = True
