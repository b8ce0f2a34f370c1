"""Tokens as OpenAI's newer models count them (o200k)."""

import warnings
from functools import cache
from typing import Any


def count_tokens(text: str) -> int:
    """The tokens of a text."""
    return len(_encoding().encode(text))


@cache
def _encoding() -> Any:  # noqa: ANN401  (the library publishes no types)
    with warnings.catch_warnings():  # it reads its data in a way that Python deprecates
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai  # noqa: PLC0415

        encoding = bpe_openai.get_encoding("o200k_base")
        encoding.encode("its data is read now")
        return encoding
