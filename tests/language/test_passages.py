"""Long texts are taken apart into runs of sentences that can be understood by themselves."""

from memoria.language.reading.excerpt import split_passages

SENTENCE = "The tram to the harbour leaves from platform three every morning. "
ZH = "去港口的电车每天早上从三号站台出发，路上大约需要二十分钟。"
CODE = "```python\n" + "".join(f"value_{i} = compute(value_{i - 1})\n" for i in range(60)) + "```\n"


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split_passages(text)]


def test_a_short_text_is_no_passages() -> None:
    assert split_passages("") == []
    assert split_passages(SENTENCE * 9) == []
    assert split_passages(ZH * 5) == []


def test_passages_are_whole_sentences_one_after_another_in_both_languages() -> None:
    for text, end in ((SENTENCE * 30, ". "), (ZH * 30, "。")):
        found = pieces(text)
        assert len(found) > 3
        assert "".join(found) == text
        assert all(piece.endswith(end) for piece in found)


def test_a_passage_ends_with_its_paragraph_and_lists_stay_together() -> None:
    steps = "1. Loosen the left bolt\n2. Lift out the wheel\n3. Oil the axle\n"
    found = pieces(SENTENCE * 4 + "\n\n" + steps + "\n" + SENTENCE * 8)
    assert any(piece.strip() == steps.strip() for piece in found)


def test_code_and_a_text_without_ends_are_cut_as_well() -> None:
    for text in (CODE, "x" * 5000, "字" * 2000, "word " * 2000):
        found = pieces(text)
        assert "".join(found) == text
        assert len(found) > 3


def test_a_very_long_text_has_longer_passages_and_not_more() -> None:
    for text in (SENTENCE * 400, ZH * 400, "x" * 400_000, "\n" * 100_000, CODE * 200):
        found = split_passages(text)
        assert len(found) <= 32
        assert all(0 <= start < end <= len(text) for start, end in found)


def test_what_says_nothing_is_no_passage() -> None:
    assert all(piece.strip() for piece in pieces(SENTENCE * 12 + "\n" * 2000 + SENTENCE * 12))
