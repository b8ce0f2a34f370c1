"""How many tokens a text costs a model, estimated without any model's tokenizer."""

QUARTERS = 4
"""A token has four quarters: what one ASCII character costs."""


def count_quarters(text: str) -> int:
    """Quarters of a token: one for an ASCII character, four for any other.

    Quarters of parts add up to those of the whole, which rounded tokens don't.
    """
    if text.isascii():
        return len(text)
    return QUARTERS * len(text) - (QUARTERS - 1) * len(text.encode("ascii", "ignore"))


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, rounded up: four ASCII characters to a token, others one each.

    The estimate is a little high for Chinese (common tokenizers need 0.6 to 1.0 per character), so
    that an answer stays within its budget whichever model reads it.
    """
    return -(-count_quarters(text) // QUARTERS)
