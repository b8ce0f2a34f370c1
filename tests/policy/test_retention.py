"""Retention: what fades, what is spared, and what becomes of it; never more than the table says."""

from dataclasses import replace
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.model import DAY_MS, MemoryType
from memoria.model.retention import (
    GENERAL_FIELDS,
    ROW_FIELDS,
    TABLE_ROWS,
    MemoryTier,
    RetentionAttributes,
    SupportCounts,
)
from memoria.policy.retention import (
    RETENTION,
    ArchiveFaded,
    AskReviewer,
    DemoteTier,
    KeepAsIs,
    core_importance,
    ends_at,
    may_rise_to_core,
    memories_over_limit,
    protection,
    retention_table,
    retention_verdict,
    strength,
    tier_by_rule,
)

TODAY = 20_000 * DAY_MS
MOMENTS = st.integers(0, 2 * TODAY)
SHARES = st.floats(0, 1)
TYPES = [*MemoryType, "concept"]
ANY = st.builds(
    RetentionAttributes,
    id=st.uuids().map(str),
    type=st.sampled_from(TYPES),
    importance=SHARES,
    confidence=SHARES,
    learnt_at=MOMENTS,
    tier=st.sampled_from(MemoryTier),
    task=st.booleans(),
    pinned=st.booleans(),
    verified=st.booleans(),
    event_at=st.none() | MOMENTS,
    evidence_at=st.none() | MOMENTS,
    last_used_at=st.none() | MOMENTS,
    reviewed_at=st.none() | MOMENTS,
    expires_at=st.none() | MOMENTS,
    evidence=st.integers(1, 5),
    use_count=st.integers(0, 5),
    upvotes=st.integers(0, 3),
)


def learnt(
    kind: str, importance: float = 0.5, days_ago: float = 0, **more: object
) -> RetentionAttributes:
    """A memory of today, seen from so many days later."""
    plain = RetentionAttributes("m", kind, importance, 0.8, TODAY - round(days_ago * DAY_MS))
    return replace(plain, **more)  # type: ignore[arg-type]  # each test names fields of its own


@given(ANY, MOMENTS, MOMENTS)
def test_nothing_grows_stronger_by_age_alone(
    one: RetentionAttributes, moment: int, other: int
) -> None:
    early, late = sorted((moment, other))
    assert strength(one, late) <= strength(one, early)


@given(ANY, MOMENTS)
def test_strength_lies_between_the_floor_and_the_importance(
    one: RetentionAttributes, at: int
) -> None:
    left = strength(one, at)
    floors = [0.0, *(row.floor for row in RETENTION.kinds.values())]
    assert 0 <= left <= max(one.importance, *floors)


@given(ANY, MOMENTS)
def test_what_is_protected_never_fades_and_is_never_touched(
    one: RetentionAttributes, at: int
) -> None:
    if protection(one) is None:
        return
    assert strength(one, at) == one.importance
    for reviewer in (False, True):
        assert retention_verdict(one, at, reviewer=reviewer) == KeepAsIs()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"pinned": True}, "pinned"),
        ({"verified": True}, "verified"),
        ({"tier": MemoryTier.CORE}, "core"),
        ({"type": "rule"}, "rule"),
        ({"importance": 0.6}, "important"),
        ({"type": "rule", "task": True}, None),
        ({"importance": 0.59}, None),
    ],
)
def test_what_protects_a_memory_is_named(more: dict[str, object], why: str | None) -> None:
    one = learnt("episode", 0.2, 4000)
    assert protection(replace(one, **more)) == why  # type: ignore[arg-type]


def carried_out(
    one: RetentionAttributes, at: int, found: DemoteTier | AskReviewer
) -> RetentionAttributes:
    if isinstance(found, DemoteTier):
        return replace(one, tier=found.to)
    return replace(one, reviewed_at=at)


@given(ANY, MOMENTS, st.booleans())
def test_a_verdict_that_was_carried_out_is_not_given_again(
    one: RetentionAttributes, at: int, reviewer: bool
) -> None:
    given = retention_verdict(one, at, reviewer=reviewer)
    if isinstance(given, DemoteTier | AskReviewer):
        again = retention_verdict(carried_out(one, at, given), at, reviewer=reviewer)
        assert type(again) is not type(given)
        assert again == KeepAsIs() or isinstance(given, AskReviewer)


@given(ANY, MOMENTS, st.booleans())
def test_a_tier_that_was_lost_for_weakness_is_not_earned_back_the_same_night(
    one: RetentionAttributes, at: int, reviewer: bool
) -> None:
    given = retention_verdict(one, at, reviewer=reviewer)
    if isinstance(given, DemoteTier):
        fallen = replace(one, tier=given.to)
        assert tier_by_rule(fallen, SupportCounts(9, 9, 9), at) is given.to


@given(ANY, MOMENTS, st.integers(1, 4), st.integers(1, 4), st.integers(1, 5))
def test_a_tier_earned_is_kept_the_same_night_and_is_never_the_core(
    one: RetentionAttributes, at: int, sessions: int, sources: int, theme: int
) -> None:
    support = SupportCounts(sessions, sources, theme)
    reached = tier_by_rule(one, support, at)
    assert reached.rank >= one.tier.rank
    assert (reached is MemoryTier.CORE) == (one.tier is MemoryTier.CORE)
    risen = replace(one, tier=reached)
    assert tier_by_rule(risen, support, at) is reached
    if reached is not one.tier:
        assert not isinstance(retention_verdict(risen, at), DemoteTier)


@pytest.mark.parametrize("kind", ["fact", "preference", "relationship", "skill", "goal", "concept"])
def test_age_alone_archives_no_lasting_kind(kind: str) -> None:
    one = learnt(kind, 0.1, 36_000)
    assert retention_verdict(one, TODAY) == KeepAsIs()
    assert strength(one, TODAY) == pytest.approx(0.1)


def test_a_fact_has_lost_half_of_what_it_can_lose_after_its_half_life() -> None:
    one = learnt("fact", 0.5, 7 + 90 * log(2))
    assert strength(one, TODAY) == pytest.approx(0.1 + 0.4 / 2)


def test_nothing_fades_in_its_first_week() -> None:
    assert strength(learnt("episode", 0.4, 7), TODAY) == 0.4
    assert strength(learnt("episode", 0.4, 8), TODAY) < 0.4


@pytest.mark.parametrize(("kind", "importance", "days"), [("episode", 0.4, 26), ("error", 0.5, 55)])
def test_what_passes_is_archived_when_the_table_says(
    kind: str, importance: float, days: int
) -> None:
    assert retention_verdict(learnt(kind, importance, days), TODAY) == KeepAsIs()
    assert retention_verdict(learnt(kind, importance, days + 1), TODAY) == ArchiveFaded()


def test_use_evidence_and_a_review_make_it_young_again() -> None:
    old = learnt("fact", 0.5, 400)
    for name in ("evidence_at", "last_used_at", "reviewed_at"):
        assert strength(learnt("fact", 0.5, 400, **{name: TODAY}), TODAY) == 0.5
    used = replace(old, last_used_at=TODAY - 10 * DAY_MS)
    assert strength(used, TODAY) == 0.5
    assert strength(used, TODAY + DAY_MS) < 0.5


def test_what_is_told_of_long_ago_counts_from_the_day_it_was_told() -> None:
    assert strength(learnt("fact", 0.5, event_at=0), TODAY) == 0.5
    assert strength(learnt("goal", 0.5, 300, event_at=TODAY + 9 * DAY_MS), TODAY) == 0.5


def test_a_memory_falls_a_tier_at_each_threshold() -> None:
    def fallen(left: float) -> object:
        return retention_verdict(learnt("error", left, 1, tier=MemoryTier.LONG), TODAY)

    assert fallen(0.3) == KeepAsIs()
    assert fallen(0.29) == DemoteTier(MemoryTier.MID)
    assert fallen(0.15) == DemoteTier(MemoryTier.SHORT)
    assert fallen(0.09) == ArchiveFaded()


def test_a_reviewer_is_asked_before_anything_is_archived_and_is_heard() -> None:
    weak = learnt("episode", 0.4, 40)
    assert retention_verdict(weak, TODAY) == ArchiveFaded()
    assert retention_verdict(weak, TODAY, reviewer=True) == AskReviewer()
    kept = learnt("episode", 0.05, 40, reviewed_at=TODAY - 29 * DAY_MS)
    assert retention_verdict(kept, TODAY, reviewer=True) == KeepAsIs()
    assert retention_verdict(kept, TODAY + DAY_MS, reviewer=True) == AskReviewer()


def test_what_is_used_and_weighs_enough_may_rise_to_the_core() -> None:
    assert may_rise_to_core(learnt("fact", 0.5, use_count=2), TODAY)
    assert may_rise_to_core(learnt("fact", 0.5, use_count=1, evidence=2), TODAY)
    assert not may_rise_to_core(learnt("fact", 0.5, use_count=1), TODAY)
    assert not may_rise_to_core(learnt("fact", 0.49, use_count=9), TODAY)
    assert not may_rise_to_core(learnt("fact", 0.5, use_count=9, tier=MemoryTier.CORE), TODAY)
    assert not may_rise_to_core(learnt("fact", 0.5, use_count=9, reviewed_at=TODAY), TODAY)
    assert not may_rise_to_core(learnt("episode", 0.9, evidence=4), TODAY)
    assert core_importance(0.5) == 0.6
    assert core_importance(0.9) == 0.9


def test_tiers_are_earned_by_age_or_theme_and_then_by_many_sources() -> None:
    new = learnt("fact")
    assert tier_by_rule(new, SupportCounts(), TODAY) is MemoryTier.SHORT
    assert tier_by_rule(new, SupportCounts(theme=3), TODAY) is MemoryTier.MID
    assert tier_by_rule(learnt("fact", 0.5, 7), SupportCounts(), TODAY) is MemoryTier.MID
    assert tier_by_rule(learnt("fact", 0.5, 7), SupportCounts(2, 2), TODAY) is MemoryTier.LONG
    assert tier_by_rule(new, SupportCounts(2, 2), TODAY) is MemoryTier.SHORT
    doubted = replace(learnt("fact", 0.5, 7), confidence=0.69)
    assert tier_by_rule(doubted, SupportCounts(2, 2), TODAY) is MemoryTier.MID


@settings(max_examples=60)
@given(st.lists(ANY, max_size=30, unique_by=lambda one: one.id), st.integers(1, 20), MOMENTS)
def test_the_bound_is_kept_by_what_is_not_protected_alone(
    active: list[RetentionAttributes], bound: int, at: int
) -> None:
    table = retention_table({"active": bound})
    gone = memories_over_limit(active, at, table)
    assert all(protection(one, table) is None for one in gone)
    left = [one for one in active if one not in gone]
    spared = [one for one in left if protection(one, table) is not None]
    assert len(left) <= max(bound, len(spared))
    assert len(left) >= min(bound, len(active))
    assert memories_over_limit(left, at, table) == ()
    assert memories_over_limit(active[::-1], at, table) == gone


def test_what_has_faded_goes_first_and_of_that_the_episodes() -> None:
    faded = replace(learnt("fact", 0.5, 900), id="faded fact")
    told = replace(learnt("episode", 0.5, 20), id="faded episode")
    fresh = replace(learnt("episode", 0.5), id="fresh episode")
    new = replace(learnt("fact", 0.5), id="fresh fact")
    kept = replace(learnt("fact", 0.5, 900), id="confirmed", verified=True)
    gone = memories_over_limit(
        [kept, new, fresh, told, faded], TODAY, retention_table({"active": 1})
    )
    assert [one.id for one in gone] == [
        "faded episode",
        "faded fact",
        "fresh episode",
        "fresh fact",
    ]


def test_a_rule_for_a_task_ends_a_day_after_its_last_turn() -> None:
    one = learnt("rule", 0.9, 3, task=True)
    assert ends_at(one) == one.learnt_at + DAY_MS
    assert ends_at(one, TODAY) == TODAY + DAY_MS
    assert ends_at(replace(one, pinned=True), TODAY) is None
    assert ends_at(learnt("rule")) is None


def test_the_earlier_of_two_dates_holds() -> None:
    table = retention_table({"fact.ttl": 10})
    assert ends_at(learnt("fact"), table=table) == TODAY + 10 * DAY_MS
    assert ends_at(learnt("fact", expires_at=TODAY + 5), table=table) == TODAY + 5


def test_every_type_of_memory_has_a_row() -> None:
    assert set(RETENTION.kinds) == set(TABLE_ROWS) == {*TYPES, "task_rule"}


def test_the_setting_is_read_from_a_shell_and_from_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = " Fact.tau = 120, episode.archive=0.05,active=8000, error.ttl=7,goal.tau=never ,"
    monkeypatch.setenv("MEMORIA_RETENTION", written)
    read = Settings.load().retention
    assert Settings(retention=read).retention == read
    assert Settings.from_values(**Settings.load().model_dump()).retention == read
    table = retention_table(read)
    assert (table.kinds["fact"].tau, table.kinds["goal"].tau) == (120, None)
    assert (table.kinds["episode"].archive, table.kinds["error"].ttl) == (0.05, 7)
    assert table.active == 8000
    assert table.kinds["skill"] == RETENTION.kinds["skill"]
    assert retention_table(None) == retention_table({}) == RETENTION


@pytest.mark.parametrize(
    ("value", "bad", "allowed"),
    [
        ("facts.tau=3", "'facts.tau=3'", "task_outcome"),
        ("active=5,fact.weight=3", "'fact.weight=3'", "tau, floor, archive, ttl"),
        ("tau=3", "'tau=3'", "demote, review, promote"),
        ("fact.active=3", "'fact.active=3'", "active"),
        ("fact.tau", "'fact.tau'", "days from 0.01"),
        ("fact.tau=0", "'fact.tau=0'", "or never"),
        ("fact.tau=nan", "'fact.tau=nan'", "or never"),
        ("fact.floor=never", "'fact.floor=never'", "from 0 to 1"),
        ("demote=1.5", "'demote=1.5'", "from 0 to 1"),
        ("active=2.5", "'active=2.5'", "a whole number"),
        ("active=5,Active=6", "'active'", "once"),
        ("=", "'='", "type.field=number"),
        (7, "7", "name=number"),
    ],
)
def test_a_setting_that_cannot_be_read_names_the_part_and_what_may_stand_there(
    value: object, bad: str, allowed: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        Settings.load(retention=value)
    text = str(refused.value)
    assert text.startswith("MEMORIA_RETENTION: ")
    assert bad in text
    assert allowed in text


@given(
    st.dictionaries(
        st.sampled_from(
            [*GENERAL_FIELDS, *(f"{kind}.{field}" for kind in TABLE_ROWS for field in ROW_FIELDS)]
        ),
        st.floats(0.01, 1),
    )
)
def test_whatever_may_be_set_makes_a_table(numbers: dict[str, float]) -> None:
    whole = {name: 9.0 if name == "active" else given for name, given in numbers.items()}
    read = Settings(retention=whole).retention
    table = retention_table(read)
    for name, number in whole.items():
        kind, _, field = name.rpartition(".")
        assert getattr(table.kinds[kind] if kind else table, field) == number


def test_a_key_that_strayed_into_the_setting_is_not_repeated() -> None:
    key = "sk-proj-a7Kq9Zx2Wm4Rt6Yp8Bn1Vc3Ls5"
    with pytest.raises(InvalidInputError, match="names nothing that can be set") as refused:
        Settings.from_values(retention=f"fact.tau=120,{key}")
    assert key not in str(refused.value)
