"""Word lists for scope: words of people's own lives, and words of their work.

English words stand in their base form; their regular endings are understood. Chinese words are
looked for anywhere in a text, so that pieces which also stand in words of the other kind are left
out.
"""

AROUND = "kid toddler roommate flatmate neighbour neighbor spouse hamster"
"""People and animals around the user who are no kin; for these see `people/kinship`."""
KIN_OR_NOT = frozenset("child parent partner in-law".split())
"""Relations that processes, classes and companies have too."""
PERSONAL = """
    allergy allergic intolerant asthma diabetes diabetic migraine insomnia insulin surgery
    doctor dentist therapist physio clinic medicine medication pill vaccine pregnant pregnancy
    diet vegetarian vegan gluten lactose halal kosher anxiety depression antibiotic penicillin
    ibuprofen aspirin metformin optician injury arthritis cholesterol rent mortgage landlord
    garden kitchen bedroom sofa furniture hometown apartment commute bicycle bike motorbike
    birthday birthplace born nickname pronoun surname nationality citizenship passport visa
    timezone married marry wedding divorce divorced anniversary funeral retirement salary
    pension drink cook breakfast lunch dinner supper coffee tea wine beer whisky spicy pizza
    sushi pasta bread chocolate cheese peanut shellfish shrimp meat seafood vegetable marathon
    swim swimming gym yoga hike hiking skiing tennis football soccer badminton basketball chess
    guitar piano violin choir paint painting photography pottery novel movie film concert band
    hobby vacation holiday hotel museum beach sleep nap university college degree kindergarten
    thesis diploma nurse lawyer accountant freelancer christian muslim jewish buddhist religion
    church mandarin cantonese
"""
"""Health, homes, papers, food, pastimes and schools, whoever has them."""
PERSONAL_OR_NOT = """
    family child children baby parent partner friend home house flat move relocate tablet dose
    symptom blood hospital therapy knee shoulder leg glasses weigh height eat milk sugar fish
    nut train flight fly travel trip tax insurance licence exam interview phone laptop employer
    school student teacher engineer developer programmer designer architect job career
    profession car boss manager colleague coworker teammate mentor email recipe camera album
    podcast sing dance climb ski speak learn language age name game
"""
"""Personal words that a project may have too: the recipes of a cooking site."""
PERSONAL_OR_NOT_ZH = """
    邮箱 电话 手机 名字 年龄 身份证 工作 公司 上班 加班 学历 性格 同事 上司 老板 领导 主管 导师
    老师 学生 学校 学习 出差 生病 身体 电脑 衣服 鞋 书 餐厅 超市 公园 电视
"""
FEELING = "prefer like love enjoy hate dislike adore loathe fear dream live"
"""Verbs that say what a person is like."""
WORK = """
    repo repository codebase monorepo submodule database schema migration endpoint api backend
    frontend microservice middleware webhook gateway daemon cron cronjob deploy deployment
    rollout rollback staging prod canary hotfix changelog makefile dockerfile rebase refactor
    pipeline lint linter compiler compile parser lexer tokenizer namespace config env timeout
    latency throughput cache payload dataset stacktrace traceback segfault regression fixture
    mock codec sprint backlog standup retro milestone roadmap stakeholder login signup auth
    oauth sso sdk cli dependency lockfile enum struct serializer checkout dashboard
"""
"""Things that are built, and what they are built with; a project has them and a person has not."""
CRAFT = """
    python java javascript typescript rust golang ruby php kotlin scala haskell perl bash zsh
    html css sass react vue angular svelte django flask rails laravel fastapi npm pnpm yarn pip
    cargo maven gradle bazel cmake docker podman git github gitlab bitbucket vscode vim neovim
    emacs intellij pycharm xcode jupyter eslint prettier ruff mypy pytest jest junit selenium
    playwright tailwind webpack vite figma linux ubuntu debian macos windows aws azure gcp
    cloudflare mysql mariadb sqlite mongodb elasticsearch rabbitmq numpy pandas pytorch
    tensorflow tab indent indentation docstring comment semicolon formatter commit build release
    production test coverage review server service port host script branch patch tag log logging
    error warning debug debugger ticket issue task feature spec requirement documentation readme
    code editor terminal shell package library framework table column row field index file
    folder directory version client customer product app application website worker thread
    process team deadline prototype upload download export import request response button layout
    modal header class component method variable constant function interface adapter module
    plugin exception crash invoice tenant queue token cluster container query proxy admin merge
    bug ci ssl tls dns vpn postgres postgresql redis kafka nginx kubernetes helm terraform
    graphql grpc json yaml toml csv protobuf jira sql form page flow billing
"""
"""Tools and words of the trade: a person may use them, like them or know them anywhere."""
DOING = """
    decide choose pick agree approve implement fix ship migrate rename remove delete replace
    rewrite revert configure install upgrade bump assign close reopen block rebuild restart fail
    break switch drop finish
"""
"""Verbs for work."""

PHRASES_WORK = (
    r"(?:pull|merge) requests?|code ?base|code review|(?:unit|integration|end-to-end|e2e) tests?"
    r"|data model|feature flags?|source code|stack trace|error codes?|rate limit|on[- ]call"
    r"|acceptance criteria|test suite|memory leak|dead ?lock|PRs?|MRs?|tech debt"
)
PHRASES_PERSONAL = (
    r"blood (?:test|type|pressure|sugar)|(?:eye|driving) test|(?:first|last|full|maiden) name"
    r"|my name|phone number|e-?mail address|time zone|days? off|half marathon|running shoes"
    r"|(?:go|going|went) (?:running|climbing|skiing)|\d+ ?mg|(?:years?|months?) old|car service"
    r"|(?:am|is|was|works? as|worked as) (?:an? |the )?(?:[\w-]+ ){0,3}?"
    r"(?:engineer|developer|programmer|designer|architect|teacher|student|manager|consultant)"
    r"|side effects?|(?:my|his|her) (?:left |right |lower )?"
    r"(?:leg|arm|back|foot|hand|knee|shoulder|tooth|teeth|eyes?|ears?|heart|skin|ankle|wrist)"
)

AROUND_ZH = """
    爸 妈 太太 孩子 宝宝 小孩 哥哥 姐姐 弟弟 妹妹 舅舅 阿姨 叔叔 姑姑 伯父 家人 亲戚 朋友 闺蜜 室友
    邻居 老同学 双胞胎 猫 狗 宠物 兔子 鹦鹉 仓鼠 我家 我们家 家里
"""
PERSONAL_ZH = """
    过敏 药 医院 医生 手术 血压 血糖 血型 糖尿病 哮喘 怀孕 体检 牙医 看牙 拔牙 疫苗 失眠 感冒
    偏头痛 头疼 膝盖 腰疼 近视 减肥 体重 身高 吃素 素食 忌口 乳糖 心脏病 青霉素 头孢 阿司匹林
    胰岛素 住在 居住 住址 搬家 搬到 搬去 房子 公寓 房租 房贷 租房 房东 小区 出生 老家 籍贯 国籍
    生日 属相 星座 结婚 婚礼 离婚 纪念日 退休 毕业 大学 小学 中学 高中 幼儿园 上学 考研 读书
    驾照 护照 签证 工资 存款 养老 买车 开车 骑车 通勤 时区 职业 工程师 护士 律师 设计师 程序员
    自由职业 名叫 名字叫 叫我 我叫 昵称 岁 喝 爱吃 想吃 不吃 吃辣 吃肉 早餐 早饭 午饭 晚饭 晚餐
    做饭 做菜 咖啡 奶茶 啤酒 茶 火锅 海鲜 花生 牛奶 跑步 马拉松 游泳 健身 瑜伽 爬山 徒步 滑雪
    羽毛球 乒乓球 篮球 足球 网球 象棋 围棋 吉他 钢琴 小提琴 唱歌 跳舞 画画 摄影 电影 小说 书法
    追剧 爱好 旅行 旅游 度假 机票 酒店 高铁 航班 出国 早起 熬夜 睡觉 起床 午睡 信佛 基督教 粤语
"""
FEELING_ZH = "喜欢 讨厌 偏好 更爱 热爱 害怕 习惯 擅长 梦想"
WORK_ZH = """
    数据库 接口 端口 分支 部署 构建 编译 测试环境 生产环境 预发 线上 上线 服务器 网关 缓存
    消息队列 微服务 支付服务 订单服务 后台服务 日志 脚本 单元测试 集成测试 测试用例 合并请求
    评审 流水线 工单 迭代 排期 里程碑 灰度 回滚 前端 后端 客户端 服务端 中间件 集群 容器 镜像
    域名 字段 表结构 索引 主键 外键 报错 崩溃 超时 并发 线程 内存泄漏 架构 重构 登录 鉴权 令牌
    解析器 限流 熔断 代码库 看板 站会 组件 模块 配置文件 环境变量 定时任务 数据表 迁移 技术债
    埋点 压测 联调 发版 打包 漏洞 补丁 技术方案 产品经理
"""
CRAFT_ZH = """
    代码 缩进 命名 注释 变量 函数 类名 编辑器 终端 命令行 代码风格 格式化 框架 编程 测试 服务
    配置 版本 发布 需求 文档 项目 系统 功能 任务 客户 团队 提交 页面 按钮 插件 工具 软件 程序
    开发 仓库 依赖
"""
DOING_ZH = "决定 选定 改用 换成 修复 修好 实现 完成 合并 删掉 重写 升级 降级 重启 负责 失败"
