"""The words of the classifier that keep their form, and kinds of those that do not."""

CLOSED = frozenset(
    """
    i i'm i've i'd i'll im ive me my mine myself we we're we've we'd we'll us our ours you you're your yours u ur
    he she it they him her them his hers its their it's he's she's they're this that these those that's there here
    a an the some any no none every each all both either neither other another such
    am is are was were be been being isn't aren't wasn't weren't do does did don't dont doesn't didn't
    have has had haven't hasn't hadn't having can could can't cannot couldn't will would won't wouldn't shall
    should shouldn't may might must ought need needs
    not never always ever usually often sometimes rarely generally normally typically mostly only just still
    already now currently today tonight yesterday tomorrow lately recently once again anymore soon later
    please pls plz let let's lets
    and or but so because since if unless when whenever while whether until till though although as than
    of in on at by for with without from to into about over under after before between through during per
    what which who whose whom where why how
    prefer like love hate dislike enjoy want wants wish hope plan planning promise promised decided decide
    goal aim dream favourite favorite rather used use call called name named born live lives work works
    stand allergic fan into tend go-to suits keen fond
    more most less least better best too very really quite much many few
    yes no ok okay well oh sure great thanks thank sorry lol haha
    future forward onwards henceforth time times
    said says say told asked think guess maybe perhaps probably wonder suppose imagine pretend
    someone somebody anyone people everyone everybody nobody
    """.split()  # noqa: E501
)
KINDS = {
    **dict.fromkeys(
        """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
        fridays saturdays sundays weekday weekdays weekend weekends""".split(),  # noqa: E501
        "*day",
    ),
    **dict.fromkeys(
        """january february march april june july august september october november december
        spring summer autumn winter""".split(),
        "*month",
    ),
    **dict.fromkeys(
        "morning mornings evening evenings afternoon afternoons night nights noon".split(),
        "*daytime",
    ),
    **dict.fromkeys(
        "year years month months week weeks day days hour hours minute minutes".split(), "*span"
    ),
    **dict.fromkeys(
        """one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
        hundred thousand""".split(),  # noqa: E501
        "*0",
    ),
    **dict.fromkeys(
        """answer answers reply replies respond response responses explain explanation explanations write
        include add give list show format use cite mention quote convert summarise summarize translate
        start end begin finish put name specify provide keep avoid skip stop suggest recommend remind warn
        assume treat speak talk address refer ask check confirm flag highlight note round tell mark
        """.split(),  # noqa: E501
        "*tell",
    ),
    **dict.fromkeys(
        """friend friends colleague colleagues boss manager coworker neighbour neighbor roommate flatmate
        teammate mentor landlord dog cat rabbit parrot horse""".split(),  # noqa: E501
        "*kin",
    ),
    **dict.fromkeys(
        """prioritise prioritize value favour favor treasure cherish adore relish detest loathe
        despise gravitate lean swear rely insist opt stick refuse""".split(),
        "*favour",
    ),
    **dict.fromkeys(
        """agreed committed scheduled allocated allocating enrolled booked accepted adopted declined
        negotiated joined signed""".split(),
        "*undertake",
    ),
    **dict.fromkeys(
        """targeting aiming saving training preparing switching moving exploring considering hoping
        applying""".split(),
        "*intend",
    ),
}
CLOSED_ZH = {
    word: word
    for word in """
    我 我们 咱 咱们 俺 本人 我的 我家 你 您 你们 他 她 它 他们 她们 大家 别人 人家 有人 自己 这 那 这个 那个 这样 那样 这次 这里 那里
    的 了 着 过 得 地 是 不是 在 有 没有 没 不 都 也 就 还 又 再 才 只 很 太 最 更 比较 特别 非常 真 挺 蛮 超 好
    要 想 想要 会 能 可以 应该 必须 得 需要 打算 计划 准备 决定 希望 目标 答应 保证 承诺 约好 发誓 争取
    请 别 不要 不用 不许 务必 一律 统一 尽量 记得 记住 别忘了 以后 以後 今后 往后 从今以后 从现在起 每次 每当 每回 永远 始终 一直 总是 从来 从不 从小
    如果 要是 假如 假设 万一 只要 凡是 遇到 当 时 的时候 的话 要不是 倘若
    和 跟 与 及 或 但 但是 可是 不过 因为 所以 虽然 而 而且 比 比起 对 对于 给 把 被 让 叫 用 从 到 向 往 为 以
    喜欢 讨厌 爱 最爱 偏爱 偏好 习惯 受不了 宁愿 宁可 不爱 不吃 从不吃 过敏 爱好 兴趣
    平时 一般 通常 经常 常 常常 偶尔 每天 每周 每年 每月 周末
    今天 昨天 明天 刚才 刚刚 现在 目前 最近 今晚 昨晚 上周 下周 上个月 下个月 今年 明年 去年 后年 年底 以前 曾经 小时候 当时 那时
    吗 呢 吧 啊 呀 啦 嘛 哦 哈哈 呵呵 唉 哎 ？ ！ ， 、 : “ ”
    什么 怎么 谁 哪 哪里 多少 几 为什么 如何
    说 觉得 认为 听说 据说 好像 可能 也许 大概 似乎 不知道 不确定
    回答 回复 解释 推荐 提醒 告诉 写 列 翻译 代码 语气 称呼 名字 姓名 生日 岁 出生 住 住在 老家 来自 毕业 工作 上班 职业 电话 手机号 邮箱 身高 体重 血型 星座 学历 专业 单位 公司
    朋友 同事 老板 经理 上司 领导 室友 邻居 闺蜜 同学 老师 徒弟 师傅 男朋友 女朋友 搭档 合伙人 猫 狗
    """.split()  # noqa: E501
}
