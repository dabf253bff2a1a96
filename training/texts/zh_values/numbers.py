"""Money, shares, counts, quantities and ratings."""

from training.texts.zh_values.compose import between, decimal, either, joined, listed, mixed, sometimes
from training.texts.zh_values.times import spoken

_spoken_count = mixed(
    (
        4,
        listed("""
一 两 三 四 五 六 七 八 九 十 数十 上百 几十 十几 一百 三百 五百 一千 两千 数千 上万 几百 百余
"""),
    ),
    (1, spoken(11, 99)),
)
_whole = mixed(
    (3, between(1, 20)),
    (3, between(20, 999)),
    (2, between(1000, 99999)),
    (2, between(100, 20000, 50)),
    (1, between(1000, 9999999, 1, ",")),
)
_large = either(
    joined(decimal(0.1, 99, 1), listed("万 亿 亿 万亿")),
    joined(between(1, 9000), listed("万 亿 万")),
    joined(decimal(1, 99, 2), listed("万 亿")),
)
plain_number = mixed(
    (6, _whole),
    (3, _large),
    (2, decimal(0, 100, 2)),
    (1, decimal(0, 10, 1)),
    (2, _spoken_count),
    (1, joined(between(1, 5000), "多")),
    (1, joined("-", between(1, 40))),
)
count = mixed((6, between(1, 60)), (3, between(60, 3000)), (2, _spoken_count), (1, _large))
_classifier = listed("""
人 名 个 家 位 件 条 项 次 例 所 户 份 张 种 起 辆 台 部 场 篇 支 人次 名学生 余人 多家 只 座 间 枚
""")
number = mixed(
    (5, plain_number),
    (4, joined(either(_whole, _spoken_count, _large), _classifier)),
    (1, joined(between(2, 900), listed("多 余"), _classifier)),
    (1, joined("第", either(between(1, 100), spoken(1, 40)), listed("名 位 届 次 页 章 轮"))),
)
_currency = listed("""
元 元 元 元 元 元 美元 欧元 日元 英镑 港元 韩元 元人民币 卢布 加元 澳元 新台币 港币
""")
_amount = mixed(
    (4, between(10, 99999)),
    (3, between(100, 90000, 100)),
    (2, decimal(1, 9999, 2)),
    (2, between(1000, 9999999, 1, ",")),
    (2, joined(between(1000, 999999, 1, ","), ".", between(0, 99, 1, "02d"))),
    (4, _large),
)
_formal_digit = listed("壹 贰 叁 肆 伍 陆 柒 捌 玖")
_formal_money = joined(
    sometimes(0.6, listed("人民币 人民币 人民币：")),
    either(
        joined(_formal_digit, "拾", _formal_digit, "万", listed("元 圆"), "整"),
        joined(_formal_digit, "佰", _formal_digit, "拾", _formal_digit, "万元整"),
        joined(_formal_digit, "万", _formal_digit, "仟", listed("元整 圆整")),
        joined(_formal_digit, "仟", _formal_digit, "佰元整"),
        joined(_formal_digit, listed("佰万 仟万 亿"), "元整"),
    ),
)
_spoken_money = joined(_spoken_count, listed("块 块钱 元 万元 万 美元 多块 亿元 元钱 千元 毛钱"))
money = mixed(
    (10, joined(_amount, _currency)),
    (2, joined(listed("¥ ￥ $ RMB CNY_ US$ € £ ￥ 人民币 ¥_"), _amount)),
    (1, joined("人民币", _amount, "元")),
    (1, _formal_money),
    (2, _spoken_money),
    (1, joined(_amount, listed("多元 余元 元左右 块 块钱 元整 元以上"))),
    (1, joined(between(1, 90), listed("万 亿 w W k 千万 百万美元"))),
    (1, joined(between(1, 50), listed("- 至 ~ 到"), between(51, 900), listed("元 万元 亿元 万美元 块"))),
    (1, joined(between(1, 9), "万", between(1, 9), listed("千元 千 千块"))),
)
price = mixed(
    (
        6,
        joined(
            either(
                between(1, 999), decimal(1, 300, 1), decimal(1, 999, 2), between(99, 9999, 100), between(1000, 30000)
            ),
            "元",
        ),
    ),
    (3, joined(listed("¥ ￥ $ ¥_ HK$"), either(between(1, 3000), decimal(1, 999, 2)))),
    (
        3,
        joined(
            either(between(1, 500), decimal(1, 99, 1)),
            listed("""
元/斤 元/公斤 元/吨 元/㎡ 元/平方米 元/人 元一斤 元/晚 元/月 元/年 元/股 块 块钱一斤 元每小时 万元/台 元/件 元起
元/次 美元/桶 块钱
"""),
        ),
    ),
    (2, joined(decimal(5, 60, 2), listed("万 万元 万起"))),
    (1, joined("人均", between(20, 500), listed("元 元左右"))),
    (1, _spoken_money),
    (1, joined(between(10, 200), listed("- ~ 到"), between(201, 999), listed("元 块"))),
    (1, either(money, joined(between(1000, 9999, 1, ","), ".00元"))),
)
_low, _high = between(3, 15), between(16, 60)
salary = mixed(
    (3, joined(between(3000, 50000, 500), listed("元 元/月 元每月 块 元左右"))),
    (3, joined(between(3000, 9000, 500), listed("- — 至 到 ~"), between(9500, 30000, 500), listed("元 元/月 元"))),
    (3, joined(_low, listed("K k"), "-", _high, listed("K k K·13薪 k·14薪 K/月 K·16薪"))),
    (2, joined(listed("年薪 月薪 底薪"), between(8, 90), listed("万 万元 w"))),
    (1, joined(between(8, 30), listed("- 到 至"), between(31, 90), listed("万 万/年 万元"))),
    (1, joined(decimal(0.3, 6, 1), listed("万/月 万 万元"))),
    (1, joined(listed("税前 税后 底薪 月薪"), between(3000, 30000, 500), listed("元"))),
    (1, joined(between(80, 600, 10), listed("元/天 元/日 元一天"))),
    (
        1,
        listed("""
面议 薪资面议 八千 一万五 一万二 三千五 两万左右 四千多 六千块 五千到八千 月薪过万 百万年薪 七千五 底薪四千加提成
"""),
    ),
)
percent = mixed(
    (4, joined(between(1, 100), "%")),
    (4, joined(decimal(0.1, 99, 1), "%")),
    (3, joined(decimal(0.01, 99, 2), "%")),
    (1, joined("百分之", spoken(1, 99))),
    (1, joined(spoken(1, 9), "成", sometimes(0.3, listed("左右 以上 多")))),
    (1, joined(spoken(3, 10), "分之", spoken(1, 2))),
    (1, joined(between(1, 9), "/", between(10, 20))),
    (1, joined(between(1, 40), "%", listed("- ~ 至"), between(41, 99), "%")),
    (1, joined(decimal(0.1, 9, 1), listed("‰ 个百分点 ％"))),
    (
        1,
        listed("""
一半 近半 三分之一 四分之三 过半 半数以上 百分之百 九成以上 两成 七折 万分之五 千分之三 2:1 绝大多数
"""),
    ),
)
_unit = listed("""
台 件 辆 套 公斤 斤 吨 克 kg g 毫克 升 毫升 ml L 米 厘米 毫米 cm mm 公里 千米 km 平方米 平米 ㎡ 亩 公顷 平方公里
立方米 箱 包 盒 瓶 袋 只 头 棵 张 本 个 把 双 条 份 次 人 名 间 层 栋 部 支 座 架 艘 枚 吨级 度 千瓦时 兆瓦 MW kWh
GB TB 马力 伏 安 摄氏度 ℃ 吨/年 桶 英寸 英尺 海里 光年 匹 卷 页 字 万字 步 件套 mAh 万千瓦 例 户 万亩 万吨
亿立方米 转/分钟 公里/小时 km/h 人次 万人 单 箱 篇 斤半 包 罐 碗
""")
quantity = mixed(
    (6, joined(either(between(1, 60), between(1, 900), _whole), _unit)),
    (
        2,
        joined(
            decimal(0.1, 90, 1),
            listed("""
公斤 吨 米 公里 厘米 平方米 万平方米 升 kg km 亿立方米 万人 斤 万吨 克 mm 级 亩 万公里 英寸
"""),
        ),
    ),
    (
        3,
        joined(
            _spoken_count,
            listed("""
台 件 斤 公斤 吨 箱 本 个 张 辆 只 头 次 米 公里 里 瓶 碗 套 人 棵 份 亩 双 间
"""),
        ),
    ),
    (
        1,
        joined(
            between(1, 90),
            listed("""
多公斤 余米 多公里 余吨 多平方米 多个 多台 余件 斤左右 吨以上 米高 厘米长
"""),
        ),
    ),
    (1, joined(between(1, 9), listed("- ~ 至"), between(10, 60), _unit)),
)
rating = mixed(
    (3, joined(decimal(1, 10, 1), listed("分"))),
    (2, joined(between(1, 100), "分")),
    (2, joined(decimal(3, 5, 1), sometimes(0.5, listed("星 /5 分")))),
    (1, joined(decimal(5, 10, 1), "/10")),
    (2, joined(listed("一 二 三 四 五 两 四点五 三点五 4 5 3 2 1"), listed("星 颗星 星级 星好评"))),
    (
        1,
        listed("""
满分 五星 四星半 零分 ★★★★★ ★★★☆☆ ★★★★ 十分 A级 A+ 优秀 良好 及格 中评 好评 差评 9分 八分 不及格
甲等 AAA BBB+ 推荐 力荐 还行 一星差评 五分好评 4A 5A级
"""),
    ),
)
age = mixed(
    (6, joined(between(1, 95), "岁")),
    (2, between(1, 95)),
    (1, joined(spoken(1, 90), "岁")),
    (1, joined(listed("年近 已近 年过 已满 近"), listed("五十 六旬 花甲 八旬 七十 40岁 60岁 古稀 18周岁 30岁"))),
    (1, joined(between(18, 70), listed("周岁 岁半 岁左右 多岁 岁以上 岁以下 y 岁零3个月"))),
    (1, joined(between(3, 30), listed("- 至 到"), between(31, 60), listed("岁 周岁"))),
    (1, joined(between(1, 30), listed("个月 月龄 天龄 个月大"))),
    (
        1,
        listed("""
35岁以下 80后 90后 00后 七旬 八旬 中年 老年 青少年 婴幼儿 二十出头 三十来岁 四十多岁 不惑之年 而立之年 半岁 一岁半
两岁 未满十八岁 六十有三 未成年 5岁半 成年 70多岁 十七八岁
"""),
    ),
)
