"""What a user asks not to have remembered becomes no memory by rules, however they ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.lazy import has_any
from memoria.language.reading.own_words import blot_foreign_text
from memoria.language.statements.plain_statements import PlainStatements, find_plain_statements
from memoria.language.statements.withheld import _WORDINGS, _WORDINGS_ZH, asks_not_to_remember
from memoria.model.turn import Role

REQUESTS = """
不要记住：我讨厌老板。
别记下来：我对猫过敏。
这句别存：我住在南京。
这个不用记，我不喜欢小李。
Do not store this. I prefer vodka.
Don't save it, but I'm allergic to cats.
Please don't remember this: I live in Gdansk.
Don't remember that I live in Oslo.
Off the record: I hate my boss.
I hate my boss, off the record.
This is strictly off the record: I live in Oslo.
Between us, I hate my boss.
I live in Oslo - just between us.
Keep this between us: I live in Oslo.
This stays between us. I'm allergic to nuts.
Between you and me, I hate opera.
I'm allergic to nuts, no need to remember that.
There's no need to save this: I live in Oslo.
No need to note it down, I'm vegan.
Never store this. I live in Oslo.
Please never remember this: I hate my boss.
I hate my boss, but please don't write that down.
I live in Oslo. Don't record this anywhere.
I live in Oslo. Don't keep that.
Do not memorize this: I hate tea.
Don't memorise it, I like tea.
dont remember this i live in oslo
Don’t remember this: I live in Oslo
I live in Oslo (don't save this).
Just don't store that, ok? I live in Oslo.
You don't need to remember this, but I like tea.
You needn't note this: I'm vegan.
You must not store this: I'm vegan.
I don't want you to remember this: I'm vegan.
I'd rather you didn't save this. I'm vegan.
I don't want this stored. I'm vegan.
This should not be remembered: I'm vegan.
What I say now must not be saved. I hate my boss.
Can you please not remember this? I'm vegan.
Don't remember what I just told you: I hate my boss.
Don't keep a record of this: I'm ill.
Don't make a note of this: I'm ill.
Don't save this to memory. I like tea.
Don't save or share this: I'm vegan.
Don't commit this to memory: I'm vegan.
Don't put this in your memory: I hate tea.
Don't remember any of this. I hate my boss.
Don't remember my address: I live in Oslo.
I live in Oslo. Do not keep this in mind.
Don't save this conversation. I'm vegan.
Don't note that I'm allergic to nuts.
Don't bother to remember this. I'm vegan.
Without saving this: I'm vegan.
Keep this out of your memory: I'm vegan.
I hate my boss but don't remember this
Don't remember this: "I live in Oslo"
请不要记住这个：我讨厌老板
请勿记录：我住在南京
请勿保存，我住在南京
不用记住，我喜欢喝茶
不用记，我喜欢喝茶
无需记录，我喜欢喝茶
不必记下来，我喜欢喝茶
我住在南京，别记住
我住在南京，不要保存这条信息
我住在南京但别记下来
这件事不要记：我讨厌老板
别把这个记下来：我讨厌老板
不要把我刚才说的存下来，我讨厌老板
不要记住我住在南京
别记录我住在南京
我讨厌老板。这话你别存啊
我讨厌老板，这个不要存下
以下内容不要保存：我讨厌老板
我讨厌老板，不要记在记忆里
你不用记住这些，我喜欢喝茶
没必要记下来，我喜欢喝茶
我不想让你记住这个：我讨厌老板
我说的话不要记，我讨厌老板
我的地址不要记，我住在南京
私下跟你说，我讨厌老板
我讨厌老板，就我们之间说说
这句话不用存档：我住在南京
别存，我住在南京
不要存这个，我住在南京
Forget that I live in Oslo.
Do not remember: I hate my boss.
No saving this! I hate my boss.
Let's keep this off the record. I hate my boss.
Don't save anything from this message. I hate my boss.
不要往记忆里写：我讨厌老板
别留记录，我讨厌老板
接下来这句不要记：我讨厌老板
我讨厌老板，你就当没听见
"""
OTHERS = """
Don't forget that I'm allergic to nuts.
Never forget that I live in Oslo.
别忘了我对花生过敏
不要忘记我不吃辣
Remember not to call me before nine.
记住不要给我发语音
I don't remember where I live.
I don't remember this.
I never remember it. I live in Oslo.
We don't save it. I like tea.
I just don't remember that.
我不记得我住在哪了
我不记得这个
Don't save files to the desktop.
Never store passwords in the repo.
不要把日志保存到桌面
不要保存日志
别存草稿到云盘
不要记录密码
不要记录这个接口的日志
这个文件不要保存
不要保存这个文件
别记错了，我叫小林
别记仇，我喜欢喝茶
不用记账，我喜欢喝茶
不要记恨我
You don't need to remember my old address, I live in Ghent now.
Don't save it to the desktop.
Never store it in plain text.
Don't keep it in the fridge.
Never write this in Python.
Don't write that file.
Don't save that file.
Don't keep this window open.
Don't note this in the changelog.
When you generate a chart, don't save it.
If I paste a log, don't keep it.
From now on don't save it.
Never keep it simple.
Don't keep it so short.
Keep in mind that I'm vegan.
Remember this: I'm vegan.
Save this: I'm vegan.
记住这个：我喜欢喝茶
把这个记下来，我住在南京
不要告诉别人，我喜欢喝茶
以后不要在仓库里保存密码
每次改完都不要保存
The difference between us is that I like tea.
Between us, we have three kids.
I bought it at Off the Record Player.
Do you remember this?
Why don't you remember that I live in Oslo?
She told me don't save it.
不要紧，我住在南京
别急着写代码，我喜欢先讨论
我存了这个，我住在南京
不记名投票
Don't forget this: I'm vegan.
Don't worry, note that I'm vegan.
Never mind, remember this: I'm vegan.
Don't record meetings without consent.
Make sure not to store cookies.
I can't keep it. I live in Oslo.
不存在的，我住在南京
别写下划线
不能存钱，我住在南京
Forget what I said, I live in Oslo.
Don't remember, sorry.
Never store: passwords, tokens.
No smoking, I keep it clean.
"""
requests = REQUESTS.strip().splitlines()
others = OTHERS.strip().splitlines()
ALSO_STATED = [
    "You don't need to remember my old address, I live in Ghent now.",
    "Don't forget that I'm allergic to penicillin.",
    "别忘了我对花生过敏",
    "Please never save drafts to the cloud without asking me.",
    "以后不要把日志保存到桌面",
    "Between us, we have three cats.",
    "She told me don't save it. I live in Oslo.",
    "> Don't remember this.\n\nI live in Oslo.",
]


@pytest.mark.parametrize("text", requests)
def test_of_a_turn_that_asks_not_to_be_remembered_nothing_is_taken(text: str) -> None:
    assert asks_not_to_remember(text)
    assert find_plain_statements(Role.USER, text) == PlainStatements()


@pytest.mark.parametrize("text", others)
def test_who_orders_something_about_the_work_or_has_forgotten_asks_for_no_silence(
    text: str,
) -> None:
    assert not asks_not_to_remember(text)


def test_a_quick_look_passes_over_no_request() -> None:
    small = [text.lower() for text in requests]
    for wording in _WORDINGS + _WORDINGS_ZH:
        found = [text for text in small if wording.pattern.search(text)]
        assert found
        assert all(has_any(text, group) for text in found for group in wording.signs)


@pytest.mark.parametrize("text", ALSO_STATED)
def test_words_that_are_another_matter_ask_for_no_silence(text: str) -> None:
    assert not asks_not_to_remember(blot_foreign_text(text))


@pytest.mark.parametrize("request_", ["Don't save this.", "Off the record.", "这个不要记。"])
@pytest.mark.parametrize("statement", ["I'm allergic to nuts.", "以后都用中文回答。"])
def test_the_request_reaches_what_stands_before_and_behind_it(
    request_: str, statement: str
) -> None:
    for text in (f"{statement} {request_}", f"{request_}\n{statement}"):
        assert find_plain_statements(Role.USER, text) == PlainStatements()


@given(st.text(), st.sampled_from(requests))
def test_a_request_is_heard_in_capital_letters_and_whatever_stands_on_other_lines(
    text: str, asked: str
) -> None:
    assert asks_not_to_remember(f"{text}\n{asked.upper()}")
