"""What recorded tool calls tell of a file, an error or a command: what failed, and what worked."""

from typing import Annotated, Literal

from memoria.model.base import UNLESS_EMPTY, Value


class CallStep(Value):
    """A recorded call, cited by its turn."""

    id: str
    """Id of the turn."""
    at: str
    """Time at which it was made, ISO 8601."""
    session_id: str
    what: str
    """The command, or the tool with the file that it touched."""


class CallOutcome(Value):
    """A call that failed, and the one by which it worked afterwards."""

    failed: CallStep
    error: str
    """Line of its output that names the error; empty where none does."""
    times: Annotated[int, UNLESS_EMPTY] = 0
    """Number of further calls that failed alike."""
    between: Annotated[tuple[CallStep, ...], UNLESS_EMPTY] = ()
    """What was changed before the same command worked."""
    worked: CallStep | None = None
    """None where nothing on record has worked since."""
    said: CallStep | None = None
    """What was said about it then, if anything was; `what` is its words."""
    way: Literal["same", "other"] | None = None
    """`same`: the same command worked, after `between`. `other`: another command did."""
