"""Names: when two spellings are one name."""

from memoria.text.analyser import fold

_AROUND = " \"'“”‘’《》〈〉「」『』【】()（）,，.。"


def name_key(name: str) -> str:
    """The same for spellings that differ in letter case, width, accents, spaces and quotes only."""
    folded = fold(name)
    return " ".join(folded.strip(_AROUND).split()) or folded
