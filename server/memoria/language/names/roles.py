"""Semantic roles by a few rules: who does what to whom and where, in sentences of a simple form.

The subject in front is the agent, what follows a known verb is the patient, in/at/在 a place is the
location; a negation or a modal word applies to the whole sentence. For sentences of any other form
only negation and modality are found. The caller finds the time expression and passes it in, so that
it can be removed before the sentence is parsed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import TablePattern
from memoria.language.names import lexicon as known
from memoria.language.names.mentions import NameSpan, find_names
from memoria.model import EntityKind, Mention, Modality, SemanticRole

_LONGEST_SENTENCE = 300
"""Most characters of a sentence that is parsed."""
_LONGEST_THING = 3
"""Most words of an object; longer ones are clauses. For Chinese, most characters:"""
_LONGEST_ZH = 6


@dataclass(frozen=True, slots=True)
class SentenceMeaning:
    """Meaning of a sentence, as far as the rules can tell."""

    predicate: str | None = None
    """A verb in its base form."""
    roles: tuple[Mention, ...] = ()
    """The names and things in the sentence, each with its role."""
    negated: bool = False
    modality: Modality = "actual"
    time: str | None = None
    """The time expression, in the speaker's own words."""


def parse_sentence(text: str, time: str | None = None) -> SentenceMeaning:
    """Parse the first sentence of a text.

    Args:
        text: a statement, in English or Chinese.
        time: the time expression in it, if there is one.
    """
    sentence = _first_sentence(text)
    plain = _remove_time(sentence, time) if time else sentence
    modality = _modality(plain)
    negated = bool(_NEGATED.search(_NOT_NEGATED.sub("", plain)))
    clause = _parse_chinese(plain) if _HAN.search(plain) else _parse_english(plain)
    predicate, roles = clause or (None, ())
    return SentenceMeaning(predicate, roles, negated, modality, time)


_SENTENCE = lazy_regex(r".+?(?:[。！？!?](?!\d)|(?<![A-Z]r)(?<!Mrs)\.(?=\s+[A-Z])|$)", re.DOTALL)
_HAN = lazy_regex(r"[\u4e00-\u9fff]")
_NOT_NEGATED = lazy_regex(
    r"\bnot only\b|\bnot (?:just|merely)\b|(\w)不\1|不但|不仅|不过|不错|不久|不少|不断|差不多|"
    r"不好意思|没关系|没问题|特别|区别|分别|别人|别的|性别|级别",
    re.IGNORECASE,
)
_NEGATED = lazy_regex(
    r"\b(?:not|never|no longer|cannot|without)\b|n['’]t\b|不|没|别(?!墅)|从未|并非|无法",
    re.IGNORECASE,
)
_MODALITIES: Sequence[tuple[Modality, re.Pattern[str]]] = (
    (
        "joking",
        lazy_regex(r"\b(?:just kidding|kidding|joking|as a joke)\b|开玩笑|哈哈", re.IGNORECASE),
    ),
    (
        "hearsay",
        lazy_regex(
            r"\b(?:heard that|I heard|hear(?:s|d)? from|apparently|allegedly|reportedly"
            r"|rumou?r has it|they say)\b|听说|据说|据称|传闻",
            re.IGNORECASE,
        ),
    ),
    (
        "possible",
        lazy_regex(
            r"\b(?:might|may|[Mm]aybe|[Pp]erhaps|possibly|[Pp]robably|could be)\b"
            r"|可能(?!性)|也许|大概|或许|说不定"
        ),
    ),
    (
        "planned",
        lazy_regex(
            r"\b(?:plan(?:s|ned|ning)? to|intends? to|(?:is|are|am|'m|'re|'s) going to"
            r"|scheduled to)\b"
            r"|打算|计划(?!生育)|准备(?!好)|即将"
        ),
    ),
    (
        "wished",
        lazy_regex(
            r"\b(?:wants? to|would like|'d like|hopes? to|wish(?:es)?|dreams? of)\b"
            r"|希望|想要|(?<![思理联感猜梦幻设构])想(?![法起象念到])"
        ),
    ),
)


def _first_sentence(text: str) -> str:
    match = _SENTENCE.match(text.strip())
    sentence = match[0].strip().rstrip("。！？!?.") if match else ""
    return sentence if len(sentence) <= _LONGEST_SENTENCE else ""


def _modality(sentence: str) -> Modality:
    return next((name for name, sign in _MODALITIES if sign.search(sentence)), "actual")


def _remove_time(sentence: str, time: str) -> str:
    gap = "" if _HAN.search(time) else " "
    return " ".join(sentence.replace(time, gap).split())


Clause = tuple[str, tuple[Mention, ...]]
"""A predicate and its roles."""
_MARKS_EN = (
    r"(?:(?:does|do|did|is|are|was|were|has|have|had|will|would|can|could|might|may|probably|"
    r"maybe|perhaps|really|always|often|usually|also|just|never|not|no longer|doesn['’]t|"
    r"don['’]t|didn['’]t|won['’]t|plans? to|wants? to|hopes? to|intends? to|going to|"
    r"would like to)\s+){0,4}"
)
_LEAD_EN = lazy_regex(
    r"^(?:(?:I heard(?: that)?|apparently|reportedly|maybe|perhaps|they say),?\s+)+", re.IGNORECASE
)
_CLAUSE_EN = lazy_regex(rf"\s+{_MARKS_EN}(?P<verb>[a-z]+)\s+(?P<object>.+)$")
_OBJECT_END_EN = lazy_regex(
    r"\s+(?:in|at|on|with|for|to|from|by|because|when|while|since|after|before|and|but|every|"
    r"as|so|that|who|which|if|of|\w{2,}ed)\b|[,;:(]"
)
_NO_OBJECT_EN = lazy_regex(r"(?:to|in|at|on|with|for|from|by|up|out|off|about|and|that|how)\b")
_ARTICLE = lazy_regex(r"^(?:the|a|an|some|his|her|their|its|my|our|your)\s+", re.IGNORECASE)
_AT_PLACE_EN = lazy_regex(r"\b(?:in|at)\s+(?:the |a |an |his |her |their |my |our )?([a-z]+)\b")


def _parse_english(sentence: str) -> Clause | None:
    """Parse a name, a known verb and an object: Lin plays the flute in the park."""
    lead = _LEAD_EN.match(sentence)
    start = lead.end() if lead else 0
    found = find_names(sentence)
    agent = next((one for one in found if one.start == start and one.kind != "place"), None)
    if agent is None:
        return None
    clause = _CLAUSE_EN.match(sentence, agent.end)
    if clause is None or clause["verb"] not in known.verb_forms():
        return None
    if _NO_OBJECT_EN.match(clause["object"]):
        return None
    parts: dict[SemanticRole, str] = {"agent": agent.name}
    thing = _ARTICLE.sub("", _OBJECT_END_EN.split(clause["object"], maxsplit=1)[0]).strip()
    if thing and len(thing.split()) <= _LONGEST_THING and not _PRONOUN.fullmatch(thing):
        parts["patient"] = thing
    place = _place_en(sentence, found)
    if place:
        parts["location"] = place
    return known.verb_forms()[clause["verb"]], _roles(parts, found)


_PRONOUN = lazy_regex(
    r"(?:it|him|her|them|me|us|you|this|that|nothing|everything)\b.*", re.IGNORECASE
)


def _place_en(sentence: str, found: Sequence[NameSpan]) -> str | None:
    """Return a place name after "in" or "at", or a common noun for a place; None if neither."""
    for one in found:
        if one.kind == "place" and re.search(r"\b(?:in|at)\s+$", sentence[: one.start]):
            return one.name
    common = (match[1] for match in _AT_PLACE_EN.finditer(sentence))
    return next((name for name in common if name in known.english("places")), None)


_MARKS_ZH = (
    r"(?:不|没有?|从来|从未|也|都|很|最|非常|经常|常常|一直|正在?|已经|打算|计划|准备|可能|也许|大概|想要?|希望|要|会|"
    r"再|又|还|特别|就|，){0,4}"
)
_LEAD_ZH = lazy_regex(r"^(?:听说|据说|也许|可能|大概|昨天|今天|明天|，|\s)+")
_CLAUSE_ZH = TablePattern(
    lambda: (
        rf"^(?P<agent>[^，,、；\s]{{2,12}}?){_MARKS_ZH}"
        rf"(?:[在于](?P<place>[^，,。]{{1,10}}?)(?:里面|里|上|中|内)?)?{_MARKS_ZH}"
        rf"(?P<verb>{known.any_chinese('verbs')})(?:了|过|着)?(?P<object>[^，,。；]*)$"
    )
)
_COUNTED_ZH = lazy_regex(r"^[一二两三四五六七八九十几\d]+[个只条本台辆杯瓶件张套份部首次把位]")


def _parse_chinese(sentence: str) -> Clause | None:
    """Parse a name, a place, a known verb and an object: 小明在公园里踢足球."""
    lead = _LEAD_ZH.match(sentence)
    rest = sentence[lead.end() :] if lead else sentence
    found = find_names(rest)
    agent = next((one for one in found if one.start == 0 and one.kind == "person"), None)
    if agent is None:
        return None
    clause = _CLAUSE_ZH.regex.match(rest)
    if clause is None or clause["agent"] != agent.name:
        return None
    parts: dict[SemanticRole, str] = {"agent": agent.name}
    thing = _COUNTED_ZH.sub("", clause["object"].strip()).rstrip("了的吗呢吧啊")
    place = clause["place"] or ""
    if clause["verb"] in ("住", "去"):
        thing, place = "", thing.removeprefix("在")
    if 0 < len(thing) <= _LONGEST_ZH:
        parts["patient"] = thing
    if 0 < len(place) <= _LONGEST_ZH:
        parts["location"] = place
    return clause["verb"], _roles(parts, found)


def _roles(parts: Mapping[SemanticRole, str], found: Sequence[NameSpan]) -> tuple[Mention, ...]:
    kinds: dict[str, EntityKind] = {one.name: one.kind for one in found}
    return tuple(
        Mention(
            name=name, kind=kinds.get(name, "place" if role == "location" else "other"), role=role
        )
        for role, name in parts.items()
    )
