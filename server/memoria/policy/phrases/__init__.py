"""Phrases: the plain statements that rules understand, in English and Chinese."""

from memoria.policy.phrases.base import Language, ParsedStatement
from memoria.policy.phrases.chinese import CHINESE
from memoria.policy.phrases.english import ENGLISH

LANGUAGES = (ENGLISH, CHINESE)

__all__ = ["LANGUAGES", "Language", "ParsedStatement", "languages_for"]


def languages_for(text: str) -> tuple[Language, ...]:
    """The languages of which a text can have a phrase: no Chinese one is of ASCII alone."""
    return (ENGLISH,) if text.isascii() else LANGUAGES
