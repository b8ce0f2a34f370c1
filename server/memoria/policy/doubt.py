"""Doubt: which conclusions get a second look before they are applied.

A wrong conclusion about a small thing costs little. A second question to the model is asked about
conclusions from an assistant's words, about personal data, and about what matters most.
"""

from memoria.model import Role

_HIGH_IMPORTANCE = 0.8


def needs_second_look(importance: float, role: Role, *, personal: bool) -> bool:
    """Whether to ask again if a conclusion is supported by its quote.

    Args:
        importance: of the conclusion.
        role: who said the quoted words.
        personal: whether it contains personal data that needs confirmation.
    """
    return personal or importance >= _HIGH_IMPORTANCE or role is not Role.USER
