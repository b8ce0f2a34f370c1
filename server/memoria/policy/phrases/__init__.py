"""Phrases: the plain statements that rules understand, in English and Chinese."""

from memoria.policy.phrases.base import Language, ParsedStatement
from memoria.policy.phrases.chinese import CHINESE
from memoria.policy.phrases.english import ENGLISH

LANGUAGES = (ENGLISH, CHINESE)

__all__ = ["LANGUAGES", "Language", "ParsedStatement"]
