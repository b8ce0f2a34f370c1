"""Direction in which a sentence speaks of a date: past or future."""

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates.windows import Prefer

_PAST = lazy_regex(
    r"""(?xi)
    \b(?:was|were|had|did|been|ago|since|yesterday|last|went|got|met|saw|came|left|began|bought|sold
      |took|gave|made|said|told|became|won|lost|felt|ate|drank|ran|flew|drove|wrote|found|kept
      |thought|broke|chose|fell|grew|knew|quit|sent|sat|slept|spoke|spent|taught|wore|heard|learnt
      |built|caught|paid|held|woke|sang|swam|tore|passed
      |(?!need|feed|speed|indeed|scheduled|planned|invited|supposed|expected|married|interested
        |allowed|required|booked|located|based)\w{2,}ed)\b
    | 了(?!解)|过(?!去|几|两|敏|一会|程|期)|曾|已经?|刚|以来|昨|前天|去年|上个?[周月星礼]
    | 的(?:婚|[。！!.]|\s*\Z)
    """
)
_AHEAD = lazy_regex(
    r"""(?xi)
    \b(?:is|are|will|shall|going\sto|has|have|must|needs?|plans?|wants?|due|starts?|begins?|leaves?
      |arrives?|ends?|expires?|opens?|closes?|takes\splace|happens?|scheduled|planned|booked)\b
    | ['’](?:ll|s|re|m)\b
    | 是|要(?!求)|将|会(?!议|计|员|谈|场|面)|得(?=[去交做])|准备|打算|定[在于]|安排|改到|推迟到
    | 截止|到期|有(?:个|一)|举[行办]|开始|考试|出发
    """
)


def find_direction(sentence: str) -> Prefer:
    """Return where a date without its year lies in a statement of fact; past by default.

    "The recital is on Saturday the 21st" is to come, "we moved in on Saturday the 21st" has been.

    >>> find_direction("The recital is on Saturday the 21st")
    'future'
    """
    is_ahead = _AHEAD.search(sentence) and not _PAST.search(sentence)
    return "future" if is_ahead else "past"
