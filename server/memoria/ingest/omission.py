"""Omission: a turn without the sentences that say again what was erased from the record.

What was forgotten together with its source is kept out of the record, too, from whatever
conversation, client or import it comes. The sentence goes in which it stands, and the rest of the
turn is recorded.
"""

from dataclasses import replace

from pydantic import JsonValue

from memoria.erasure.suppression import SuppressionList
from memoria.ingest.clean import CleanTurn
from memoria.language.reading.recognition import Reading, read_words, split_sentences
from memoria.language.words.document import full_text
from memoria.model.turn import FORGOTTEN_PASSAGE

_MARK = f"[redacted:{FORGOTTEN_PASSAGE}]"


def leave_out_forgotten(text: CleanTurn, suppression: SuppressionList) -> CleanTurn | None:
    """Leave out of a turn what was erased from the record; None if nothing else is left.

    Args:
        text: the turn, which says something of that kind.
        suppression: recognises it.
    """
    omission = _Omission(suppression)
    left = replace(
        text,
        content=omission.leave_out(text.content),
        tool_args=omission.leave_out_of_json(text.tool_args),
        tool_result=omission.leave_out_of_json(text.tool_result),
    )
    is_left = any(char.isalnum() for char in full_text(left).replace(_MARK, ""))
    # What is spread over several values of a tool call is found in the whole alone.
    return None if not is_left or suppression.repeats_erased(full_text(left)) else left


def count_omissions(text: CleanTurn) -> int:
    """Count the passages of a turn that were left out."""
    return full_text(text).count(_MARK)


class _Omission:
    """Leaves out of texts what was erased."""

    def __init__(self, suppression: SuppressionList) -> None:
        self._suppression = suppression

    def leave_out(self, text: str) -> str:
        """Put a mark in the place of each passage that says what was erased."""
        if not self._suppression.repeats_erased(text):
            return text
        sentences = split_sentences(text)
        reading, owners = Reading(), list[int]()
        for number, sentence in enumerate(sentences):
            own = read_words(sentence)
            reading.ends.update(len(owners) + end for end in own.ends)
            reading.words.extend(own.words)
            owners += [number] * len(own.words)
        found = [match for match in self._suppression.match_reading(reading) if match.erases]
        unwanted = {
            number
            for match in found
            for number in range(owners[match.start], owners[match.start + match.length - 1] + 1)
        }
        return _put_marks(sentences, unwanted) if unwanted else _MARK

    def leave_out_of_json(self, value: JsonValue) -> JsonValue:
        """Put marks into every text of a tool's call or result."""
        match value:
            case str():
                return self.leave_out(value)
            case list():
                return [self.leave_out_of_json(item) for item in value]
            case dict():
                return {
                    self.leave_out(key): self.leave_out_of_json(item) for key, item in value.items()
                }
            case _:
                return value


def _put_marks(sentences: list[str], unwanted: set[int]) -> str:
    """Join the sentences, with one mark in the place of those unwanted that follow each other."""
    pieces = list[str]()
    for number, sentence in enumerate(sentences):
        if number not in unwanted:
            pieces.append(sentence)
            continue
        if number - 1 not in unwanted:
            pieces.append(_MARK)
        if number + 1 not in unwanted:
            pieces.append(sentence[len(sentence.rstrip()) :])
    return "".join(pieces)
