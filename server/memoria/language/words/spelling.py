"""Spelling: two names that may be one name, written otherwise.

People who ask have heard a name, or read it in another script than its writer: Katherine and
Cathrine, 乔治 and 喬治, 李晓芬 and 李小芬. So names are compared by how they sound. Vowels tell
least, as Soundex has it (R. Russell, 1918): names of four consonants and more are one if these are
the same in their order (Mohammed and Muhhamed). Short names that differ by a vowel are mostly two
people (Tim and Tom), and so are names that differ by an ending in -a (Julian and Juliana).
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.words.analyser import fold

_LONG = 6
"""Number of letters from which the second of a name may be another vowel."""
_LEAST_CONSONANTS = 4
"""Least number of consonants of a name whose vowels may differ: Marina and Moreno are two."""
_VOWELS = "aeiouy"
_NO_VOWELS = str.maketrans("", "", _VOWELS)
_FIRST_VARIANTS = {
    "c": "ck", "k": "kc", "q": "qk", "f": ("f", "ph"), "ph": ("ph", "f"), "v": "vw", "w": "wv",
    "s": "sz", "z": "zs", "y": "yji", "j": "jy", "i": "iy",
}  # fmt: skip
_SOUNDS = (
    (lazy_regex(r"sch|sh"), "S"),
    (lazy_regex(r"ch(?=[rl])|ck|q(?:u(?=[eiy]))?|c(?![eiyh])"), "k"),
    (lazy_regex(r"ph|v|w"), "f"),
    (lazy_regex(r"x"), "ks"),
    (lazy_regex(r"c(?=[eiy])|z"), "s"),
    (lazy_regex(r"(?<=[bcdfgjklmnprtvw])h|h(?=[bcdfgjklmnprtvw]|$)"), ""),
    (lazy_regex(r"ie$|ey$|ee|ea|ei|y(?![aou])"), "i"),
    (lazy_regex(r"(?<=[^aeiou])e$"), ""),
    (lazy_regex(r"(.)\1+"), r"\1"),
)
"""Spellings of one sound in English and its neighbours, from the left to the right of the table."""
_TRADITIONAL = (
    "亞佈來俠個們倫偉傑備傳傷傾僅價億償優儲兒內兩冊凍凱別則剛創劃劇劉劍劑勁動務勛勝勞勢勳勵勸"
    "勻匯區協卻厭厲參吳呂員問啟喚喬單嗎嘆嘗噸嚇嚐嚴囌囑國圍園圓圖團執堅報場塊塗塵墊墜墳壇壓壘"
    "壞壯壽夠夢夥奪奮妝姍娛婁婦媽嬋嬰孫學宮實寧審寫寬寵寶將專尋對導層屬島峽崗嵐嶺巖帥師帳帶幣"
    "幫幹幾庫廠廢廣廳張強彈彌彎彥後徑從復徵徹恆恥悶惡惱愛態慘慚慣慮慶憂憑憲憶懇應懲懶懷懸戀戰"
    "戲戶掃掛採揚換揮損搖搶摺撐撥撲擁擇擊擋擔據擠擬擲擴擺擾攔攜攝攤攪敗敵數斬斷於時晉暈暢暫曄"
    "曆曉曬書會朮東條棄棗棟楊楓業極榮構槍樁樂樓標樣樸樹橋機檔檢櫃欄權欽歐歡歲歷歸殘殺殼毀氈氣"
    "決沒況涼淚淨淵淺減測渾湯準溝溫滅滬滯滾滿漁漢漲潔潛潤澀澆澤濕濟濤濾瀉瀏瀰灑灣災為無煉煙煥"
    "煩熱燈燒燙營燦爍爐爛爭爺爾牆牘牽犧狀狹猶獄獎獨獲獵獸獻現瑣瑩瑪環瓊瓏產甦畢畫異當疊瘋瘡療"
    "癢發皚皺盜盞監盤盧眾睜瞞矚矯硯確碼礎礙礦禍禎禪禮稅種稱穀積穎穩窮窯竊競筆筍節範築簡簽籃籌"
    "籠粵糧糰糾紀約紅紋納紐純紙級紛紡紮細紹終組結絕絡給統絲綁經綜綠維綱網綸綿緊緒線緣編緩緯練"
    "縣縫縮縱總績繆織繞繡繩繪繫繳繼續纏纖缽罈罰罷羅義習聖聞聯聰聲聳職聽肅脈脫腦腫腳腸膚膠膽臉"
    "臟臨臺與興舉舊艙艦艱茲莊莖華萊萬葉蒼蓋蔣蔥蕭薦薩藍藝藥蘆蘇蘋蘭蘿處虛號蝕蝦螞蟲蠟蠶蠻術衛"
    "衝裏補裝裡製複褲襪襯襲見規視親覺覽觀觸訂計訊討訓託記訝訪設許訴診証詐評詛詞詢試詩話該詳誇"
    "誌認誕誘語誠誤說誰課誼調談請諒論諧諮諷諸諾謀謊謎謙講謝謠謹證識譚譜譯議護讀變讓讚豎豐豬貓"
    "貝貞負財貧貨販貫責貴買貸費貼貿賀資賈賊賓賞賠賢賣賦質賬賴賺購賽贈贊贏趕趙跡踐蹤躍車軌軍軒"
    "軟較載輔輕輛輝輩輪輯輸輿轄轉轟辦辭辯農這連週進遊運過達違遙遜遞遠適遲遷選遺邁還邊邏郵鄉鄒"
    "鄧鄭鄰醜醞醫醬釀釋針鈔鈕鈞鈣鈴鉛鉤銀銘銳銷鋁鋒鋪鋸鋼錄錘錢錦錯錶鍊鍋鍛鍵鍾鎊鎖鎮鏈鏡鐘鐮"
    "鐵鑑鑒鑰鑼鑽長門閃閉開閑閒間閔閘閣閱閻闊闖關陝陣陰陳陸陽隊階際隨險隱隸隻雖雙雛雜雞離難雲"
    "電霧靈靜韋韌韓響頁頂項順須頌預頑頒頓頗領頭頰頸頻顆題額顏願類顧顫顯風飄飛飢飯飲飼飽飾餅養"
    "餓餘館餵饅饋饒馬馮駐駕駛駱駿騎騙騰騷驅驕驗驚驢驥髒體髮鬆鬚鬥鬧鬱魚魯鮑鮮鯨鱗鳥鳳鳴鴨鴻鴿"
    "鵑鵝鵬鶴鷹鹹鹽麗麥麵麼黃點黨黴齊齒齡龍龔龜"
)
_SIMPLIFIED = (
    "亚布来侠个们伦伟杰备传伤倾仅价亿偿优储儿内两册冻凯别则刚创划剧刘剑剂劲动务勋胜劳势勋励劝"
    "匀汇区协却厌厉参吴吕员问启唤乔单吗叹尝吨吓尝严苏嘱国围园圆图团执坚报场块涂尘垫坠坟坛压垒"
    "坏壮寿够梦伙夺奋妆姗娱娄妇妈婵婴孙学宫实宁审写宽宠宝将专寻对导层属岛峡岗岚岭岩帅师帐带币"
    "帮干几库厂废广厅张强弹弥弯彦后径从复征彻恒耻闷恶恼爱态惨惭惯虑庆忧凭宪忆恳应惩懒怀悬恋战"
    "戏户扫挂采扬换挥损摇抢折撑拨扑拥择击挡担据挤拟掷扩摆扰拦携摄摊搅败敌数斩断于时晋晕畅暂晔"
    "历晓晒书会术东条弃枣栋杨枫业极荣构枪桩乐楼标样朴树桥机档检柜栏权钦欧欢岁历归残杀壳毁毡气"
    "决没况凉泪净渊浅减测浑汤准沟温灭沪滞滚满渔汉涨洁潜润涩浇泽湿济涛滤泻浏弥洒湾灾为无炼烟焕"
    "烦热灯烧烫营灿烁炉烂争爷尔墙牍牵牺状狭犹狱奖独获猎兽献现琐莹玛环琼珑产苏毕画异当叠疯疮疗"
    "痒发皑皱盗盏监盘卢众睁瞒瞩矫砚确码础碍矿祸祯禅礼税种称谷积颖稳穷窑窃竞笔笋节范筑简签篮筹"
    "笼粤粮团纠纪约红纹纳纽纯纸级纷纺扎细绍终组结绝络给统丝绑经综绿维纲网纶绵紧绪线缘编缓纬练"
    "县缝缩纵总绩缪织绕绣绳绘系缴继续缠纤钵坛罚罢罗义习圣闻联聪声耸职听肃脉脱脑肿脚肠肤胶胆脸"
    "脏临台与兴举旧舱舰艰兹庄茎华莱万叶苍盖蒋葱萧荐萨蓝艺药芦苏苹兰萝处虚号蚀虾蚂虫蜡蚕蛮术卫"
    "冲里补装里制复裤袜衬袭见规视亲觉览观触订计讯讨训托记讶访设许诉诊证诈评诅词询试诗话该详夸"
    "志认诞诱语诚误说谁课谊调谈请谅论谐咨讽诸诺谋谎谜谦讲谢谣谨证识谭谱译议护读变让赞竖丰猪猫"
    "贝贞负财贫货贩贯责贵买贷费贴贸贺资贾贼宾赏赔贤卖赋质账赖赚购赛赠赞赢赶赵迹践踪跃车轨军轩"
    "软较载辅轻辆辉辈轮辑输舆辖转轰办辞辩农这连周进游运过达违遥逊递远适迟迁选遗迈还边逻邮乡邹"
    "邓郑邻丑酝医酱酿释针钞钮钧钙铃铅钩银铭锐销铝锋铺锯钢录锤钱锦错表炼锅锻键钟镑锁镇链镜钟镰"
    "铁鉴鉴钥锣钻长门闪闭开闲闲间闵闸阁阅阎阔闯关陕阵阴陈陆阳队阶际随险隐隶只虽双雏杂鸡离难云"
    "电雾灵静韦韧韩响页顶项顺须颂预顽颁顿颇领头颊颈频颗题额颜愿类顾颤显风飘飞饥饭饮饲饱饰饼养"
    "饿余馆喂馒馈饶马冯驻驾驶骆骏骑骗腾骚驱骄验惊驴骥脏体发松须斗闹郁鱼鲁鲍鲜鲸鳞鸟凤鸣鸭鸿鸽"
    "鹃鹅鹏鹤鹰咸盐丽麦面么黄点党霉齐齿龄龙龚龟"
)
"""Common characters in the two scripts of Chinese."""
_FIRST_OF_SYLLABLE = (
    "啊埃鞍肮凹芭白斑邦苞杯奔崩逼鞭标鳖彬兵玻捕擦猜餐苍操厕层插拆搀昌超车郴撑吃充抽初"
    "揣川疮吹春戳疵聪凑粗蹿摧村磋搭呆耽当刀德蹬堤颠碉跌丁丢东兜督端堆墩掇蛾恩而发藩坊"
    "菲芬丰佛否夫噶该干冈篙哥给根耕工钩辜刮乖棺光瑰辊锅哈骸酣夯壕呵嘿痕哼轰喉呼花槐欢"
    "荒灰荤豁击嘉歼僵蕉揭巾荆炯揪鞠捐撅均喀开刊康考坷肯坑空抠枯夸块宽匡亏坤括垃莱蓝琅"
    "捞勒雷棱厘俩联粮撩列琳玲溜龙楼芦驴峦掠抡萝妈埋瞒芒猫么玫门萌眯棉苗蔑民明谬摸谋拇"
    "拿氖南囊挠呢馁嫩能妮蔫娘鸟捏您柠牛脓奴女暖虐挪哦欧啪拍攀乓抛呸喷砰坯篇飘撇拼乒坡"
    "扑期掐牵枪橇切钦青琼秋趋圈缺裙然瓤饶惹壬扔日戎揉茹软蕊闰若撒腮三桑搔瑟森僧莎筛珊"
    "墒梢奢砷声师收蔬刷摔栓霜谁吮说斯松搜苏酸虽孙蓑塌胎坍汤掏特藤梯天挑贴厅通偷凸湍推"
    "吞拖挖歪豌汪威瘟嗡挝巫昔瞎掀相萧楔薪星兄休墟轩靴勋压焉殃邀椰一茵英哟拥幽迂鸳曰耘"
    "匝栽咱赃遭责贼怎增扎摘瞻樟招遮珍蒸芝中舟珠抓拽专桩椎谆捉兹鬃邹租钻嘴尊昨"
)
"""The standard GB 2312 orders its 3,755 commoner characters by how they are read; here is the first
character of each reading, without tones."""


def may_be_one_name(one: str, other: str) -> bool:
    """Check whether two spellings may be of one name.

    >>> may_be_one_name("Katherine", "Cathrine"), may_be_one_name("Tim", "Tom")
    (True, False)
    """
    if _is_han(one) or _is_han(other):
        return _sound_alike_in_chinese(one, other)
    first, second = _sound(fold(one)), _sound(fold(other))
    if first == second:
        return True
    if first.endswith("a") != second.endswith("a"):
        return False
    return _list_consonants(first) == _list_consonants(second) != ""


def may_be_stems_of_one_name(one: str, other: str) -> bool:
    """Check whether two words of the index may be of one name.

    A stem lacks an ending that a name only seems to have, such as the -ed of Mohamed.
    """
    if may_be_one_name(one, other):
        return True
    shorter, longer = sorted((_sound(one), _sound(other)), key=len)
    told, whole = (each[:1] + each[1:].translate(_NO_VOWELS) for each in (shorter, longer))
    return len(told) >= _LEAST_CONSONANTS - 1 and whole[: len(told)] == told


def _list_consonants(sound: str) -> str:
    """Return the consonants behind a name's first sound, which stays; none of a short one."""
    found = sound[:1] + sound[1:].translate(_NO_VOWELS)
    return found if len(found) >= _LEAST_CONSONANTS else ""


def iterate_beginnings(name: str) -> Iterator[str]:
    """Yield beginnings of words of the same sound: two letters, of Chinese one character."""
    if _is_han(name):
        yield from _list_forms(name[0])
        return
    word = fold(name)
    first = "ph" if word.startswith("ph") else word[:1]
    second = word[len(first) : len(first) + 1]
    for variant in _FIRST_VARIANTS.get(first, (first,)):
        yield variant + second
        if second and second in _VOWELS and len(name) >= _LONG:
            yield from (variant + other for other in _VOWELS.replace(second, ""))
        elif second == "h":  # Christine, Kristine; Johan begins like John
            yield variant + word[len(first) + 1 : len(first) + 2]
        elif first in ("c", "k") and second in ("r", "l"):
            yield f"{variant}h"


def simplify(text: str) -> str:
    """Return the text with its common characters in their simplified form."""
    return text.translate(_map_forms())


def _sound(word: str) -> str:
    """Return how a word sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _sound_alike_in_chinese(one: str, other: str) -> bool:
    """Check whether two names differ in nothing but characters that are read alike."""
    first, second = simplify(one), simplify(other)
    if first == second:
        return True
    if len(first) != len(second) or len(first) <= 2 or first[0] != second[0]:  # noqa: PLR2004
        return False
    return all(map(is_read_alike, first, second))


def is_read_alike(one: str, other: str) -> bool:
    """Check whether two characters are read alike, or are two forms of one."""
    first, second = simplify(one), simplify(other)
    return first == second or (_reading(first) == _reading(second) != -1)


def _reading(character: str) -> int:
    """Return the number of a character's reading; -1 where it is not among the commoner ones."""
    place = _place(character)
    return bisect_right(_first_places(), place) - 1 if place else -1


def _place(character: str) -> int:
    """Return a character's place in GB 2312, if it is one of those ordered by reading; else 0."""
    try:
        place = int.from_bytes(character.encode("gb2312"), "big")
    except UnicodeEncodeError:
        return 0
    return place if 0xB0A1 <= place < 0xD8A1 else 0  # noqa: PLR2004  (level 1 of the standard)


@cache
def _first_places() -> list[int]:
    return [int.from_bytes(one.encode("gb2312"), "big") for one in _FIRST_OF_SYLLABLE]


@cache
def _map_forms() -> dict[int, str]:
    return dict(zip(map(ord, _TRADITIONAL), _SIMPLIFIED, strict=True))


def _list_forms(character: str) -> list[str]:
    """List a character as it is, simplified, and in its traditional forms."""
    plain = simplify(character)
    traditional = (t for t, s in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if s == plain)
    return list(dict.fromkeys((character, plain, *traditional)))


def _is_han(text: str) -> bool:
    return "一" <= text[:1] <= "鿿"
