"""The tokens of a document as an index keeps them."""

from typing import TypeAlias

IndexTokens: TypeAlias = bytes
"""A document's tokens as they are indexed, separated by single spaces: of what was said and done,
and behind a line feed, which stands in no token, of who said it and when. They are counted as they
are, in a hundred documents at once."""


def pack_tokens(words: str, context: str) -> IndexTokens:
    """The tokens of what a document says, and of who said it and when."""
    return f"{words}\n{context}".encode()


def list_words(tokens: IndexTokens) -> list[str]:
    """The tokens of what a document says."""
    return tokens[: tokens.index(b"\n")].decode().split(" ")
