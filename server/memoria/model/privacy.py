"""Personal data by class, and what is done with what holds it."""

from collections.abc import Mapping
from enum import StrEnum


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
    """What is done with a statement that holds such data, from the mildest."""

    STORE = "store"
    CONFIRM = "confirm"
    MASK = "mask"
    DROP = "drop"


PersonalRules = Mapping[PersonalData, Handling]
"""What is done with each class that is named."""
