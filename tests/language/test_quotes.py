"""A quote is found word for word, or it is none."""

import pytest

from memoria.language.reading.quotes import find_borrowed, find_quote

TEXT = "Well, the other day I moved\n  to Leeds. 我对花生过敏，真的。"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("moved to Leeds", "moved\n  to Leeds"),
        ("“I moved”", "I moved"),
        ("花生过敏", "花生过敏"),
        ("Leeds. 我对", "Leeds. 我对"),
        ("Moved to Leeds", "moved\n  to Leeds"),
        ("MOVED", None),
        ("the day", None),
        ("th", None),
        ("other da", None),
        ("oved", None),
        ("I", None),
        ("", None),
    ],
)
def test_a_quote_stands_there_in_whole_words_or_not_at_all(quote: str, found: str | None) -> None:
    assert find_quote(quote, TEXT) == found


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("‘I don't eat “meat” – ever’", 'I don’t eat "meat" - ever'),
        ("我对花生过敏,真的.", "我对花生过敏，真的。"),
        ("I don't eat ... ever", 'I don’t eat "meat" - ever'),
        ("I don't … “meat” -", 'I don’t eat "meat" -'),
        ('… eat "meat" -…', 'eat "meat" -'),
        ("我 对花生 过敏", "我对花生过敏"),
        ("ever.我对花生", "ever. 我对花生"),
        ("...eat “meat” - ever...", 'eat "meat" - ever'),
        ("I don't eat meat, ever", 'I don’t eat "meat" - ever'),
        ("我对花生過敏真的", "我对花生过敏，真的"),
        ("[12] user: 我对花生过敏", "我对花生过敏"),
        ("用户：我对花生过敏", "我对花生过敏"),
        ("我对花生过敏 (turn 12)", "我对花生过敏"),
        ("i DON'T eat meat", 'I don’t eat "meat'),
        ("Eat meat", None),
        ("⟨我对花生过敏⟩", "我对花生过敏"),
        ("⟨meat⟩", None),
        ("第十轮: 我对花生过敏", "我对花生过敏"),
        ("never: 我对花生过敏", None),
        ("dont eat", None),
        ("I do n't eat", None),
        ("ever ... I don't", None),
        ("I ... eat fish", None),
    ],
)
def test_a_quote_may_have_other_marks_and_say_that_it_leaves_words_out(
    quote: str, found: str | None
) -> None:
    assert find_quote(quote, 'I don’t eat "meat" - ever. 我对花生过敏，真的。') == found


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It was -5 degrees, we paid $30", "It was -5 degrees; we paid $30"),
        ("it was 5 degrees", None),
        ("we paid 30", None),
        ("３５．５ at 2020 2021", "35.5 at 2020-2021"),
        ("355 at", None),
        ("C# or C", "C# or C"),
        ("use C or", None),
        ("Tom &amp; Ann", "Tom & Ann"),
    ],
)
def test_marks_that_mean_something_may_not_differ(quote: str, found: str | None) -> None:
    text = "It was -5 degrees; we paid $30. 35.5 at 2020-2021, use C# or C++. Tom & Ann."
    assert find_quote(quote, text) == found


def test_what_a_quote_leaves_out_is_not_long() -> None:
    assert find_quote("one ... two", f"one {'x ' * 20}two") is not None
    assert find_quote("one ... two", f"one {'x ' * 200}two") is None


TURN = "400 rows make 401 queries. A join would do."
OTHERS = [
    "212 tests passed.",
    "Shall I make tea?",
    "This one is LRD-31.",
    "On 12 October we saw rows.",
    "the stock endpoint is slow, look why",
]


@pytest.mark.parametrize(
    ("statement", "places"),
    [
        ("The slow stock endpoint made 401 queries.", [4]),
        ("401 queries were cured with LRD-31, and 212 tests passed.", [0, 2]),
        ("400 rows made 401 queries on 12 October 2026.", []),
        ("A join would do.", []),
    ],
)
def test_few_texts_are_found_whose_words_a_statement_has_beside_its_own(
    statement: str, places: list[int]
) -> None:
    assert find_borrowed(statement, TURN, OTHERS, 2) == places


def test_chinese_words_are_borrowed_as_english_ones_are() -> None:
    others = ["天气不错", "我12号去木槿家居报到，做采购"]
    statement, own = "木槿家居的露营灯2026年11月12日上线。", "露营灯，11月12号上线"
    assert find_borrowed(statement, own, others, 3) == [1]
    assert find_borrowed("露营灯2026年11月12日上线。", own, others, 3) == []
