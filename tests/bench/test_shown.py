"""What counts as told, as the newer above the older, and as a difference to the floor."""

import pytest
from bench.ask import Answer, Outcome
from bench.data import Conversation, Key, Question
from bench.metrics import bootstrap_interval
from bench.sheets import compare_halves, compare_systems, tell_sides
from bench.shown import Transcript, find_telling_sentence, stands_in
from bench.sides import are_both_marked, has_two_sides, is_newer_above, is_newer_first

from memoria import Turn

OLD, NEW, ELSE = ("s", "0"), ("s", "1"), ("s", "2")
LONG = (
    "Sure, happy to help with your garden. Water the ferns on Mondays. "
    "Ferns like the shade. Tell me about the weather!"
)


def outcome(
    *ranking: Key,
    kind: str = "knowledge_update",
    older: frozenset[Key] = frozenset({OLD}),
    newer: frozenset[Key] = frozenset({NEW}),
    pairs: frozenset[frozenset[Key]] = frozenset(),
) -> Outcome:
    gold = older | newer if kind != "abstention" else frozenset()
    question = Question("?", kind, gold, older=older, newer=newer)
    return Outcome(question, Answer(ranking, tokens=0, pairs=pairs), took_ms=1)


def test_the_telling_sentence_shares_the_rarest_words_with_the_answer_else_with_the_question() -> (
    None
):
    def weigh(word: str) -> float:
        return 0.1 if word in {"ferns", "the"} else 1

    def find(*wanted: str) -> str:
        return find_telling_sentence(LONG, wanted, weigh)

    assert find("tulips", "?") == "Sure, happy to help with your garden."
    assert find("every Monday", "what do ferns like?") == "Water the ferns on Mondays."
    assert find("", "what do the ferns like?") == "Ferns like the shade."
    assert find("nothing", "did I ask about the weathers?") == "Tell me about the weather!"
    assert find_telling_sentence("我上司37岁。他喜欢攀岩！", ["攀岩"], weigh) == "他喜欢攀岩！"


def test_a_sentence_is_told_when_nearly_all_its_words_stand_together() -> None:
    sentence = "They raised my daily quota to eight hundred calls in June"
    assert stands_in(sentence, f"1. [turn a1] {sentence.upper()}.\n2. [turn a2] else")
    assert stands_in(sentence, "…raised my daily quota to eight hundred calls in June")
    assert not stands_in(sentence, "They raised my daily quota to eight hundred…")
    scattered = "They left. We raised hens. My daily walk. No quota to fill. Eight hundred calls."
    assert not stands_in(sentence, scattered + " In June.")
    assert stands_in("我们去了故宫博物院", "- 我们去了故宫博物院。")
    assert not stands_in("我们去了故宫博物院", "- 我们去了长城。")


def test_a_gold_turn_is_told_by_its_sentence_and_a_very_short_one_only_as_a_hit() -> None:
    said = ("Twelve.", LONG, "Water the ferns on Mondays, I said.")
    turns = tuple(
        Turn(role="user", session_id="s", message_id=str(n), content=content)
        for n, content in enumerate(said)
    )
    transcript = Transcript.of(Conversation("c", turns, ()))
    short = Question("How many?", "any", frozenset({OLD}), answer="twelve")
    assert transcript.measure_shown(short, "twelve of them", {ELSE}) == 0
    assert transcript.measure_shown(short, "twelve of them", {OLD}) == 1
    two = Question("When do I water the ferns?", "any", frozenset({OLD, NEW}), answer="Mondays")
    assert transcript.measure_shown(two, "Water the ferns on Mondays.", set()) == 0.5
    same = Question("When?", "any", frozenset({NEW}), counts_as={ELSE: NEW}, answer="Mondays")
    assert transcript.measure_shown(same, "[s:2] Water the ferns on Mondays, I said.", set()) == 1


def test_a_side_missing_from_the_answer_stands_below_and_one_without_a_turn_of_its_own_is_left_out() -> (  # noqa: E501
    None
):
    assert is_newer_above(outcome(ELSE, NEW, OLD))
    assert is_newer_above(outcome(NEW))
    assert not is_newer_above(outcome(OLD, NEW))
    assert not is_newer_above(outcome(ELSE))
    assert is_newer_first(outcome(NEW, OLD))
    assert not is_newer_first(outcome(ELSE, NEW, OLD))
    both = frozenset({OLD, NEW})
    assert not has_two_sides(outcome(NEW, older=frozenset({NEW})))
    assert is_newer_above(outcome(OLD, NEW, older=both | {ELSE}, newer=both)) is False


def test_two_sides_are_marked_when_both_are_shown_and_the_answer_pairs_them() -> None:
    pair = frozenset({frozenset({OLD, NEW})})
    assert are_both_marked(outcome(NEW, OLD, pairs=pair))
    assert not are_both_marked(outcome(NEW, OLD))
    many = tuple(("s", str(n)) for n in range(3, 13))
    assert not are_both_marked(outcome(NEW, *many, OLD, pairs=pair))


def test_the_interval_is_the_same_in_every_run_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 0.5, 1.0, -0.5], [0.0, 0.5, 1.0, -0.5] * 25
    assert bootstrap_interval(many) == bootstrap_interval(many)
    low, high = bootstrap_interval(many)
    assert low < 0.25 < high
    assert high - low < bootstrap_interval(few)[1] - bootstrap_interval(few)[0]
    assert bootstrap_interval([0.3] * 9) == pytest.approx((0.3, 0.3))
    assert bootstrap_interval([]) == (0, 0)


def test_sheets_tell_what_is_below_the_floor_what_is_silent_and_how_the_halves_do() -> None:
    asked = {
        "memoria": [outcome(ELSE), outcome(NEW, OLD), outcome(kind="abstention")],
        "fts5": [outcome(OLD, NEW), outcome(OLD, NEW), outcome(ELSE, kind="abstention")],
    }
    slices = {"updates": {"knowledge_update"}, "abstention": {"abstention"}}
    halves = [
        Conversation(str(n), (), tuple(each.question for each in part))
        for n, part in enumerate((asked["fts5"][:1], asked["fts5"][1:]))
    ]
    (sides,) = tell_sides(halves, asked)
    told = {row["what is asked for"]: row for row in sides.to_document()}
    assert told["knowledge update: newer above older"]["memoria"] == 0.5
    assert told["abstention: silence"] == {
        "what is asked for": "abstention: silence",
        "n": 1,
        "memoria": 1.0,
        "fts5": 0.0,
    }
    (floor,) = compare_systems(halves, asked, slices=slices)
    assert [row["difference"] for row in floor.to_document()] == [-0.5]
    (split,) = compare_halves(halves, asked, slices=slices)
    assert [row[1:] for row in split.rows] == [("1st, 3rd…", 1, 0, 1), ("2nd, 4th…", 1, 1, 1)]
