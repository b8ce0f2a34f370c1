"""What all our values have in common: they never change, and unknown fields are refused."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value. Equality is by content; a misspelt field is an error, not a loss."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
