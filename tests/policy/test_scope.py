"""Where a statement is seen follows what it is about: the person, or the project's work."""

import pytest

from memoria.model import MemoryType
from memoria.policy.scope import decide_scope

F, P, R = MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.RULE
G, L, S = MemoryType.GOAL, MemoryType.RELATIONSHIP, MemoryType.SKILL
E, O, T = MemoryType.ERROR, MemoryType.TASK_OUTCOME, MemoryType.TOOL_EXPERIENCE

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
]
PROJECT = [
    (F, "The staging database is rebuilt every Friday"),
    (R, "In this repo use tabs, not spaces"),
    (P, "We use pnpm here instead of npm"),
    (F, "src/parser/lexer.py holds the tokenizer"),
    (F, "The payment service listens on port 7443"),
    (O, "The migration to PostgreSQL 16 was finished"),
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
    (O, "订单服务的迁移已经完成"),
]
UNDECIDED = [
    (F, "The meeting is on Tuesday at ten"),
    (F, "Green is better than blue"),
    (F, "会议改到周二上午十点"),
    (F, "最后选了蓝色"),
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
