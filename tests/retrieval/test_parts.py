"""The stages of a search, each by itself."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.inference import DEFAULT_CALIBRATION
from memoria.inference.base import RelevanceBounds
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.retrieval import SearchPlan, plan_context, plan_memories, plan_transcript
from memoria.retrieval.query.options import DEFAULT_OPTIONS
from memoria.retrieval.ranking.evidence.conclusions import score_conclusion
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import (
    RelevanceSignals,
    RelevanceThreshold,
    TermWeights,
)
from memoria.store.values import DocumentKind


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
