"""How many tokens a text costs a model, estimated without any model's tokenizer."""

_ASCII_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.0


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, rounded up: four ASCII characters to a token, others one each.

    Deliberately a little high for Chinese (common tokenizers need 0.6 to 1.0 per character), so
    that a budget is kept whichever model reads the answer.
    """
    other = 0 if text.isascii() else sum(1 for char in text if ord(char) > 127)  # noqa: PLR2004
    return -int(-((len(text) - other) / _ASCII_PER_TOKEN + other / _OTHER_PER_TOKEN) // 1)
