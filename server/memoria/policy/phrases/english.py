"""Plain statements in English."""

import re

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.memory_types import MemoryType
from memoria.policy.phrases.base import Language, ParsedStatement, Phrase, of_many
from memoria.text.pattern import LazyPattern

_LEAD = r"""(?:(?:please|pls|ok(?:ay)?|and|also|but|so|oh|hey|hi|hello|btw|by\sthe\sway|fyi|well|yes
    |no|actually|personally|honestly|in\sgeneral|generally|for\sthe\srecord|note)\b[\s,:;—-]*){0,3}"""
_END = r"(?P<rest>\s*(?:,|\s[-–—]\s|\b(?:because|since|but|so|though|although|and\si)\b).*)?$"
_ITEM = r"(?!(?:but|so|and|which|it|i|as)\b)[\w'’-]+(?:\s[\w'’-]+){0,3}"
_LIST = rf"(?:(?:,\s{_ITEM}){{1,8}},?\s(?:and|or)\s{_ITEM})?"
_OBJECT = rf"(?P<object>[^,;:!?()]{{2,100}}?{_LIST}){_END}"
_VERBS = {
    "prefer": "prefers",
    "like": "likes",
    "love": "loves",
    "hate": "hates",
    "dislike": "dislikes",
    "enjoy": "enjoys",
    "adore": "adores",
    "detest": "detests",
}
_PERSON = lazy_regex(r"(?i)\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours)\b")
# These point elsewhere, or are true only for the moment.
_POINTING = lazy_regex(
    r"""(?xi)(?:it|this|that|these|those|them|they|him|her|he|she|you|your|yours|the|both|all|either
    |neither|some|one|how|what|when|where|why|who|seeing|hearing|to\s(?:see|hear|know|think|say|go\sthere)
    |being\s(?:there|here|able)|such|so|everything|anything|nothing|here|there)\b"""
)
_POINTING_NOTE = lazy_regex(
    r"(?i)(?:it|this|that|these|those|them|you|your|he|she|they|what|when|where|why|who|how)\b"
)
_PASSING = lazy_regex(
    r"(?i)\b(?:today|tonight|right now|at the moment|for now|this time|just now|ones?|either|if"
    r"|th[eo]se|unless|when|while|until|him|her|them|it|its|they|he|she)\b"
)
_ADDRESSED = lazy_regex(r"(?i)\b(?:you|your|yours|if)\b")
_SHORTEST_OBJECT = 2
_ALSO = lazy_regex(r"(?i)\s(?:as\swell|too|also)$")
_TELLING = lazy_regex(r"[^\W\d_]\S*(?:\s+\S+){2,}")


def _plain(text: str | None) -> str | None:
    """An object that can be understood alone, else None."""
    clause = _ALSO.sub("", (text or "").strip(" '’\"“”."))
    empty = len(clause) < _SHORTEST_OBJECT
    return None if empty or _POINTING.match(clause) or _PASSING.search(clause) else clause


def _statement(
    kind: MemoryType, words: str, clause: str, subject: str, predicate: str
) -> ParsedStatement:
    """A statement in the third person, or a quote where a pronoun would have to be changed."""
    content = (
        f'The user says: "{words.strip()}."' if _PERSON.search(clause) else f"The user {clause}."
    )
    return ParsedStatement(kind, content, subject, predicate)


def _likes(match: re.Match[str]) -> ParsedStatement | None:
    clause = _plain(match["object"])
    if clause is None or match["verb"].isupper():  # "I just LOVE early meetings"
        return None
    verb = match["verb"].lower()
    phrase = f"does not {verb} {clause}" if match["not"] else f"{_VERBS[verb]} {clause}"
    return _statement(MemoryType.PREFERENCE, match[0], phrase, "user", of_many("taste", clause))


def _allergic(match: re.Match[str]) -> ParsedStatement | None:
    clause = _plain(match["object"])
    if clause is None:
        return None
    phrase = f"is {match['how'].lower()} {clause}"
    return _statement(MemoryType.FACT, match[0], phrase, "user", of_many("allergy", clause))


def _diet(match: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(MemoryType.PREFERENCE, f"The user is {match['what']}.", "user", "diet")


def _abstains(match: re.Match[str]) -> ParsedStatement | None:
    clause = _plain(match["object"])
    if clause is None:
        return None
    phrase = f"does not {match['verb'].lower()} {clause}"
    return _statement(MemoryType.PREFERENCE, match[0], phrase, "user", of_many("diet", clause))


def _name(match: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(MemoryType.FACT, f"The user's name is {match['name']}.", "user", "name")


def _form_of_address(match: re.Match[str]) -> ParsedStatement:
    content = f"The user wants to be called {match['name']}."
    return ParsedStatement(MemoryType.RULE, content, "user", "form of address")


def _home(match: re.Match[str]) -> ParsedStatement:
    verb = "has moved to" if match["moved"] else "lives in"
    return ParsedStatement(MemoryType.FACT, f"The user {verb} {match['place']}.", "user", "home")


def _workplace(match: re.Match[str]) -> ParsedStatement:
    content = f"The user works {match['how'].lower()} {match['place']}."
    return ParsedStatement(MemoryType.FACT, content, "user", "workplace")


def _job(match: re.Match[str]) -> ParsedStatement:
    content = f"The user works as {match['job']}."
    return ParsedStatement(MemoryType.FACT, content, "user", "job")


def _favourite(match: re.Match[str]) -> ParsedStatement | None:
    clause, what = _plain(match["object"]), match["what"].lower()
    if clause is None:
        return None
    phrase = f"The user's favourite {what} is {clause}."
    content = f'The user says: "{match[0].strip()}."' if _PERSON.search(clause) else phrase
    return ParsedStatement(MemoryType.PREFERENCE, content, "user", f"favourite {what}")


def _order(match: re.Match[str]) -> ParsedStatement | None:
    order = match["order"].strip()
    if _PASSING.search(order):
        return None
    predicate = "answer language" if _LANGUAGE.search(order) else of_many("rule", order)
    return ParsedStatement(MemoryType.RULE, f'The user asks: "{order}."', "assistant", predicate)


_LANGUAGE = lazy_regex(
    r"""(?xi)\b(?:answer|reply|respond|write|speak|talk)\b(?:\sto)?(?:\sme)?(?:\sonly)?\s(?:in\s)?
    (?:english|german|french|spanish|italian|portuguese|dutch|russian|japanese|korean|chinese
    |mandarin)\b"""
)
_PLACE = r"""(?P<place>(?:the\s)?(?-i:[A-Z])[\w'’&.-]{0,30}(?:\s(?-i:[A-Z])[\w'’&.-]{0,30}){0,3})"""
_TITLE = r"(?:(?:Dr|Prof|Mrs?|Ms|Mx)\.?\s)?"
_NOW = r"(?:\s(?:now|again|these\sdays))?"
_BESIDE = rf"""{_NOW}(?:\s(?:with|since|near|by)\s[^.!?]{{1,80}})?{_END}"""
"""What may follow a place without changing that it is so."""
_TO_DO = r"""(?:answer|reply|respond|use|write|call|address|ask|run|commit|push|format|explain
    |include|add|show|keep|cite|speak|talk|translate|make|suggest|mention|create|install|assume|wrap
    |put|start|end|test|check|delete|log|share|send|open|round|quote|indent)"""

_REMEMBER = LazyPattern(
    rf"""(?xi){_LEAD}(?:remember|memori[sz]e|keep\sin\smind|bear\sin\smind|do\s?n[o'’]t\sforget|note
    |make\sa\snote|never\sforget)
    (?:\sthat\b|\s?:|,(?=.*\b(?:i|me|my|we|us|our)\b)|(?=\s(?:i['’]?m?|i['’]ve|my|we|our)\b))\s*"""
)
_OPENING = LazyPattern(
    rf"""(?xi){_LEAD}(?:(?:i|we)(?:['’\s]|m\s|ve\s)|my\s|call\s|you\s|just\s|please\s|from\s|always\s
    |never\s|do\s?n[o'’]?t\s|{_TO_DO}\s)"""
)
_PHRASES = tuple(
    Phrase(LazyPattern(rf"(?xi){_LEAD}{pattern}"), read)
    for pattern, read in (
        (
            rf"""i\s(?:(?:really|absolutely|generally|usually|always|also|truly|much|just|do|still)\s){{0,2}}
            (?P<not>)(?P<verb>prefer|like|love|hate|dislike|enjoy|adore|detest)\s{_OBJECT}""",
            _likes,
        ),
        (
            rf"""i\s(?P<not>do\s?n[o'’]t|do\snot)\s(?:really\s|much\s)?(?P<verb>like|enjoy)\s{_OBJECT}""",
            _likes,
        ),
        (
            rf"(?:i['’]?m|i\sam)\s(?:also\s)?(?P<how>(?:not\s)?(?:\w+ly\s)?allergic\sto)\s{_OBJECT}",
            _allergic,
        ),
        (
            rf"(?:i['’]?m|i\sam)\s(?:an?\s)?(?P<what>(?:not\s)?(?:an?\s)?(?:vegan|vegetarian|pescatarian)){_END}",
            _diet,
        ),
        (
            rf"""i\s(?:do\s?n[o'’]t|do\snot|never)\s(?P<verb>eat|drink)\s{_OBJECT}""",
            _abstains,
        ),
        (
            r"""my\sname(?:\sis|['’]s)\s["“]?(?P<name>(?-i:[A-Z])[\w'’.-]{0,30}(?:\s(?-i:[A-Z])[\w'’.-]{0,30}){0,2})
            ["”]?(?=\s*(?:,|$|\band\b))""",
            _name,
        ),
        (
            rf"""(?:from\snow\son,?\s)?(?:you\scan\s|just\s|please\s){{0,2}}call\sme\s
            ["“]?(?P<name>{_TITLE}(?-i:[A-Z])[\w'’.-]{{0,30}})["”]?
            (?=\s*(?:,|$|\b(?:please|from|instead|now)\b))""",
            _form_of_address,
        ),
        (
            rf"""(?P<moved>)i(?:['’]?m|\sam)?\s(?:(?:now|currently|still)\s){{0,2}}liv(?:e|ing)\sin\s
            {_PLACE}{_BESIDE}""",
            _home,
        ),
        (
            rf"""(?:i|we)(?P<moved>(?:['’]?ve|\shave)?\s(?:(?:just|now|recently)\s)?moved)
            (?:\sfrom\s(?-i:[A-Z])[\w'’.-]{{0,30}})?\s(?:back\s)?to\s{_PLACE}{_BESIDE}""",
            _home,
        ),
        (
            rf"""i\s(?:(?:now|currently|still)\s)?work\s(?P<how>at|for)\s{_PLACE}
            (?:\sas\san?\s[\w\s-]{{2,40}}?)?{_BESIDE}""",
            _workplace,
        ),
        (
            rf"""i\s(?:(?:now|currently|still)\s)?work\sas\s(?P<job>an?\s\w[\w-]*(?:\s\w[\w-]*){{0,3}}?){_BESIDE}""",
            _job,
        ),
        (
            rf"my\s(?:all[ -]time\s)?favou?rite\s(?P<what>\w+(?:\s\w+)?)\sis\s{_OBJECT}",
            _favourite,
        ),
        (
            rf"(?P<order>(?:do\s?n[o'’]?t|never)\scall\sme\s{_TITLE}(?-i:[A-Z])[\w'’.-]{{0,30}})$",
            _order,
        ),
        (rf"(?P<order>(?:always|never)\s{_TO_DO}\s.{{3,200}})$", _order),
        (r"(?P<order>from\snow\son,?\s(?!i\b|we\b|he\b|she\b|they\b|it\b).{6,200})$", _order),
        (rf"(?P<order>{_TO_DO}\s.{{3,200}}\sfrom\snow\son)$", _order),
    )
)


def _note(text: str) -> ParsedStatement | None:
    if not _TELLING.match(text) or _POINTING_NOTE.match(text) or _ADDRESSED.search(text):
        return None
    return ParsedStatement(
        MemoryType.FACT, f'The user asks to remember: "{text}."', "user", of_many("note", text)
    )


ENGLISH = Language(_REMEMBER, _OPENING, _PHRASES, _note)
