"""Ids of sessions and messages that hold no secret, and stay as different as they were."""

from memoria.erasure.suppression import Digester
from memoria.language.reading.clean import Tally, clean_name


def clean_id(given: str, tally: Tally, digester: Digester) -> str:
    """Return the id without secrets.

    The same id gives the same again, so that recording a message again changes nothing. Two ids
    that differ in their secrets alone give two: the suffix is a digest that only this home's key
    can make, so that no short secret can be found by trying.
    """
    cleaned = clean_name(given, tally)
    return cleaned if cleaned == given else f"{cleaned}~{digester.digest_name(given)}"
