"""How many tokens a text costs a model, told without any model's tokenizer.

An estimate is near the truth for prose. A price is for answers, which are ids, times and names as
much as prose, and have to stay within what the caller has room for.
"""

QUARTERS = 4
"""A token has four quarters: what one letter of an English word costs."""
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz \t"
_SIGNS = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_SIGN = 2
"""What a punctuation mark costs: many go with the word before them."""
_EMOJI = 8
"""What a character beyond the sixteen-bit plane costs, such as an emoji or a rare Chinese one.

With these numbers answers of conversations in English and Chinese take .70 to .95 of their budget
in o200k tokens; with a quarter for whatever is ASCII they took up to 1.4 of it.
"""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: four ASCII characters to a token, others one each."""
    if text.isascii():
        return -(-len(text) // QUARTERS)
    ascii_chars = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_chars + -(-ascii_chars // QUARTERS)


def price_text(text: str) -> int:
    """How many tokens a text costs at most, whichever common model reads it, rounded up."""
    return -(-count_quarters(text) // QUARTERS)


def count_quarters(text: str) -> int:
    """Quarters of a token that a text costs at most.

    One for an English letter or a space, two for a punctuation mark, eight for an emoji, four for
    anything else: a digit, the end of a line, a character of another script. Quarters of parts add
    up to those of the whole, which rounded tokens don't.
    """
    ascii_part = text.encode("ascii", "ignore")
    letters = len(ascii_part) - len(ascii_part.translate(None, _LETTERS))
    signs = len(ascii_part) - len(ascii_part.translate(None, _SIGNS))
    is_ascii = len(ascii_part) == len(text)
    emoji = 0 if is_ascii else len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    others = len(text) - letters - signs - emoji
    return letters + _SIGN * signs + _EMOJI * emoji + QUARTERS * others
