"""Chinese words that decide how a statement is read."""

from memoria.text.pattern import LazyPattern

CLAUSES = LazyPattern(r"[。;!?\n,]+")
DENIED = LazyPattern(r"不|没|别|戒|停用|停止|放弃|无法")
CHANGE = LazyPattern(
    r"""(?x)不再|再也不|已经不|已不|戒|停用|停止|放弃|现在|目前|如今|改|换成|换到|搬|又?开始|重新|推迟|提前|延期
    |跳槽|离职|辞职|其实|不.{1,20}了$"""
)
PAST = LazyPattern(
    r"""(?x)以前|曾经?|过去|从前|小时候|之前|当年|那时|原来|原本|去年|上个?[周月]|昨天|前年|[去到来看读吃学住]过
    |(?:19|20)\d\d年(?![的底初])"""
)
TENTATIVE = LazyPattern(
    r"""(?x)打算|计划(?!在|于|为|[是的])|想要?(?!念)|希望(?!被)|可能|也许|或许|大概|听说|据说|考虑|准备|将要?|要是
    |如果|会不会|说不定|似乎|好像|以为|觉得|认为|[^吾]{1,6}说(?!法|明|话|[^,]{0,4}[语文话])"""
)
FILLERS = LazyPattern(
    "[的了啊呀呢哦嘛很也都就挺蛮还]|非常|特别|一直|真的|比较|目前|现在|如今|今年|最近"
)
MARKERS = LazyPattern(
    "不再|再也不|已经|不怎么|不太|又开始|重新|开始|戒掉|停止|停用|放弃|[不没别戒]|其实|又"
)
LIST = LazyPattern("和|及|以及|、|与|跟|还有")
PRONOUN = LazyPattern("[其它他她](?:们|的)?")
NO_SUBJECT = (
    "但|这|那|是|不|没|我(?!们)|你|他|她|它|其|可是|可以|如果|因为|所以|虽然|而|或|好|嗯|恩|哇|今天|昨天|明天|最近|现在|在"
    "|很|非常|就|也|都|再|又|毕竟|听|有|对|用|喜欢|讨厌|住|叫|已|一直|从"
)
"""What no subject begins with."""
VERBS = {  # what must not follow, and one word for both languages
    "会说": "speak",
    "说(?!法|明|话|服|是|不)": "speak",
    "吃(?!力|惊|亏)": "eat",
    "服用": "eat",
    "喝": "drink",
    "抽(?!屉|空|时)": "smoke",
    "玩": "play",
    "打(?!算|扫|开|印|电|车|包|折)": "play",
    "弹": "play",
    "学习": "learn",
    "学(?!校|生|会|院|期)": "learn",
    "穿": "wear",
    "骑": "ride",
    "收集": "collect",
}
COUNT = r"(?:\d+|[一二三四五六七八九十两]+)"
TIME = (
    r"(?:\d|[一二三四五六七八九十两]+[月日号点]|周[一二三四五六日天]|星期[一二三四五六日天]|下+个?[周月星]|明[天早晚年]"
    r"|后天|今[晚天]|[上下]午|早上|晚上|中午|凌晨|每[天周月])"
)
ATTRIBUTES = (
    "端口号?|密码|身高|体重|年龄|家乡|老家|邮箱(?:地址)?|电话(?:号码)?|手机号?码?|职业|职位|工作地?|单位|公司|学历|教育背景"
    "|性别|负责人|版本号?|预算|截止日期|截止时间|价格|地址|住址|血型|时间|地点|规模|持续时间|域名|主机名?"
)
"""Words for what a thing has one of."""
MANY = frozenset(
    "爱好 兴趣 目标 梦想 愿望 朋友 同学 问题 建议 想法 优点 缺点 特点 强项 习惯 烦恼 灵感".split()
)
"""Attributes of which somebody has several."""
STATE = LazyPattern("[很太得]|非常|有点|不错|吗")
