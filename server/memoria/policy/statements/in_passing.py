"""What is told in passing, in a few words of a sentence that is about something else.

"Could I ask my old friend Petra, who I met at camp, to read it?" is a request for now; who Petra is
lasts. "How do I fit in my goal of running 30 km a week?" asks, and names a goal.
"""

from collections.abc import Iterator

from memoria.policy.statements.classifier import Label
from memoria.policy.statements.clauses import StatingClause
from memoria.text.pattern import LazyPattern, has_any, small_letters

_NAME = r"(?-i:[A-ZÀ-Þ][a-zà-ÿ]+(?:\s[A-ZÀ-Þ][a-zà-ÿ]+)?)"
_ROLE = (
    r"(?:(?:(?!and\b|or\b|the\b)[\w-]+\s){0,2}?"
    r"(?:friend|partner|wife|husband|fianc[eé]e?|girlfriend|boyfriend|mother|father|mum|mom|dad"
    r"|son|daughter|brother|sister|cousin|uncle|aunt|niece|nephew|grand\w+|mentor|boss|manager"
    r"|supervisor|colleague|co-?worker|neighbou?r|flatmate|roommate|teacher|tutor|coach|therapist"
    r"|doctor|accountant|lawyer|\w+-in-law))"
)
_TOLD = (
    r"(?:who(?:['’]s|\sis|\sI|\sI['’]ve|\shas|\sworks|\slives|\steaches|\staught)"
    r"|(?:she|he)(?:['’]s|\sis)\s(?:\d\d?\b|an?\s))"
    r"[^,;?!.]+"
)
_ROLES = (
    *("friend", "partner", "wife", "husband", "fianc", "mother", "father", "mum", "mom", "dad"),
    *(
        "son",
        "daughter",
        "brother",
        "sister",
        "cousin",
        "uncle",
        "aunt",
        "niece",
        "nephew",
        "grand",
    ),
    *("mentor", "boss", "manager", "supervisor", "colleague", "worker", "neighbo", "mate"),
    *("teacher", "tutor", "coach", "therapist", "doctor", "accountant", "lawyer", "in-law", "who"),
)
_NAMED_PERSON = LazyPattern(
    rf"""(?xi)\bmy\s{_ROLE}\s{_NAME},?\s{_TOLD}
        | \b{_NAME},\s(?:my|an?)\s{_ROLE}(?:\s(?:since|from|for|of)\s[^,;?!.]+)?
        | \b{_NAME},\swho['’]s\s\d\d?(?:\syears\sold)?\b"""
)
_TASTES = ("preference", "fondness", "love", "dislike")
_NAMED_PREFERENCE = LazyPattern(
    rf"(?i)\bmy\s(?:\w+\s)?(?:{'|'.join(_TASTES)})\s(?:for|of)\s[^,;?!.]{{6,}}"
)
_AIMS = ("goal", "dream", "aim", "target", "ambition", "resolution", "plan")
_NAMED_GOAL = LazyPattern(rf"(?i)\bmy\s(?:\w+\s)?(?:{'|'.join(_AIMS)})\s(?:of|to)\s[^,;?!.]{{6,}}")
# Each with words of which a sentence has one of each group where it finds anything.
_READINGS = (
    (_NAMED_PERSON, (("my", ","), _ROLES), Label.RELATIONSHIP),
    (_NAMED_PREFERENCE, (("my",), _TASTES), Label.PREFERENCE),
    (_NAMED_GOAL, (("my",), _AIMS), Label.GOAL),
)


def find_told_in_passing(sentence: str) -> Iterator[tuple[StatingClause, Label]]:
    """The parts of an English sentence that name somebody, a preference or a goal, and tell of it.

    A name with its kin alone is too little: something must be told of them.
    """
    small = small_letters(sentence)
    for pattern, signs, label in _READINGS:
        may_tell = all(has_any(small, words) for words in signs)
        for match in pattern.regex.finditer(sentence) if may_tell else ():
            text = match[0].rstrip()
            start = match.start()
            yield StatingClause(start, text, sentence[:start], sentence[start + len(text) :]), label
