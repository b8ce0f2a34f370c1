"""What the user states anew stands first, and what they deny is shown with what they told."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoria
from memoria import Memoria, SearchResult, Settings
from memoria.policy.updates import TurnStatements, read_asked_amount
from memoria.retrieval.ranking.updates import Updates, place_updates

RESTATED = {
    "count": (
        "I have 14 pots of tomatoes on the balcony so far, how often do they need water?",
        "The balcony fills up, I now have 19 pots of tomatoes, which fertiliser is best?",
        "How many pots of tomatoes do I have on my balcony?",
    ),
    "date": (
        "My dentist appointment with Dr. Okafor is on May 3 at 9 AM, what should I bring along?",
        "The dentist appointment with Dr. Okafor was moved to May 10, can I get a ride?",
        "When is my dentist appointment with Dr. Okafor?",
    ),
    "percent": (
        "The error rate of the import job is at 12%, and I'd like to know where to look first.",
        "The error rate of the import job has dropped to 4% after the fix, what is next?",
        "What is the error rate of the import job?",
    ),
    "version": (
        "We run Postgres 14.2 in production, which backup tool fits?",
        "We upgraded production to Postgres 15.1 last night, what should I check?",
        "Which Postgres version do we run in production?",
    ),
    "数量": (
        "我们读书会这个季度要读8本书，你帮我排一下计划好吗？",
        "读书会这个季度要读的书增加到12本了，计划应该怎么调？",
        "读书会这个季度要读几本书？",
    ),
    "日期": (
        "我的牙医预约是5月3日，需要带什么东西？",
        "牙医预约改到5月10日了，帮我想想怎么跟公司请假？",
        "我的牙医预约是什么时候？",
    ),
    "金额": (
        "我现在租的房子房租是4200元，你觉得贵不贵？",
        "房东说我租的房子房租涨到4600元了，我该不该搬家？",
        "我租的房子房租多少钱？",
    ),
    "number in words": (
        "There are seventeen unpaid invoices in the ledger.",
        "Only nine unpaid invoices are left in the ledger.",
        "How many unpaid invoices are in the ledger?",
    ),
    "no word of change": (
        "The nightly build takes 40 minutes.",
        "After caching the dependencies the nightly build takes 25 minutes.",
        "How long does the nightly build take?",
    ),
    "what": (
        "The florist quoted £850 for the flowers.",
        "The florist's quote for the flowers came down to £700.",
        "What did the florist quote?",
    ),
    "place": (
        "We're having the reception at the Old Mill.",
        "The reception is going to be at Hartley Barn after all.",
        "Where is the reception?",
    ),
    "place without a word of change": (
        "Parents' evening will be held in the gym.",
        "Parents' evening will be held in the library because the gym floor is wet.",
        "Where is parents' evening held?",
    ),
    "denied before": (
        "We have never sprayed anything on the orchard.",
        "Last spring we sprayed copper on the orchard twice.",
        "Have we sprayed the orchard?",
    ),
    "中文数字": (
        "果园里有六百棵苹果树。",
        "又栽了一批，果园里现在有七百五十棵苹果树。",
        "果园里有多少棵苹果树？",
    ),
    "改种": (
        "今年东边那块地种的是玉米。",
        "玉米被淹了，东边那块地改种大豆了。",
        "东边那块地种的是什么？",
    ),
}  # fmt: skip

DENIED = {
    "always": (
        "I always double-check the insulin dose with a colleague.",
        "To be honest I don't double-check insulin doses with anyone.",
        "Do I double-check insulin doses with a colleague?",
    ),
    "refused": (
        "My sister has agreed to be a bridesmaid.",
        "My sister refused to be a bridesmaid.",
        "Is my sister a bridesmaid?",
    ),
    "从不": (
        "我家的菜地一直打农药。",
        "我家的菜地从不打农药。",
        "我家的菜地打农药吗？",
    ),
    "did": (
        "I just rented a chainsaw on Saturday to cut up the old pear tree, how do I clean it?",
        "I've never used a chainsaw before, so what do I have to look out for?",
        "Have I ever used a chainsaw?",
    ),
    "has": (
        "I've submitted the grant application to the Harbour Fund last week, when do they answer?",
        "I have never submitted any grant application to the Harbour Fund, should I try it?",
        "Did I submit a grant application to the Harbour Fund?",
    ),
    "提交": (
        "我上周给老板提交了辞职信，接下来要办什么手续？",
        "我从来没有提交过辞职信，应该怎么写？",
        "我提交过辞职信吗？",
    ),
    "做过": (
        "我上个月去医院做了核磁共振，报告应该怎么看？",
        "我从来没有做过核磁共振，做之前要注意什么？",
        "我做过核磁共振吗？",
    ),
}

AT = "2026-03-{:02}T10:00:00Z"


async def _record(m: Memoria, said: Sequence[tuple[str, str]]) -> None:
    """Record turns of several weeks, an answer after each of the user's."""
    for day, (role, content) in enumerate(said, 1):
        turn = {"role": role, "content": content, "at": AT.format(day), "message_id": str(day)}
        await m.record_conversation([turn], session_id=f"s{day}")


async def _ask_both(
    home: Path, said: Sequence[tuple[str, str]], question: str
) -> tuple[SearchResult, ...]:
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as m:
        await _record(m, said)
        return await m.search_memory(question), await m.search_conversation_traces(question)


@pytest.mark.parametrize("case", sorted(RESTATED))
async def test_what_is_stated_anew_stands_first_in_the_record(home: Path, case: str) -> None:
    old, new, question = RESTATED[case]
    echo = f"{question} {old}"  # it has more of the question's words, and is the assistant's
    said = [("user", old), ("assistant", echo), ("user", new), ("assistant", echo)]
    _, record = await _ask_both(home, said, question)
    hits = [hit for hit in record.hits if hit.source.role != "assistant"]
    assert [hit.source.message_id for hit in hits] == ["3", "1"]


@pytest.mark.parametrize("case", sorted(DENIED))
async def test_both_sides_of_a_contradiction_are_shown(home: Path, case: str) -> None:
    told, denial, question = DENIED[case]
    said = [("user", told), ("user", denial)]
    _, record = await _ask_both(home, said, question)
    assert {hit.source.message_id for hit in record.hits} == {"1", "2"}


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        (*RESTATED["count"][:2], "How many pots of tomatoes did I have on my balcony at first?"),
        (*RESTATED["date"][:2], "How many days lie between my appointments with Dr. Okafor?"),
        (*RESTATED["数量"][:2], "读书会这个季度原来要读几本书？"),
        ("I ran 5 km along the river on Sunday.", "I ran 8 km along the river on Tuesday.",
         "How many km did I run along the river?"),
        ("My sister has 3 cats at home.", "I now have 5 goldfish in my office.",
         "How many cats does my sister have at home?"),
        ("I had never seen a heron until then.", "I saw a heron at the weir on Sunday.",
         "Did I see a heron?"),
        ("Chapter 3 has 14 exercises.", "Chapter 4 has 19 exercises.",
         "How many exercises are in the chapter?"),
        ("Server 12 runs on port 8080.", "Server 14 runs on port 9090.",
         "Which port does server 12 run on?"),
        ("The 12 bus leaves at 8:10.", "The 14 bus leaves at 8:25.",
         "When does the 12 bus leave?"),
        ("Machine number 4224 needs 3 filters.", "Machine number 4252 needs 5 filters.",
         "How many filters does machine 4224 need?"),
        ("三号会议室有12个座位。", "五号会议室有20个座位。", "三号会议室有几个座位？"),
        ("The staging server runs Debian 11.", "I upgraded the production server to Debian 12.",
         "Which Debian version does the staging server run?"),
        ("My aunt is coming from Leeds.", "My cousin is now coming from Dublin.",
         "Where is my aunt coming from?"),
        ("上个月我值了四个夜班。", "这个月我值了六个夜班。", "上个月我值了几个夜班？"),
        ("3床的体温是37.2度。", "5床的体温是38.6度。", "3床的体温是多少？"),
        ("I've read of sourdough in the paper.", "I haven't had time to read the sourdough page.",
         "What have I read of sourdough?"),
    ],
)  # fmt: skip
async def test_what_is_not_stated_anew_keeps_its_order_and_has_no_mark(
    home: Path, first: str, second: str, question: str
) -> None:
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as m:
        await _record(m, [("user", first), ("user", second)])
        found = (await m.search_conversation_traces(question)).hits
        plain = (await m.search_conversation_traces(question, without=["current"])).hits
    assert [hit.id for hit in found] == [hit.id for hit in plain]
    assert not any(hit.restated_by or hit.contradicts for hit in found)


@pytest.mark.parametrize(
    ("asked", "other", "question"),
    [
        ("The Soller oak in the east meadow grows on hills up to 620 metres above the sea.",
         "The mountain ash grows on hills and has now reached 1480 metres above the sea.",
         "Up to how many metres above the sea does the Soller oak of the east meadow grow?"),
        ("银边瑞香生长在海拔300米的山坡上，花期在早春。",
         "高山杜鹃生长在海拔已达2900米的山坡上，花期在初夏。",
         "银边瑞香生长的山坡海拔是多少米？"),
    ],
)  # fmt: skip
async def test_a_number_of_something_else_does_not_stand_before_what_is_asked_for(
    home: Path, asked: str, other: str, question: str
) -> None:
    for result in await _ask_both(home, [("user", asked), ("user", other)], question):
        assert result.hits[0].source.message_id == "1"
        assert not any(hit.restated_by for hit in result.hits)


@pytest.mark.parametrize(
    ("asked", "other", "question"),
    [
        ("The Karlin fern is a plant of damp walls. Its fronds are narrow and up to 30 centimetres"
         " long, the spores ripen in late summer, and it is found in the valleys of the south,"
         " where it grows at an altitude of 400 metres on average. It is seldom kept in gardens.",
         "The Obern fern is a plant of dry slopes. Its fronds are broad and up to 60 centimetres"
         " long, the spores ripen in early spring, and it is now found in the hills of the south,"
         " where it grows at an altitude of 1900 metres on average. It is often kept in gardens.",
         "At what number of metres of altitude does the Karlin fern grow on average?"),
        ("银边瑞香是瑞香科的常绿灌木，高约一米，叶缘有一圈浅黄色的边，花香浓郁，多生长于南方的山谷与林下，生长的地区海拔约300米。"
         "它喜半阴，怕积水，常用扦插来繁殖。旧时的园子里多种在窗下，早春时节满院都是它的香气；根与皮晒干后可以入药，"
         "但有小毒，不宜多用。近年来各地的苗圃都有出售，叶色也选出了几种，价钱比从前便宜了不少，适合种在花盆里摆在阳台上观赏，也可以修剪成球形。",
         "高山杜鹃是杜鹃花科的常绿灌木，高约两米，叶背有一层锈色的毛，花多为淡紫色，多生长于西部的山坡与林缘，生长的地区海拔已达2900米。"
         "它喜冷凉，怕烈日，常用播种来繁殖。每到初夏，成片的花把山坡染成一色，引来许多游人；枝叶燃烧时有香味，"
         "当地人常在节日里用它。近年来各地的植物园都在引种，花色也选出了几种，但在平地上仍旧难养，夏天需要遮阴和通风，浇水要用放凉的雨水才不会黄叶。",
         "银边瑞香所生长的地区海拔约是多少米？"),
    ],
)  # fmt: skip
async def test_a_page_about_something_else_is_no_news_of_what_is_asked_for(
    home: Path, asked: str, other: str, question: str
) -> None:
    for result in await _ask_both(home, [("user", asked), ("user", other)], question):
        assert result.hits[0].source.message_id == "1"
        assert not any(hit.restated_by for hit in result.hits)


class _Placed:
    """Stands for a candidate where only its document counts."""

    def __init__(self, n: int) -> None:
        self.candidate = self
        self.n = n


@given(
    st.permutations(range(8)),
    st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3).map(tuple)),
    st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3).map(tuple)),
)
def test_placing_loses_and_repeats_no_hit_whatever_replaces_what(
    order: list[int], newer: dict[int, tuple[int, ...]], denied: dict[int, tuple[int, ...]]
) -> None:
    hits = [_Placed(n) for n in order]
    placed = place_updates(hits, Updates(newer, {}, denied, shows_both=True))  # type: ignore[arg-type]
    assert sorted(each.candidate.n for each in placed) == sorted(order)
    unchanged = place_updates(hits, Updates())  # type: ignore[arg-type]
    assert [each.candidate.n for each in unchanged] == order


class _CountedLooks(dict[int, tuple[int, ...]]):
    """What replaces what, with how often that was looked up."""

    looks = 0

    def get(self, key: int, default: tuple[int, ...] = ()) -> tuple[int, ...]:  # type: ignore[override]
        self.looks += 1
        return super().get(key, default)


@pytest.mark.parametrize("denied", [{}, {n: (n + 1,) for n in range(80)}])
def test_where_all_is_restated_again_and_again_each_hit_is_placed_once(
    denied: dict[int, tuple[int, ...]],
) -> None:
    many = 80
    newer = _CountedLooks({old: tuple(range(many - 1, old, -1)) for old in range(many)})
    hits = [_Placed(n) for n in range(many)]
    placed = place_updates(hits, Updates(newer, {}, denied, shows_both=True))  # type: ignore[arg-type]
    assert [each.candidate.n for each in placed] == list(range(many))[::-1]
    assert newer.looks == many


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("My weight is {} pounds now.", "What is my weight now in pounds?"),
        ("我的体重是{}公斤。", "我的体重是多少公斤？"),
        ("The nightly build takes {} minutes.", "How long does the nightly build take?"),
    ],
)
async def test_what_is_stated_anew_every_day_is_found_as_it_is_now(
    home: Path, text: str, question: str
) -> None:
    said = [("user", text.format(60 + day)) for day in range(1, 31)]
    for found in await _ask_both(home, said, question):
        assert "90" in found.hits[0].text
        assert len({hit.id for hit in found.hits}) == len(found.hits)


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    statements = TurnStatements(text)
    assert all(one.value and one.unit <= one.words for one in statements.list_amounts([""]))
    assert all(one.done <= one.words or one.words for one in statements.acts)
    assert all(matter.thing for one in statements.denials for matter in one.matters)
    assert read_asked_amount(text) == read_asked_amount(text)


@pytest.mark.parametrize("case", ["place", "number in words", "改种"])
async def test_once_the_newer_turn_is_forgotten_the_older_one_stands_alone(
    home: Path, case: str
) -> None:
    old, new, question = RESTATED[case]
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as m:
        await _record(m, [("user", old), ("user", new)])
        found = await m.search_conversation_traces(question)
        assert [hit.source.message_id for hit in found.hits] == ["2", "1"]
        await m.forget_memory([found.hits[0].id], include_source=True)
        for search in (m.search_memory, m.search_conversation_traces):
            hits = (await search(question)).hits
            assert [hit.source.message_id for hit in hits] == ["1"]


async def test_where_nobody_but_the_assistant_spoke_nothing_is_compared(home: Path) -> None:
    said = [("assistant", RESTATED["place"][0]), ("assistant", RESTATED["place"][1])]
    for result in await _ask_both(home, said, "Is the reception at the Old Mill?"):
        assert not any(hit.restated_by or hit.contradicts for hit in result.hits)
