"""The tokens of a document as an index keeps them."""

from typing import TypeAlias

IndexTokens: TypeAlias = bytes
"""Tokens of a document as they are indexed, separated by single spaces: those of what was said and
done, and behind a line feed, which stands in no token, those of who said it and when. They are
counted as bytes, in a hundred documents at once."""


def pack_tokens(words: str, context: str) -> IndexTokens:
    """Join the tokens of what a document says with those of who said it and when."""
    return f"{words}\n{context}".encode()


def list_words(tokens: IndexTokens) -> list[str]:
    """Return the tokens of what a document says."""
    return tokens[: tokens.index(b"\n")].decode().split(" ")
