"""Forms that say in so many words what lasts: "I prefer …", "my goal is …", 我更喜欢….

A clause of such a form may be unlike every sentence of the training. It needs less certainty of the
classifier than another, and how much less depends on how often the form says something else.
"""

from memoria.text.pattern import LazyPattern

_ADVERBS = r"(?:\s(?:really|also|generally|usually|always|much|strongly|still|personally)){0,2}"
_POINTS_ELSEWHERE = (
    r"(?:(?:not|that|this|it|them|those|these)\b"
    r"|the\s(?:first|second|third|last|other|former|latter|one)\b)"
)
_PREFERS_OR_AGE = LazyPattern(
    rf"""(?xi) i{_ADVERBS}\sprefer\s(?!{_POINTS_ELSEWHERE})
    | i['’]m\s\d\d(?:\syears\sold)?(?:\sand\b|\W*$)"""
)
_PLANS = LazyPattern(
    r"""(?xi)(?:i|we)(?:\salso|\sstill|\sreally)?\s
        (?:plan\sto|have\salways\swanted\sto
        |(?:really\s)?(?:want|hope)\sto\s(?:visit|travel|move|go|see)\b(?=.*\b(?-i:[A-Z])))
    | i['’]ve\salways\swanted\sto
    | i['’]m\s(?-i:[A-Z])\w+,\san?\s\w"""
)
_NAMES_IT = LazyPattern(
    rf"""(?xi) my\s(?:strong\s)?preference\sis\s(?!{_POINTS_ELSEWHERE})
    | my\s(?:\w+\s)?(?:goal|dream|aim|hobby)\sis\s(?!{_POINTS_ELSEWHERE})"""
)
_PREFERS_ZH = LazyPattern(
    "我(?:个人|还是|一直|比较|一般|平时|其实)*(?:更喜欢|偏好|偏爱|习惯)(?![这那它他她])"
)
_TRAIT_ZH = (
    "邮箱|电子邮箱|手机号?|电话|联系电话|生日|身高|体重|年龄|职业|职位"
    "|工作地|老家|家乡|学历|爱好|公司|单位|住址|专业"
)
_OF_SOMEBODY_ZH = LazyPattern(
    rf"""(?x)(?:我家?的?)?[\u4e00-\u9fff]{{2,4}}?[他她]?
    (?: 的(?:{_TRAIT_ZH})(?:地址|号码|地点)?[是为叫在有]
      | 在[^，,]{{2,20}}(?:工作|上班|任职)
      | 今年(?:才|刚|已经)?[\d一二三四五六七八九十]+岁
      | (?:特别|很|最|比较|非常)?(?:喜欢|爱好|爱(?=[吃喝看听玩]))[^，,这那]+$
      | 身高[有是]?[\d一二三四五六七八九十] | 只?读到 | 是[^，,]{{2,16}}(?:职位|专业)的 | 毕业于
    )"""
)
_FORMS = (
    (_PREFERS_OR_AGE, 0.0),
    (_PLANS, 0.1),
    (_NAMES_IT, 0.35),
    (_PREFERS_ZH, 0.35),
    (_OF_SOMEBODY_ZH, 0.35),
)
_NEVER = 1.01


def find_least_certainty(clause: str) -> float:
    """How certain the classifier must at least be of a clause of this form, from 0 to 1.

    More than 1 for a clause of no such form.
    """
    return next((least for form, least in _FORMS if form.regex.match(clause)), _NEVER)
