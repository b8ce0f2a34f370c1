"""Properties: what a new statement is to a known one, by rules and without a model."""

from memoria.policy.properties.base import Property
from memoria.policy.properties.read import read_statement
from memoria.policy.properties.relate import relate_statements

__all__ = ["Property", "read_properties", "relate_statements"]


def read_properties(text: str) -> tuple[Property, ...]:
    """The properties that a statement tells, as rules read it."""
    return read_statement(text).properties
