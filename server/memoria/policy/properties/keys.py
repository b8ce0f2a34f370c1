"""Keys: one normal form for a subject or a property, in either language."""

from functools import lru_cache

from memoria.text.pattern import LazyPattern
from memoria.text.statement import canonical_form

USER = "user"
ASSISTANT = "assistant"
_USER_WORDS = frozenset("i me my myself user 我 用户 本人 主人 自己".split())
_ASSISTANT_WORDS = frozenset("assistant agent 助手 助理".split())
_OF_THE_USER = LazyPattern(
    r"(?:the user's|user's|users|my|user) (?=\S)|(?:用户|本人|我)的?(?!们)(?=.)"
)
_KIN_OF_THE_USER = LazyPattern(r"(?:the )?(?P<kin>[a-z-]+) of (?:the user|user|mine)")
_BETWEEN_CHINESE = LazyPattern("(?<=[一-鿿]) (?=[一-鿿])")
_DISTINCT_KIN = (
    "uncle aunt cousin nephew niece 叔叔 舅舅 伯伯 姑父 姨父 阿姨 姑姑 姑妈 舅妈 婶婶 姨妈 表哥"
    " 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 侄子 侄女 外甥 嫂子 姐夫 下属 同学 队友"
).split()
"""Kin for whom the languages have no word in common: 舅舅 and 叔叔 are two uncles."""
_PEOPLE = {
    "mother": "mom, mum, mummy, mommy, mama, 妈, 妈妈, 母亲, 老妈, 娘",
    "father": "dad, daddy, papa, 爸, 爸爸, 父亲, 老爸, 爹",
    "parents": "父母, 爸妈, 爹妈",
    "wife": "妻子, 老婆, 太太, 媳妇",
    "husband": "丈夫, 老公",
    "partner": "spouse, 伴侣, 配偶, 爱人",
    "girlfriend": "女朋友, 女友",
    "boyfriend": "男朋友, 男友",
    "son": "儿子",
    "daughter": "女儿, 闺女",
    "child": "kid, 孩子, 小孩",
    "children": "kids",
    "brother": "兄弟",
    "older brother": "big brother, elder brother, 哥, 哥哥, 大哥",
    "younger brother": "little brother, 弟, 弟弟",
    "sister": "姐妹",
    "older sister": "big sister, elder sister, 姐, 姐姐, 大姐",
    "younger sister": "little sister, 妹, 妹妹",
    "grandmother": "grandma, granny, 奶奶",
    "maternal grandmother": "外婆, 姥姥",
    "grandfather": "grandpa, granddad, 爷爷",
    "maternal grandfather": "外公, 姥爷",
    "mother-in-law": "婆婆, 岳母, 丈母娘",
    "father-in-law": "公公, 岳父",
    **dict.fromkeys(_DISTINCT_KIN, ""),
    "boss": "老板, 上司",
    "manager": "经理, 领导",
    "colleague": "coworker, co-worker, 同事",
    "friend": "朋友",
    "best friend": "闺蜜",
    "teacher": "老师",
    "doctor": "医生",
    "neighbour": "neighbor, 邻居",
    "roommate": "flatmate, 室友",
    "dog": "狗",
    "cat": "猫",
}
PEOPLE = {
    word: person
    for person, others in _PEOPLE.items()
    for word in (person, *filter(None, others.split(", ")))
}
"""Kin, others and pets of whom one says "my …": each word to one word for both languages."""
_ONE_PERSON = frozenset(
    """
    mother father wife husband partner girlfriend boyfriend boss manager doctor mother-in-law
    father-in-law
    """.split()
)
_PROPERTIES = {
    "name": "full_name, 姓名, 名字, 全名, is_called, called",
    "home": "residence, lives_in, lives_at, living_in, home_city, place_of_residence, "
    "住址, 居住地, 家, 住处, 居住城市, 现居地, 住",
    "location": "current_location, whereabouts, 所在地, 位置",
    "address": "home_address, 地址",
    "employer": "company, workplace, works_at, works_for, works_in, 公司, 雇主, 工作单位, 单位",
    "job": "job_title, occupation, profession, role, works_as, 工作, 职业, 职位, 职务",
    "birthday": "birth_date, date_of_birth, birthdate, born_on, 生日, 出生日期",
    "birthplace": "place_of_birth, born_in, 出生地",
    "age": "年龄",
    "phone": "phone_number, mobile, mobile_number, 电话, 手机, 手机号, 电话号码, 手机号码",
    "email": "email_address, e-mail, mail, 邮箱, 邮件地址",
    "school": "university, college, studies_at, 学校, 大学",
    "nickname": "昵称, 外号",
    "form_of_address": "address_form, preferred_name, 称呼",
    "answer_language": "reply_language, response_language, language_of_answers, 回答语言, 回复语言",
    "marital_status": "relationship_status, 婚姻状况",
    "manager": "boss, 经理, 上司, 领导",
    "height": "身高",
    "weight": "体重",
    "gender": "sex, 性别",
    "blood_type": "血型",
    "hometown": "家乡, 老家, 故乡",
    "timezone": "time_zone, 时区",
    "city": "城市",
    "country": "国家",
    "port": "端口, 端口号",
    "deadline": "due_date, 截止日期, 截止时间, 期限",
    "version": "版本, 版本号",
    "owner": "responsible, 负责人, 所有者",
    "budget": "预算",
    "password": "密码",
    "price": "价格",
    "colour": "color, 颜色",
    "favourite_colour": "favorite_color, favourite_color, favorite_colour, 最喜欢的颜色",
    "wife": "妻子, 老婆",
    "husband": "丈夫, 老公",
    "mother": "妈妈, 母亲",
    "father": "爸爸, 父亲",
}
_PROPERTY_KEYS = {
    word: key for key, others in _PROPERTIES.items() for word in (key, *others.split(", "))
}
_ONE_VALUE = frozenset(
    """
    address age answer_language answer_length answer_tone birthday birthplace blood_type
    city country location date_format deadline diet email employer favourite_colour first_name
    form_of_address gender height home hometown husband indentation job last_name manager
    marital_status name nickname owner phone port school time_format timezone title units
    version weight wife position 姓氏
    """.split()
)


def subject_key(subject: str) -> str:
    """The normal form of a subject; all words for the user have the same.

    Somebody of the user's has one as well: `my mom`, `the user's mother` and 用户的母亲 are
    `user's mother`.
    """
    return _subject_key(subject)


@lru_cache(maxsize=4096)
def _subject_key(subject: str) -> str:
    plain = _name_key(subject)
    if plain in _USER_WORDS or plain.replace("the ", "") in _USER_WORDS:
        return USER
    if plain.removeprefix("the ") in _ASSISTANT_WORDS:
        return ASSISTANT
    owner = _OF_THE_USER.regex.match(plain.removeprefix("the "))
    if owner is not None:
        rest = plain.removeprefix("the ")[owner.end() :]
        return f"{USER}'s {PEOPLE.get(rest, rest)}"
    kin = _KIN_OF_THE_USER.regex.fullmatch(plain)
    if kin is not None:
        return f"{USER}'s {PEOPLE.get(kin['kin'], kin['kin'])}"
    return plain


@lru_cache(maxsize=4096)
def predicate_key(predicate: str) -> str:
    """The normal form of a property; `Job title`, `occupation` and 职业 have the same."""
    plain = "_".join(_name_key(predicate.replace("_", " ")).split())
    return _PROPERTY_KEYS.get(plain, plain)


def has_one_value(predicate: str) -> bool:
    """Whether a property has only one value at a time, like a name or a home."""
    return _PROPERTY_KEYS.get(predicate, predicate) in _ONE_VALUE


def may_be_several(word: str) -> bool:
    """Whether somebody may have several of such people, as of sisters or friends."""
    person = PEOPLE.get(word)
    return person is not None and person not in _ONE_PERSON


def _name_key(name: str) -> str:
    """The words of a name with single spaces; none between Chinese characters."""
    return _BETWEEN_CHINESE.regex.sub("", canonical_form(name))
