"""Privacy: rules for personal numbers and addresses of a statement, by class.

Secrets (keys, passwords, tokens) are redacted before; see `language/secrets/redact`. Where a class
of numbers has check digits, they must be right, so that an order number is not taken for a card.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.numbers import has_check_digit
from memoria.model.privacy import Handling, PersonalData, PersonalRules

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
"""Handling of each class by default."""


def effective_rules(configured: PersonalRules) -> PersonalRules:
    """Return the handling of each class: as configured, else by default."""
    return {**DEFAULT_HANDLING, **configured}


def mask(text: str, handling: PersonalRules) -> str:
    """Mask the personal data of a text, including any for which a statement would be dropped."""
    strict = (Handling.MASK, Handling.DROP)
    masking = {kind: Handling.MASK for kind, way in handling.items() if way in strict}
    return screen(text, masking).text or ""


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """Part of a statement that may be kept, and its condition."""

    text: str | None
    """The statement, masked where the rules ask for it; None if it must be dropped."""
    found: frozenset[PersonalData]
    needs_confirmation: bool
    """True if the statement must wait for the user's confirmation."""


def screen(text: str, handling: PersonalRules = DEFAULT_HANDLING) -> ScreeningResult:
    """Apply the rules for personal data to a statement.

    Args:
        text: the statement.
        handling: how each class is handled; a class that is not named is stored.
    """
    found = set[PersonalData]()
    for rule in _RULES:
        way = handling.get(rule.kind, Handling.STORE)
        spans = [match.span() for match in rule.pattern.finditer(text) if rule.check(match[0])]
        for start, end in reversed(spans):
            found.add(rule.kind)
            # Once it is masked, a looser rule cannot match a part of it again.
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


# Checks


def _always(_found: str) -> bool:
    return True


_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _is_chinese_id(text: str) -> bool:
    """Check a number by GB 11643: a birthday and a check digit by ISO 7064, MOD 11-2."""
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, text, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _is_iban(text: str) -> bool:
    """Check an IBAN by ISO 13616: moved by four and read as a number, it leaves 1 modulo 97."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_FEWEST_PHONE_DIGITS = 7
_MOST_PHONE_DIGITS = 15


def _is_phone(text: str) -> bool:
    return _FEWEST_PHONE_DIGITS <= sum(map(str.isdigit, text)) <= _MOST_PHONE_DIGITS


def _is_public(text: str) -> bool:
    """Check whether an IP address is public; one of a private network points to nobody."""
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


# Patterns

_EMAIL = r"(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}\b"
_ID = r"(?<![\dA-Za-z])[1-9]\d{16}[\dXx](?![\dA-Za-z])"
_SOCIAL_SECURITY = r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"
_CARD_START, _CARD_END = r"(?<![\d.+-])(?:[4-6]\d{3}|2[2-7]\d\d|3[47]\d\d)", r"(?![\d.]\d|\d|-\d)"
_CARD = rf"{_CARD_START}(?:[ -]?\d){{11,15}}{_CARD_END}"
_CARD_IN_GROUPS = (
    rf"{_CARD_START}(?:([ -]?)\d{{4}}(?:\1\d{{4}}){{2}}|([ -]?)\d{{6}}\2\d{{5}}){_CARD_END}"
)
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

# The order matters: classes with check digits come before those without.
_RULES = tuple(
    _PersonalDataRule(
        kind, lazy_regex(pattern, re.ASCII if kind is PersonalData.IBAN else 0), check
    )
    for kind, pattern, check in (
        (PersonalData.EMAIL, _EMAIL, _always),
        (PersonalData.ID_NUMBER, _ID, _is_chinese_id),
        (PersonalData.ID_NUMBER, _SOCIAL_SECURITY, _always),
        (PersonalData.IBAN, _IBAN, _is_iban),
        (PersonalData.CARD, _CARD_IN_GROUPS, has_check_digit),  # another number may stand behind it
        (PersonalData.CARD, _CARD, has_check_digit),
        (PersonalData.IP, _IPV4, _is_public),
        (PersonalData.IP, _IPV6, _is_public),
        (PersonalData.PHONE, _PHONE, _is_phone),
        (PersonalData.ADDRESS, _ADDRESS, _always),
    )
)
