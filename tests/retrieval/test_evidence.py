"""How a ranking takes the conversation into account, and each stage of a search by itself."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.columns import by_number, count, hear, places, remark, say_in_columns

from memoria.inference import DEFAULT_CALIBRATION
from memoria.inference.base import RelevanceBounds
from memoria.language.asking.aim import Aim, find_aim
from memoria.language.dates import Interval
from memoria.model import Role
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.retrieval import SearchPlan, plan_context, plan_memories, plan_transcript
from memoria.retrieval.query.options import ALL_STAGES, DEFAULT_OPTIONS, Stages
from memoria.retrieval.ranking.candidates import FusedCandidate, LazyCandidates, ScoredCandidate
from memoria.retrieval.ranking.evidence.columns import Scores
from memoria.retrieval.ranking.evidence.lexical import bm25, count_terms, idf
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, Priors, find_named_speakers
from memoria.retrieval.ranking.evidence.rank import add_session_shares
from memoria.retrieval.ranking.score import score_conclusion
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import RelevanceSignals, RelevanceThreshold, TermWeights
from memoria.store.features import TurnMetadata, pack_tokens
from memoria.store.values import DocumentKind, Frequencies

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
    documents = {4: pack_tokens("cat catalogue cat", "anna monday"), 9: pack_tokens("dog", "cat")}
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


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_a_conclusions_score_is_between_nothing_and_certainty(
    lexical: float, covered: float, cosine: float
) -> None:
    score = score_conclusion(lexical, covered, cosine, DEFAULT_CALIBRATION)
    assert 0 <= score < 1
    assert score >= score_conclusion(lexical, covered, -1, DEFAULT_CALIBRATION)
    assert score >= score_conclusion(0, 0, cosine, DEFAULT_CALIBRATION)


def test_coverage_is_the_share_of_the_words_by_what_each_tells() -> None:
    weights = TermWeights({"rare": 0.75, "common": 0.25})
    assert weights.coverage({"rare", "other"}) == 0.75
    assert weights.coverage({"rare", "common"}) == 1.0
    assert TermWeights({}).coverage({"a"}) == 0.0


def margin(
    plan: SearchPlan,
    kind: DocumentKind,
    signals: RelevanceSignals,
    statistics: QueryStatistics | None = None,
) -> float:
    """By how much a hit fits better than it has to."""
    threshold = RelevanceThreshold.for_query(plan, statistics or QueryStatistics())
    return threshold.margin(kind, signals)


MEMORIES = plan_memories(MemoryQuery(query="fence"))
TRANSCRIPT = plan_transcript(TranscriptQuery(query="fence", limit=8, max_tokens=1500, context=0))
CONTEXT = plan_context("fence", max_tokens=1500, workspace=None, options=DEFAULT_OPTIONS)
FREQUENT = QueryStatistics(frequent_entity=True)
UNKNOWN = QueryStatistics(unknown_entity=True)


def test_words_or_meaning_let_a_conclusion_pass_and_nothing_else_does() -> None:
    assert margin(MEMORIES, "turn", RelevanceSignals(coverage=0.5, cosine=0.0)) >= 0
    assert margin(MEMORIES, "memory", RelevanceSignals(coverage=0.0, cosine=0.3)) >= 0
    assert margin(MEMORIES, "turn", RelevanceSignals(coverage=0.2, cosine=0.2)) < 0
    assert margin(TRANSCRIPT, "turn", RelevanceSignals(coverage=0.05, cosine=0.2)) < 0


def test_a_conclusion_about_somebody_known_needs_more_and_of_a_stranger_a_paraphrase() -> None:
    fit = RelevanceSignals(coverage=0.1, cosine=0.2)
    assert margin(MEMORIES, "memory", fit) >= 0
    assert margin(MEMORIES, "memory", fit, FREQUENT) < 0
    assert margin(MEMORIES, "memory", RelevanceSignals(0.9, 0.4), UNKNOWN) < 0
    assert margin(MEMORIES, "memory", RelevanceSignals(0.0, 0.7), UNKNOWN) >= 0


def test_in_the_record_everything_that_speaks_for_a_turn_adds_up() -> None:
    asked = QueryStatistics(telling_terms=5, documents=300)
    near = RelevanceSignals(0.0, 0.3)
    held = margin(TRANSCRIPT, "turn", near, asked)
    assert held < 0
    assert margin(TRANSCRIPT, "turn", near._replace(context_coverage=0.5), asked) > 0
    assert margin(TRANSCRIPT, "turn", near._replace(is_cross_language=True), asked) > 0
    assert margin(TRANSCRIPT, "turn", near._replace(graph=1.0), asked) > held
    assert margin(TRANSCRIPT, "turn", near._replace(rare_words=1), asked) == held
    assert margin(TRANSCRIPT, "turn", near._replace(rare_words=2), asked) > held
    assert margin(TRANSCRIPT, "turn", near, replace(asked, strange_share=1.0)) < held
    assert margin(TRANSCRIPT, "turn", near, replace(asked, telling_terms=30)) < held
    assert margin(TRANSCRIPT, "turn", near, replace(asked, documents=100_000)) < held


def test_a_turn_that_the_record_would_amply_answer_with_passes_among_memories() -> None:
    known = QueryStatistics(telling_terms=2, documents=300, frequent_entity=True)
    around = RelevanceSignals(0.1, 0.5, context_coverage=0.9)
    assert margin(MEMORIES, "turn", around, known) > 0
    assert margin(CONTEXT, "turn", around, known) < 0
    barely = RelevanceSignals(0.1, 0.28, context_coverage=0.36)
    assert margin(TRANSCRIPT, "turn", barely, known) > 0
    assert margin(MEMORIES, "turn", barely, known) < 0


def test_a_turn_in_another_language_has_to_be_more_than_ample_among_memories() -> None:
    known = QueryStatistics(telling_terms=2, documents=300, frequent_entity=True)
    same = RelevanceSignals(0.0, 0.5)
    other = RelevanceSignals(0.0, 0.24, is_cross_language=True)  # its language makes up for words
    assert margin(TRANSCRIPT, "turn", same, known) == margin(TRANSCRIPT, "turn", other, known)
    assert margin(MEMORIES, "turn", same, known) > 0 > margin(MEMORIES, "turn", other, known)


def test_a_turn_of_the_named_day_or_of_the_assistant_whose_words_are_asked_for_fits_better() -> (
    None
):
    plain = RelevanceSignals(coverage=0.1, cosine=0.2)
    for change in ({"is_of_named_day": True}, {"is_reply": True}):
        told = plain._replace(**change)
        assert margin(TRANSCRIPT, "turn", told) > margin(TRANSCRIPT, "turn", plain)


def test_a_sentence_that_rules_have_made_a_memory_is_no_answer_without_a_word_or_nearness() -> None:
    alike = RelevanceSignals(coverage=0.0, cosine=0.25)
    assert margin(MEMORIES, "memory", alike) > 0  # somebody thought it worth remembering
    for change, passes in (
        ({}, False),
        ({"coverage": 0.05}, True),
        ({"cosine": 0.32}, True),
        ({"graph": 1.0}, True),
        ({"is_cross_language": True}, True),
    ):
        by_rules = alike._replace(is_by_rules=True, **change)
        assert (margin(MEMORIES, "memory", by_rules) > 0) is passes, change


def test_without_vectors_words_alone_decide_and_never_for_a_stranger() -> None:
    words = RelevanceSignals(coverage=0.2, cosine=0.0, context_coverage=0.2)
    for statistics, passes in ((QueryStatistics(), True), (FREQUENT, False), (UNKNOWN, False)):
        without = replace(statistics, has_vectors=False)
        assert (margin(TRANSCRIPT, "turn", words, without) >= 0) is passes


@pytest.mark.parametrize("statistics", [QueryStatistics(), FREQUENT, UNKNOWN])
@pytest.mark.parametrize("kind", ["memory", "turn"])
def test_what_nobody_asked_for_has_to_fit_better_whatever_is_asked(
    kind: DocumentKind, statistics: QueryStatistics
) -> None:
    fit = RelevanceSignals(coverage=0.3, cosine=0.4)
    assert margin(CONTEXT, kind, fit, statistics) < margin(MEMORIES, kind, fit, statistics)


def test_an_embedder_that_puts_unrelated_texts_higher_brings_higher_bounds() -> None:
    usual = DEFAULT_CALIBRATION.memories.memory
    bounds = RelevanceBounds(*(bound + 0.3 for bound in astuple(usual)))
    memories = replace(DEFAULT_CALIBRATION.memories, memory=bounds)
    plan = replace(MEMORIES, calibration=replace(DEFAULT_CALIBRATION, memories=memories))
    fit = RelevanceSignals(coverage=0.0, cosine=0.4)
    assert margin(MEMORIES, "memory", fit) >= 0
    assert margin(plan, "memory", fit) < 0


PLACES = st.none() | st.integers(-15, 15)
STEPS = st.sampled_from([None, 1, 2, -1])


def score(items: Sequence[FusedCandidate]) -> list[ScoredCandidate]:
    """Every third may not be seen. Who only keeps candidates in order looks into none of them."""
    return [cast("ScoredCandidate", item) for item in items if item.n % 3]


@given(
    st.integers(0, 40),
    st.integers(1, 12),
    st.lists(st.builds(slice, PLACES, PLACES, STEPS), max_size=4),
)
def test_whatever_part_of_candidates_is_looked_at_first_all_are_the_same(
    many: int, first: int, parts: list[slice]
) -> None:
    fused = [FusedCandidate(n, 1 / (n + 1)) for n in range(many)]
    lazy, everything = LazyCandidates(fused, score, first), score(fused)
    for part in parts:
        assert lazy[part] == everything[part]
    assert bool(lazy) == bool(everything)
    assert list(lazy) == everything
    assert len(lazy) == len(everything)


@given(st.integers(1, 40), st.integers(-45, 45))
def test_a_candidate_is_found_at_its_place_or_nowhere(many: int, at: int) -> None:
    fused = [FusedCandidate(n, 1 / (n + 1)) for n in range(many)]
    lazy, everything = LazyCandidates(fused, score, 10), score(fused)
    if -len(everything) <= at < len(everything):
        assert lazy[at] == everything[at]
    else:
        with pytest.raises(IndexError):
            lazy[at]
