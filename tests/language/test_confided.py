"""What is told in confidence, and what is not to be kept, is known by how people ask for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.statements.confided import (
    SILENCE_NAMED,
    read_condition,
    read_condition_of_statement,
)
from memoria.model.memory import Condition

CONFIDED = """
Don't tell anyone, but I have a job interview at Kraken on Friday.
I have a job interview at Kraken on Friday. Don't tell anyone.
Please don't tell my boss: I'm leaving in March.
Keep it to yourself: we are expecting a baby.
We are expecting a baby, keep this to yourself please.
Between us, I hate my boss.
Just between you and me, the merger is off.
This stays here: I failed the exam.
This stays between us. I'm allergic to nuts.
I'm not telling anyone yet, but I'm pregnant.
I'm pregnant. Nobody knows yet.
I haven't told anyone: I was diagnosed with MS.
I haven't told my wife, I lost my job.
No one else knows that I'm applying to Oxford.
Nobody at work knows about this: I'm moving to Lisbon.
Nobody at the office must know: we are selling the firm.
In confidence: Dana is being let go.
I'm telling you this in strict confidence, Dana is being let go.
Strictly confidential: the offer is 90k.
This is confidential. The offer is 90k.
That's a secret: I'm getting a tattoo.
You're the only one I've told: I quit drinking.
Not a word to anyone, I bought a ring.
Not a word to Tom: the party is on Saturday.
Mum's the word: the party is on Saturday.
Tell no one: I bought a ring.
Don't mention this to anyone, I bought a ring.
Don't share this with anybody. My salary is 80k.
Let's keep this between us: I bought a ring.
Keep my pregnancy a secret.
Please keep what I told you about the tumour quiet.
Don't let anyone know I'm looking for a new job.
Don't breathe a word, I bought a ring.
I'll tell you a secret: I have never read it.
My employer must not know. Nobody should find out that I'm interviewing.
My sister mustn't hear that we sold the boat.
Keep this under wraps: we launch on 3 May.
Without telling anyone I have signed the lease.
dont tell anyone but i quit
Don’t tell anyone: I quit.
别告诉别人：我下周要去面试。
我下周要去面试，不要告诉任何人。
悄悄告诉你，我怀孕了。
我怀孕了，先保密。
这件事要保密：公司要卖了。
不要跟任何人说，我准备辞职。
我准备辞职，别跟同事说。
只跟你说，我准备离婚了。
就告诉你一个人，我中奖了。
私下跟你说，我讨厌老板
我讨厌老板，就我们之间说说
还没人知道，我要搬去上海。
我要搬去上海，还没告诉家里人。
别说出去：我们要裁员。
我们要裁员，请保密。
千万别让老板知道我在找工作。
这是我们之间的秘密：我喜欢小林。
替我保守秘密，我报了研究生。
别往外说，我爸病了。
我同事都不知道，我要结婚了。
偷偷跟你讲，我买了戒指。
你知我知，我考砸了。
这事暂时别对外人讲，我要创业了。
This is just for you: I'm quitting in June.
Please keep this confidential. We're being acquired.
I trust you with this: I'm gay and not out yet.
Not public yet: we raised 4 million.
It's not public yet but we raised 4 million.
Don't spread this, but Mia is pregnant.
My wife doesn't know: I bought tickets to Rome.
My wife doesn't know yet, I bought tickets to Rome.
For your ears only: the CEO is leaving.
Please don't bring this up with my mother, I've been smoking again.
You can't tell Tom. I'm planning his surprise party.
Don't tell Tom, I'm planning his surprise party.
I swore not to tell, but Mia is leaving.
Nobody can know this. I failed the bar exam.
Shh, I'm applying elsewhere.
This must never get out: we lost the data.
I'd like this to stay private: I'm in therapy.
Please treat this as confidential: I'm in therapy.
This is a secret, ok? I bought a ring.
I haven't told anyone else yet, I'm moving to Oslo.
keep it between us, I'm moving to Oslo
don't go telling people but I'm moving to Oslo
I want to keep my interview a secret
Say nothing to my boss about this: I'm moving.
我告诉你一个秘密：我要辞职了。
这个秘密只有你知道，我要辞职了。
我跟你说件事，你别跟别人讲，我要结婚了。
先不要公开，我们拿到融资了。
这事儿千万别传出去，我们拿到融资了。
不能告诉老婆，我买了新电脑。
别让我妈知道我在抽烟。
你要替我保密，我在看心理医生。
我们俩知道就行，我在看心理医生。
这话就到你这儿，别说出去。
对外保密：下周发布新产品。
不要泄露：下周发布新产品。
Always book my interviews after six, and keep that to yourself.
Always book my interviews after six and keep that to yourself
From now on call me Robin, but that stays between us.
From now on call me Robin. That stays between us.
In future send my mail to Oslo, and don't tell anyone.
Keep this to yourself: from now on I work from Lisbon.
I'm always tired, don't tell my boss.
悄悄告诉你，以后我的面试都安排在下班以后
我下班以后去面试，别告诉别人。
以后叫我小林，这是秘密。
以后周五我都去看医生，你知我知。
"""
WITHHELD = """
Keep this nowhere: my diagnosis is bipolar disorder.
My diagnosis is bipolar disorder. Don't keep this anywhere.
Don't keep this: I owe my brother money.
I owe my brother 3,000 euros. Don't save this.
Don't save this anywhere, I owe my brother money.
Do not store this: I voted for the other side.
Don't remember this: I live in Oslo.
Off the record: I hate my boss.
Save this nowhere. I'm seeing a therapist.
I'm seeing a therapist, forget I said that.
I hate my sister. Forget that I said anything.
Pretend I never said that: I hate my sister.
You didn't hear this from me: Dana is being let go.
Don't tell anyone and don't save this: I'm ill.
Don't write this down anywhere: I'm ill.
Delete that from your memory, I'm ill.
不要记：我欠我哥三千块。
别存，我欠我哥三千块。
我欠我哥三千块，当我没说。
我讨厌我姐，就当我没说过。
别记下来：我对猫过敏。
这个哪里都不要记：我有抑郁症。
不要留下任何记录，我有抑郁症。
我有抑郁症，就当没听过。
Please don't keep any of this: I'm in debt.
I'd rather you not store this, I'm in debt.
Don't put that in your notes. I'm in debt.
This shouldn't be saved: I'm in debt.
No notes on this please, I'm in debt.
Leave this out of memory: I'm in debt.
Scratch that, forget I mentioned it. I'm in debt.
I'm in debt. Never mind, forget I told you that.
别存档，我欠钱了。
这件事别记录，我欠钱了。
我欠钱了，忘了我刚才说的吧。
不要存进记忆里，我欠钱了。
我欠钱了，你就当不知道。
Always call me Robin, but don't save that.
From now on I go to the clinic on Mondays, don't remember this.
I see a therapist after work, don't save this.
Always book my therapist after six: off the record.
以后我每周去看心理医生，这个不要记。
我下班以后去看心理医生，别记下来。
"""
OPEN = """
I told her a secret.
She told me a secret about the merger.
Don't tell me the answer.
Don't tell me you forgot the milk.
Don't tell me how it ends.
This is a private repository.
The repository is private.
Make the repository private, please.
Keep the repo private by default.
Keep this field private.
Keep the API key secret.
Keep the secret key in the vault.
The secret ingredient is salt.
Rotate the client secret every month.
Where is the secret manager configured?
The function should be private.
Don't share the password with users.
Never share customer data with third parties.
Don't tell users about internal errors.
Tell nobody's server to restart.
The difference between us is that I like tea.
Between us, we have three kids.
I have no secrets.
Nobody knows how this works.
No one knows why the build fails.
Nobody knows the answer to that, but the port is 8080.
I have confidence in the plan.
I say this with confidence: it works.
The confidence interval is 95%.
Our confidentiality agreement ends in May.
If I tell you a secret, don't tell anyone.
He said don't tell anyone.
She asked me not to tell anyone.
Did you tell anyone about the demo?
Tell everyone that the demo is on Friday.
Tell my boss that I'm ill.
I told everyone that I'm pregnant.
I'm not telling you again: use tabs.
Don't let users see this error.
Let me know when it is done.
The channel is confidential by design.
Keep me posted.
Keep the door closed.
Stay here until noon.
The cat stays here during the holidays.
Secret Santa is on 12 December.
I love the Secret Garden.
Don't mention it.
Word of mouth is best.
You know what I mean.
Don't forget that I'm allergic to nuts.
Remember this: I'm vegan.
Don't save files to the desktop.
Don't keep milk in the door.
I forgot what I said.
Forget it, I'll do it myself.
You didn't hear the alarm?
I never said the port was 80.
这是一个私有仓库。
把仓库设为私有。
不要告诉我答案。
别告诉我你忘了。
我告诉她一个秘密。
她告诉我一个秘密。
公司和我签了保密协议。
保密级别是三级。
密钥要保存在保险库里。
把这件事告诉大家。
别人告诉我他要走。
不要跟我说这些。
别跟我开玩笑。
我们之间有三个孩子。
没有人知道这个错误的原因。
没人知道怎么修。
不要保存日志
别忘了我对花生过敏
如果是秘密，就别告诉别人。
他说别告诉别人。
悄悄话是一个节目。
偷偷跑掉的猫回来了。
你知道我住在哪里吗？
谁都不喜欢下雨。
只有你和我参加会议。
请告诉同事明天开会。
不能让用户看到这个错误。
Don't tell Docker to restart the container.
Keep the change.
We should keep this branch private until release.
I keep my desk quiet.
Nobody told me the meeting moved.
Tell me a secret of good bread.
The code is confidential, so encrypt the disk.
My password manager keeps secrets.
Don't share the link in the README.
Don't mention competitors in the blog post.
Never tell users their password is wrong.
Do not share state between threads.
The variable is shared between us and the worker.
He is the only person who knows Rust here.
Let's keep it simple.
Don't save me a seat.
I never said that the deadline is Friday, Tom did.
Is this confidential?
No one knows me here.
I told nobody's story.
You don't need to tell me twice.
Don't say I didn't warn you.
Please don't tell me to use vim.
The secret is to rest the dough.
I haven't told the deploy script about the new host.
不要告诉用户密码错误。
别把密钥写进代码。
这个变量是私有的。
他保守秘密的能力很强。
请把文档设为保密。
我不知道怎么说。
没有告诉脚本新的主机名。
秘密花园是一本书。
别说了，我们走吧。
大家都知道这件事。
Always use tabs, don't tell me about spaces.
From now on, don't tell anyone about releases before they are out.
From now on don't let anyone know about outages before I do.
Always generate a key, and keep it secret.
Always generate a key and keep it private.
Always close the door, and keep it quiet in here.
From now on, whenever I paste a log, keep it to yourself.
Always, if the build fails, don't tell anyone.
The docs should always say that it is confidential.
In the future, please don't share this with anyone.
Always encrypt the tokens, and keep them private.
以后每次部署都不要让别人知道密码。
以后，不要告诉别人发布时间。
每次发布前别跟同事说版本号。
以后如果部署失败，不要告诉别人。
Always format the file, don't save it.
Always close the file and don't save it.
From now on, don't save this.
From now on, when I paste a log, don't keep this.
Before you deploy, don't save this.
In the future don't remember this.
以后部署完先清理，不要保存
以后，这个不要保存
每次改完，这个都不要保存
"""
RETOLD = [
    ("The user asked me not to save this: they earn 90k.", Condition.WITHHELD),
    ("The user asked not to keep this: they see a therapist", Condition.WITHHELD),
    ("The user does not want this stored: they earn 90k", Condition.WITHHELD),
    ("The user said off the record that they hate the boss", Condition.WITHHELD),
    ("The user wants this kept nowhere: they owe money", Condition.WITHHELD),
    ("用户要求不要记录这件事：他在诊所看病", Condition.WITHHELD),
    ("User told me in confidence that they quit", Condition.CONFIDED),
    ("The user asked me not to tell anyone that they quit", Condition.CONFIDED),
    ("The user doesn't want anyone to know that they interview at Kraken", Condition.CONFIDED),
    ("User wants nobody to know about the interview at Kraken", Condition.CONFIDED),
    ("The user has asked to keep this between us: they quit", Condition.CONFIDED),
    ("用户说别告诉别人，他要去面试", Condition.CONFIDED),
    ("用户不想让别人知道他要去面试", Condition.CONFIDED),
    ("用户说要保密：他要去面试", Condition.CONFIDED),
]
RETOLD_OPENLY = """
The user wants logs not to be saved
The user asked me not to save files to the desktop
The user prefers that tests are not recorded
The user said the API is private
The user asked not to be called before nine
The user told me to keep the repo private
The user wants the repository kept private
The user said that nobody knows why the build fails
The user wants me to keep it simple
The user asks to tell nobody's server to restart
The user doesn't want emails before nine
The user does not want tests to be recorded
The user asked to keep the API key secret
The user said they told her a secret
The user wants no notes in the README
The user said she told everyone not to tell
用户要求不要保存日志
用户希望用中文回答
用户说没人知道怎么修
用户让我别忘了他对花生过敏
用户数据要保密
"""
ALONE = [
    ("Please keep that to yourself.", Condition.CONFIDED),
    ("Don't tell anyone.", Condition.CONFIDED),
    ("What I just told you stays between us.", Condition.CONFIDED),
    ("Don't tell anyone what I just told you, ok?", Condition.CONFIDED),
    ("别告诉别人。", Condition.CONFIDED),
    ("刚才说的要保密哦", Condition.CONFIDED),
    ("Forget I said that.", Condition.WITHHELD),
    ("Don't save that.", Condition.WITHHELD),
    ("当我没说。", Condition.WITHHELD),
    ("刚才那个不要记。", Condition.WITHHELD),
]


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(CONFIDED))
def test_what_is_told_in_confidence_is_known_for_it(text: str) -> None:
    found = read_condition(text)
    assert found is not None
    assert found.condition is Condition.CONFIDED


@pytest.mark.parametrize("text", lines(WITHHELD))
def test_what_is_not_to_be_kept_is_known_for_it(text: str) -> None:
    found = read_condition(text)
    assert found is not None
    assert found.condition is Condition.WITHHELD


@pytest.mark.parametrize("text", lines(OPEN))
def test_words_of_the_work_and_of_others_are_no_confidence(text: str) -> None:
    assert read_condition(text) is None


@pytest.mark.parametrize(("text", "condition"), RETOLD)
def test_what_an_agent_says_that_the_user_asks_is_known_for_it(
    text: str, condition: Condition
) -> None:
    assert read_condition_of_statement(text) is condition


@pytest.mark.parametrize("text", lines(OPEN) + lines(RETOLD_OPENLY))
def test_what_an_agent_says_of_the_work_states_no_condition(text: str) -> None:
    assert read_condition_of_statement(text) is None


@pytest.mark.parametrize(("text", "condition"), ALONE)
def test_a_request_that_stands_alone_means_what_was_said_before(
    text: str, condition: Condition
) -> None:
    found = read_condition(text)
    assert found is not None
    assert (found.condition, found.of_before) == (condition, True)


@pytest.mark.parametrize("text", lines(CONFIDED)[:8] + lines(WITHHELD)[:4])
def test_a_request_beside_a_statement_means_that_and_not_what_was_said_before(text: str) -> None:
    found = read_condition(text)
    assert found is not None
    assert not found.of_before


def test_what_is_pasted_or_quoted_states_no_condition() -> None:
    assert (
        read_condition("Please reply to this mail:\n\nDear Ann,\nDon't tell anyone.\nTom") is None
    )
    assert read_condition("> Don't tell anyone.\n\nThe port is 8080.") is None


# Whose name begins with a capital letter is known for a person by that alone.
unnamed = [text for text in lines(CONFIDED) if SILENCE_NAMED.search(text) is None]


@given(st.text(alphabet="abc 别说。\n"), st.sampled_from(unnamed))
def test_a_confidence_is_heard_in_capital_letters_and_whatever_stands_on_other_lines(
    text: str, told: str
) -> None:
    assert read_condition(f"{told.upper()}\n{text}") is not None
