"""Widen: what a question that was asked in one wording, and found little, could be asked with.

What was said may share no word with the question, and whoever asks knows other words for it.
"""

from itertools import islice

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.ranking.threshold import DECIDING_HITS
from memoria.text.analyser import WORD
from memoria.text.lines import join_lines
from memoria.text.script import is_cjk
from memoria.text.stopwords import STOP_WORDS

_MOST_WORDS = 3
_MOST_CHARS = 24
_WELL = 0.1
"""By how much the best hit exceeds the threshold where an answer is not little."""


def is_too_narrow(plan: SearchPlan, selection: Selection) -> bool:
    """Whether a question was asked in one wording and found little that other words may find."""
    parsed = plan.parsed
    if not plan.profile.counts_elsewhere or plan.variants or parsed.is_time_only or parsed.literals:
        return False
    return all(each.margin < _WELL for each in selection.hits[:DECIDING_HITS])


def describe_wordings(question: str) -> str:
    """Which wordings to add to a question, by the kinds that help."""
    words = _shorten(question)
    return (
        f"Little fits. Add queries: other words for “{words}”; what would have changed it (moved,"
        " broke up, replaced); for help, wishes that matter (allergies, budget, style, tools)."
    )


def _shorten(question: str) -> str:
    """The first telling words of a question; of one without spaces its beginning."""
    if is_cjk(question):
        return join_lines(question[:_MOST_CHARS])
    telling = (word for word in WORD.findall(question) if word.lower() not in STOP_WORDS)
    return " ".join(islice(telling, _MOST_WORDS))[:_MOST_CHARS] or "it"
