"""People: whom a text speaks of. A pure reader of possessives and kin, in English and Chinese.

"My mother", "Mum", 我妈 and "the user's mother" give one key, `user's mother`; "my wife's sister"
gives `user's wife's sister`, 小王的孩子 `小王's child`. In a transcript "my" is whoever speaks, and
the assistant's "your" is the user's.
"""

from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.policy.people.chinese import read_chinese
from memoria.policy.people.english import read_english
from memoria.policy.people.kinship import english_words
from memoria.policy.people.persons import USER, People
from memoria.text.name import name_key
from memoria.text.remembered import remember_results

_LONGEST = 600
"""Characters. In a longer text many are spoken of, and of none it is plain."""
_HAN = lazy_regex(r"[\u4e00-\u9fff]")
_WORD = lazy_regex(r"[^\W\d_]+")
NOBODY = People()


@remember_results(2048)
def find_people(text: str, speaker: str | None = USER, listener: str | None = None) -> People:
    """Find the people a text speaks of.

    Args:
        text: a question, a memory or a turn.
        speaker: whoever says "I", `user` or a name; None where that is of no interest.
        listener: whoever is "you" in it, likewise, or `SOMEBODY`.
    """
    if len(text) > _LONGEST:
        return NOBODY
    read = read_chinese if _HAN.search(text) else read_english
    return read(text, _root(speaker), _root(listener))


def may_introduce(text: str) -> bool:
    """Whether a text may tell the name of somebody beside who that is: my brother Tom, I'm Lin.

    It is asked of many texts, and to read one takes ten times as long.
    """
    if _HAN.search(text):
        return True
    lower = text.lower()
    return not _introducing_words().isdisjoint(_WORD.findall(lower)) or "i'm" in lower.replace(
        "’", "'"
    )


@cache
def _introducing_words() -> frozenset[str]:
    return frozenset({"name", *(max(word.split("-"), key=len) for word in english_words())})


def _root(who: str | None) -> str | None:
    return who if who is None or who == USER else name_key(who)
