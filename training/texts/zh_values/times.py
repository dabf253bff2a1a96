"""Dates, times of day and durations."""

import random

from training.texts.template import Draw
from training.texts.zh_values.compose import between, either, joined, listed, mixed, sometimes

_NUMERALS = "〇一二三四五六七八九"
_TEN = 10


def _spoken(number: int) -> str:
    """A number below 100 in Chinese numerals: 十二, 二十五."""
    tens, ones = divmod(number, _TEN)
    head = "" if not tens else "十" if tens == 1 else _NUMERALS[tens] + "十"
    return head + (_NUMERALS[ones] if ones or not tens else "")


def spoken(low: int, high: int) -> Draw:
    """Draws a number of these (below 100), in Chinese numerals."""
    return lambda rng: _spoken(rng.randint(low, high))


def _year(rng: random.Random) -> int:
    return rng.choices([rng.randint(2000, 2027), rng.randint(1900, 1999), rng.randint(1600, 1899)], [8, 3, 1])[0]


def _year_digits(rng: random.Random) -> str:
    return str(_year(rng))


def _year_numerals(rng: random.Random) -> str:
    return "".join(_NUMERALS[int(digit)] for digit in str(_year(rng)))


_month, _day = between(1, 12), between(1, 28)
_month_padded, _day_padded = between(1, 12, 1, "02d"), between(1, 31, 1, "02d")
_recent = between(2015, 2027)
date_year = mixed(
    (8, joined(_year_digits, "年")),
    (1, joined(_year_numerals, "年")),
    (1, joined(_year_digits, listed("年度 年初 年底 年末 财年"))),
)
_weekday = listed("""
周一 周二 周三 周四 周五 周六 周日 星期一 星期三 星期五 星期天 周末 礼拜四
""")
_whole = joined(_year_digits, "年", _month, "月", _day, "日")
_numeric = either(
    joined(_recent, "-", _month_padded, "-", _day_padded),
    joined(_recent, "/", _month, "/", _day),
    joined(_recent, ".", _month, ".", _day),
    joined(_recent, "/", _month_padded, "/", _day_padded),
    joined(_recent, _month_padded, _day_padded),
)
date_full = mixed(
    (12, _whole),
    (3, _numeric),
    (1, joined(_year_numerals, "年", spoken(1, 12), "月", spoken(1, 30), "日")),
    (1, joined(_recent, "年", _month_padded, "月", _day_padded, "日")),
    (1, joined(_recent, "年", _month, "月", _day, "号")),
    (1, joined(_whole, "（", _weekday, "）")),
)
_month_day = joined(_month, "月", _day, listed("日 日 日 号"))
date_relative = mixed(
    (
        4,
        listed("""
今日 今天 昨天 昨日 明天 前天 后天 大后天 去年 今年 明年 前年 上周 本周 下周 上个月 本月 下个月 月底 本月底 年底
年初 近日 日前 目前 近期 最近 当天 当日 次日 翌日 同日 同年 当年 次年 近年来 近一年 近三年 近五年 最近一周
最近一个月 过去十年 过去三个月 未来三年 上半年 下半年 今年上半年 去年下半年 第一季度 三季度 去年四季度 上周五
本周三 下周一 这周六 周日 周末 上世纪 本世纪初 前几天 前不久 不久前 今年年初 去年底 明年春天 去年夏天 今年春节期间
去年同期 今晚 昨晚 今早 今年以来 近两周 这几天 上月 上旬 月初 月中 中旬
"""),
    ),
    (2, joined(listed("上 下 本 这"), _weekday)),
    (2, joined(listed("今年 去年 明年 本年"), _month, listed("月 月份 月底 月初 月中旬"))),
    (1, joined(listed("今年 去年"), _month_day)),
    (1, joined(listed("近 最近 过去 未来"), listed("3 两 三 五 10 7 30 半"), listed("年 个月 天 周"))),
    (1, joined(listed("3 5 10 两 三 几 十多"), listed("年前 天前 个月前 天后 年后 个月后"))),
)
_range_mark = listed("至 到 - — ～ ~ 至")
date_range_from = mixed(
    (2, joined(_year_digits, "年", _month, "月")),
    (1, joined(_recent, ".", _month_padded)),
    (1, joined(_recent, "年")),
    (1, _month_day),
    (1, _whole),
    (1, _numeric),
    (1, joined(_recent, "-", _month_padded)),
)
_range = either(
    joined(_recent, "年", _month, "月", _range_mark, _recent, "年", _month, "月"),
    joined(
        _recent,
        ".",
        _month_padded,
        listed("- — ~"),
        either(joined(_recent, ".", _month_padded), listed("至今 今 现在")),
    ),
    joined(_year_digits, _range_mark, _year_digits, "年"),
    joined(_month, "月", _day, "日", _range_mark, _day, "日"),
    joined(_whole, _range_mark, _whole),
    joined(_year_digits, "年", _month, "月至今"),
    joined(_month, listed("- 至 到"), _month, "月"),
)
_era = either(
    joined(
        listed("20世纪 上世纪 19世纪"), listed("50 60 70 80 90 六十 八十 九十 三十"), listed("年代 年代初 年代末 年代")
    ),
    joined(listed("50 60 70 80 90"), "年代"),
    joined(listed("公元前 公元"), between(2, 1500), "年"),
    joined(listed("康熙 乾隆 贞观 洪武 万历 光绪 嘉靖 永乐 道光 开元"), spoken(2, 40), "年"),
    listed("""
唐朝 宋代 明朝 清末 民国时期 北宋 战国时期 春秋时期 东汉末年 康熙年间 改革开放初期 二战期间 18世纪 19世纪末
21世纪初 十六世纪 中世纪 新石器时代 抗战时期 文革期间
"""),
)
_season = either(
    joined(_year_digits, "年", listed("春天 夏 秋 冬季 春季 第一季度 上半年 下半年 Q3 春节 国庆 三季度")),
    listed("""
元旦 春节 国庆节 中秋节 五一 十一 端午 除夕 大年初一 正月十五 农历八月十五 腊月二十三 立春 冬至 圣诞节 暑假 寒假
情人节 双十一
"""),
)
_day_alone = joined(between(1, 31), listed("日 日 号"))
date = mixed(
    (6, date_full),
    (4, _month_day),
    (5, date_relative),
    (4, date_year),
    (4, joined(_year_digits, "年", _month, listed("月 月 月 月底 月初 月份"))),
    (2, _range),
    (1, _era),
    (1, _season),
    (1, _day_alone),
    (1, _weekday),
    (1, joined(_month, listed("月 月份 月底 月上旬 月中旬"))),
    (1, joined(_month_day, listed("上午 下午 晚 晚间 凌晨 晚上"))),
    (
        1,
        joined(
            _recent, "-", _month_padded, "-", _day_padded, " ", between(0, 23, 1, "02d"), ":", between(0, 59, 1, "02d")
        ),
    ),
)
_birth_year = between(1935, 2020)
birth_date = mixed(
    (5, joined(_birth_year, "年", _month, "月", _day, "日")),
    (3, joined(_birth_year, "年", _month, "月")),
    (2, joined(_birth_year, "年")),
    (2, joined(_birth_year, "-", _month_padded, "-", _day_padded)),
    (1, joined(_birth_year, listed(". /"), _month_padded)),
    (1, joined(_birth_year, "/", _month, "/", _day)),
    (1, joined(_birth_year, _month_padded, _day_padded)),
    (1, joined("农历", spoken(1, 12), "月", either(joined("初", spoken(1, 9)), spoken(11, 29)))),
    (1, _month_day),
)
_hour, _minute = between(0, 23), between(0, 59, 1, "02d")
_part = listed("上午 下午 早上 晚上 凌晨 中午 傍晚 夜里 清晨 晚 早")
_few = listed("一 两 三 四 五 六 七 八 九 十 十一 十二")
time = mixed(
    (4, joined(_hour, ":", _minute)),
    (2, joined(between(0, 23, 1, "02d"), ":", _minute, ":", _minute)),
    (1, joined(_hour, "：", _minute)),
    (4, joined(_part, between(1, 12), listed("点 点 点半 时 点整 点左右 点钟"))),
    (3, joined(_part, _few, listed("点 点半 点钟 点一刻 点四十 点多 点整"))),
    (3, joined(_hour, listed("时 点"), between(1, 59), "分")),
    (2, joined(_part, between(1, 12), listed(": ："), _minute)),
    (1, joined(_few, listed("点 点半 点钟"))),
    (1, joined(_hour, listed("点 时 点半"))),
    (1, joined(_hour, ":", _minute, listed("- — 至 ~ 到"), _hour, ":", _minute)),
    (
        1,
        joined(
            listed("今天 明天 昨天 周五 后天 明早 今晚"),
            _part,
            between(1, 12),
            "点",
            sometimes(0.3, listed("半 二十 整")),
        ),
    ),
    (
        1,
        listed("""
中午 凌晨 傍晚 半夜 午夜 正午 今晚 清晨 午后 下班后 饭点 深夜 早高峰 上午 下午
"""),
    ),
)
_unit = listed("年 个月 天 小时 个小时 分钟 秒 周 日 个工作日 学年 个季度 个星期")
_few_count = listed("一 两 三 四 五 六 七 八 十 十五 二十 三十 半 几 十几 数 多")
duration = mixed(
    (6, joined(between(1, 99), _unit)),
    (4, joined(_few_count, listed("年 个月 天 个小时 小时 分钟 周 个多月 年多 个星期 个季度 天半"))),
    (1, joined(between(1, 12), "小时", between(1, 59), "分钟")),
    (1, joined(between(1, 9), "分", between(1, 59), "秒")),
    (1, joined(between(1, 9), listed("- ~ 至 到"), between(10, 24), listed("天 个月 小时 年 个工作日 分钟 周"))),
    (
        1,
        joined(
            between(2, 30),
            listed("""
多年 余年 余天 年以上 天以内 分钟左右 年零3个月 天两夜 个半小时 余载 小时以内
"""),
        ),
    ),
    (
        1,
        listed("""
半年 一整天 终身 长期 无固定期限 一辈子 七天六夜 三天两夜 整整一个下午 一个半小时 半小时 一刻钟 全年 一学期 大半年
十余年 一个世纪 两天一夜 很长时间 片刻 24小时 全天 数周 数十年 多年
"""),
    ),
)
