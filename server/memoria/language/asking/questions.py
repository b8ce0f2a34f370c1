"""Questions: the sentences of a text that ask.

People talk before they ask, and they ask two things at once. No turn holds many words of two
questions, and talk finds talk: so each sentence that asks is searched for by itself, too.
"""

from memoria.language.reading.recognition import split_sentences

_MOST = 3
"""Most questions, the first ones: each costs a search."""
_MARKS = ("?", "？")


def list_questions(text: str) -> list[str]:
    """List the sentences that end with a question mark; none where the text is one sentence."""
    sentences = [each.strip() for each in split_sentences(text)]
    asking = [each for each in sentences if each.endswith(_MARKS)]
    return asking[:_MOST] if len(sentences) > 1 else []
