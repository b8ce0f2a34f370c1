"""A first look at two statements passes over none that rules relate, and reads neither."""

import pytest
from tests.policy.test_properties import COMPATIBLE, PAIRS, STATEMENTS

from memoria.policy.properties import (
    list_related,
    read_properties,
    relate_statements,
    tells_present_of,
)
from memoria.policy.properties.read import read_statement

APART = [
    ("Tim reads a book about castles.", "Which tools does Evan keep in the shed?"),
    ("My sister lives in Oslo.", "The staging server listens on port 8080."),
    ("It rained all day, and we stayed inside.", "Click on the three dots to open the menu."),
]


def test_whatever_replaces_a_statement_is_related_to_it() -> None:
    texts = [*STATEMENTS, *COMPATIBLE]
    pairs = [(known, new) for _, known, new in PAIRS]
    pairs += [(new, known) for known, new in pairs]
    pairs += zip(texts, texts[7:], strict=False)
    for known, new in pairs:
        if relate_statements(new, known) == "replaces" or tells_present_of(new, known):
            assert list_related(known, [new]) == [new], (known, new)


def test_what_rules_read_in_a_statement_is_of_one_of_its_subjects() -> None:
    for text in (*STATEMENTS, *COMPATIBLE):
        read = {one.subject for one in read_properties(text) if not one.is_unread}
        assert read <= read_statement(text).subjects, text


@pytest.mark.parametrize(("known", "new"), APART)
def test_statements_that_have_nothing_in_common_are_not_read(known: str, new: str) -> None:
    read_statement.cache_clear()
    assert list_related(known, [new]) == []
    assert "clauses" not in vars(read_statement(known)) | vars(read_statement(new))
