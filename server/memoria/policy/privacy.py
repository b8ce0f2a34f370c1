"""What of a statement may be kept: personal numbers and addresses, each class under a rule.

Secrets (keys, passwords, tokens) are gone before this is asked; see `text/redact`. Numbers are
believed by their check digits where they have any, so that an order number stays an order number.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from memoria.model.privacy import Handling, PersonalData, PersonalRules
from memoria.text.luhn import has_check_digit

DEFAULT_HANDLING: PersonalRules = MappingProxyType(
    {
        PersonalData.EMAIL: Handling.STORE,
        PersonalData.PHONE: Handling.CONFIRM,
        PersonalData.ID_NUMBER: Handling.MASK,
        PersonalData.CARD: Handling.MASK,
        PersonalData.IBAN: Handling.MASK,
        PersonalData.ADDRESS: Handling.CONFIRM,
        PersonalData.IP: Handling.STORE,
    }
)
"""Unless the configuration says otherwise."""


def effective_rules(configured: PersonalRules) -> PersonalRules:
    """What is done with each class: what is configured, else the usual."""
    return {**DEFAULT_HANDLING, **configured}


def mask(text: str, handling: PersonalRules) -> str:
    """A text without what may not be kept: what a statement would be dropped for is masked, too."""
    strict = (Handling.MASK, Handling.DROP)
    masking = {kind: Handling.MASK for kind, way in handling.items() if way in strict}
    return screen(text, masking).text or ""


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """What of a statement may be kept, and on what condition."""

    text: str | None
    """The statement, masked where it must be; None if it may not be kept at all."""
    found: frozenset[PersonalData]
    needs_confirmation: bool
    """It counts only once the user has confirmed it."""


def screen(text: str, handling: PersonalRules = DEFAULT_HANDLING) -> ScreeningResult:
    """Hold a statement against the rules.

    Args:
        text: the statement.
        handling: what is done with each class; one that is not named is stored.
    """
    found = set[PersonalData]()
    for rule in _RULES:
        way = handling.get(rule.kind, Handling.STORE)
        for start, end in reversed(_find_spans(rule, text)):
            found.add(rule.kind)
            # Blotting what is masked keeps a looser rule from finding a part of it again.
            if way is Handling.MASK:
                text = f"{text[:start]}[{rule.kind}]{text[end:]}"
    ways = {handling.get(kind, Handling.STORE) for kind in found}
    text_to_keep = None if Handling.DROP in ways else text
    return ScreeningResult(
        text_to_keep, frozenset(found), text_to_keep is not None and Handling.CONFIRM in ways
    )


@dataclass(frozen=True, slots=True)
class _PersonalDataRule:
    kind: PersonalData
    pattern: re.Pattern[str]
    check: Callable[[str], bool]


def _find_spans(rule: _PersonalDataRule, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in rule.pattern.finditer(text) if rule.check(match[0])]


# Checks


def _always(_found: str) -> bool:
    return True


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _chinese_id(text: str) -> bool:
    """GB 11643: a birthday and a check digit by ISO 7064, MOD 11-2."""
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, text, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _iban(text: str) -> bool:
    """ISO 13616: moved by four and read as a number, it leaves 1 when divided by 97."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_FEWEST_PHONE_DIGITS = 7
_MOST_PHONE_DIGITS = 15


def _phone(text: str) -> bool:
    return _FEWEST_PHONE_DIGITS <= len(_digits(text)) <= _MOST_PHONE_DIGITS


def _public(text: str) -> bool:
    """An address of this machine or a private network points to nobody."""
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


# Patterns

_EMAIL = r"(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}\b"
_ID = r"(?<![\dA-Za-z])[1-9]\d{16}[\dXx](?![\dA-Za-z])"
_SOCIAL_SECURITY = r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"
_CARD = r"(?<![\d.+-])(?:[4-6]\d{3}|2[2-7]\d\d|3[47]\d\d)(?:[ -]?\d){11,15}(?![\d.]\d|\d|-\d)"
_IBAN = r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"
_PHONE = r"""(?x)
    (?<![\d.+-]) (?:\+?86[ -]?)? 1[3-9]\d[ -]?\d{4}[ -]?\d{4} (?!\d|\.\d)     # a Chinese mobile
    | (?<![\d.-]) 0\d{2,3}-\d{7,8} (?!\d)                                     # a Chinese landline
    | (?<![\w.]) \+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,6} (?!\d)
    | (?<![\d.-]) (?:\(\d{3}\)[ ]?|\d{3}[.-])\d{3}[.-]\d{4} (?![\d-])
    | (?i:(?<=phone\ )|(?<=phone:\ )|(?<=number\ is\ )|(?<=mobile\ )|(?<=tel:)|(?<=tel:\ )
       |(?<=电话)|(?<=手机)|(?<=手机号)|(?<=电话是)|(?<=手机号是)|(?<=电话：))
      \d[\d -]{5,16}\d (?!\d)"""
_STREET = (
    "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Terrace|Close"
)
_ADDRESS = rf"""(?x)
    \b\d{{1,5}}[A-Za-z]?[ ](?:[A-Z][\w'’]{{1,30}}[ ]){{1,4}}(?:{_STREET})\b
    | \b[A-ZÄÖÜ][\wäöüß]{{1,30}}(?:straße|strasse|str\.|gasse|weg|platz)[ ]\d{{1,4}}\b
    | [一-鿿]{{1,12}}(?:路|街|巷|弄|大道|胡同)[ ]?\d{{1,5}}(?:号|弄)
      (?:[ ]?\d{{1,5}}[号栋幢楼室单元层-]{{1,3}}){{0,4}}"""
_IPV4 = r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)"
_IPV6 = r"(?<![\w:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4}(?![\w:])"

# The order matters: what has a check digit is looked for before what has none.
_RULES = tuple(
    _PersonalDataRule(
        kind, re.compile(pattern, re.ASCII if kind is PersonalData.IBAN else 0), check
    )
    for kind, pattern, check in (
        (PersonalData.EMAIL, _EMAIL, _always),
        (PersonalData.ID_NUMBER, _ID, _chinese_id),
        (PersonalData.ID_NUMBER, _SOCIAL_SECURITY, _always),
        (PersonalData.IBAN, _IBAN, _iban),
        (PersonalData.CARD, _CARD, has_check_digit),
        (PersonalData.IP, _IPV4, _public),
        (PersonalData.IP, _IPV6, _public),
        (PersonalData.PHONE, _PHONE, _phone),
        (PersonalData.ADDRESS, _ADDRESS, _always),
    )
)
