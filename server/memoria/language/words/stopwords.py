"""Stop words: words too common to distinguish documents, in both languages.

Only closed-class words: articles, pronouns, prepositions, auxiliaries and question words. A word
with a meaning of its own is never listed, however common it is.
"""

_ENGLISH = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose which what when where why how
am is are was were be been being do does did doing done have has had having
will would shall should can could might must ought
and or but nor so yet if then else than because as until while though although
of at by for with about against between into through during before after above below to from
up down in out on off over under again further once here there
all any both each few more most other some such no not only own same too very just also
don doesn didn isn aren wasn weren won wouldn shouldn couldn haven hasn hadn ain
s t d ll m re ve
""".split()

# Chinese text is indexed as characters and pairs, so both lengths are listed.
_CHINESE = """
的 了 是 在 我 你 您 他 她 它 们 这 那 有 和 与 及 或 也 都 就 而 但 被 把 让 给 对 从 到 向 于 以
为 之 其 此 吗 呢 吧 啊 呀 哦 嘛 么 着 过 得 地 很 还 又 再 要 会 能 可 个 什 怎 哪 谁 几 啥 一
不 上 下 我们 你们 他们 她们 它们 这个 那个 这些 那些 什么 怎么 怎样 为什 哪里 哪个 哪些 多少
一个 一些 是否 有没 没有 可以 因为 所以 如果 但是 而且 或者 以及 还是 就是 不是 是不
""".split()

_SIGNS = "© ® ™ °".split()

STOP_WORDS = frozenset(_ENGLISH + _CHINESE + _SIGNS)
