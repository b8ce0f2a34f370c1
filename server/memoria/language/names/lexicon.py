"""Word lists for the rules that find names and roles: the commonest words, in both languages.

The lists are short on purpose. Rules with few words find little and are seldom wrong. A model finds
what they miss, and search finds the text in any case.
"""

GIVEN_NAMES = frozenset(
    """
    Adam Alan Alex Alexander Alice Amanda Amy Andrew Angela Anna Anne Anthony Barbara Ben Benjamin
    Betty Bob Brian Carl Carla Carlos Carol Caroline Catherine Charles Charlotte Chris Christine
    Christopher Claire Dan Daniel David Deborah Diana Donald Edward Elena Elizabeth Emily Emma Eric
    Eva Frank Fred Gary George Hannah Harry Heather Helen Henry Ivan Jack Jacob James Jane Janet
    Jason Jeff Jennifer Jessica Jim Joe John Jonathan Joseph Joshua Julia Julie Karen Kate Katherine
    Kevin Kim Larry Laura Lee Linda Lisa Louis Lucas Lucy Luke Maria Mark Martin Mary Matthew
    Melissa Michael Michelle Mike Nancy Nathan Nicholas Nicole Nina Olivia Oliver Oscar Patricia
    Patrick Paul Peter Philip Rachel Ralph Rebecca Richard Robert Roger Ronald Rose Ryan Sam Samuel
    Sandra Sara Sarah Scott Sharon Simon Sophia Sophie Stephanie Stephen Steve Steven Susan Thomas
    Tim Timothy Tom Tony Victor Victoria Vincent Walter William
    Chen Lei Lin Mei Ming Qiang Tao Wei Xiao
    """.split()
)
TITLES = frozenset("Mr Mrs Ms Miss Dr Prof Professor Sir Madam Uncle Aunt".split())
RELATIONS = frozenset(
    """
    wife husband son daughter brother sister mother father mom mum dad boss manager colleague
    coworker friend roommate neighbour neighbor partner girlfriend boyfriend cousin uncle aunt niece
    nephew teacher doctor dentist cat dog
    """.split()
)
NAMELESS = frozenset(
    """
    I I'm I'll I've I'd OK Okay Yes No Not The A An And But Or So If When While What Who Where Why
    How This That These Those It He She We You They My Your His Her Our Their Its Please Thanks
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
    Christmas Easter Thanksgiving Spring Summer Autumn Winter
    English Chinese Mandarin Cantonese French German Spanish Japanese Korean Russian Italian
    American British European Asian Indian
    User Assistant Internet Web Wi-Fi AI Hi Hey Hello Wow Yeah Sure Sorry Dear Congrats Thank
    Have Has Had Having I’m I’ll I’ve I’d We’re You’re They’re We're You're They're
    Here By Yep Yes Recently
    Mom Mum Dad Grandma Grandpa God Do Does Did Is Are Was Can Could Would Should Let
    """.split()
)
"""Words that English capitalises although they name nobody and nothing."""
NO_PLACES = frozenset(
    """
    Python Java JavaScript TypeScript Rust Go Ruby Kotlin Swift Docker Git Linux Windows Excel Word
    Slack Jira Notion Figma Markdown Unicode Zoom Teams Postgres SQLite Redis
    """.split()
)
"""Words that may follow "in" and are no places."""
NUMBERED = frozenset(
    """
    Room Chapter Section Step Page Figure Table Issue Line Version Day Week Top Level Phase Part
    Number Item Point Option Question Case Test Task Type Class Grade Year Floor Building Gate
    Game Match Round Episode Season
    """.split()
)
"""Words that may precede a number and are no products."""
PRODUCTS = frozenset("Windows Android Ubuntu Debian Fedora iPhone iPad PlayStation Galaxy".split())
"""Products whose version is a bare number."""
ORGANISATION_ENDS = frozenset(
    """
    Inc Inc. Ltd Ltd. LLC Corp Corp. Corporation GmbH Company Co. University College Institute
    Foundation Bank Hospital Laboratories Labs Group Association Academy
    """.split()
)
CITIES = frozenset(
    """
    Beijing Shanghai Guangzhou Shenzhen Hangzhou Nanjing Wuhan Chengdu Chongqing Suzhou Tianjin
    London Paris Berlin Munich Madrid Rome Vienna Zurich Amsterdam Tokyo Osaka Kyoto Seoul Singapore
    Sydney Melbourne Toronto Vancouver Boston Chicago Seattle Austin Denver
    China Japan Germany France Spain Italy Canada Australia India Brazil Mexico Switzerland
    """.split()
)
CITIES_ZH = frozenset(
    """
    北京 上海 广州 深圳 杭州 南京 武汉 成都 重庆 苏州
    天津 西安 长沙 厦门 青岛 大连 宁波 香港 澳门 台北
    东京 大阪 京都 首尔 新加坡 伦敦 巴黎 柏林 纽约 旧金山 西雅图 多伦多 悉尼
    中国 美国 英国 日本 德国 法国 加拿大 澳大利亚 韩国 浙江 江苏 广东 四川 云南
    """.split()
)
SURNAMES_ZH = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚"
    "卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷龙史陶贺毛郝顾龚邵万钱严武戚莫孔"
)
COMPOUND_SURNAMES_ZH = ("欧阳", "司马", "上官", "诸葛", "司徒", "慕容")
NO_NAMES_ZH = frozenset(
    """
    高兴 方便 方法 方案 方向 时间 任何 任务 安全 安排 王国
    白天 白色 黄色 黄金 马上 马路 江南 周末 周一 周二 周三
    周四 周五 周六 周日 周围 金额 金钱 程序 程度 石头 叶子
    夏天 夏季 文件 史料 万一 于是 何时 何必 段落 钱包 严重
    毛病 毛衣 雷达 龙虾 水平 孔子 余额 万事 许多 许可 明天 张开 张罗
    小说 小时 小心 小区 小组 小学 小孩 小数 小结 小事 小型 小费 小伙 小吃 小狗 小猫 小路 小声
    老师 老板 老家 老是 老人 老婆 老公 老虎 老鼠 老化 老实 老大
    阿姨 阿里
    """.split()
)
PLACES_ZH = """
    公园 学校 图书馆 医院 超市 机场 车站 餐厅 饭店 酒店
    咖啡馆 办公室 教室 厨房 客厅 卧室 家里 家 操场 体育馆 健身房
""".split()
COMMON_PLACES_ZH = frozenset(PLACES_ZH) | frozenset(
    """
    城市 都市 超市 夜市 股市 上市 小镇 乡镇 道路 公路 马路 铁路 大街 逛街
    高山 爬山 外国 全国 祖国 各国 本国 出国 回国 农村 乡村 小区 地区 社区 山区 学区 海岛
    """.split()
)
COMMON_ORGANISATIONS_ZH = frozenset(
    """
    互联网公司 电影制作公司 上市公司 科技公司 外贸公司 保险公司 软件公司 游戏公司 广告公司 建筑公司
    重点大学 名牌大学 理工大学 综合大学 艺术学院 商学院 医学院 法学院 人民医院 中心医院 重点中学
    """.split()
)
PLACES_EN = frozenset(
    """
    park school library hospital supermarket airport station restaurant hotel cafe office classroom
    kitchen gym garden beach lab home work university museum
    """.split()
)
VERBS_ZH = """
    喜欢 讨厌 认识 参加 学习 使用 帮助 购买 负责 管理 离开 加入 完成 教 爱
    踢 吃 喝 买 卖 看 读 写 学 用 养 打 玩 住 去 做 开 修 画 唱 弹 带
""".split()
VERBS_EN = {
    **{
        form: base
        for base, forms in {
            "have": "has had have",
            "eat": "eats ate eat",
            "drink": "drinks drank drink",
            "buy": "buys bought buy",
            "sell": "sells sold sell",
            "read": "reads read",
            "write": "writes wrote write",
            "teach": "teaches taught teach",
            "drive": "drives drove drive",
            "leave": "leaves left leave",
            "meet": "meets met meet",
            "lead": "leads led lead",
            "build": "builds built build",
            "speak": "speaks spoke speak",
            "run": "runs ran run",
            "know": "knows knew know",
            "study": "studies studied study",
            "own": "owns owned own",
        }.items()
        for form in forms.split()
    },
    **{
        base + end: base
        for base in (
            "play like love want need visit learn help join finish manage maintain adopt "
            "prefer paint collect cook hate use"
        ).split()
        for end in ("", "s", "ed" if not base.endswith("e") else "d")
    },
}
"""Forms of verbs that take an object, and what they are forms of."""
