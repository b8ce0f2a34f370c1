"""Whom a text speaks of: one key for a person, whatever the language and the spelling."""

import pytest

from memoria.policy.people import find_people
from memoria.policy.people.kinship import PersonMatch
from memoria.policy.people.persons import SOMEBODY, USER, Identities, compare_people

SAME, OTHER, UNKNOWN = PersonMatch.SAME, PersonMatch.OTHER, PersonMatch.UNKNOWN


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("user's mother", ["My mother is a nurse.", "my mom", "Mum called.", "The user's mother",
                           "我妈", "我妈妈", "我的母亲", "用户的妈妈", "老妈", "我家老妈"]),
        ("user's father", ["Dad likes tea.", "my father", "我爸", "用户的父亲"]),
        ("user's wife's sister", ["My wife's sister", "the sister of my wife",
                                  "the user's wife's sister"]),
        ("user's wife's younger sister", ["我老婆的妹妹", "我媳妇的妹妹",
                                          "my wife's little sister"]),
        ("user's dog", ["my dog", "The dog is ill.", "the user's puppy", "我家狗", "我的狗",
                        "我养的小狗"]),
        ("user's roommate", ["my roommate", "my flatmate", "我室友", "我的舍友"]),
        ("user's boss", ["my boss", "my manager", "我老板", "我上司"]),
        ("user's neighbour's child", ["our neighbour's kid", "my neighbor's kids", "我邻居的孩子",
                                      "邻居家的小孩"]),
        ("anna's brother", ["Anna's brother", "the brother of Anna"]),
        ("小王's child", ["小王的孩子", "小王家的孩子"]),
        ("张伟's daughter", ["张伟的女儿", "张伟女儿"]),
        ("user's elder brother", ["my older brother", "my big brother", "我哥哥", "我哥"]),
        ("user's friend", ["a friend of mine", "my best friend", "我朋友"]),
        ("user", ["I live in York.", "my own car", "The user likes tea.", "用户住在北京",
                  "我喜欢猫"]),
    ],
)  # fmt: skip
def test_a_person_has_one_key_in_all_spellings(key: str, texts: list[str]) -> None:
    assert {text: set(find_people(text).keys) for text in texts} == {text: {key} for text in texts}


@pytest.mark.parametrize(
    "text", ["Mother's Day is in May.", "She is a doctor.", "母亲节快到了", "小朋友们", "It rains."]
)
def test_words_for_kin_that_mean_nobodys_are_nobody(text: str) -> None:
    assert find_people(text).without_strangers().keys == frozenset()


@pytest.mark.parametrize(
    "text",
    ["I told you that my mother is ill.", "Do I know what my mother likes?", "我说过我妈爱喝茶"],
)
def test_who_only_says_something_is_not_spoken_of(text: str) -> None:
    assert find_people(text).keys == {"user's mother"}


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Which pet does Priya keep?", "The pet of Priya is a ferret."),
        ("What animal does Priya have at home?", "Priya's pet is a ferret."),
        ("What animals do I have?", "The user's dog is called Rex."),
        ("How many kids do I have?", "The user's daughter is three."),
        ("How many brothers and sisters do I have?", "The user's brother is called Tom."),
        ("林晓梅养了什么宠物？", "林晓梅的宠物是乌龟。"),
        ("林晓梅家里有什么动物？", "林晓梅的宠物是乌龟。"),
        ("用户家有几个孩子？", "用户的大儿子六岁。"),
    ],
)
def test_what_one_is_asked_to_have_is_not_another(question: str, statement: str) -> None:
    asked, spoken = find_people(question).without_strangers(), find_people(statement)
    assert compare_people(asked, spoken) is not OTHER


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Which pet does Priya keep?", "Anna's pet is a ferret."),
        ("How many kids does Anna have?", "Anna's brother has a tortoise."),
        ("Which allergy does Anna have?", "Anna's mother is allergic to nuts."),
        ("林晓梅养了什么宠物？", "林晓梅的妹妹对猫过敏。"),
        ("林晓梅喜欢什么动物？", "林晓梅的妹妹对猫过敏。"),
    ],
)
def test_what_one_is_asked_to_have_is_not_what_others_have(question: str, statement: str) -> None:
    asked, spoken = find_people(question).without_strangers(), find_people(statement)
    assert compare_people(asked, spoken) is OTHER


def test_my_is_whoever_speaks_and_the_assistants_your_is_the_users() -> None:
    assert find_people("My mother is ill.", "Bob").keys == {"bob's mother"}
    assert find_people("我妈病了", "Bob").keys == {"bob's mother"}
    assert find_people("Your mother is ill.", None, USER).keys == {"user's mother"}
    assert find_people("Your mother is ill.", "Bob", SOMEBODY).keys == {"?'s mother"}


def test_pronouns_are_whoever_was_named_before_or_leave_it_open() -> None:
    assert find_people("My sister called. Her dog is ill.").keys == {
        "user's sister",
        "user's sister's dog",
    }
    assert find_people("She is allergic to nuts.").is_open
    assert find_people("她对花生过敏。").is_open


@pytest.mark.parametrize(
    ("question", "text", "match"),
    [
        ("What is my mother allergic to?", "我妈对青霉素过敏。", SAME),
        ("What is my mother allergic to?", "My daughter is allergic to peanuts.", OTHER),
        ("What is my mother allergic to?", "I'm allergic to latex.", OTHER),
        ("What is my mother allergic to?", "She is allergic to nuts.", UNKNOWN),
        ("What is my mother allergic to?", "Penicillin makes one ill.", UNKNOWN),
        ("What am I allergic to?", "My daughter is allergic to peanuts.", OTHER),
        ("What am I allergic to?", "Lin is allergic to peanuts.", UNKNOWN),
        ("Who in my family is allergic?", "My daughter is allergic to peanuts.", UNKNOWN),
        ("我父母住在哪里？", "My mother lives in York.", UNKNOWN),
        ("What is my mother-in-law called?", "My wife's mother is called Ada.", UNKNOWN),
        ("What is my wife called?", "My ex-wife is called Ada.", OTHER),
        ("Where does my brother live?", "My older brother lives in Cork.", SAME),
        ("Where does my older brother live?", "我弟弟住在长沙。", OTHER),
        ("Where does Anna's brother live?", "Bob's brother lives in Cork.", OTHER),
        ("Who is allergic to nuts?", "My daughter is allergic to nuts.", UNKNOWN),
        ("Who in my house is allergic?", "My daughter is allergic to nuts.", UNKNOWN),
        ("我家谁对花生过敏？", "我女儿对花生过敏。", UNKNOWN),
        ("What does my cat eat?", "I feed Pepper salmon twice a day.", UNKNOWN),
        ("我家猫吃什么？", "我每天给毛毛喂三文鱼。", UNKNOWN),
        ("When was my daughter at the zoo?", "I took Mia to the zoo in May.", UNKNOWN),
        ("Which medicine do I take?", "My doctor prescribed metformin.", UNKNOWN),
        ("When is my appointment?", "The dentist's appointment is on Friday.", UNKNOWN),
        ("Where does my brother live?", "I live in York.", OTHER),
        ("What is Murat's son called?", "Murat from the choir has a son called Can.", SAME),
        ("阿芳的老公做什么？", "阿芳做厨师。", OTHER),
        ("用户养了什么宠物？", "用户养了一条狗。", UNKNOWN),
        ("我有几个孩子？", "我有一个女儿。", UNKNOWN),
        ("Who is my boss?", "My boss is Sarah.", SAME),
        ("When do I see my dentist?", "I have an appointment on Friday.", UNKNOWN),
    ],
)
def test_a_text_is_of_the_one_asked_for_of_others_or_nobody_can_tell(
    question: str, text: str, match: PersonMatch
) -> None:
    assert compare_people(find_people(question), find_people(text)) is match


def test_a_name_that_is_known_to_be_the_users_or_a_relatives_is_theirs() -> None:
    said = [find_people("My name is Lin."), find_people("My brother Tom lives in Cork.")]
    known = Identities.read(said)
    asked = find_people("Where does my brother live?")
    assert compare_people(asked, find_people("Tom lives in Cork."), known) is SAME
    assert compare_people(asked, find_people("Priya lives in Cork."), known) is OTHER
    said = [find_people("小明是我弟弟。"), find_people("我住在北京。")]
    known = Identities.read(said)
    asked = find_people("我弟弟住在哪里？")
    assert compare_people(asked, find_people("小明住在厦门。"), known) is SAME
    known = Identities.read([find_people("My name is Lin."), find_people("My brother Tom is old.")])
    me = find_people("Where do I live?")
    assert compare_people(me, find_people("Lin lives in York."), known) is SAME
    assert compare_people(me, find_people("Tom lives in Cork."), known) is OTHER
