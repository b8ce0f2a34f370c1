"""Described: whom or what a question does not name, but tells by what is said of them.

"What is the address of the colleague who takes photographs?" (那个喜欢摄影的人，邮箱是多少？) needs
two turns: one says who takes photographs, and the other has her address and nothing of the
description. So when the first is found, the question is asked once more, with the words that this
turn has beside the description: they name who is meant.
"""

from typing import NamedTuple

from memoria.text.analyser import WORD, query_terms, tokens
from memoria.text.excerpt import find_excerpt
from memoria.text.pattern import LazyPattern

_LONGEST = 60
"""Characters of a turn in which whoever is described may be named: more would be other matters."""
_DESCRIBED = LazyPattern(
    r"""(?xi)那[个位]?(?P<of>.{2,120})的
        (?:人|家伙|朋友|同事|同学|老乡|亲戚|邻居|客户|活动|项目|地方|公司)?[，,的](?P<rest>.+)
    | \b(?:the|that|my|a|any)\s(?:\w+\s)?\w+\s(?:who|whose)\s(?P<what>[^,?.]{3,120})"""
)


class Description(NamedTuple):
    """Somebody or something that a question tells by what is said of them."""

    said: str
    """What is said."""
    before: str
    after: str
    """The rest of the question: what is asked of them."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The tokens of what is said."""
        return query_terms(self.said)

    def name(self, text: str) -> str:
        """The question with what a text says beside the description in the place of what both say.

        No sign ends a description in English: what the text does not say belongs to the question.
        """
        start, end = find_excerpt(text, dict.fromkeys(self.terms, 1.0), _LONGEST)
        excerpt = text[start:end]
        rest = _omit(self.said, excerpt) if self.before else ""
        return " ".join((_omit(excerpt, self.said), self.before, rest, self.after))


def find_description(question: str) -> Description | None:
    """What a question says of somebody or something it does not name; mostly nothing."""
    match = _DESCRIBED.regex.search(question)
    if match is None:
        return None
    if match["of"]:
        return Description(match["of"], "", match["rest"])
    return Description(match["what"], question[: match.start("what")], question[match.end() :])


def _omit(text: str, other: str) -> str:
    """The words of a text that the other one does not have."""
    known = frozenset(tokens(other))
    return WORD.sub(lambda word: " " if known & {*tokens(word[0])} else word[0], text)
