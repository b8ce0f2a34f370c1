"""What an English clause tells, by its verb."""

import re
from collections.abc import Sequence

from memoria.graph.lexicon import CITIES, GIVEN_NAMES
from memoria.policy.properties import english_words as vocabulary
from memoria.policy.properties.base import MOVED_HOUSE, Property
from memoria.policy.properties.english_head import Parse
from memoria.policy.properties.keys import (
    USER,
    has_one_value,
    may_be_several,
    people,
    predicate_key,
    subject_key,
)
from memoria.policy.properties.values import canonical_value, is_name, is_quantity, stems_of
from memoria.text.pattern import LazyPattern

_OVER = LazyPattern(r"(?i)^(?P<one>.+?)\s(?:over|more\sthan|rather\sthan|to)\s(?P<other>.+)$")
_LIST = LazyPattern(r"(?i)\s*,\s*(?:and|or|as well as)?\s*|\s+(?:and|or|as well as|&)\s+")
_DETAIL = LazyPattern(
    r"""(?xi)[\s,]+(?:with|since|because|for\s(?!the\b)|from|near|close\sto|together|where|which|who|so|but
    |until|as\sof|as\san?|for\s\w+\s(?:years|months|weeks))\b.*$|\s*[,(].*$"""
)
_AGE = LazyPattern(r"(?i)^(?P<age>[\w-]+)\s(?:years?\sold|years\sof\sage)$|^(?P<bare>\d{1,3})$")
_OF_THE_USER = LazyPattern(r"(?i)^(?:the )?user's (?P<attribute>[\w -]+)$")
_OF_PERSONS = LazyPattern(
    r"(?i)(?:single|married|divorced|widowed|engaged)\b|(?:\w+ly )?allergic to|.+ years? old$"
)
_INDEFINITE = LazyPattern(r"(?i)an?\s")
_DEFINITE = LazyPattern(r"(?i)(?:the|an?|the user's|user's)\s")
_BORN = LazyPattern(r"(?i)^born (?:in|on) (?P<what>.+)$")
_ALLERGIC = LazyPattern(r"(?i)^(?:\w+ly )?allergic to (?P<what>.+)$")
_GRADE = LazyPattern(r"(?i)^in (?:the )?(?P<value>\w+) (?:grade|year)(?: of \w+)?$")
_LOCATED = LazyPattern(r"(?i)^(?P<based>based )?in (?P<place>.+)$")
_MARITAL = frozenset("single married divorced widowed engaged separated".split())
_DIETS = frozenset("vegan vegetarian pescatarian omnivore".split())
_WHEN = frozenset("due planned scheduled set moved postponed delayed rescheduled".split())
_POSTPONED = frozenset("moved postponed delayed rescheduled".split())
_WHERE = frozenset("hosted deployed located stored kept stationed".split())
_PREPOSITION = LazyPattern(
    rf"(?i)^(?P<preposition>{'|'.join(sorted(vocabulary.PREPOSITIONS))})\s+(?P<rest>.+)$"
)
_OF = LazyPattern(r"(?i)^(?P<attribute>[\w -]+?)\s(?:of|for)\s(?P<owner>.+)$")
_PARTICIPLE = LazyPattern(
    r"""(?i)^(?P<word>\w+(?:ed|n|t|e))\s
    (?P<preposition>at|on|in|by|to|with|for|from|under|until|back\sto)\s(?P<rest>.+)$""",
    re.VERBOSE,
)
_CALLED = LazyPattern(r"(?i)^(?:called|named|known as)\s+(?P<name>.+)$")
_ROLE = LazyPattern(r"(?i)^(?P<thing>.+?)\s(?P<for>for|as|to)\s(?P<role>.+)$")
_NUMBERED = LazyPattern(r"(?i)^(?P<noun>[a-z]+)\s(?P<number>\d[\w.:-]*)$")


def read_predicate(parse: Parse, previous: Sequence[Property]) -> list[Property]:
    """The properties that a clause tells."""
    if parse.verb == "pay":
        return _read_payment(parse, previous)
    if parse.verb == "be":
        return _read_copula(parse, previous)
    return _read_level(parse) or _read_verb(parse) or _read_objects(parse)


_NO = LazyPattern(r"(?i)^(?:no|not any)\s+(?P<what>.+)$")
_LEFT = LazyPattern(r"(?i)^(?:(?:his|her|their|the|the user's) job (?:at|with) )?(?P<place>.+)$")
_LEFT_FOR = LazyPattern(
    r"(?i)^(?P<old>.+?),?\s(?:and\s(?:then\s|now\s|has\s|have\s|just\s){0,2}(?P<joined>joined)|for)\s(?P<new>.+)$"
)
_FROM_TO = LazyPattern(r"(?i)^from (?P<old>.+?) (?:over )?to (?P<new>.+)$")


def _one(parse: Parse, predicate: str, value: str, *, certain: bool = True) -> list[Property]:
    return [Property(parse.subject, predicate, value, True, parse.affirmed, is_certain=certain)]


def _many(parse: Parse, family: str, items: str, *, affirmed: bool | None = None) -> list[Property]:
    """A property for each thing of a list."""
    stated = parse.affirmed if affirmed is None else affirmed
    values = [stems_of(item) for item in _LIST.regex.split(items) if item.strip()]
    return [
        Property(parse.subject, f"{family}:{value}", value, False, stated)
        for value in values
        if value
    ]


def _whereabouts(parse: Parse, family: str, value: str, *, certain: bool = True) -> list[Property]:
    """When or where something is; what belongs to somebody is a property of theirs.

    So "the choir's rehearsal is at 18:30" and "the rehearsal of the choir has moved to 19:15" tell
    the same property, as a model would name it: the rehearsal of the choir.
    """
    owner, attribute = split_owner(parse.subject)
    if owner == attribute:
        predicate = family
    else:
        key = predicate_key(attribute)
        predicate = key if family == "when" else f"{family} {key}"
    return [Property(owner, predicate, value, True, parse.affirmed, is_certain=certain)]


def _place(rest: str) -> str:
    return canonical_value(_DETAIL.regex.sub("", rest))


def _may_move(subject: str, place: str) -> bool:
    """Whether a subject that moves to a place lives there then; of a team, a city alone."""
    return _is_person(subject) or (subject == "we" and place in CITIES)


def _is_person(subject: str) -> bool:
    return subject == USER or subject.rpartition("'s ")[2] in people().values()


# Verbs

_VERBS = {
    **dict.fromkeys(
        [(verb, where) for verb in ("live", "resid") for where in ("in", "at")], "home"
    ),
    **dict.fromkeys([("move", "to"), ("move", "back"), ("move", "into"), ("reloc", "to")], "home"),
    **dict.fromkeys([("work", "at"), ("work", "for"), ("join", "")], "employer"),
    **dict.fromkeys([("studi", "at"), ("attend", "")], "school"),
    ("work", "as"): "job",
}
"""The stem of a verb and the word after it, to the one property that they tell."""
_PAID = LazyPattern(
    r"""(?xi)^(?P<sum>\S*\d\S*(?:\s(?!for\b|an?\b|per\b)\w+)?)
    (?:\s(?:for|on)\s(?P<what>.+?)|\s(?P<thing>(?!for\b|an?\b|per\b|every\b|each\b)\w+))?
    (?P<period>\s(?:an?|per|every|each)\s(?:hour|day|week|month|year|night))?$"""
)
_HOUSE = frozenset(("", "house", "home", "flat", "flats", "apartment", "apartments"))
_CHANGING = frozenset("switch chang migrat move".split())
_LEAVING = frozenset("quit left leav resign".split())
_LEVEL = LazyPattern(
    r"""(?xi)^(?:went|go|gone|rise|rose|risen|fell|fall|drop|increas|decreas|grew|chang|climb|rais|shrank|sank)
    (?:\s(?:up|down))?(?:\sfrom\s.+?)?(?:\sto\s(?P<value>.*\d.*)|(?<=up|wn))?$"""
)
_MEASURES = frozenset("cost weigh earn measur".split())


def _read_verb(parse: Parse) -> list[Property]:
    """A verb with a property of its own; empty for any other."""
    taste = vocabulary.TASTES.get(parse.verb)
    if parse.verb in vocabulary.NOT_STANDING and not parse.affirmed:
        return _many(parse, "taste", parse.rest)
    if taste is not None:
        return _read_taste(parse, is_liking=taste)
    match = _PREPOSITION.regex.match(parse.rest)
    preposition, rest = (match["preposition"].lower(), match["rest"]) if match else ("", parse.rest)
    predicate = _VERBS.get((parse.verb, preposition))
    if predicate is not None:
        return _read_place(parse, predicate, rest) or _read_change(parse)
    if parse.verb == "want" and rest.lower().startswith("be called "):
        return _one(parse, "form_of_address", canonical_value(rest.split(" ", 2)[2]))
    if parse.verb in _CHANGING or parse.verb in _LEAVING:
        return _read_change(parse)
    return _read_prepositional(parse, preposition, rest) if preposition else _read_quantity(parse)


def _read_change(parse: Parse) -> list[Property]:
    """Such as "switched from MySQL to Postgres", "quit her job at Acme"."""
    if parse.verb not in _CHANGING | _LEAVING:
        return []
    if parse.verb == "move" and parse.rest.lower() in _HOUSE:
        return [Property(parse.subject, MOVED_HOUSE, "house", False, parse.affirmed)]
    if parse.verb in _LEAVING:
        return _read_leaving(parse)
    swap = _FROM_TO.regex.match(parse.rest)
    if swap is None and parse.verb == "move" and parse.rest.lower().startswith("to "):
        parse.is_change, parse.is_past = True, False
        value = canonical_value(parse.rest[3:])
        family = "when" if vocabulary.TIME.regex.search(value) else "where"
        return [*_one(parse, "run on", value), *_whereabouts(parse, family, value)]
    if swap is None:
        return []
    parse.is_change, parse.is_past = True, False
    old = _many(parse, "use", swap["old"], affirmed=not parse.affirmed)
    return [*old, *_many(parse, "use", swap["new"])]


def _read_leaving(parse: Parse) -> list[Property]:
    """Such as "left Acme", "quit her job at Acme", "left Acme and joined Globex"."""
    left = _LEFT.regex.match(parse.rest.removeprefix("from "))
    place = vocabulary.LATELY.regex.sub("", left["place"]) if left else ""
    swap = _LEFT_FOR.regex.match(place)
    old, new = (swap["old"], _DETAIL.regex.sub("", swap["new"])) if swap else (place, "")
    if not is_name(old) or (new and not is_name(new)):
        return []
    parse.affirmed, parse.is_change, parse.is_past = False, True, False
    if swap and swap["joined"] and new.split()[0] not in GIVEN_NAMES:
        parse.affirmed, old = True, new  # who joins is there now; who leaves for a place may not be
    return _one(parse, "employer", _place(old))


def _read_level(parse: Parse) -> list[Property]:
    """Such as "the rent went up to 950 euros"; without a value only that it changed."""
    change = _LEVEL.regex.match(f"{parse.verb} {parse.rest}")
    if change is None:
        return []
    owner, attribute = split_owner(parse.subject)
    parse.is_change, parse.is_past = True, False
    plain = canonical_value(change["value"] or "")
    return [Property(owner, predicate_key(attribute), plain, True, parse.affirmed)]


def _read_place(parse: Parse, predicate: str, rest: str) -> list[Property]:
    """Where somebody lives, works or studies; empty for "a flat" and for what is no name."""
    must_be_name = predicate == "school" or parse.verb == "join"
    is_unfit = _INDEFINITE.regex.match(rest) and predicate != "job"
    is_unfit = is_unfit or (must_be_name and not is_name(_DETAIL.regex.sub("", rest)))
    is_unfit = is_unfit or (parse.verb in ("move", "reloc") and not _may_move(parse.subject, rest))
    return [] if is_unfit else _one(parse, predicate, _place(rest))


def _read_quantity(parse: Parse) -> list[Property]:
    """Such as "has two cats", "costs 900 euros", "uses Postgres for the queue"."""
    if parse.verb in _MEASURES:
        return _one(parse, parse.verb, canonical_value(parse.rest), certain=False)
    count = vocabulary.COUNT.regex.match(parse.rest) if parse.verb == "have" else None
    if count:
        what = stems_of(_DETAIL.regex.sub("", count["what"]))
        return _one(parse, f"count:{what}", count["count"].lower(), certain=False)
    role = _ROLE.regex.match(parse.rest) if parse.verb == "use" else None
    if role:
        return _one(parse, f"use for {stems_of(role['role'])}", canonical_value(role["thing"]))
    return []


def _read_payment(parse: Parse, previous: Sequence[Property]) -> list[Property]:
    """What is paid for something, which the clause before may name: "parking got dearer, …"."""
    paid = _PAID.regex.match(parse.rest)
    if paid is None:
        return _read_objects(parse)
    what = stems_of(paid["what"] or paid["thing"] or _topic_of(previous))
    value = canonical_value(f"{paid['sum']} {paid['period'] or ''}")
    return _one(parse, f"pay for {what}", value, certain=False)


def _topic_of(previous: Sequence[Property]) -> str:
    """What the clause before speaks of, where it gives no value of its own."""
    if not previous:
        return ""
    last = previous[-1]
    if last.subject != USER:
        return last.subject.removeprefix(f"{USER}'s ")
    return "" if last.value else last.predicate


def _read_taste(parse: Parse, *, is_liking: bool) -> list[Property]:
    over = _OVER.regex.match(parse.rest) if parse.verb == "prefer" else None
    if over and not over["one"].lower().startswith("to "):
        one, other = stems_of(over["one"]), stems_of(over["other"])
        pair = "|".join(sorted((one, other)))
        return _one(parse, f"preference:{pair}", one)
    return _many(parse, "taste", parse.rest, affirmed=parse.affirmed is is_liking)


def _read_prepositional(parse: Parse, preposition: str, rest: str) -> list[Property]:
    """Such as "runs on port 8080", "meets at 9": one value for what is no person."""
    if _is_person(parse.subject):
        return []
    numbered = _NUMBERED.regex.match(rest)
    if numbered:
        return _one(parse, predicate_key(numbered["noun"]), numbered["number"])
    if is_quantity(rest):
        return _one(parse, f"{parse.verb} {preposition}", canonical_value(rest), certain=False)
    if parse.verb == "run" and preposition == "on":
        return _one(parse, "run on", canonical_value(rest), certain=False)
    return []


def _read_objects(parse: Parse) -> list[Property]:
    """Any other verb: each object has a property of its own."""
    if not parse.rest:
        return _many(parse, parse.verb, parse.verb)
    if parse.verb == "eat" and canonical_value(parse.rest) == "meat":
        return _one(parse, "diet", "meat")
    if no := _NO.regex.match(parse.rest):
        return _many(parse, parse.verb, no["what"], affirmed=not parse.affirmed)
    return _many(parse, parse.verb, parse.rest)


# "X is Y"


def _read_copula(parse: Parse, previous: Sequence[Property]) -> list[Property]:
    called = _CALLED.regex.match(parse.rest)
    if called:
        return _one(parse, "name", canonical_value(called["name"]))
    if parse.subject == "it" and previous:
        known = previous[-1]
        value = canonical_value(parse.rest)
        return [
            Property(known.subject, known.predicate, value, known.has_one_value, parse.affirmed)
        ]
    if parse.subject == USER:
        return _read_person(parse)
    inverse = _OF_THE_USER.regex.match(parse.rest)
    if inverse and is_name(parse.subject.title()) and "'s" not in parse.subject:
        attribute = predicate_key(inverse["attribute"])
        return [Property(USER, attribute, parse.subject, has_one_value(attribute), parse.affirmed)]
    return _read_attribute(parse)


def _read_person(parse: Parse) -> list[Property]:
    """What somebody is: of an age, married, a nurse, allergic to something."""
    rest, low = parse.rest, canonical_value(parse.rest)
    age = _AGE.regex.match(rest)
    if age:
        return _one(parse, "age", (age["age"] or age["bare"]).lower())
    birth = _BORN.regex.match(rest)
    if birth:
        what = "birthday" if is_quantity(birth["what"]) else "birthplace"
        return _one(parse, what, canonical_value(birth["what"]), certain=False)
    if allergy := _ALLERGIC.regex.match(rest):
        return _many(parse, "allergy", allergy["what"])
    located = _LOCATED.regex.match(rest)
    if located and is_name(_DETAIL.regex.sub("", located["place"])):
        predicate = "home" if located["based"] else "location"
        return _one(parse, predicate, _place(located["place"]))
    grade = _GRADE.regex.match(rest)
    is_married = low in _MARITAL or low.startswith(("married to ", "engaged to "))
    for predicate, is_told in (
        ("marital_status", is_married),
        ("diet", low in _DIETS),
        ("grade", grade),
        ("job", vocabulary.JOBS.regex.match(rest)),
    ):
        if is_told:
            return _one(parse, predicate, low)
    return _many(parse, "be", rest)


def _read_attribute(parse: Parse) -> list[Property]:
    """Such as "X's Y is Z", "the Y of X is Z", "X is at Z"."""
    found = _read_participle(parse) or _read_position(parse)
    if found:
        return found
    rest = parse.rest
    if rest.lower().startswith("born ") or (_is_person(parse.subject) and not is_name(rest)):
        return _read_person(parse)
    if _OF_PERSONS.regex.match(rest):
        return _read_person(parse)
    owner, attribute = split_owner(parse.subject)
    head = attribute.split()[-1] if attribute else ""
    is_favourite = attribute.startswith(("favourite ", "favorite "))
    is_attribute = head in vocabulary.ATTRIBUTES or is_favourite
    is_value = (is_name(rest) or is_quantity(rest)) and not _INDEFINITE.regex.match(rest)
    if owner == attribute and vocabulary.TIME.regex.search(rest):
        return _whereabouts(parse, "when", canonical_value(rest))
    if parse.subject in vocabulary.POINTING or not (is_attribute or is_value):
        return _many(parse, "be", rest)
    of_many = (may_be_several(head) or head in vocabulary.MANY) and not is_attribute
    value = canonical_value(rest)
    predicate = predicate_key(attribute)
    return [Property(owner, predicate, value, True, parse.affirmed, is_certain=not of_many)]


def _read_participle(parse: Parse) -> list[Property]:
    """Such as "X is hosted on Y", "X is planned for Y"; empty for what has no participle."""
    if parse.rest.lower() in ("cancelled", "canceled"):
        return _whereabouts(parse, "when", "cancelled")
    participle = _PARTICIPLE.regex.match(parse.rest)
    if participle is None or parse.rest.lower().startswith("born "):
        return []
    word, value = participle["word"].lower(), canonical_value(participle["rest"])
    parse.is_change = parse.is_change or word in _POSTPONED
    if word in _WHEN or word in _WHERE:
        return _whereabouts(parse, "when" if word in _WHEN else "where", value)
    return _many(parse, f"be {word} {participle['preposition']}", participle["rest"])


def _read_position(parse: Parse) -> list[Property]:
    """Such as "the demo is on 5 March", "the key is under the mat"; empty for anything else."""
    match = _PREPOSITION.regex.match(parse.rest)
    if match is None or _is_person(parse.subject):
        return []
    if vocabulary.TIME.regex.search(match["rest"]):
        return _whereabouts(parse, "when", canonical_value(match["rest"]))
    is_place = is_name(match["rest"]) or _DEFINITE.regex.match(match["rest"])
    is_place = is_place or _NUMBERED.regex.match(match["rest"])
    return _whereabouts(parse, "where", canonical_value(parse.rest)) if is_place else []


def split_owner(subject: str) -> tuple[str, str]:
    """Whose property a subject names, and which: `user's dog` is of `user`, `dog`."""
    owner, apart, attribute = subject.rpartition("'s ")
    if apart:
        return subject_key(owner), attribute
    of = _OF.regex.match(subject)
    if of and not is_quantity(of["owner"]):
        return subject_key(re.sub(r"^(?:the|an?) ", "", of["owner"])), of["attribute"]
    return subject, subject
