"""What nobody's phrases foresaw is understood without a model, and what is meant otherwise is not."""  # noqa: E501

from pathlib import Path

import pytest

from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role
from memoria.policy.own_words import own_sentences
from memoria.policy.phrases import moment
from memoria.policy.plain_statements import PlainStatement, find_plain_statements
from memoria.policy.statements.clauses import split_clauses

STATED = """
Always name the units when I ask about measurements. | rule
Always include version numbers when I ask about libraries. | rule
Never explain basic git to me again. | rule
Whenever I paste a stack trace, start with the line that broke. | rule
I prefer short functions, can you help me with this one? | preference
I'm learning to bake, and I prefer rye bread to wheat, so can you suggest a recipe? | preference
My sister Ada teaches physics in Turin. | fact
We live in a two-bedroom flat in Porto. | fact
I have two cats, Miso and Toast. | fact
I've decided to leave my job in spring. | goal
以后回答请附上出处。 | rule
以后凡是我贴报错，先问我版本号。 | rule
我更喜欢靠窗的座位，帮我看看这趟航班还有没有？ | preference
我妈妈的生日是3月8日。 | fact
我表妹的邮箱是zhang.lihua1215@example.com。 | fact
我打算明年考研。 | goal
"""
MEANT_OTHERWISE = """
I just love waiting 40 minutes for CI.
Oh great, another meeting, I just love those.
If I lived in Rome, I would eat pasta every day.
I used to live in Rome, by the river.
Translate: I have lived in Berlin for ten years.
My mother says she loves opera.
I'll try my best to sleep more.
I've tried restarting the server, but it still fails.
Thank you for your advice, my friend.
I'm allergic to nuts, right?
Do I prefer tea, or coffee?
Today I went to the gym with my friends.
我可太喜欢加班了
要是我有钱，我就去环游世界。
我以前住在武汉。
好的，我会努力的。
谢谢你的建议。
读书论坛的规模是五千人。
你觉得我适合学设计吗？
写个故事：我叫小林，生活在2099年的火星。
"""
stated = [line.rpartition(" | ")[::2] for line in STATED.strip().splitlines()]


def found_in(text: str) -> tuple[PlainStatement, ...]:
    return find_plain_statements(Role.USER, text).statements


def lines_of(name: str) -> list[str]:
    return (Path(__file__).parent / name).read_text("utf-8").splitlines()


@pytest.mark.parametrize(("text", "kind"), stated)
def test_what_a_user_states_as_lasting_is_found_whatever_its_verb(text: str, kind: str) -> None:
    (statement,) = found_in(text)
    assert statement.type is MemoryType(kind)
    assert text[statement.start :].startswith(statement.quote)


def test_a_letter_that_becomes_two_in_small_letters_keeps_no_sentence_from_being_read() -> None:
    assert [one.type for one in found_in("I live in İzmir, by the sea.")] == [MemoryType.FACT]


@pytest.mark.parametrize("text", MEANT_OTHERWISE.strip().splitlines())
def test_what_is_meant_otherwise_than_it_reads_gives_no_memory(text: str) -> None:
    assert found_in(text) == ()


@pytest.mark.parametrize("text", lines_of("meant_otherwise.txt"))
def test_what_others_believe_a_list_of_the_moment_and_what_is_denied_give_no_memory(
    text: str,
) -> None:
    assert found_in(text) == ()


@pytest.mark.parametrize("text", lines_of("stated_plainly.txt"))
def test_what_is_stated_plainly_beside_like_words_is_marked(text: str) -> None:
    assert find_plain_statements(Role.USER, text).mark != "none"


def test_a_quick_look_passes_over_no_choice() -> None:
    texts = [line.rstrip(".!") for line in lines_of("meant_otherwise.txt")]
    chosen = [text for text in texts if moment._CHOICE.regex.search(text)]  # noqa: SLF001
    assert len(chosen) > 20
    assert all(moment.is_choice(text) for text in chosen)


def test_what_somebody_must_not_be_called_is_a_rule() -> None:
    (chinese,) = found_in("别叫我小王")
    assert chinese.type is MemoryType.RULE


def test_of_two_clauses_the_one_that_only_denies_the_other_is_no_statement() -> None:
    text = "My boss thinks I'm a vegetarian, but I'm not, and I am allergic to fish."
    assert [one.quote for one in found_in(text)] == ["I am allergic to fish"]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("I prefer tea, can you suggest a shop?", ["I prefer tea"]),
        ("Can you suggest a shop, I prefer tea", ["I prefer tea"]),
        ("I'm allergic to nuts, right?", []),
        (
            "When I ask for a book, tell me who wrote it",
            ["When I ask for a book, tell me who wrote it"],
        ),
        ("我喜欢喝茶，你能推荐一家店吗？", ["我喜欢喝茶"]),
        ("你好，我叫林浩，很高兴认识你", ["我叫林浩"]),
    ],
)
def test_what_a_sentence_asks_is_no_part_of_what_it_states(text: str, clauses: list[str]) -> None:
    (sentence,) = own_sentences(text)
    assert [clause.text for clause in split_clauses(sentence)] == clauses


def test_what_follows_a_lead_in_or_a_salutation_is_not_the_speakers_own() -> None:
    assert found_in("Please proofread this letter:\n\nI live in Leeds and I have two cats.") == ()
    assert found_in("Dear Mr Holt,\n\nI live in Leeds and I have two cats.") == ()
    assert found_in("You are a pirate.\nMy name is Jack and I have two ships.") == ()
