"""Tests of a value in a secret's place: no placeholder, no code, no plain word."""

import re

from memoria.bare.lazy_regex import lazy_regex

_GAP = lazy_regex(  # <X> {X} [X] $X %(X)s %X%, … %s {X} …, cut short or blotted out
    r"(?i)^[<{\[]|^\*\*|^\$(?:\w+$|[({])|^%(?:\(|[sdr]$|\w+%$)|%s\b|\$?\{\w*\}|\.{3}|…|\*{3}|x{4}|••"
    "|^pass(?:word|wd)?$"
)
_NAME = lazy_regex(  # your-api-key, my_password; a path or an address; null
    r"""(?xia) ^(?:your|my)[-_] | [-_]here$ | placeholder | change[-_]?me | :// | ^arn:
    | ^(?:~|\.\.?)/ | ^/(?:etc|run|var|home|usr|opt|tmp|root|app|mnt|data|path|users)\b
    | ^\d?[a-z_.-]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credential
        |(?:\b|_|api|private)key|example|dummy)s?[a-z_.-]*\d?:?$
    | ^(?:test|string|value|none|null|true|false|undefined|required|optional|missing|expired|invalid
        |incorrect|wrong|fail|failed|failure)s?$"""
)
_CODE = lazy_regex(  # call(), a[0], a.b, Ed448PrivateKey, a file, uint8; sha256; 12-character
    r"""(?xa) ^[A-Za-z_$][\w.:>-]*[(\[]
    | ^(?!.*\w{20})[a-z_]\w*(?:\.[A-Za-z_]\w*)+$ | ^[A-Z][a-z]\w*Key$
    | (?i: \.(?:pem|key|txt|json|ya?ml|toml|env|crt|py|js|ts|md)$ | ^(?:u?int|float|varchar)\d+
    | ^(?:base64(?!:)|sha-?\d+|md5|bcrypt|argon2|pbkdf2|[hre]s\d{3}|ed25519|rsa|aes|utf-?8)\b
    | ^oauth\d\b
    | ^\d+-?(?:st|nd|rd|th|x|k|h|fa|char(?:acter)?|digit|bit|byte|letter|word|symbol|step|factor
        |minute|hour|day|week|month|year|time)s?\b )"""
)
_NO_PASSWORDS = frozenset(
    "array boolean bytes changed click default empty encrypted enter forgot given hashed hidden "
    "input never number object please prompt protected reset strength unchanged unknown".split()
)
_DIGIT = lazy_regex("[0-9]")
_LETTER = lazy_regex("[A-Za-zÀ-ӿ]")
_SYMBOLS = lazy_regex(r"\w[!@#$%^&*]+\w")
_CAMEL_CASE = lazy_regex("[A-Z]*[a-z]*(?:[A-Z]+[a-z]{2,})*[A-Z]*")
_INNER_CAPITAL = lazy_regex("[a-z][A-Z]")
_PLAIN_WORD = lazy_regex("[a-z]{5,100}")
_LONGEST_READ = 100


def is_gap(value: str) -> bool:
    """Check for a template's placeholder, or what manuals write in place of a secret."""
    return _GAP.search(value[:_LONGEST_READ]) is not None


def is_literal(value: str, *, is_quoted: bool) -> bool:
    """Check for a value that is neither a name nor, outside of quotes, code that computes one."""
    value = value[:_LONGEST_READ]
    return not (is_gap(value) or _NAME.search(value) or (not is_quoted and _CODE.search(value)))


def is_mixed(value: str) -> bool:
    """Check for digits and letters: then it is no ordinary word and seldom a name in code."""
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def looks_encoded(value: str) -> bool:
    """Check whether it may be base64, which has an inner capital if it has no digit."""
    return is_mixed(value) or _INNER_CAPITAL.search(value) is not None


def looks_scrambled(value: str) -> bool:
    """Check for capitals where no name has them: "rzVAuwLhlu", not "myPassword"."""
    return _INNER_CAPITAL.search(value) is not None and _CAMEL_CASE.fullmatch(value) is None


def has_symbols(value: str) -> bool:
    """Check for signs inside of it that no word has."""
    return _SYMBOLS.search(value) is not None


def is_plain_password(value: str) -> bool:
    """Check for a single word that may be a password where nothing else fits."""
    return _PLAIN_WORD.fullmatch(value) is not None and value not in _NO_PASSWORDS


_PASSPHRASE = lazy_regex(r"[a-z]{3,12}(?:([ .-])[a-z]{3,12})(?:\1[a-z]{3,12}){1,10}[0-9!?.]{0,4}")
_SENTENCE_WORDS = frozenset(
    "the and for not with you your our his her its are was has have must can may should will any "
    "all from this that only please enter type least characters letters number wrong correct "
    "incorrect invalid valid required field see ask use used set get new old same change reset "
    "forgot never here page link there when where who how too out off one two user admin read "
    "write access stored sent saved kept changed expired managed protected".split()
)


def is_passphrase(value: str) -> bool:
    """Check for a row of words that makes no sentence: "amber anchor barley"."""
    return _PASSPHRASE.fullmatch(value) is not None and not (
        _SENTENCE_WORDS & set(re.split("[ .-]", value))
    )
