"""Phrases about tasks in Chinese."""

from memoria.policy.phrases.tasks import TaskLanguage, TaskOpening
from memoria.text.pattern import LazyPattern

_LEAD = r"""(?:(?:好的?|嗯|那么?|对了|OK|ok|你好|您好|请问?|麻烦你?|(?:行|可以)(?=[，,])
    |太好了|很好|谢谢|今天)
    [，,！!。\s]*){0,3}"""
_WORK = r"""(?:重构|重写|开发|实现|设计|修复|优化|迁移|升级|部署|搭建|处理|准备|整理|翻译|调试|排查
    |分析|研究|规划|策划|制作|起草|撰写|审查|评审|解决|推进|改造|集成|配置|总结|润色|修|写|做|搭)"""
_STEP = r"(?:修改|完善|完成|测试|看一?看|讨论|聊聊|检查|改|加)"
_ANY = rf"(?:{_WORK}|{_STEP})"
_WE = r"(?:我们|咱们)"
_OBJECT = r"(?:一下)?(?P<of>.{2,})"
_CAN = r"(?:(?:你)?(?:能不能|可不可以|能|可以)(?:请你)?)?(?:请你?|麻烦你?)?"


def _opening(
    pattern: str, *, is_clear: bool = False, counts_in_question: bool = False
) -> TaskOpening:
    return TaskOpening(LazyPattern(rf"(?x){pattern}"), is_clear, counts_in_question)


_OPENINGS = (
    _opening(
        rf"""(?:接下来|下面|现在|接着){_WE}?(?:就|再|要|该)?(?:来|去|开始)?(?P<task>{_WORK}{_OBJECT})""",
        is_clear=True,
    ),
    _opening(rf"{_WE}(?:现在)?开始(?P<task>{_WORK}{_OBJECT})", is_clear=True),
    _opening(rf"(?:回到|转到|切换到)(?P<task>{_OBJECT})", is_clear=True),
    _opening(rf"{_WE}(?:现在)?来(?P<task>{_ANY}{_OBJECT})"),
    _opening(rf"来(?P<task>{_ANY}{_OBJECT})"),
    _opening(rf"{_CAN}帮(?:我|我们|忙)(?:一起)?(?P<task>{_ANY}{_OBJECT})", counts_in_question=True),
    _opening(
        rf"{_CAN}帮(?:我|我们)(?P<task>把(?P<of>.{{2,}}?){_ANY}(?:一下|好|掉|完)?)$",
        counts_in_question=True,
    ),
    _opening(rf"(?:我|{_WE})(?:现在)?(?:想要?|要|需要|打算|准备|得)(?P<task>{_ANY}{_OBJECT})"),
    _opening(rf"(?:我|{_WE})(?:现在)?正在(?P<task>{_ANY}{_OBJECT})"),
)

CHINESE_TASKS = TaskLanguage(
    cues=(
        *("接下来", "下面", "现在", "接着", "开始", "回到", "转到", "切换到", "我们来", "咱们来"),
        *("帮我", "帮忙", "我想", "我要", "我需要", "我打算", "我准备", "我得", "们要", "们需要"),
        *("正在", "话题", "先不管", "说点别的", "聊点别的", "新任务", "下一个", "下一项", "下一件"),
        *("搞定", "完成", "完了", "完啦", "弄好", "修好", "改好", "写好", "解决", "上线"),
        *("用了", "跑通", "没问题了", "到这", "收工", "们想", "们打算", "们准备", "们得", "搁"),
    ),
    lead=LazyPattern(rf"(?x){_LEAD}"),
    aside=LazyPattern(
        r"""(?x)(?:
          (?P<names>(?:下一个?(?:任务|话题|项|件事)|新(?:的)?任务)(?:是)?[：:，,\s])
        | (?:(?:我们)?换个?(?:话题|任务|事情?)|说点别的|聊点别的|不说这个了)[吧：:，,。\s]+
        | 先不管(?:这个|那个|它|[^，,]{1,12})[，,\s]+
        | 先把?(?:这个|那个|它)?(?:放|搁)(?:一放|一边|一下)?[，,\s]+
        )\s*"""
    ),
    openings=_OPENINGS,
    end_pattern=LazyPattern(
        r"""(?x)(?:
          (?![^，,]*(?:快|还|没|差不多|就要|几乎|不))(?P<what>[^，,]{0,20}?)(?:终于|已经|都|全部|也)?
            (?:搞定|完成|(?:做|弄|写|翻译|整理|测试|处理)完|[弄修改写]好|解决|上线)(?:了|啦)
        | (?:现在|终于|已经)?(?:可以用|能用|跑通|没问题)了
        | (?:这个|那个|今天|那|我们|就){0,2}(?:先|就)?到(?:这里|这儿|这)(?:吧|了)?
        | 收工(?:吧|了|啦)? | (?:我们)?(?:换个?话题|聊点别的|说点别的)(?:吧)?
        )(?P<rest>(?:[，,\s].*)?)$"""
    ),
    pointing=LazyPattern(r"(?:全|这个|那个|这|那|它|今天|任务|这个任务|这件事|事情)?"),
    polite=LazyPattern(
        r"(?:[\W，。！]|谢谢你?|多谢|感谢|辛苦了?|你|太好了|太棒了|很好|厉害|好的?|啦|吧|明天见|再见|晚安|了)*+$"
    ),
    later=LazyPattern(
        r"(?:明天|后天|下周|下个月|明年)(?!的)|怎么|以后|之后|晚点|回头|改天|有空|将来|总有一天|如果|要是|等.{1,8}再|也|不要|[先]?别|不想|吗[，,]"
    ),
    tail=LazyPattern(r"(?:[，,；;：:（(]|因为|所以|然后|不过|但是?).*$"),
    filler=LazyPattern(r"(?:好吗|好不好|行吗|可以吗|一下|[吧了呢啊哦吗嘛]){1,6}$"),
    common=LazyPattern(
        rf"""(?x){_ANY}|一下|一个|一些|这个|那个|这份|那份|这些|那些|第[一二三四五六七八九十\d]+个?|问题|东西|代码|函数
        |文件|测试|错误|事情?|[的了把给在和与及来去一这那]|\d+"""
    ),
)
