"""The text of a statement: what somebody asks to have remembered, before it is compared."""

from memoria.errors import InvalidInputError
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.invisible import drop_invisible
from memoria.language.statements.confided import read_condition_of_statement
from memoria.model.condition import Condition

MAX_CHARS = 4000


def check_statement(content: str, tally: Tally) -> str:
    """Return a text without what must not be stored, and without what nobody sees.

    Raises:
        InvalidInputError: it is empty, too long, or asks itself not to be kept.
    """
    text = drop_invisible(clean_text(content, tally)).strip()
    if not text:
        raise InvalidInputError("There is nothing to remember: say it in a sentence.")
    if len(text) > MAX_CHARS:
        raise InvalidInputError(
            f"A memory has at most {MAX_CHARS:,} characters and this has {len(text):,}. Remember "
            "the conclusion; record the long text with record_conversation.",
            for_person=f"A memory has at most {MAX_CHARS:,} characters and this has {len(text):,}. "
            "Remember the conclusion, and bring in the long text: `memoria import FILE`.",
        )
    if read_condition_of_statement(text) is Condition.WITHHELD:
        raise InvalidInputError(
            "Nothing was kept: this asks itself not to be kept. Go on without storing it. What may "
            "be kept can be remembered without that request; a standing order begins with "
            '"from now on".'
        )
    return text
