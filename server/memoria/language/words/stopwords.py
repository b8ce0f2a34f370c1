"""Stop words: words too common to distinguish documents, in both languages.

Only closed-class words: articles, pronouns, prepositions, auxiliaries and question words. A word
with a meaning of its own is never listed, however common it is. They are in `stopwords.tsv`.
"""

from functools import cache

from memoria.language.word_table import read_word_lists


@cache
def list_stop_words() -> frozenset[str]:
    """List the stop words of both languages, and signs that stand for no word."""
    lists = read_word_lists(__package__, "stopwords.tsv").values()
    return frozenset[str]().union(*(one.english | one.chinese for one in lists))
