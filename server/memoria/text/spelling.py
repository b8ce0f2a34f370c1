"""Spelling: whether two names may be one name, written otherwise.

Who asks has heard a name, or reads it in another script than whoever wrote it down: Katherine and
Cathrine, 乔治 and 喬治, 李晓芬 and 李小芬. So names are compared by how they sound. Vowels tell
least, as Soundex has it (R. Russell, 1918): names of four consonants and more are one if these are
the same in their order (Mohammed and Muhhamed). Short names that differ by a vowel are mostly two
people (Tim and Tom), and so are names that differ by an ending in -a (Julian and Juliana).
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.analyser import fold

_LONG = 6
"""Letters from which on the second of a name may be another vowel."""
_LEAST_CONSONANTS = 4
"""Of a name whose vowels may be others: Marina and Moreno are two."""
_VOWELS = "aeiouy"
_NO_VOWELS = str.maketrans("", "", _VOWELS)
_FIRST_VARIANTS = {
    "c": "ck", "k": "kc", "q": "qk", "f": ("f", "ph"), "ph": ("ph", "f"), "v": "vw", "w": "wv",
    "s": "sz", "z": "zs", "y": "yji", "j": "jy", "i": "iy",
}  # fmt: skip
_SOUNDS = (
    (lazy_regex(r"sch|sh"), "S"),
    (lazy_regex(r"ch(?=[rl])|ck|q(?:u(?=[eiy]))?|c(?![eiyh])"), "k"),
    (lazy_regex(r"ph|v|w"), "f"),
    (lazy_regex(r"x"), "ks"),
    (lazy_regex(r"c(?=[eiy])|z"), "s"),
    (lazy_regex(r"(?<=[bcdfgjklmnprtvw])h|h(?=[bcdfgjklmnprtvw]|$)"), ""),
    (lazy_regex(r"ie$|ey$|ee|ea|ei|y(?![aou])"), "i"),
    (lazy_regex(r"(?<=[^aeiou])e$"), ""),
    (lazy_regex(r"(.)\1+"), r"\1"),
)
"""How English and its neighbours write one sound, from the left to the right of the table."""
_TRADITIONAL = (
    "亞俠倫偉傑備傳傷優兒凱則剛創劇劉劍勁動務勛勝勞勢勳勻協吳呂員問啟喚喬單嘗嚐嚴囌國"
    "圍園圖團執堅報場塊塵壇壘壯壽夢奮妝姍婁嬋孫學宮實寧寬寵寶將尋對導層島峽崗嵐嶺帥師"
    "帶幣庫廠廣廳張強彈彌彎彥徑復徹惡愛態慣慶憲憶懇應懷戰戲戶掃掛揚擁擇據擲擴攝數斷時"
    "暈暢暫曄曆曉朮東棄棗棟楊楓極榮構樓標樣樹橋機檢權欽歐歡歲歷歸氣決沒淵湯準溝滅滬滿"
    "漁漢潔潤澀澤濟濤瀏瀰灣無煉煥熱燈燦爍爛爺爾牽狀猶獨獵獻現瑣瑩瑪環瓊瓏甦畢畫異療皚"
    "監盤盧硯確碼礦禎禮種稱積穎穩窮窯競筆節築簡籠粵糰糾紀約紅紋納純級紛紹絕統綠維綱綸"
    "綿緊緒緣縣縱總繆繡繼罈羅義習聖聞聯聲肅興舊茲莊華萊萬葉蓋蔣蕭薩藍藝藥蘆蘇蘭蘿處號"
    "術衛補複見規覺觀設許証詢詩詳語誠課誼調論諸諾謙謝謹證譚議護讚豎貝貞財貴費賀資賈賓"
    "賢賦賴賽贊趙躍車軍軒輝輪輸轉辭農連進運過達遜遠適遲遷選邁邊鄒鄧鄭醞釋針鈞鈴銀銘銳"
    "鋒鋼錄錢錦錯鍊鍵鍾鎮鏡鐘鐵鑑鑒長門閃閉開閑閒閔閣閱閻闊關陣陰陳陸陽隊階際隨險隱雞"
    "離難電霧靈靜韋韓響頁頂項順須頌預領頭頻題顏願類顧顯風飛飾養館饒馬馮駱駿驕驗驚驥鬚"
    "魯鮑鮮鱗鳳鳴鴻鵑鵝鵬鶴鹽麗麥黃齊齡龍龔"
)
_SIMPLIFIED = (
    "亚侠伦伟杰备传伤优儿凯则刚创剧刘剑劲动务勋胜劳势勋匀协吴吕员问启唤乔单尝尝严苏国"
    "围园图团执坚报场块尘坛垒壮寿梦奋妆姗娄婵孙学宫实宁宽宠宝将寻对导层岛峡岗岚岭帅师"
    "带币库厂广厅张强弹弥弯彦径复彻恶爱态惯庆宪忆恳应怀战戏户扫挂扬拥择据掷扩摄数断时"
    "晕畅暂晔历晓术东弃枣栋杨枫极荣构楼标样树桥机检权钦欧欢岁历归气决没渊汤准沟灭沪满"
    "渔汉洁润涩泽济涛浏弥湾无炼焕热灯灿烁烂爷尔牵状犹独猎献现琐莹玛环琼珑苏毕画异疗皑"
    "监盘卢砚确码矿祯礼种称积颖稳穷窑竞笔节筑简笼粤团纠纪约红纹纳纯级纷绍绝统绿维纲纶"
    "绵紧绪缘县纵总缪绣继坛罗义习圣闻联声肃兴旧兹庄华莱万叶盖蒋萧萨蓝艺药芦苏兰萝处号"
    "术卫补复见规觉观设许证询诗详语诚课谊调论诸诺谦谢谨证谭议护赞竖贝贞财贵费贺资贾宾"
    "贤赋赖赛赞赵跃车军轩辉轮输转辞农连进运过达逊远适迟迁选迈边邹邓郑酝释针钧铃银铭锐"
    "锋钢录钱锦错炼键钟镇镜钟铁鉴鉴长门闪闭开闲闲闵阁阅阎阔关阵阴陈陆阳队阶际随险隐鸡"
    "离难电雾灵静韦韩响页顶项顺须颂预领头频题颜愿类顾显风飞饰养馆饶马冯骆骏骄验惊骥须"
    "鲁鲍鲜鳞凤鸣鸿鹃鹅鹏鹤盐丽麦黄齐龄龙龚"
)
"""Characters of names in the two scripts of Chinese."""
_FIRST_OF_SYLLABLE = (
    "啊埃鞍肮凹芭白斑邦苞杯奔崩逼鞭标鳖彬兵玻捕擦猜餐苍操厕层插拆搀昌超车郴撑吃充抽初"
    "揣川疮吹春戳疵聪凑粗蹿摧村磋搭呆耽当刀德蹬堤颠碉跌丁丢东兜督端堆墩掇蛾恩而发藩坊"
    "菲芬丰佛否夫噶该干冈篙哥给根耕工钩辜刮乖棺光瑰辊锅哈骸酣夯壕呵嘿痕哼轰喉呼花槐欢"
    "荒灰荤豁击嘉歼僵蕉揭巾荆炯揪鞠捐撅均喀开刊康考坷肯坑空抠枯夸块宽匡亏坤括垃莱蓝琅"
    "捞勒雷棱厘俩联粮撩列琳玲溜龙楼芦驴峦掠抡萝妈埋瞒芒猫么玫门萌眯棉苗蔑民明谬摸谋拇"
    "拿氖南囊挠呢馁嫩能妮蔫娘鸟捏您柠牛脓奴女暖虐挪哦欧啪拍攀乓抛呸喷砰坯篇飘撇拼乒坡"
    "扑期掐牵枪橇切钦青琼秋趋圈缺裙然瓤饶惹壬扔日戎揉茹软蕊闰若撒腮三桑搔瑟森僧莎筛珊"
    "墒梢奢砷声师收蔬刷摔栓霜谁吮说斯松搜苏酸虽孙蓑塌胎坍汤掏特藤梯天挑贴厅通偷凸湍推"
    "吞拖挖歪豌汪威瘟嗡挝巫昔瞎掀相萧楔薪星兄休墟轩靴勋压焉殃邀椰一茵英哟拥幽迂鸳曰耘"
    "匝栽咱赃遭责贼怎增扎摘瞻樟招遮珍蒸芝中舟珠抓拽专桩椎谆捉兹鬃邹租钻嘴尊昨"
)
"""The standard GB 2312 orders its 3,755 commoner characters by how they are read; here is the first
character of each reading, without tones."""


def may_be_one_name(one: str, other: str) -> bool:
    """Whether two spellings may be of one name."""
    if _is_han(one) or _is_han(other):
        return _sound_alike_in_chinese(one, other)
    first, second = _sound(fold(one)), _sound(fold(other))
    if first == second:
        return True
    if first.endswith("a") != second.endswith("a"):
        return False
    return _list_consonants(first) == _list_consonants(second) != ""


def may_be_stems_of_one_name(one: str, other: str) -> bool:
    """Whether two words of the index may be of one name.

    A stem lacks an ending that a name only seems to have, such as the -ed of Mohamed.
    """
    if may_be_one_name(one, other):
        return True
    shorter, longer = sorted((_sound(one), _sound(other)), key=len)
    told, whole = (each[:1] + each[1:].translate(_NO_VOWELS) for each in (shorter, longer))
    return len(told) >= _LEAST_CONSONANTS - 1 and whole[: len(told)] == told


def _list_consonants(sound: str) -> str:
    """The consonants of a name behind its first sound, which stays; none of a short one."""
    found = sound[:1] + sound[1:].translate(_NO_VOWELS)
    return found if len(found) >= _LEAST_CONSONANTS else ""


def iterate_beginnings(name: str) -> Iterator[str]:
    """How a word of the same sound may begin: two letters of it, of Chinese one character."""
    if _is_han(name):
        yield from _list_forms(name[0])
        return
    word = fold(name)
    first = "ph" if word.startswith("ph") else word[:1]
    second = word[len(first) : len(first) + 1]
    for variant in _FIRST_VARIANTS.get(first, (first,)):
        yield variant + second
        if second and second in _VOWELS and len(name) >= _LONG:
            yield from (variant + other for other in _VOWELS.replace(second, ""))
        elif second == "h":  # Christine, Kristine; Johan begins like John
            yield variant + word[len(first) + 1 : len(first) + 2]
        elif first in ("c", "k") and second in ("r", "l"):
            yield f"{variant}h"


def simplify(text: str) -> str:
    """The text with the characters that names are made of in their simplified form."""
    return text.translate(_map_forms())


def _sound(word: str) -> str:
    """A word as it sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _sound_alike_in_chinese(one: str, other: str) -> bool:
    """Whether two names differ in nothing but characters that are read alike."""
    first, second = simplify(one), simplify(other)
    if first == second:
        return True
    if len(first) != len(second) or len(first) <= 2 or first[0] != second[0]:  # noqa: PLR2004
        return False
    return all(map(is_read_alike, first, second))


def is_read_alike(one: str, other: str) -> bool:
    """Whether two characters are read alike, or are two forms of one."""
    first, second = simplify(one), simplify(other)
    return first == second or (_reading(first) == _reading(second) != -1)


def _reading(character: str) -> int:
    """The number of a character's reading; -1 where it is not among the commoner ones."""
    place = _place(character)
    return bisect_right(_first_places(), place) - 1 if place else -1


def _place(character: str) -> int:
    """Where GB 2312 has a character, if it is one of those ordered by reading; else 0."""
    try:
        place = int.from_bytes(character.encode("gb2312"), "big")
    except UnicodeEncodeError:
        return 0
    return place if 0xB0A1 <= place < 0xD8A1 else 0  # noqa: PLR2004  (level 1 of the standard)


@cache
def _first_places() -> list[int]:
    return [int.from_bytes(one.encode("gb2312"), "big") for one in _FIRST_OF_SYLLABLE]


@cache
def _map_forms() -> dict[int, str]:
    return dict(zip(map(ord, _TRADITIONAL), _SIMPLIFIED, strict=True))


def _list_forms(character: str) -> list[str]:
    """A character as it is, simplified, and in its traditional forms."""
    plain = simplify(character)
    traditional = (t for t, s in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if s == plain)
    return list(dict.fromkeys((character, plain, *traditional)))


def _is_han(text: str) -> bool:
    return "一" <= text[:1] <= "鿿"
