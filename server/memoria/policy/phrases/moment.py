"""Of the moment: a choice from what has just been shown, and an outlook that orders nothing.

"I prefer option B" and 我喜欢第二个 are answers to a list that nobody sees a day later, and
以后都不知道怎么办 begins as an order does. Both read like statements that last.
"""

from memoria.text.pattern import LazyPattern, has_any, small_letters


def is_choice(clause: str) -> bool:
    """Whether a clause chooses from what has just been shown: "I like the second one better"."""
    if has_any(f"{small_letters(clause)} ", _SHOWN) and _CHOICE.regex.search(clause):
        return True
    return not clause.isascii() and _CHOICE_ZH.regex.search(clause) is not None


def is_outlook(clause: str) -> bool:
    """Whether a Chinese clause about what is to come says how it will be, and orders nothing."""
    return not clause.isascii() and _OUTLOOK_ZH.regex.search(clause) is not None


_THINGS = (
    *("one", "option", "version", "variant", "suggestion", "idea", "proposal", "choice", "draft"),
    *("alternative", "approach", "answer", "solution", "design", "layout", "example", "paragraph"),
    *("sentence", "title", "headline", "wording", "phrasing", "item", "point", "plan", "text"),
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "last", "latter", "former", "other", "next"),
    *("previous", "top", "bottom", "middle", "original", "1st", "2nd", "3rd", "4th", "5th"),
)
_SHOWN = (
    *(*_THINGS, *_ORDINALS, "number", "neither", "#", "how you", "favo", " its ", " their "),
    *(" a ", " a,", " b ", " b,", " of the "),
)
"""One of them is in all that `_CHOICE` finds, with a space behind it."""
_THING = rf"(?:{'|'.join(_THINGS)})s?\b"
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)})\b"
_COMPARED = r"""(?:(?:short|long|small|bigg|larg|clean|bright|dark|light|new|old|warm|soft|bold
    |cheap|fast|slow|saf|clear|brief|full|strong|bett|simpl|easi|earli|lat)er
    |(?:more|less)\s\w+)"""
_CLOSE = r"""(?=\s*$|\s*[,;:.!?(—–]|\s-|\s(?:better|best|more|most|much|too|so|a\s(?:lot|bit)|over
    |than|and|or|because|since|as|for\s(?:this|that|now)|here|above|below|instead|now|to\sthe)\b
    |\sof\s(?:the|this|that|these|those|your|it|my)\b)"""
"""Nothing follows that would name the thing: "the first edition of Dune"."""
_CHOICE = LazyPattern(
    rf"""(?xi)\b(?:i|we)(?:['’]d|['’]ll)?\s(?:\w+\s){{0,2}}?
      (?:prefer|like|love|hate|dislike|enjoy|favou?r|want|choose|pick)\s(?:
      (?:the\s|your\s|that\s|this\s)?(?:very\s)?{_ORDINAL}(?:\s(?:two|three|\d|few))?
        (?:\s{_THING})?{_CLOSE}
    | (?:the\s|your\s)?(?:{_THING}|number|no\.)\s?\#?(?:[a-h]|\d\d?|one|two|three|four|five){_CLOSE}
    | \#\d | (?-i:[AB]){_CLOSE} | neither{_CLOSE}
    | (?:the\s|your\s)(?:\w+\s)?{_COMPARED}\s(?:{_THING}{_CLOSE}|of\sthe\b)
    | (?:the|your)\s{_THING}\s(?:above|below|you)\b
    | (?:your|both|all|either|neither)\s(?:of\s)?(?:(?:the|your|these|those)\s)?(?:\w+\s)?
        {_THING}{_CLOSE}
    | (?:its|their)\s | how\syou\s(?:did|wrote|put|said|made)\b)
    | \bmy\sfavou?rite\s(?:of|among)\s(?:these|those|them|the\s(?:two|three|four|lot))\b"""
)
_COUNT_ZH = "[个個种種款版条张项套份篇段句幅]"
_THING_ZH = (
    "(?:方案|版本?|选项|选择|建议|想法|答案|说法|写法|例子|标题|设计|思路|计划|回答|图片?|照片)"
)
_THAT_ZH = rf"[这那]{_COUNT_ZH}{_THING_ZH}?"
_LIKES_ZH = "(?:喜欢|偏好|偏爱|爱|选|讨厌|倾向于?|中意|看好)"
_CLOSE_ZH = r"(?=$|[^\w]|[吧啊呢了]|更|比较|因为|多一?[点些]|一[点些])"
_CHOICE_ZH = LazyPattern(
    rf"""(?x){_LIKES_ZH}(?:
      [^，,。]{{0,8}}?第[一二两三四五六七八九十\d]+{_COUNT_ZH}?{_THING_ZH}?{_CLOSE_ZH}
    | 前者 | 后者 | (?:前[两几]|最后[一两]){_COUNT_ZH}{_CLOSE_ZH}
    | {_THING_ZH}\s?[A-Ha-h\d一二三四五六甲乙丙丁]{_CLOSE_ZH}
    | [A-Ha-h]{_CLOSE_ZH} | (?:[上下前后左右中][面边间]|原[来先本]|之前|刚才)的{_CLOSE_ZH}
    | [^，,。]{{0,10}}?(?:[上下前后左右中][面边间]|[红蓝绿黄黑白]色?|[一些]点|的)
        {_THAT_ZH}{_CLOSE_ZH}
    | [上下前后另][面边]?的?[这那一]?{_COUNT_ZH}{_THING_ZH}?{_CLOSE_ZH}
    | [你您][^，,。]{{0,10}}?{_THING_ZH}{_CLOSE_ZH})"""
)
_OUTLOOK_ZH = LazyPattern(
    r"""(?x)^\W*(?:那|我们?)?(?:从?现在(?:起|开始)|从今以?后|以后|今后|往后)[，,]?
      (?!.*(?:就|时|的话|请|告诉|问我|别|不要))
      (?:[我都就也真又还该]|我们|可能|大概|恐怕)*(?:
        不(?:知道|清楚|晓得|确定) | 怎么[办好样] | 如何是好 | 何去何从 | 只剩
      | 会(?![议员话计]) | (?:路|日子|生活|一切)都?[会还更]
      | 没有?(?:什么|机会|办法|法子|主意|人|意思|希望) | [见去回来吃买用做找]不[到了起来下着成]
      | (?:全)?(?:是|靠|归|随|看|听|属于|交给)[你您他她谁]们?(?:的|了|啦)*$)"""
)
