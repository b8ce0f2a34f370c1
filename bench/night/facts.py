"""What is planted in a year: facts of which it is known what holds, since when, and who asks.

Written by hand. A fact has a value, or several that follow each other; a value is told in the
user's words and concluded in one of two wordings, so that repeats are not always the same words.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """What holds of a fact at a time."""

    said: str
    """The user's words."""
    contents: tuple[str, str]
    """What is concluded, in either wording."""
    gold: str
    """The words of it that answer the questions."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds all year, that changes, or that ends."""

    key: str
    type: str
    subject: str
    predicate: str
    importance: float
    questions: tuple[str, str]
    values: tuple[Value, ...]
    """In the order in which they hold."""
    duration: str = "permanent"


_PEOPLE = (
    ("Marta", "nurse|bus driver", "Leeds|Bristol", "tortoise", "walnuts", "cello"),
    ("Yusuf", "carpenter", "Malmo", "greyhound", "shellfish", "oud"),
    ("Ingrid", "notary|beekeeper", "Tromso", "parrot", "celery", "harp"),
    ("Tomas", "welder", "Porto|Gdansk", "hamster", "lupins", "trumpet"),
    ("Priya", "geologist", "Pune|Nairobi", "ferret", "mustard", "sitar"),
    ("Owen", "plumber|sommelier", "Cardiff", "goat", "sesame", "banjo"),
    ("Noor", "dentist", "Utrecht", "lizard", "mangoes", "flute"),
)
_LEUTE = (
    ("林晓梅", "护士|兽医", "成都|厦门", "乌龟", "芒果", "古筝"),
    ("赵志强", "木匠", "兰州", "金毛犬", "虾蟹", "二胡"),
    ("陈雨桐", "律师|导游", "青岛", "鹦鹉", "核桃", "竖琴"),
    ("王建国", "电焊工", "沈阳|昆明", "仓鼠", "芝麻", "小号"),
    ("周思远", "地质师", "拉萨", "布偶猫", "芥末", "琵琶"),
    ("何丽娟", "会计|调酒师", "杭州|哈尔滨", "兔子", "花粉", "长笛"),
)
_OF_PEOPLE = (
    ("fact", "job", 0.5, "My friend {n} works as a {v}.", "{n} works as a {v}.",
     "{n}'s profession: {v}.", "What does {n} do for a living?", "Which job does {n} have?"),
    ("fact", "home", 0.5, "{n} lives in {v}, you know.", "{n} lives in {v}.",
     "{n}'s home is in {v}.", "Where does {n} live?", "In which city is {n}'s home?"),
    ("fact", "pet", 0.4, "{n} keeps a {v} at home.", "{n} keeps a {v}.",
     "The pet of {n} is a {v}.", "Which pet does {n} keep?", "What animal does {n} have at home?"),
    ("fact", "allergy", 0.7, "{n} is allergic to {v}.", "{n} is allergic to {v}.",
     "{n} must not eat {v} because of an allergy.", "What is {n} allergic to?",
     "What must I not cook for {n}?"),
    ("fact", "instrument", 0.4, "{n} plays the {v} in the evenings.", "{n} plays the {v}.",
     "{n}'s instrument is the {v}.", "Which instrument does {n} play?",
     "What music does {n} make?"),
)  # fmt: skip
_VON_LEUTEN = (
    ("fact", "职业", 0.5, "我朋友{n}的工作是{v}。", "{n}的职业是{v}。", "{n}是一名{v}。",
     "{n}是做什么工作的？", "{n}的职业是什么？"),
    ("fact", "住址", 0.5, "{n}住在{v}。", "{n}住在{v}。", "{n}的家在{v}。",
     "{n}住在哪里？", "{n}的家在哪个城市？"),
    ("fact", "宠物", 0.4, "{n}家里养了{v}。", "{n}养了{v}。", "{n}的宠物是{v}。",
     "{n}养了什么宠物？", "{n}家里有什么动物？"),
    ("fact", "过敏", 0.7, "{n}对{v}过敏。", "{n}对{v}过敏。", "{n}因为过敏不能碰{v}。",
     "{n}对什么过敏？", "请{n}吃饭要避开什么？"),
    ("fact", "乐器", 0.4, "{n}晚上常常练{v}。", "{n}会演奏{v}。", "{n}的乐器是{v}。",
     "{n}会什么乐器？", "{n}晚上练什么？"),
)  # fmt: skip
_OWN = (
    ("fact", "home", 0.6, "I live in {v} now.", "The user lives in {v}.",
     "The user's home is in {v}.", "Where does the user live?", "Which town do I live in?",
     "Ghent|Turin|Lisbon"),
    ("fact", "employer", 0.6, "I work at {v} these days.", "The user works at {v}.",
     "The user's employer is {v}.", "Where does the user work?", "Who is my employer?",
     "Brightwater|Halvorsen Labs"),
    ("preference", "editor", 0.5, "{v} is the editor I write all my code in.",
     "The user writes code in {v}.", "The user's editor is {v}.",
     "Which editor does the user write code in?", "What editor do I use?", "Emacs|Helix"),
    ("preference", "drink", 0.4, "In the morning I drink {v}, nothing else.",
     "The user drinks {v} in the morning.", "The user's morning drink is {v}.",
     "What does the user drink in the morning?", "What is my morning drink?",
     "espresso|jasmine tea"),
    ("preference", "seat", 0.4, "On trains I always take the {v} seat.",
     "The user takes the {v} seat on trains.", "On trains the user sits at the {v} seat.",
     "Which seat does the user take on trains?", "Where do I like to sit on the train?", "aisle"),
    ("preference", "answers", 0.6, "Give me answers as {v}, please.",
     "The user wants answers as {v}.", "Answers are to be given as {v}.",
     "In which form does the user want answers?", "How should answers be written for me?",
     "short bullet lists|plain paragraphs"),
    ("rule", "commits", 0.8, "Every commit message has to be in {v}.",
     "Commit messages are written in {v}.", "The language of commit messages is {v}.",
     "In which language are commit messages?", "What language do we use for commit messages?",
     "English"),
    ("rule", "branch", 0.8, "Nobody ever pushes to {v} without a review.",
     "Nobody pushes to {v} without a review.", "A push to {v} needs a review first.",
     "Which branch needs a review before a push?", "Where may nobody push without a review?",
     "trunk"),
    ("goal", "race", 0.5, "I want to run the {v} marathon.",
     "The user wants to run the {v} marathon.", "The user's goal is the {v} marathon.",
     "Which marathon does the user want to run?",
     "What race am I training for?", "Valencia"),
    ("relationship", "sister", 0.6, "My sister is called {v}.", "The user's sister is called {v}.",
     "{v} is the user's sister.", "What is the user's sister called?", "Who is my sister?",
     "Annelies"),
    ("skill", "deploy", 0.5, "We deploy with {v}, a single command.",
     "The project is deployed with {v}.", "Deployments run through {v}.",
     "How is the project deployed?", "What do we deploy with?", "shipwright|rollcart"),
    ("fact", "database", 0.4, "The shop's data lies in {v}.", "The shop's data lies in {v}.",
     "The shop uses {v} as its database.", "Where does the shop's data lie?",
     "Which database does the shop use?", "MariaDB|CockroachDB"),
    ("fact", "car", 0.4, "I drive an old {v}.", "The user drives an old {v}.",
     "The user's car is an old {v}.", "Which car does the user drive?", "What car do I have?",
     "Saab"),
    ("fact", "training", 0.4, "My running shoes are from {v}.",
     "The user's running shoes are from {v}.", "The user runs in shoes from {v}.",
     "Where are the user's running shoes from?", "Which brand of running shoes do I wear?",
     "Saucony"),
    ("preference", "口味", 0.5, "我吃菜喜欢{v}的。", "用户吃菜喜欢{v}的。", "用户的口味是{v}。",
     "用户吃菜喜欢什么口味？", "我喜欢吃什么味道的菜？", "麻辣|清淡"),
    ("preference", "运动", 0.5, "我现在最常做的运动是{v}。", "用户最常做的运动是{v}。",
     "用户平时的运动是{v}。", "用户最常做什么运动？", "我平时做什么运动？", "羽毛球|攀岩"),
    ("relationship", "女儿", 0.6, "我女儿的小名叫{v}。", "用户的女儿小名叫{v}。",
     "{v}是用户女儿的小名。", "用户的女儿小名叫什么？", "我女儿的小名是什么？", "豆豆"),
    ("fact", "学校", 0.5, "我女儿在{v}上学。", "用户的女儿在{v}上学。", "用户女儿的学校是{v}。",
     "用户的女儿在哪里上学？", "我女儿的学校是哪所？", "育才小学|实验小学"),
    ("rule", "报告", 0.8, "周报必须用{v}写。", "周报必须用{v}写。", "写周报要用{v}。",
     "周报要用什么写？", "写周报用哪种语言？", "中文"),
    ("goal", "考试", 0.5, "我今年的目标是通过{v}考试。", "用户今年的目标是通过{v}考试。",
     "用户打算考过{v}。", "用户今年要通过什么考试？", "我今年的目标是哪个考试？", "日语N1"),
    ("fact", "手机", 0.4, "我用的手机是{v}。", "用户用的手机是{v}。", "用户的手机型号是{v}。",
     "用户用什么手机？", "我的手机是哪个型号？", "华为P60|小米14"),
    ("skill", "备份", 0.5, "我们的备份都放在{v}上。", "项目的备份放在{v}上。",
     "备份存放的地方是{v}。", "项目的备份放在哪里？", "我们的备份存在什么地方？", "群晖|七牛云"),
)  # fmt: skip
_OF = {
    "commits": "project", "branch": "project", "deploy": "project", "database": "shop",
    "报告": "周报", "备份": "项目", "学校": "女儿",
}  # fmt: skip
"""Whom or what a property is of, where it is not the user's own."""
_ENDING = (
    ("I am at the trade fair in {v} this week.", "The user is at a trade fair in {v}.",
     "The user attends a fair in {v}.", "At which trade fair is the user?",
     "Which fair am I at?", "Oslo", "7d"),
    ("My car is in the garage at {v} for the month.", "The user's car is in the garage at {v}.",
     "The garage {v} has the user's car.", "In which garage is the user's car?",
     "Where is my car being repaired?", "Dufour", "30d"),
    ("这周我在{v}出差。", "用户在{v}出差。", "用户出差的地方是{v}。", "用户在哪里出差？",
     "我出差去了哪里？", "西宁", "7d"),
    ("这个月我住在{v}宾馆。", "用户住在{v}宾馆。", "用户下榻的宾馆是{v}。", "用户住在哪家宾馆？",
     "我住的是什么宾馆？", "白天鹅", "30d"),
)  # fmt: skip


def all_facts() -> tuple[Fact, ...]:
    """All facts, in an order of their own."""
    return (*_of_people(), *_own(), *_ending())


def _of_people() -> Iterator[Fact]:
    for people, table in ((_PEOPLE, _OF_PEOPLE), (_LEUTE, _VON_LEUTEN)):
        for name, *columns in people:
            for row, values in zip(table, columns, strict=True):
                kind, predicate, importance, *texts = row
                yield _fact(name, kind, name, predicate, importance, texts, values)


def _own() -> Iterator[Fact]:
    for kind, predicate, importance, *texts, values in _OWN:
        subject = _OF.get(predicate, "user")
        yield _fact("user", kind, subject, predicate, importance, texts, values)


def _ending() -> Iterator[Fact]:
    for number, (*texts, values, duration) in enumerate(_ENDING):
        yield _fact("user", "fact", "user", f"passing {number}", 0.4, texts, values, duration)


def _fact(
    name: str,
    kind: str,
    subject: str,
    predicate: str,
    importance: float,
    texts: list[str],
    values: str,
    duration: str = "permanent",
) -> Fact:
    said, first, second, *questions = texts
    one, other = (text.replace("{n}", name) for text in questions)
    return Fact(
        key=f"{subject}/{predicate}",
        type=kind,
        subject=subject,
        predicate=predicate,
        importance=importance,
        questions=(one, other),
        values=tuple(
            Value(
                said=said.format(n=name, v=value),
                contents=(first.format(n=name, v=value), second.format(n=name, v=value)),
                gold=value,
            )
            for value in values.split("|")
        ),
        duration=duration,
    )
