"""How a ranking takes the conversation into account, stage by stage."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.columns import by_number, count, hear, places, remark, say_in_columns

from memoria.language.asking.aim import Aim, find_aim
from memoria.language.dates import Interval
from memoria.model import Role
from memoria.retrieval.query.options import ALL_STAGES, Stages
from memoria.retrieval.ranking.evidence.columns import Scores
from memoria.retrieval.ranking.evidence.counts import count_terms
from memoria.retrieval.ranking.evidence.lexical import bm25, idf
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, Priors
from memoria.retrieval.ranking.evidence.session import add_session_shares
from memoria.retrieval.ranking.evidence.speakers import find_named_speakers
from memoria.store.index_tokens import pack_tokens
from memoria.store.turn_metadata import TurnMetadata
from memoria.store.values import Frequencies

NOBODY = ExpectedAnswer(speakers=(), time=None)
DAY = 24 * 60 * 60 * 1000
LONG = "We walked all the way to the old harbour and back " * 4
words = st.lists(st.sampled_from(["cat", "dog", "of", "猫", "猫咪"]), max_size=8).map(" ".join)
long_words = st.lists(
    st.sampled_from(["of", "off", "committee", "committees", "committee's", "猫咪咪", "猫咪咪喵"]),
    max_size=8,
).map(" ".join)


def find_priors(
    remarks: Mapping[int, TurnMetadata | None], expected: ExpectedAnswer, stages: Stages
) -> dict[int, float]:
    said = [*remarks.values()]
    priors = Priors.among(say_in_columns(said), expected, stages)
    worths = priors.apply(np.ones(len(said)), hear(said))
    return dict(zip(remarks, worths.tolist(), strict=True))


def test_terms_are_counted_as_whole_words_in_what_was_said_and_in_who_and_when() -> None:
    documents = {
        4: pack_tokens("cat catalogue cat", "anna monday"),
        9: pack_tokens("dog", "cat"),
    }
    counted = count_terms(documents, ["cat", "anna"], alike=False)
    assert counted.ns.tolist() == [4, 9]
    assert counted.body.tolist() == [[2, 0], [0, 0]]
    assert counted.frame.tolist() == [[0, 1], [1, 0]]
    assert counted.lengths.tolist() == [5, 2]


def test_a_word_that_begins_like_a_term_counts_for_a_part_where_the_term_is_missing() -> None:
    counted = count({1: "voluntari", 2: "volunt voluntari"}, "volunt", "猫咪", "2023")
    assert counted.body.tolist() == [[0.3, 0, 0], [1, 0, 0]]


@given(words, words)
def test_only_latin_words_of_four_letters_are_alike(one: str, other: str) -> None:
    documents = {1: pack_tokens(f"{one} 猫咪咪 20234", other)}
    terms = ["cat", "of", "猫咪", "2023"]
    exact, alike = (count_terms(documents, terms, alike=alike) for alike in (False, True))
    assert exact.body.tolist() == alike.body.tolist()


@given(st.lists(st.tuples(long_words, long_words), min_size=1, max_size=9), long_words)
def test_terms_are_counted_as_words_between_spaces(
    texts: list[tuple[str, str]], sought: str
) -> None:
    """Of one said several times in a row every other one: they share the space between them."""
    terms = list(dict.fromkeys(sought.split()))
    documents = {n: pack_tokens(*text) for n, text in enumerate(texts)}
    counted = count_terms(documents, terms, alike=False)
    body = [[f" {said} ".count(f" {term} ") for term in terms] for said, _ in texts]
    frame = [[f" {term} " in f" {context} " for term in terms] for _, context in texts]
    assert counted.body.tolist() == body
    assert counted.frame.tolist() == frame
    assert counted.lengths.tolist() == [
        f"{said} {context}".count(" ") + 1 for said, context in texts
    ]


def test_a_rare_term_tells_more_than_a_common_one_and_none_tells_less_than_nothing() -> None:
    holding = {"rare": 1, "common": 50, "everywhere": 20_001}
    rare, common, everywhere = idf(list(holding), Frequencies(100, holding))
    assert rare > common > everywhere > 0


def test_a_neighbour_lends_its_words_and_a_stranger_does_not() -> None:
    counts = count({1: "cat", 5: "dog"}, "cat", "dog")
    stands = places((1, 1, 7), (2, 1, 8), (3, 1, 9), (4, 1, 10), (5, 2, 8))
    scores = by_number(bm25(counts, stands, [1.0, 1.0], lend=True))
    assert scores[1] > scores[2] > scores[3] > scores.get(4, 0.0) == 0
    assert scores[5] == pytest.approx(scores[1])
    alone = by_number(bm25(counts, stands, [1.0, 1.0], lend=False))
    assert alone.keys() == {1, 5}
    assert alone[1] == pytest.approx(scores[1])


def test_two_words_of_the_question_in_two_turns_say_more_than_one_word_twice() -> None:
    stands = places((1, 1, 0), (2, 1, 1), (3, 2, 0), (4, 2, 1))
    counts = count({1: "cat", 2: "dog", 3: "cat", 4: "cat"}, "cat", "dog")
    scores = by_number(bm25(counts, stands, [1.0, 1.0], lend=True))
    assert scores[1] > scores[3]


def test_among_documents_the_longest_still_stands_first_for_all_of_the_rare_words() -> None:
    """Beside statements it pays for its length; where nobody states anything, less."""
    rare = ["hull", "keel", "mast", "sail", "bow", "oar"]
    filler = " ".join(["water"] * 400)
    asked = f"{' '.join(rare)} {filler} {filler} {filler}"
    half = f"{' '.join(rare[:3])} {filler}"
    documents = {1: asked, 2: half, **dict.fromkeys(range(3, 20), filler)}
    talk = documents | dict.fromkeys(range(20, 30), "water under a bridge")
    among_documents, among_remarks = (
        by_number(bm25(count(each, *rare), places(), [5.0] * len(rare), lend=False))
        for each in (documents, talk)
    )
    assert among_documents[1] > among_documents[2]
    assert among_remarks[1] < among_documents[1]


def test_versions_of_a_message_share_a_place_and_lend_once() -> None:
    stands = places((1, 1, 0), (2, 1, 0), (3, 1, 1))
    alone, beside = (
        by_number(bm25(count(each, "cat", "dog"), stands, [1.0, 1.0], lend=True))
        for each in ({1: "cat", 3: "dog"}, {1: "cat", 2: "cat", 3: "dog"})
    )
    assert alone[3] == pytest.approx(beside[3])


def test_what_is_no_turn_is_scored_by_its_own_words() -> None:
    counts = count({1: "cat", 8: "cat"}, "cat")
    scores = by_number(bm25(counts, places((1, 1, 0)), [1.0], lend=True))
    assert scores[1] == scores[8] > 0


def test_a_question_without_a_word_left_scores_nothing() -> None:
    assert by_number(bm25(count({1: "cat"}), places(), [], lend=True)) == {1: 0.0}
    assert by_number(bm25(count({}, "cat"), places((1, 1, 0)), [1.0], lend=True)) == {}


def test_a_session_gains_by_its_best_three() -> None:
    stands = places(*((n, 1, n) for n in range(5)), (9, 2, 0))
    scores = {**dict(enumerate([0.1, 1.0, 0.5, 0.5, 0.2])), 9: 0.5, 7: 0.3}
    shared = by_number(add_session_shares(Scores.of_mapping(scores), stands))
    gained = {n: shared[n] - score for n, score in scores.items()}
    assert gained == pytest.approx({**dict.fromkeys(range(5), 0.4), 9: 0.1, 7: 0.0})


def test_versions_of_a_message_count_once_for_their_session() -> None:
    versions = Scores.of_mapping({1: 0.2, 2: 1.0, 3: 0.4})
    shared = by_number(add_session_shares(versions, places(*((n, 1, 0) for n in (1, 2, 3)))))
    assert shared[2] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("terms", "speakers", "found"),
    [
        (["carolin", "research"], {"Caroline", "Melanie"}, {"Caroline"}),
        (["carolin", "research"], {"Caroline Smith", "Melanie Jones"}, {"Caroline Smith"}),
        (["carolin", "melani", "meet"], {"Caroline", "Melanie"}, set()),
        (["carolin"], {"Caroline", "Melanie"}, set()),
        (["carolin", "research"], {"Caroline"}, set()),
        (["carolin", "research"], {None}, set()),
        (["小", "明", "小明", "猫"], {"小明", "小红"}, {"小明"}),
        (["小", "明", "猫"], {"小明", "小红"}, set()),
        (["deploy", "fail"], {"deploy-bot", "Anna"}, set()),
    ],
)
def test_a_question_names_speakers_by_their_first_names(
    terms: list[str], speakers: set[str | None], found: set[str]
) -> None:
    assert find_named_speakers(terms, speakers).keys() == found


def test_what_another_says_counts_for_less_when_one_is_named() -> None:
    remarks = {1: remark(LONG, "Anna"), 2: remark(LONG, "Ben"), 3: remark(LONG)}
    worths = find_priors(remarks, ExpectedAnswer(("Anna",), None), ALL_STAGES)
    assert worths[1] > worths[2] == worths[3]
    assert len(set(find_priors(remarks, NOBODY, ALL_STAGES).values())) == 1


@pytest.mark.parametrize("asks", ["Where? " + LONG, LONG + "你呢？", LONG + "?"])
def test_who_asks_answers_less(asks: str) -> None:
    link = LONG + "see http://x.example/?q=1"
    remarks = {n: remark(text, "Anna") for n, text in enumerate([LONG, asks, link])}
    worths = find_priors(remarks, NOBODY, Stages(length=False))
    assert worths[0] == worths[2] > worths[1]


def test_what_a_user_asks_an_assistant_tells_of_the_user_and_counts_in_full() -> None:
    asked = "I bake bread on Sundays. Which flour keeps longest?"
    remarks = {1: remark(LONG), 2: remark(asked), 3: remark(asked, role=Role.ASSISTANT)}
    worths = find_priors(remarks, NOBODY, Stages(length=False))
    assert worths[1] == worths[2] > worths[3]


@pytest.mark.parametrize(
    "question",
    [
        "What did you suggest for the harbour trip?",
        "Which three books have you recommended to me?",
        "How did your advice on the loan begin?",
        "你上次推荐了哪家餐馆？",
        "你给我的建议是什么？",
    ],
)
def test_a_question_for_what_the_assistant_said_prefers_its_turns(question: str) -> None:
    remarks = {1: remark(LONG), 2: remark(LONG, role=Role.ASSISTANT)}
    expected = ExpectedAnswer((), None, find_aim(question))
    worths = find_priors(remarks, expected, ALL_STAGES)
    assert worths[2] > worths[1]


@pytest.mark.parametrize(
    "question",
    [
        "When does my lease end?",
        "What would you suggest for a weekend by the sea?",
        "Can you help me plan the week?",
        "我的租约什么时候到期？",
        "你建议我周末去哪里？",
    ],
)
def test_any_other_question_prefers_what_the_user_said(question: str) -> None:
    remarks = {1: remark(LONG), 2: remark(LONG, role=Role.ASSISTANT)}
    expected = ExpectedAnswer((), None, find_aim(question))
    worths = find_priors(remarks, expected, ALL_STAGES)
    assert worths[1] > worths[2]


def test_where_people_have_names_neither_role_counts_for_more() -> None:
    remarks = {1: remark(LONG, "Anna"), 2: remark(LONG, "Ben", role=Role.ASSISTANT)}
    for aim in Aim:
        worths = find_priors(remarks, ExpectedAnswer((), None, aim), ALL_STAGES)
        assert worths[1] == worths[2]


def test_a_few_words_answer_less_and_a_tool_call_is_not_counted_in_words() -> None:
    remarks = {1: remark("Wow, thanks!"), 2: remark(LONG), 3: remark(LONG * 100), 4: remark("")}
    worths = find_priors(remarks, NOBODY, ALL_STAGES)
    assert worths[1] < worths[2] <= worths[3] <= worths[4] == 1
    assert math.isclose(worths[2], worths[3], rel_tol=0.1)


def test_what_was_said_in_another_time_counts_for_less() -> None:
    remarks = {day: remark(LONG, at=day * DAY) for day in range(12)}
    worths = find_priors(remarks, ExpectedAnswer((), Interval(4 * DAY, 5 * DAY)), ALL_STAGES)
    best = max(worths.values())
    assert [day for day, value in worths.items() if value == best] == [4, 5, 6, 7]


def test_a_time_in_which_nothing_was_said_takes_nothing_away() -> None:
    remarks = {day: remark(LONG, at=day * DAY) for day in range(3)}
    long_past = ExpectedAnswer((), Interval(None, -9 * DAY))
    assert find_priors(remarks, long_past, ALL_STAGES) == find_priors(remarks, NOBODY, ALL_STAGES)
    since = ExpectedAnswer((), Interval(2 * DAY, None))
    assert len(set(find_priors(remarks, since, ALL_STAGES).values())) == 2


def test_without_its_stages_every_turn_is_worth_the_same() -> None:
    remarks = {1: remark("Wow?", "Ben", 0), 2: remark(LONG, "Anna", 9 * DAY)}
    off = Stages(asking=False, length=False, time=False)
    assert set(
        find_priors(remarks, ExpectedAnswer((), Interval(8 * DAY, 10 * DAY)), off).values()
    ) == {1.0}


@pytest.mark.parametrize("stages", [ALL_STAGES, Stages(time=False), Stages(roles=False)])
def test_what_is_no_turn_has_no_priors(stages: Stages) -> None:
    asked = ExpectedAnswer({"Anna"}, Interval(8 * DAY, 10 * DAY))
    found = find_priors({1: remark(LONG, "Anna", 9 * DAY), 2: None}, asked, stages)
    assert found[2] == 1.0
