"""What all our values have in common: they never change, and unknown fields are refused."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value. Equality is by content; a misspelt field is an error, not a loss."""

    # Validators are built when a model is first used: a start-up needs few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
