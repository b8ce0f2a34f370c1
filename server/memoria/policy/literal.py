"""Literal conclusions: those that say what stands in their source, and need no check by a model."""

from memoria.policy.own_words import own_sentences
from memoria.text.analyser import query_terms
from memoria.text.pattern import LazyPattern
from memoria.text.script import is_cjk
from memoria.text.statement import differs_in_number_or_negation

_FRAME = frozenset(query_terms("user says said 用户说"))
_FRAME_ZH = frozenset("用户说的我")


def is_said_literally(content: str, quote: str, said: str, speaker: str | None = None) -> bool:
    """Whether a conclusion has no word that its sentence has not, but for who says it.

    The sentence around the quote counts, in the speaker's own words: it must be no question, no
    hearsay, no condition, no joke and no irony, and have the numbers and denials of the conclusion.

    Args:
        content: the conclusion.
        quote: the words that it rests on.
        said: the turn.
        speaker: who says the turn, by name.
    """
    sentence = next(
        (one for one in own_sentences(said) if quote.strip(" .!。！") in one.text), None
    )
    if sentence is None or sentence.is_question or sentence.is_doubtful:
        return False
    if _IRONY.regex.search(sentence.text):
        return False
    if differs_in_number_or_negation(content, sentence.text):
        return False
    if is_cjk(content):
        added = {char for char in content if char.isalnum()} - set(sentence.text) - _FRAME_ZH
        return added <= set(speaker or "")
    names = frozenset(query_terms(speaker or ""))
    return frozenset(query_terms(content)) - _FRAME - names <= frozenset(query_terms(sentence.text))


_IRONY = LazyPattern(
    r"""(?xi)^\W*(?:oh|sure|yeah|right|wow|great|brilliant|fantastic|lovely|wonderful|thanks)\b
    |\b(?:just\s(?:love|adore)|can['’]?t\swait|as\sif|such\sfun|so\smuch\sfun|yeah\sright|totally)\b
    |可真|真是太|太棒|真行|真好啊|呵呵|好极了|谢谢你啊|求之不得"""
)
"""Words that irony likes. Whoever means them literally is asked about once more, no harm done."""
