"""How many tokens a text costs a model, estimated without any model's tokenizer."""

_ASCII_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.0


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, rounded up: four ASCII characters to a token, others one each.

    The estimate is a little high for Chinese (common tokenizers need 0.6 to 1.0 per character), so
    that an answer stays within its budget whichever model reads it.
    """
    ascii_ = len(text.encode("ascii", "ignore"))
    other = len(text) - ascii_
    return -int(-(ascii_ / _ASCII_PER_TOKEN + other / _OTHER_PER_TOKEN) // 1)
