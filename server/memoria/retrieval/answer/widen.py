"""Widen: what a question that was asked in one wording, and found little, could be asked with.

What was said may share no word with the question, and whoever asks knows other words for it.
"""

from itertools import islice
from string import punctuation

from memoria.retrieval.query.plan import SearchPlan
from memoria.text.lines import join_lines
from memoria.text.script import is_cjk
from memoria.text.stopwords import STOP_WORDS

_MOST_WORDS = 3
_MOST_CHARS = 24


def is_in_one_wording(plan: SearchPlan) -> bool:
    """Return whether a question was asked in one wording where others may find more."""
    parsed = plan.parsed
    return plan.profile.is_asked and not (
        plan.is_reworded or parsed.is_time_only or parsed.literals
    )


def describe_wordings(question: str) -> str:
    """Which wordings to add to a question, by the kinds that help."""
    words = _shorten(question)
    return (
        f"Add queries: other words for “{words}”; what would have changed it (moved,"
        " broke up, replaced); for help, wishes that matter (allergies, budget, style, tools)."
    )


def _shorten(question: str) -> str:
    """The first telling words of a question; of one without spaces its beginning."""
    if is_cjk(question):
        return join_lines(question[:_MOST_CHARS])
    words = (word.strip(punctuation) for word in question.split())
    telling = (word for word in words if word and word.lower() not in STOP_WORDS)
    return " ".join(islice(telling, _MOST_WORDS))[:_MOST_CHARS] or "it"
