"""What the speed bench reads: a news text, its fields and labels, and passages for a batch. All of it made up.

Chinese is written in words, a stroke between two, so that the bench's tokenizer can know them; `plain` takes the
strokes out.
"""

_NEWS = """
星海/科技/公司/创始人/李明华/3月18日/在/杭州/宣布/，/公司/已经/完成/2.4亿元/的/第二/轮/融资/，/资金/将/用于/研发/新/
一代/智能/手表/ Aurora Watch 2。/本次/投资/由/东方/资本/领先/参与/，/多家/国内/基金/共同/加入/。/李明华/表示/，/
团队/过去/三年/一直/专注/于/低/功耗/芯片/和/健康/数据/的/研究/，/新/产品/可以/连续/工作/十五/天/，/并且/能够/记录/
心率/、/睡眠/和/血氧/等/多种/指标/。/分析/人士/认为/，/可穿/戴/设备/的/市场/正在/快速/增长/，/但是/竞争/也/越来/越/
激烈/，/企业/需要/在/价格/、/质量/与/服务/之间/找到/平衡/。/根据/行业/协会/公布/的/报告/，/去年/全国/智能/手表/的/
销售/数量/达到/4200万/台/，/同比/增长/百分/之/十八/，/其中/国产/品牌/占/有/七成/左右/的/份额/。/当地/政府/有关/部门/
负责/人/介绍/说/，/杭州/近年/来/不断/加大/对/新兴/产业/的/支持/力度/，/已/建成/六个/专业/园区/，/吸引/了/一千/多家/
中小/企业/落户/，/带动/就业/超过/五万/人/。/公司/计划/今年/下半/年/在/深圳/和/成都/设立/研发/中心/，/预计/招聘/三百/
名/工程/师/。/对于/外界/关心/的/上市/问题/，/李明华/回答/说/目前/还/没有/具体/时间/安排/，/首先/要/把/产品/做好/，/
让/更多/普通/家庭/用得/起/、/用得/好/。/记者/了解/到/，/新/手表/的/第一/批/样品/已经/送到/多家/医院/进行/测试/，/
医生/反映/数据/比较/准确/，/操作/也/十分/简单/。/专家/同时/提醒/，/手表/提供/的/结果/只能/作为/参考/，/不能/代替/
正式/的/医学/检查/，/消费/者/应当/根据/自己/的/实际/需要/选择/合适/的/型号/。
"""
_STORY = """
昨天/下午/，/城市/中心/的/老/图书/馆/重新/开放/，/许多/市民/带着/孩子/前来/参观/。/经过/两年/的/修复/，/木制/的/
楼梯/和/彩色/玻璃/窗户/恢复/了/原来/的/样子/，/阅览/室/增加/了/两百/个/座位/，/地下/一层/改成/了/展览/空间/。/工作/
人员/告诉/我们/，/周末/将/举办/一系列/讲座/，/介绍/本地/的/历史/、/音乐/和/传统/手工/艺术/。/一位/住在/附近/的/老人/
说/，/他/小时/候/几乎/每天/放学/都/来/这里/看书/，/现在/看到/它/重新/热闹/起来/，/心里/非常/高兴/。/图书/馆/每周/二/
到/周日/开放/，/进入/参观/不/需要/门票/，/但/人数/较多/时/要/提前/在/网上/预约/。
"""
_ENGLISH = """
The city council voted on Monday to build a new tram line between the harbour and the university, a project that
has been discussed for more than ten years. Work is expected to begin in spring and to cost about 340 million euros,
half of which will be paid by the state. Supporters say the line will take thousands of cars off the road each day
and cut the trip across town from forty minutes to fifteen. Some shop owners along the route are worried that years
of building work will keep customers away, and have asked for help with the rent. The mayor promised to meet them
next week and said that the work would be done in short parts, one street at a time, so that no shop is closed for long.
"""

LABELS = "财经|体育|科技/新闻|国际/政治|医疗/健康|教育/与/就业|环境/保护/和/能源|交通/运输/与/城市/建设"
EDITED = ("体育", "体育/赛事")
"""A label, and what it is edited to."""
ADDED = "旅游/美食"
FIELDS = "人物|公司|地点|日期|金额|产品"
VALUES = "李明华|星海/科技/公司|杭州|3月18日|2.4亿元|智能/手表/ Aurora Watch 2"
"""A value of each field, as it stands in the text's beginning."""

FRAME = "输入|分类|抽取|输出"
"""Words of the prompt, for the tokenizer to know."""


def plain(words: str) -> str:
    """The text without the strokes between its words."""
    return words.replace("/\n", "/").replace("/", "").replace("\n", " ").strip()


def news() -> str:
    """The text that is classified and extracted from."""
    return plain(_NEWS)


def passages() -> list[str]:
    """The texts that a batch is cut from, each as long as 400 tokens."""
    story, english = plain(_STORY), plain(_ENGLISH)
    return [news() + story, " ".join([english] * 3), story * 2 + news()]


def labels() -> tuple[str, ...]:
    """Eight labels."""
    return tuple(map(plain, LABELS.split("|")))


def relabelled() -> tuple[str, ...]:
    """The labels after one was edited and one added."""
    before, after = map(plain, EDITED)
    return (*(after if label == before else label for label in labels()), plain(ADDED))


def fields() -> tuple[str, ...]:
    """Six fields."""
    return tuple(map(plain, FIELDS.split("|")))


def values() -> tuple[str, ...]:
    """A value of each field."""
    return tuple(map(plain, VALUES.split("|")))


def everything() -> list[str]:
    """All of the above in words, for the tokenizer."""
    lists = [part.replace("|", "/") for part in (FRAME, LABELS, FIELDS, VALUES)]
    return [_NEWS, _STORY, _ENGLISH, *lists, EDITED[1], ADDED]
