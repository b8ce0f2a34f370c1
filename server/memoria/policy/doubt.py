"""Doubt: which conclusions are looked at a second time before they are believed.

A mistake about small things costs little. What an assistant supposes of its user, what points to a
person, and what is said to matter most is worth another question.
"""

from memoria.model import Role

_HIGH_IMPORTANCE = 0.8


def needs_second_look(importance: float, role: Role, *, personal: bool) -> bool:
    """Whether to ask if a conclusion is borne out by the words it was drawn from.

    Args:
        importance: of the conclusion.
        role: who said the words.
        personal: whether it holds personal data that has to be confirmed.
    """
    return personal or importance >= _HIGH_IMPORTANCE or role is not Role.USER
