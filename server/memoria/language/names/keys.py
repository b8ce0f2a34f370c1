"""Keys: one normal form for a subject or a property, in either language."""

from collections.abc import Collection
from functools import cache

from memoria.language.names.kinship import chinese_words, english_words
from memoria.language.pattern import LazyPattern
from memoria.language.reading.statement import canonical_form
from memoria.language.remembered import remember_results
from memoria.language.words.analyser import query_terms

USER = "user"
ASSISTANT = "assistant"
_USER_WORDS = frozenset("i me my myself user 我 用户 本人 主人 自己".split())
_ASSISTANT_WORDS = frozenset("assistant agent 助手 助理".split())
_OF_THE_USER = LazyPattern(
    r"(?:the user's|user's|users|my|user) (?=\S)|(?:用户|本人|我)的?(?!们)(?=.)"
)
_KIN_OF_THE_USER = LazyPattern(r"(?:the )?(?P<kin>[a-z-]+) of (?:the user|user|mine)")
_ELDER = LazyPattern("^(?:(?P<elder>older|big)|little) (?=(?:brother|sister)$)")
_BETWEEN_CHINESE = LazyPattern("(?<=[一-鿿]) (?=[一-鿿])")
_APART = frozenset(
    """
    uncle aunt cousin nephew niece brother-in-law sister-in-law friend teacher student client
    """.split()
)
"""Relations with words that mean different people: 姑姑 and 婶婶 are two aunts."""
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


@cache
def people() -> dict[str, str]:
    """Map the words for people and pets that follow "my" to one word for both languages.

    Plural words are left out, because "my sons" are not "my son".
    """
    words = {**english_words(), **chinese_words()}
    return {
        word: _one_word(word, str(found.relation), found.relation.name)
        for word, found in words.items()
        if not _is_plural(word, words)
    }


def _one_word(word: str, relation: str, name: str) -> str:
    return word if name in _APART else relation


def _is_plural(word: str, words: Collection[str]) -> bool:
    is_regular = word.endswith("s") and word[:-1] in words
    return is_regular or word.endswith(("ves", "ies")) or word == "children"


def subject_key(subject: str) -> str:
    """Return the normal form of a subject; all words for the user have the same.

    Somebody of the user's has one as well.

    >>> subject_key("my mom"), subject_key("用户的母亲")
    ("user's mother", "user's mother")
    """
    return _subject_key(subject)


@remember_results(4096)
def _subject_key(subject: str) -> str:
    plain = _name_key(subject)
    if plain in _USER_WORDS or plain.replace("the ", "") in _USER_WORDS:
        return USER
    if plain.removeprefix("the ") in _ASSISTANT_WORDS:
        return ASSISTANT
    owner = _OF_THE_USER.regex.match(plain.removeprefix("the "))
    if owner is not None:
        rest = plain.removeprefix("the ")[owner.end() :]
        rest = _ELDER.regex.sub(lambda age: "elder " if age["elder"] else "younger ", rest)
        return f"{USER}'s {people().get(rest, rest)}"
    kin = _KIN_OF_THE_USER.regex.fullmatch(plain)
    if kin is not None:
        return f"{USER}'s {people().get(kin['kin'], kin['kin'])}"
    return plain


@remember_results(4096)
def predicate_key(predicate: str) -> str:
    """Return the normal form of a property; `Job title`, `occupation` and 职业 have the same."""
    plain = "_".join(_name_key(predicate.replace("_", " ")).split())
    return _PROPERTY_KEYS.get(plain, plain)


def names_property(predicate: str, content: str) -> bool:
    """Return whether a statement has the words of a property: "six shops" has those of `shops`.

    Args:
        predicate: the property's normal form; an empty one is named by nothing.
        content: the statement.
    """
    if not predicate:
        return False
    said = frozenset(query_terms(content))
    words = (predicate, *_PROPERTIES.get(predicate, "").split(", "))
    terms = (frozenset(query_terms(word.replace("_", " "))) for word in words)
    return any(one and one <= said for one in terms)


def has_one_value(predicate: str) -> bool:
    """Check whether a property has only one value at a time, like a name or a home."""
    return _PROPERTY_KEYS.get(predicate, predicate) in _ONE_VALUE


def _name_key(name: str) -> str:
    """Return the words of a name with single spaces; none between Chinese characters."""
    return _BETWEEN_CHINESE.regex.sub("", canonical_form(name))
