"""Kinship: words for people whom somebody has, in both languages; all spellings, one relation.

`mother`, `mom`, 妈妈 and 母亲 are one relation. A relation may have a qualifier: 哥哥 is a brother
who is older, an `ex-wife` a wife who was.
"""

from functools import cache
from typing import NamedTuple


class Relation(NamedTuple):
    """One person's relation to another."""

    name: str
    which: str | None = None
    """Qualifier, where there is one: `elder`, `former`."""

    def __str__(self) -> str:
        return f"{self.which} {self.name}" if self.which else self.name


class RelationWord(NamedTuple):
    """A word for a relation."""

    relation: Relation
    needs_owner: bool
    """True if it counts only where the text says whose: 老师 alone is any teacher."""


_KIN = """
mother f | mother mom mum mommy mummy momma mama mam | 妈妈 妈咪 老妈 母亲 家母 阿妈 妈! 娘!
father m | father dad daddy papa | 爸爸 老爸 父亲 家父 阿爸 老爹 爸! 爹!
parent - | parent folks! | 父母 爸妈 双亲 爹妈 爹娘
wife f | wife missus | 老婆 妻子 媳妇 太太! 内人!
husband m | husband hubby | 老公 丈夫 先生!
girlfriend f | girlfriend fiancee fiancée | 女朋友 女友 未婚妻
boyfriend m | boyfriend fiance fiancé | 男朋友 男友 未婚夫
partner - | partner spouse | 配偶! 伴侣! 爱人! 老伴! 另一半! 对象!
daughter f | daughter girl! | 女儿 闺女 千金! 丫头!
son m | son boy! | 儿子
child - | child children kid kiddo toddler baby! twin! | 孩子! 小孩! 小孩子! 娃! 娃娃! 宝宝! 宝贝!
 | | 老大/elder! 老二/younger!
brother m | brother bro | 兄弟! 哥哥/elder 哥/elder! 大哥/elder! 老哥/elder!
 | | 弟弟/younger 弟/younger! 老弟/younger!
sister f | sister sis | 姐妹! 姐姐/elder 姐/elder! 大姐/elder! 老姐/elder!
 | | 妹妹/younger 妹/younger! 老妹/younger!
sibling - | sibling | 兄弟姐妹!
grandmother f | grandmother grandma granny gran nana | 奶奶/paternal 祖母/paternal 外婆/maternal
 | | 姥姥/maternal 外祖母/maternal 阿嬷
grandfather m | grandfather grandpa granddad grandad gramps | 爷爷/paternal 祖父/paternal
 | | 外公/maternal 姥爷/maternal 外祖父/maternal
grandparent - | grandparent | 祖父母 爷爷奶奶 外公外婆/maternal 姥姥姥爷/maternal
grandson m | grandson | 孙子 外孙
granddaughter f | granddaughter | 孙女 外孙女
grandchild - | grandchild grandchildren grandkid | 孙辈!
uncle m | uncle | 叔叔/paternal! 伯伯/paternal! 叔/paternal! 大伯/paternal!
 | | 伯父/paternal! 叔父/paternal! 舅舅/maternal 舅/maternal! 舅父/maternal!
 | | 姑父/paternal 姨父/maternal
aunt f | aunt auntie aunty | 姑姑/paternal 姑妈/paternal 姑/paternal!
 | | 姨妈/maternal 姨/maternal! 小姨/maternal! 阿姨! 舅妈/maternal 婶婶/paternal 伯母/paternal
cousin - | cousin | 表哥/表哥 表弟/表弟 表姐/表姐 表妹/表妹 堂哥/堂哥 堂弟/堂弟 堂姐/堂姐 堂妹/堂妹
nephew m | nephew | 侄子 侄儿 外甥
niece f | niece | 侄女 外甥女
mother-in-law f | mother-in-law | 岳母 丈母娘 婆婆
father-in-law m | father-in-law | 岳父 老丈人 公公!
son-in-law m | son-in-law | 女婿
daughter-in-law f | daughter-in-law | 儿媳 儿媳妇
brother-in-law m | brother-in-law | 姐夫 妹夫 大舅子 小舅子 小叔子 连襟
sister-in-law f | sister-in-law | 嫂子 弟妹 弟媳 小姨子 小姑子 大姑子
in-law - | in-law |
godmother f | godmother | 干妈 教母
godfather m | godfather | 干爹 教父!
mother f | stepmother/step stepmom/step stepmum/step | 继母/step 后妈/step
father m | stepfather/step stepdad/step | 继父/step 后爸/step
son m | stepson/step | 继子/step
daughter f | stepdaughter/step | 继女/step
brother m | stepbrother/step half-brother/half |
sister f | stepsister/step half-sister/half |
wife f | ex-wife/former | 前妻/former
husband m | ex-husband/former | 前夫/former
girlfriend f | ex-girlfriend/former | 前女友/former
boyfriend m | ex-boyfriend/former | 前男友/former
partner - | ex!/former | 前任/former!
"""
_OTHERS = """
boss - | boss manager supervisor | 老板 上司 领导 经理 主管
colleague - | colleague coworker co-worker teammate workmate | 同事 队友
friend - | friend buddy pal mate bestie | 朋友 好友 好朋友 闺蜜 哥们 哥们儿 发小 死党
roommate - | roommate flatmate housemate | 室友 舍友
neighbour - | neighbour neighbor | 邻居 隔壁
landlord - | landlord landlady | 房东
tenant - | tenant lodger | 租客 房客
doctor - | doctor gp physician | 医生 大夫
dentist - | dentist | 牙医
therapist - | therapist psychologist counsellor counselor | 心理医生 治疗师
teacher - | teacher tutor professor | 老师 教授 班主任 家教
student - | student pupil | 学生
classmate - | classmate | 同学 同桌
coach - | coach trainer | 教练
lawyer - | lawyer solicitor | 律师
accountant - | accountant | 会计
nanny - | nanny babysitter | 保姆 月嫂
client - | client customer | 客户
secretary - | secretary | 秘书 助理
mentor - | mentor | 导师
intern - | intern | 实习生
carer - | carer caregiver | 护工
vet - | vet | 兽医
"""
_PETS = """
dog - | dog puppy pup doggy | 小狗 狗狗 狗 犬
cat - | cat kitten kitty | 小猫 猫咪 猫
rabbit - | rabbit bunny | 兔子
hamster - | hamster | 仓鼠
parrot - | parrot budgie | 鹦鹉
horse - | horse pony | 马
tortoise - | tortoise turtle | 乌龟
pet - | pet | 宠物 动物!
"""


@cache
def english_words() -> dict[str, RelationWord]:
    """Map English words, singular and plural in lower case, to their relations."""
    words: dict[str, RelationWord] = {}
    for name, english, _, _ in _rows():
        for spelling in english.split():
            word, found = _read_word(name, spelling)
            words |= dict.fromkeys({word, *_plurals(word)}, found)
    return words


@cache
def chinese_words() -> dict[str, RelationWord]:
    """Map Chinese words to their relations."""
    return {
        word: RelationWord(found.relation, found.needs_owner or not is_kin)
        for name, _, chinese, is_kin in _rows()
        for word, found in (_read_word(name, spelling) for spelling in chinese.split())
    }


@cache
def _rows() -> tuple[tuple[str, str, str, bool], ...]:
    """List name, English words, Chinese words, and True for a relation of kin."""
    rows: list[tuple[str, str, str, bool]] = []
    for table in (_KIN, _OTHERS, _PETS):
        name = ""
        for line in table.strip().splitlines():
            head, english, chinese = line.split("|")
            name = head.split()[0] if head.strip() else name
            rows.append((name, english, chinese, table is _KIN))
    return tuple(rows)


@cache
def is_kin_or_pet(name: str) -> bool:
    """Check whether a relation is of the family or a pet, and no doctor, boss or friend."""
    return all(name != line.split()[0] for line in _OTHERS.strip().splitlines())


def _read_word(name: str, spelling: str) -> tuple[str, RelationWord]:
    needs_owner = "!" in spelling
    word, _, which = spelling.replace("!", "").partition("/")
    return word, RelationWord(Relation(name, which or None), needs_owner)


def _plurals(word: str) -> set[str]:
    if word.endswith("in-law"):
        return {word.replace("-in-law", "s-in-law"), f"{word}s"}
    if word.endswith("wife"):
        return {f"{word[:-2]}ves"}
    if word.endswith("y") and word[-2] not in "aeiou":
        return {f"{word[:-1]}ies"}
    return {f"{word}s"}
