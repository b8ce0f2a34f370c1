"""A pattern that is left out, for none of its words is in the text, would not have matched."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.data import data_folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.model.turn import Role
from memoria.policy.marks import RULES, RULES_ZH, Mark, Rule, in_reach, marks
from memoria.policy.routing import Archive, Extract, route
from memoria.policy.spoken import sentences

LOCOMO, CHINESE = "locomo/locomo_dev.json", "memorybank/memory_bank_cn.json"
EXAMPLES, TEXTS = 25, 1500
rules = pytest.mark.parametrize("rule", [*RULES, *RULES_ZH], ids=lambda rule: rule.mark.value)


@rules
def test_what_a_pattern_matches_holds_one_of_its_words(rule: Rule) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.pattern.compiled), st.sampled_from((" ", "\t", "\u3000", "\x1c")))
    def check(text: str, space: str) -> None:
        said = text.replace(" ", space)
        assert rule in in_reach(said) or not rule.pattern.compiled.search(said.lower())

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
        found = {mark for sentence in sentences(text) for mark in marks(sentence)}
        match route(Role.USER, text):
            case Extract(reason=reason):
                assert reason is min(found, key=list(Mark).index)
                marked += 1
            case Archive(reason="story"):
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
