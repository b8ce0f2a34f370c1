"""Words for scope: words of people's own lives, and words of their work.

They are listed in `scope_words.tsv`. English words stand in their base form; their regular endings
are understood.
"""

from functools import cache

from memoria.language.word_table import WordList, read_word_lists

PHRASES_WORK = (
    r"(?:pull|merge) requests?|code ?base|code review|(?:unit|integration|end-to-end|e2e) tests?"
    r"|data model|feature flags?|source code|stack trace|error codes?|rate limit|on[- ]call"
    r"|acceptance criteria|test suite|memory leak|dead ?lock|PRs?|MRs?|tech debt"
)
PHRASES_PERSONAL = (
    r"blood (?:test|type|pressure|sugar)|(?:eye|driving) test|(?:first|last|full|maiden) name"
    r"|my name|phone number|e-?mail address|time zone|days? off|half marathon|running shoes"
    r"|(?:go|going|went) (?:running|climbing|skiing)|\d+ ?mg|(?:years?|months?) old|car service"
    r"|(?:am|is|was|works? as|worked as) (?:an? |the )?(?:[\w-]+ ){0,3}?"
    r"(?:engineer|developer|programmer|designer|architect|teacher|student|manager|consultant)"
    r"|side effects?|(?:my|his|her) (?:left |right |lower )?"
    r"(?:leg|arm|back|foot|hand|knee|shoulder|tooth|teeth|eyes?|ears?|heart|skin|ankle|wrist)"
)


@cache
def find_list(name: str) -> WordList:
    """Return the words of a kind, such as `personal` or `work`."""
    return read_word_lists(__package__, "scope_words.tsv")[name]
