"""Where a statement is seen follows what it is about: the person, or the project's work."""

import pytest

from memoria.model import MemoryType
from memoria.policy.scope import decide_scope

F, P, R = MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.RULE
G, L, S = MemoryType.GOAL, MemoryType.RELATIONSHIP, MemoryType.SKILL
E, D, T = MemoryType.ERROR, MemoryType.TASK_OUTCOME, MemoryType.TOOL_EXPERIENCE

# The first forty were written before there was a rule, the second forty after the first rules.
EVERYWHERE = [
    (F, "I'm allergic to penicillin"),
    (F, "My daughter Emma turns seven in March"),
    (F, "The user lives in a flat in Leeds with two cats"),
    (F, "My mother was born in Porto"),
    (G, "We are moving to Utrecht next spring"),
    (F, "I work four days a week and have Fridays off"),
    (F, "Anna, my wife, is a nurse at the county hospital"),
    (F, "I take 50 mg of sertraline every morning"),
    (R, "Always answer in English"),
    (P, "I prefer short answers without bullet points"),
    (G, "I want to run a half marathon in October"),
    (F, "Our dog Bruno has to have his arthritis shot on the first of each month"),
    (F, "我对青霉素过敏"),
    (F, "我女儿在杭州读小学"),
    (F, "用户住在成都，养了一只猫"),
    (G, "我打算明年考驾照"),
    (F, "我妈妈下个月做膝盖手术"),
    (P, "我喜欢喝不加糖的美式咖啡"),
    (R, "以后都用中文回答我"),
    (F, "我每周三晚上去打羽毛球"),
    (F, "The user is a backend engineer at Klarna"),
    (P, "The user prefers PostgreSQL over MySQL"),
    (F, "I use Vim with a Dvorak layout"),
    (R, "Write type hints in all my projects"),
    (F, "Grandpa Josef keeps bees"),
    (F, "My blood test is on Monday"),
    (F, "The user's timezone is Europe/Berlin"),
    (G, "I'd like to learn Portuguese before the summer"),
    (F, "My laptop is a MacBook Pro with 16 GB"),
    (L, "Tom is my brother-in-law"),
    (F, "The user has worked from home since March"),
    (F, "I broke my wrist skiing"),
    (R, "不管哪个项目，提交信息都用英文"),
    (F, "用户是一名护士，经常上夜班"),
    (F, "我家的地址在杭州市西湖区"),
    (P, "用户更喜欢深色主题"),
    (F, "我老婆下周三生日"),
    (F, "我平时用 Vim 写代码"),
    (G, "我们打算国庆去云南旅游"),
    (F, "我对猫毛过敏，所以没养宠物"),
]
PROJECT = [
    (F, "The staging database is rebuilt every Friday"),
    (R, "In this repo use tabs, not spaces"),
    (P, "We use pnpm here instead of npm"),
    (F, "src/parser/lexer.py holds the tokenizer"),
    (F, "The payment service listens on port 7443"),
    (D, "The migration to PostgreSQL 16 was finished"),
    (E, "The build fails with E1437 when the fixture is missing"),
    (F, "Ticket PAY-812 is blocked by the schema review"),
    (R, "Never push to main without a green CI run in this project"),
    (F, "Marta reviews every change to the parser"),
    (S, "To deploy, run make release and wait for the canary"),
    (F, "Our API returns 429 after a hundred requests per minute"),
    (R, "这个项目用 pnpm，不要用 npm"),
    (F, "支付服务部署在 8443 端口"),
    (F, "测试环境的数据库每周五重建"),
    (R, "本仓库的提交信息用英文写"),
    (E, "缺少 fixture 时构建会失败"),
    (F, "UserService 的缓存放在 Redis 里"),
    (F, "张伟负责网关的代码评审"),
    (D, "订单服务的迁移已经完成"),
    (F, "The user decided to use Redis for the session cache"),
    (F, "I fixed the flaky login test"),
    (G, "I want to finish the parser refactoring by Friday"),
    (F, "When the user clicks Save the form is validated"),
    (F, "Kafka keeps events for seven days"),
    (F, "My pull request #412 waits for a review"),
    (F, "config/settings.toml overrides the environment"),
    (P, "The user wants getUserById to raise on missing rows"),
    (T, "pytest -n 4 runs out of memory on the CI runner"),
    (R, "Around here we squash commits before merging"),
    (F, "The customer wants the export in CSV"),
    (F, "Our team meets for the standup at 9:45"),
    (F, "用户表有二十个字段"),
    (F, "登录接口返回 401"),
    (F, "我决定把缓存换成 Redis"),
    (F, "我们的服务每晚两点重启"),
    (P, "本项目的变量命名用下划线"),
    (T, "docker compose 在 CI 上要加 --wait"),
    (F, "李雷改了 src/auth/token.ts"),
    (G, "下个迭代要把日志迁到新集群"),
]
UNDECIDED = [
    (F, "The meeting is on Tuesday at ten"),
    (F, "Green is better than blue"),
    (F, "会议改到周二上午十点"),
    (F, "最后选了蓝色"),
    (R, "Use tabs, not spaces"),
    (R, "Run the tests before you commit"),
    (F, "The user wants the blue variant"),
    (R, "提交之前先跑测试"),
]


@pytest.mark.parametrize(("kind", "said"), EVERYWHERE)
def test_what_is_about_the_person_is_seen_everywhere(kind: MemoryType, said: str) -> None:
    assert decide_scope(said, kind) == "everywhere"


@pytest.mark.parametrize(("kind", "said"), PROJECT)
def test_what_is_about_the_work_stays_in_its_project(kind: MemoryType, said: str) -> None:
    assert decide_scope(said, kind) == "project"


@pytest.mark.parametrize(("kind", "said"), UNDECIDED)
def test_what_may_be_either_is_left_to_the_writer(kind: MemoryType, said: str) -> None:
    assert decide_scope(said, kind) is None


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("Prefers window seats", "everywhere"),
        ("Lin Wei works at Acme", None),
        ('The user asks to remember: "Lin Wei works at Acme."', None),
        ('The user says: "I prefer my tea black."', "everywhere"),
        ("用户要求记住：“会议改到周二。”", None),
        ("用户说：“我对花生过敏。”", "everywhere"),
        ("The meeting is on Tuesday at ten", None),
        ("The staging database is rebuilt every Friday", "project"),
    ],
)
def test_who_is_said_to_be_the_subject_counts_where_the_words_bear_it_out(
    said: str, scope: str | None
) -> None:
    assert decide_scope(said, F, "user") == scope


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("Here's a photo of my family", "everywhere"),
        ("Two entries that the user has pinned are kept", None),
        ("The name and the age of a record may be empty", None),
        ("Nobody knows which project Tom is on", None),
        ("In every project of mine commits are signed", "everywhere"),
        ("My manager approved the deployment", "project"),
        ("My manager is called Sarah", "everywhere"),
        ("Tom's home page is slow", None),
        ("我上司的邮箱是 wang@example.org", "everywhere"),
        ("被用户置顶的条目不会过期", None),
        ("The user likes the new layout of the settings page", None),
        ("The user prefers the dashboard to load lazily", "project"),
        ("The user likes dashboards", None),
        ("I usually code in Rust at night", "everywhere"),
        ("Finish reading Middlemarch", None),
        ("We decided to postpone the launch", "project"),
    ],
)
def test_a_word_that_may_mean_either_counts_with_whoever_it_is_said_of(
    said: str, scope: str | None
) -> None:
    assert decide_scope(said, F) == scope


def test_what_sums_up_a_conversation_stays_where_it_was_held() -> None:
    said = "The user told of their daughter's allergy to peanuts"
    assert decide_scope(said, MemoryType.EPISODE) == "project"


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("prefers api ports above 8000", "the user prefers api ports above 8000"),
        ("Likes dashboards", "The user likes dashboards"),
        ("喜欢大于8000的接口端口", "用户喜欢大于8000的接口端口"),
        ("更喜欢深色界面", "用户更喜欢深色界面"),
    ],
)
def test_a_taste_of_nobody_named_is_the_users(short: str, full: str) -> None:
    for kind in (F, P):
        assert decide_scope(short, kind) == decide_scope(full, kind)
