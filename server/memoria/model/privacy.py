"""Privacy: classes of personal data, their handling, and private times."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from memoria.model.base import Value


class PersonalData(StrEnum):
    """A class of data that points to a person."""

    EMAIL = "email"
    PHONE = "phone"
    ID_NUMBER = "id_number"
    CARD = "card"
    IBAN = "iban"
    ADDRESS = "address"
    IP = "ip"


class Handling(StrEnum):
    """Ways to handle a statement with personal data, from the mildest."""

    STORE = "store"
    CONFIRM = "confirm"
    MASK = "mask"
    DROP = "drop"


PersonalRules = Mapping[PersonalData, Handling]
"""Handling of each class of personal data that is named."""


def parse_personal_rules(value: object) -> object:
    """Parse classes of personal data and their handling, from a mapping or from text.

    >>> parse_personal_rules("phone=mask, email=drop")
    {'phone': 'mask', 'email': 'drop'}

    Raises:
        ValueError: a part is unknown, or a class is given twice.
    """
    match value:
        case str():
            parts = (part.partition("=") for part in value.split(",") if part.strip())
            pairs = [(name.strip().lower(), way.strip().lower()) for name, _, way in parts]
        case Mapping():
            pairs = [(str(name), str(way)) for name, way in value.items()]
        case _:
            pairs = [("", "")]
    classes, ways = (tuple(map(str, kind)) for kind in (PersonalData, Handling))
    known = all(name in classes and way in ways for name, way in pairs)
    if not known or len(dict(pairs)) < len(pairs):
        raise ValueError(
            "write class=way for each class once, such as phone=mask,email=drop; a class is one of "
            f"{', '.join(classes)}, a way one of {', '.join(ways)}"
        )
    return dict(pairs)


class PrivateTime(Value):
    """A stretch of time, which the user switches on and off."""

    workspace: str | None = None
    """Project whose sessions are private; None for sessions in no project."""
    began_at: int
    """UTC epoch ms."""
    ended_at: int | None = None
    """UTC epoch ms; None while the private time is on."""

    def includes(self, at: int) -> bool:
        """Check whether a moment is in the private time."""
        return self.began_at <= at and (self.ended_at is None or at < self.ended_at)


def find_open(times: Iterable[PrivateTime]) -> PrivateTime | None:
    """Return the private time that is on; None if none is."""
    return next((one for one in times if one.ended_at is None), None)
