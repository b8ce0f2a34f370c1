"""Names: one key for all spellings of a name."""

from memoria.language.words.analyser import fold

_AROUND = " \"'“”‘’《》〈〉「」『』【】()（）,，.。"


def name_key(name: str) -> str:
    """Return a key that ignores letter case, width, accents, spaces and quotation marks."""
    folded = fold(name)
    return " ".join(folded.strip(_AROUND).split()) or folded
