"""A pattern that is left out, for none of its words is in the text, would not have matched."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.data import data_folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.model.turn import Role
from memoria.policy.extraction_rules import (
    RULES,
    RULES_ZH,
    ExtractionReason,
    ExtractionRule,
    applicable_rules,
    extraction_reasons,
)
from memoria.policy.own_words import own_sentences
from memoria.policy.routing import ExtractNow, RecordOnly, route_turn

LOCOMO, CHINESE = "locomo/locomo_dev.json", "memorybank/memory_bank_cn.json"
EXAMPLES, TEXTS = 25, 1500
rules = pytest.mark.parametrize("rule", [*RULES, *RULES_ZH], ids=lambda rule: rule.reason.value)


@rules
def test_what_a_pattern_matches_holds_one_of_its_words(rule: ExtractionRule) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.pattern.regex), st.sampled_from((" ", "\t", "\u3000", "\x1c")))
    def check(text: str, space: str) -> None:
        said = text.replace(" ", space)
        assert rule in applicable_rules(said) or not rule.pattern.regex.search(said.lower())

    check()


@pytest.mark.parametrize("name", [LOCOMO, CHINESE])
def test_every_turn_of_real_talk_goes_where_all_rules_send_it(name: str) -> None:
    folder = data_folder()
    if folder is None or not (folder / name).is_file():
        pytest.skip(f"{name} is not among the data sets (MEMORIA_DATA)")
    texts = sorted(set(strings(folder / name)))
    texts = texts[:: len(texts) // TEXTS or 1]
    marked = 0
    for text in texts:
        found = {mark for sentence in own_sentences(text) for mark in extraction_reasons(sentence)}
        match route_turn(Role.USER, text):
            case ExtractNow(reason=reason):
                assert reason is min(found, key=list(ExtractionReason).index)
                marked += 1
            case RecordOnly(reason="story"):
                pass
            case _:
                assert not found
    assert marked > 20


def strings(file: Path) -> Iterator[str]:
    """All text in a JSON file, once each object is taken apart."""
    left: list[object] = [json.loads(file.read_text("utf-8"))]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case dict() as found:
                left.extend(found.values())
            case list() as found:
                left.extend(found)
