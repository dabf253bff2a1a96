"""Phones, e-mails, addresses on the net, and numbers that identify something."""

from training.texts.template import one_of
from training.texts.zh_values.compose import (
    between,
    characters,
    digits,
    either,
    joined,
    letters,
    listed,
    mixed,
    several,
    sometimes,
)

_LOWER = "abcdefghijklmnopqrstuvwxyz"
_HEX = "0123456789abcdef"
_prefix = listed("""
130 131 132 133 135 136 137 138 139 150 151 152 153 155 156 157 158 159 166 170 173 176 177 178 180 181 182 183
185 186 187 188 189 191 198 199
""")
_mobile = joined(_prefix, digits(8))
_area_code = listed("""
010 020 021 022 023 024 025 027 028 029 0551 0571 0512 0755 0731 0371 0531 0532 0591 0592 0411 0431 0451 0771 0871
0931 0311 0791 0760 0577
""")
phone = mixed(
    (8, _mobile),
    (2, joined(_prefix, listed("- _"), digits(4), listed("- _"), digits(4))),
    (4, joined(_area_code, "-", between(2, 9), either(digits(6), digits(7)))),
    (1, joined("（", _area_code, "）", between(2, 9), digits(7))),
    (1, joined(_area_code, between(2, 8), digits(7), sometimes(0.5, joined(listed("转 -"), between(100, 9999))))),
    (2, joined("400-", digits(3), "-", digits(4))),
    (1, joined("400", digits(7))),
    (1, joined(listed("+86 +86_ +86- 0086-"), _mobile)),
    (1, joined(listed("+852_ +853_ +886_"), digits(4), " ", digits(4))),
    (1, joined("+1 ", digits(3), "-", digits(3), "-", digits(4))),
    (1, joined(_prefix, "****", digits(4))),
    (
        1,
        listed("""
110 120 119 12345 12315 10086 10010 95588 95533 12306 95188 114 96110 12320 4008123123 8008108888
"""),
    ),
)
_handle = mixed(
    (
        4,
        joined(
            listed("""
zhang wang li liu chen yang zhao huang zhou wu xu sun ma zhu lin guo he gao luo tang song
"""),
            listed("""
wei jing qiang lei min tao fang yan jun na hui xin ming yu hao xiaoming jianguo lili
"""),
        ),
    ),
    (2, joined(characters(_LOWER, 4), digits(3))),
    (
        2,
        listed("""
hr info service sales admin contact support jobs zhaopin kefu tougao bd office marketing noreply sunny lucky happy
star moon
"""),
    ),
    (1, joined(listed("zhang wang li chen lin xu"), listed(". - ."), listed("wei jing fei tao min hua"))),
    (1, joined(listed("li wang zhang chen he"), one_of("_"), listed("ming hong dong yu"), between(1, 99))),
)
_domain = mixed(
    (
        3,
        listed("""
qq.com 163.com 126.com sina.com gmail.com outlook.com foxmail.com hotmail.com sohu.com yeah.net 139.com aliyun.com
"""),
    ),
    (
        3,
        joined(
            listed("""
qiming huarui zhongke yunfan blue-sea star ruifeng tiancheng lanhai fudan tsinghua pku zju ustc kaisheng greenland
newtech dataflow hengxin bright
"""),
            listed(".com .cn .com.cn .net .edu.cn .org .gov.cn .io"),
        ),
    ),
)
email = mixed(
    (6, joined(_handle, sometimes(0.3, between(1, 9999)), "@", _domain)),
    (2, joined(between(10000, 999999), digits(4), "@qq.com")),
    (1, joined(_mobile, "@", listed("163.com 139.com 126.com"))),
)
_path = joined(
    "/",
    listed("""
news index.html article p detail item user/login download docs/intro zh/about blog/2023 product s questions/tagged
course a/b v list.htm event
"""),
    sometimes(0.5, joined("/", either(between(100, 999999), characters(_LOWER, 6)))),
    sometimes(0.2, joined("?id=", between(1, 9999), sometimes(0.4, joined("&from=", listed("app share wx pc"))))),
)
url = mixed(
    (4, joined(listed("https://www. http://www. https:// http:// https://m."), _domain, sometimes(0.6, _path))),
    (2, joined(listed("www. m. mail. bbs. docs."), _domain, sometimes(0.3, _path))),
    (1, joined(_domain, sometimes(0.4, _path))),
    (
        1,
        joined(
            "https://",
            listed("""
github.com/ t.cn/ b23.tv/ weibo.com/ pan.baidu.com/s/ v.douyin.com/ mp.weixin.qq.com/s/ www.zhihu.com/question/
"""),
            characters(_LOWER + "0123456789ABCDEFG", 7),
        ),
    ),
)
_octet = between(0, 255)
_ipv4 = joined(
    listed("10 172 192 8 114 61 202 219 121 47 120 39 58 223"), ".", _octet, ".", _octet, ".", between(1, 254)
)
ip_address = mixed(
    (8, _ipv4),
    (2, joined("192.168.", between(0, 10), ".", between(1, 254))),
    (1, joined(_ipv4, ":", listed("80 8080 3306 22 443 6379"))),
    (1, joined(_ipv4, "/", listed("24 16 8 32"))),
    (1, joined("fe80::", several(characters(_HEX, 4), 2, 4, ":"))),
    (1, joined("2001:", several(characters(_HEX, 4), 6, 6, ":"), ":", characters(_HEX, 4))),
)
_nick = mixed(
    (
        2,
        listed("""
夏天的风 追风少年 小熊饼干 一只鱼 不吃香菜 北城以北 奶茶不加糖 云淡风轻 快乐小狗 月亮邮递员 爱吃鱼的猫 星河万里
沉默的羔羊 阳光男孩 隔壁老王 打工人阿强 吃土少女 旅行的蜗牛 晚风吻尽荷花叶 熬夜冠军 momo 柠檬不酸 西瓜大王
我是大魔王 平平无奇小天才
"""),
    ),
    (
        1,
        joined(
            listed("爱吃 想要 正在 不想 喜欢 偷偷"),
            listed("火锅 上班 减肥 睡觉 西瓜 看海 学习 发呆"),
            "的",
            listed("小猫 阿杰 猪猪 少女 程序员 企鹅 胖虎 小李 兔子"),
        ),
    ),
    (
        1,
        joined(
            listed("小 大 阿 老 萌萌"),
            listed("柚子 土豆 橙子 丸子 石头 木木 星星 团子 豆包 核桃"),
            sometimes(0.4, either(digits(2), digits(4))),
        ),
    ),
)
username = mixed(
    (3, _nick),
    (4, joined(_handle, sometimes(0.5, either(digits(2), digits(4))))),
    (2, joined("@", either(_nick, _handle))),
    (
        1,
        joined(
            listed("user wx wxid admin test tb dy guest"),
            one_of("_", "", "-"),
            either(digits(4), characters(_LOWER + "0123456789", 8)),
        ),
    ),
    (1, listed("root admin administrator guest 匿名用户 匿名网友 游客 dev01 ops-bot")),
    (1, joined(between(10000, 999999), digits(4))),
)
_topic = mixed(
    (
        2,
        listed("""
高考加油 今日份快乐 春节档电影 健身打卡 美食探店 我的旅行日记 周末去哪儿 双十一 世界读书日 五一假期 职场那些事
考研上岸 萌宠日常 今天穿什么 减脂餐 暴雨 油价上调 人工智能 新能源汽车 中国女排 读书分享 OOTD 奥运会 好物推荐
数码测评 考公 反诈宣传 垃圾分类
"""),
    ),
    (
        1,
        joined(
            listed("周末 武汉 成都 秋天 冬日 毕业 春日 亲子 校园 国庆 上海 杭州"),
            listed("vlog 探店 穿搭 旅行 生活 记录 美食 打卡 拍照 攻略 露营 樱花"),
        ),
    ),
)
hashtag = mixed(
    (5, joined("#", _topic, "#")),
    (4, joined("#", _topic)),
    (1, joined("#", listed("AI travel foodie fashion python weekend climate fitness worldcup"))),
)
id_number = mixed(
    (
        8,
        joined(
            listed("""
110101 310104 440106 320505 330106 340104 420106 510107 610113 370202 430104 410105 350203 210102 500103 130102
620102
"""),
            between(1940, 2016),
            between(1, 12, 1, "02d"),
            between(1, 28, 1, "02d"),
            digits(3),
            characters("0123456789X", 1),
        ),
    ),
    (1, joined(listed("E G D P EA EB"), digits(8))),
    (1, joined(digits(6), "********", digits(4))),
    (
        1,
        joined(listed("340104 110101"), between(60, 99), between(1, 12, 1, "02d"), between(1, 28, 1, "02d"), digits(3)),
    ),
)
bank_card = mixed(
    (5, joined(listed("6222 6228 6217 6225 6214 6226 6230"), digits(12), sometimes(0.6, digits(3)))),
    (
        2,
        joined(
            listed("6222 6228 6217 6225"),
            " ",
            digits(4),
            " ",
            digits(4),
            " ",
            digits(4),
            sometimes(0.6, joined(" ", digits(3))),
        ),
    ),
    (1, joined(listed("4 5"), digits(15))),
    (1, joined(listed("6222 6217"), "********", digits(4))),
    (1, joined(listed("1100 3200 4402 0200"), digits(15))),
    (1, joined("尾号", digits(4))),
)
_stamp = joined(between(2019, 2027), between(1, 12, 1, "02d"), between(1, 28, 1, "02d"))
order_number = either(
    joined(_stamp, digits(6)),
    joined(
        listed("DD JD PO SO TB OD ORD D E"), sometimes(0.3, one_of("-")), _stamp, sometimes(0.4, one_of("-")), digits(4)
    ),
    digits(12),
    digits(18),
    joined(listed("# NO. PO- ORD-"), digits(6)),
    joined(letters(2), digits(8)),
)
tracking_number = either(
    joined("SF", digits(13)),
    joined(listed("YT ZTO STO JDV JT DPK EMS YD"), digits(12)),
    digits(12),
    digits(13),
    joined(letters(2), digits(9), "CN"),
    joined("7", digits(14)),
)
contract_number = either(
    joined(
        listed("HT ht XS CG ZL FW GC SG JS QM HR LD"),
        "-",
        between(2015, 2027),
        "-",
        digits(3),
        sometimes(0.3, digits(1)),
    ),
    joined(listed("HT CG XS GF ZB"), _stamp, digits(2)),
    joined(letters(2), "（", between(2015, 2027), "）", digits(3), "号"),
    joined(listed("合 采购 租 建 技 服"), "字第", digits(4), "号"),
    joined(between(2015, 2027), "-", letters(2), "-", digits(4)),
    joined(letters(3), between(2015, 2027), digits(4)),
)
identifier = mixed(
    (2, joined(letters(2), digits(6))),
    (1, joined(letters(1), digits(4))),
    (1, joined(letters(3), "-", digits(4), sometimes(0.3, joined("-", digits(2))))),
    (1, either(order_number, tracking_number, contract_number, id_number)),
    (
        1,
        joined(
            "（",
            between(2005, 2027),
            "）",
            listed("京01 沪02 苏05 浙0106 粤03 皖01 最高法"),
            listed("民终 民初 刑初 行终 执 刑终"),
            between(1, 9999),
            "号",
        ),
    ),
    (1, joined("91", digits(6), characters("0123456789ABCDEFGHJKLMNPQRTUWXY", 10))),
    (1, joined("978-7-", digits(3), "-", digits(5), "-", digits(1))),
    (1, joined("ZL", between(2005, 2026), digits(8), ".", digits(1))),
    (1, joined(listed("国药准字H 国药准字Z 国食健字G 粤B2- 京ICP备 沪ICP备"), digits(8), sometimes(0.2, one_of("号")))),
    (1, joined("10.", digits(4), "/", letters(2), ".", between(2010, 2026), ".", digits(4))),
    (1, joined(listed("学号 工号 NO. No. SN: 第"), digits(6))),
    (1, digits(8)),
    (1, joined(listed("v V"), between(0, 12), ".", between(0, 20), ".", between(0, 20))),
)
_province_mark = listed("""
京 沪 津 渝 冀 豫 云 辽 黑 湘 皖 鲁 新 苏 浙 赣 鄂 桂 甘 晋 蒙 陕 吉 闽 贵 粤 青 藏 川 宁 琼
""")
_plate_mark = characters("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", 2)
licence_plate = mixed(
    (6, joined(_province_mark, letters(1), sometimes(0.4, one_of("·")), _plate_mark, digits(3))),
    (2, joined(_province_mark, letters(1), sometimes(0.3, one_of("·")), listed("D F"), digits(5))),
    (1, joined(_province_mark, letters(1), digits(4), listed("警 学 挂 港"))),
    (1, joined(_province_mark, letters(1), digits(5))),
)
transport_number = mixed(
    (
        4,
        joined(
            listed("CA MU CZ HU MF 3U ZH FM SC GS HO 9C JD NH KE UA BA LH AF SQ CX MH"),
            between(100, 9999),
            sometimes(0.2, one_of("次航班", "航班")),
        ),
    ),
    (5, joined(listed("G D K T Z C G G"), between(1, 9999), sometimes(0.4, one_of("次", "次列车", "次")))),
    (1, joined(between(1, 999), listed("路 路公交 路公交车 次"))),
    (1, joined("地铁", between(1, 18), "号线")),
)
postcode = mixed(
    (9, joined(listed("10 20 21 22 23 24 25 30 31 32 33 35 36 40 41 43 45 51 52 61 71 73 83"), digits(4))),
    (1, joined(listed("100 200 310 510 230"), listed("000 080 190 016"))),
)
