"""What a question names and no turn does: places, long numbers, titles, descriptions, compounds."""

import pytest

from memoria.model.zone import UTC_ZONE
from memoria.retrieval.query.parse import ParsedQuery, parse_query
from memoria.retrieval.query.unfamiliar import has_unfamiliar_compound, list_unfamiliar
from memoria.text.analyser import query_terms


def parse(text: str) -> ParsedQuery:
    return parse_query(text, query_terms(text), 0, UTC_ZONE)


def count(text: str, on_record: str) -> dict[str, int]:
    """How many documents hold each term of a question, where a single one is on record."""
    held = query_terms(on_record)
    return {term: int(term in held) for term in query_terms(text)}


@pytest.mark.parametrize(
    ("question", "on_record", "unfamiliar"),
    [
        ("我在贵州买了什么？", "我在云南买了茶叶", [True]),
        ("我在贵州买了什么？", "去贵州买了茶叶", [False]),
        ("有几个活动在广东深圳？", "深圳有一场展览", [False]),  # one place
        ("在北京还是在贵州？", "北京下雪了", [False, True]),
        ("北京话怎么说？", "学说方言", []),
        ("订单48213377寄出了吗？", "订单寄出了", [True]),
        ("What became of order 48213377?", "Order 48213377 was sent", [False]),
        ("谁写了“绘画雕塑作品展示”？", "我去看了展览", [True]),
        ("Who wrote “the silent lighthouse keeper”?", "A lighthouse keeper is silent", [False]),
        ("医生叫我少喝什么？", "少喝咖啡", []),
        ("那个职业是摄影师的人，老家在哪里？", "他的职业很辛苦", [True]),
        ("那个职业是摄影师的人，老家在哪里？", "王宇当摄影师", [False]),
        ("Where does the friend who keeps bees live?", "an apiary", []),
    ],
)
def test_a_place_a_number_a_title_or_a_description_is_unfamiliar_if_nothing_of_it_is_on_record(
    question: str, on_record: str, unfamiliar: list[bool]
) -> None:
    assert list_unfamiliar(parse(question), count(question, on_record)) == unfamiliar


@pytest.mark.parametrize(
    ("question", "on_record", "unfamiliar"),
    [
        ("海洋装备创新博览会在哪里举行？", "我去看了展览", True),
        ("海洋装备创新博览会在哪里举行？", "参加海洋装备创新博览会", False),
        ("我怕当众讲话时出什么洋相？", "我怕上台说错话", False),  # an answer in other words
        ("What did Rosalind name her telescope?", "a telescope", False),
    ],
)
def test_a_long_compound_is_unfamiliar_if_its_characters_never_stand_together(
    question: str, on_record: str, unfamiliar: bool
) -> None:
    assert has_unfamiliar_compound(parse(question), count(question, on_record)) is unfamiliar
