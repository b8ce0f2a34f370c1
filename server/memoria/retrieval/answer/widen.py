"""Widening: other wordings for a question that was asked in one and found little.

What was said may share no word with the question, and whoever asks knows other words for it.
"""

from itertools import islice
from string import punctuation

from memoria.language.reading.lines import join_lines
from memoria.language.words.script import is_cjk
from memoria.language.words.stopwords import list_stop_words
from memoria.retrieval.query.plan import SearchPlan, reword

_MOST_WORDS = 3
_MOST_CHARS = 24


def is_in_one_wording(plan: SearchPlan) -> bool:
    """Return whether a question was asked in one wording where others may find more.

    A question of a time in which nothing was said is searched for by its words; others don't help.
    """
    if not plan.profile.is_asked or plan.is_reworded or plan.parsed.literals:
        return False
    return not reword(plan, plan.query).parsed.is_time_only


def shorten_question(question: str) -> str:
    """Return the first telling words of a question; of one without spaces its beginning."""
    if is_cjk(question):
        return join_lines(question[:_MOST_CHARS])
    words = (word.strip(punctuation) for word in question.split())
    telling = (word for word in words if word and word.lower() not in list_stop_words())
    first = " ".join(islice(telling, _MOST_WORDS))
    whole = first if len(first) <= _MOST_CHARS else first[: _MOST_CHARS + 1].rpartition(" ")[0]
    return whole or first[:_MOST_CHARS] or "it"
