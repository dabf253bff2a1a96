"""Which values the rules find in a text and which they leave alone, family by family."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.patterns import CONCEPTS, Match, find

ROOT = Path(__file__).parents[2]


def values(concept: str, text: str) -> list[str]:
    return [text[match.start : match.end] for match in find(text, [concept])]


CONTACTS = [
    ("phone", "请拨打13800138000联系", ["13800138000"]), ("phone", "手机：138-0013-8000", ["138-0013-8000"]),
    ("phone", "手机 138 0013 8000，", ["138 0013 8000"]), ("phone", "+86 13800138000", ["+86 13800138000"]),
    ("phone", "电话010-62345678转8001。", ["010-62345678转8001"]), ("phone", "(021)62345678", ["(021)62345678"]),
    ("phone", "０１０－６２３４５６７８", ["０１０－６２３４５６７８"]), ("phone", "客服400-820-8820", ["400-820-8820"]),
    ("phone", "热线4008208820转2", ["4008208820转2"]), ("phone", "联系人：张三138****8000", ["138****8000"]),
    ("phone", "固话0571-88888888或0755-12345678", ["0571-88888888", "0755-12345678"]),
    ("phone", "Call (555) 123-4567 now", ["(555) 123-4567"]), ("phone", "415-555-2671.", ["415-555-2671"]),
    ("phone", "+1 415 555 2671 ext. 12", ["+1 415 555 2671 ext. 12"]), ("phone", "拨打110报警", ["110"]),
    ("phone", "Tel: 020 7946 0958", ["020 7946 0958"]), ("phone", "+44 20 7946 0958", ["+44 20 7946 0958"]),
    ("phone", "客服电话95588", ["95588"]), ("phone", "Phone: 5550123", ["5550123"]),
    ("phone", "订单号13800138000123", []), ("phone", "6222021234567890123", []), ("phone", "2024-05-03", []),
    ("phone", "1,234,567,890", []), ("phone", "共有1234567人", []), ("phone", "身份证11010519491231002X", []),
    ("phone", "192.168.100.100", []), ("phone", "价格 100 200 300", []), ("phone", "订单号：13800138000", []),
    ("phone", "call 5 times", []), ("phone", "2019-2021", []), ("phone", "3.1415926535", []), ("phone", "手机5999元", []),
    ("phone", "id 12345678901234567890", []), ("phone", "手机号13900001111 和15012345678", ["13900001111", "15012345678"]),
    ("email", "发到zhang.san@example.com，谢谢", ["zhang.san@example.com"]), ("email", "a+b@x.co.uk.", ["a+b@x.co.uk"]),
    ("email", "<bob_1@mail-server.org>", ["bob_1@mail-server.org"]), ("email", "邮箱：x@qq.com；y@163.com", ["x@qq.com", "y@163.com"]),
    ("email", "@user hello", []), ("email", "a@b", []), ("email", "a@@b.com", []), ("email", "name@-bad.com", []),
    ("email", "meet me @ noon.com", []), ("email", "user..x@a.com", []),
    ("url", "见https://a.com/b?c=1#d。", ["https://a.com/b?c=1#d"]), ("url", "访问www.baidu.com，", ["www.baidu.com"]),
    ("url", "(see http://x.org/a_(b)).", ["http://x.org/a_(b)"]), ("url", "打开example.com/路径", ["example.com/"]),
    ("url", "on github.com/a/b, and", ["github.com/a/b"]), ("url", "http://192.168.1.1:8080/x", ["http://192.168.1.1:8080/x"]),
    ("url", "官网：https://www.gov.cn（中文）", ["https://www.gov.cn"]), ("url", "t.cn/A6xyz 微博", ["t.cn/A6xyz"]),
    ("url", "setup.py and readme.md", []), ("url", "the end.It was", []), ("url", "a@b.com", []), ("url", "e.g. i.e. 3.5", []),
    ("url", "ASP.NET Core, Node.js", []), ("url", "report.docx", []), ("url", "U.S. and v1.2.3", []),
    ("ip_address", "服务器192.168.1.1宕机", ["192.168.1.1"]), ("ip_address", "ping 8.8.8.8.", ["8.8.8.8"]),
    ("ip_address", "2001:db8::1 up", ["2001:db8::1"]), ("ip_address", "10.0.0.0/8", ["10.0.0.0"]),
    ("ip_address", "256.1.1.1", []), ("ip_address", "版本1.2.3.4", []), ("ip_address", "1.2.3.4.5", []),
    ("ip_address", "std::vector", []), ("ip_address", "12:30:45", []), ("ip_address", "version 10.0.0.1", []),
    ("hashtag", "#春节快乐#今天", ["#春节快乐#"]), ("hashtag", "love #AI and #ML2024!", ["#AI", "#ML2024"]),
    ("hashtag", "#include <a>", []), ("hashtag", "color #fff #00ff00", []), ("hashtag", "C# and F#", []),
    ("hashtag", "# title", []), ("hashtag", "issue #123", []), ("hashtag", "a.com/#top", []),
    ("username", "@zhang_san 你好", ["@zhang_san"]), ("username", "via @elonmusk.", ["@elonmusk"]),
    ("username", "a@b.com", []), ("username", "用户名：abc_123，", ["abc_123"]), ("username", "@ 5", []),
    ("username", "npm i @org/pkg", []), ("username", "微信号: wx-12345", ["wx-12345"]), ("username", "@@@@", []),
]  # fmt: skip

DATES = [
    ("2023年", ["2023年"]), ("于2023年5月3日成立", ["2023年5月3日"]), ("5月3日", ["5月3日"]), ("二〇二三年五月", ["二〇二三年五月"]),
    ("二零二三年十二月二十一日", ["二零二三年十二月二十一日"]), ("2023-05-03", ["2023-05-03"]), ("2023/5/3 晴", ["2023/5/3"]),
    ("2023.05.03", ["2023.05.03"]), ("on 03.05.2024", ["03.05.2024"]), ("２０２３年５月", ["２０２３年５月"]), ("20240503", ["20240503"]),
    ("2023 年 5 月 3 日", ["2023 年 5 月 3 日"]), ("2019-2021年", ["2019-2021年"]), ("2016年9月至2020年6月", ["2016年9月", "2020年6月"]),
    ("2016.09-2020.06 清华", ["2016.09", "2020.06"]), ("2018/03-2020/05", ["2018/03", "2020/05"]), ("2018.09至今", ["2018.09"]),
    ("2024年第三季度", ["2024年第三季度"]), ("今年三季度", ["今年三季度"]), ("三季度营收", ["三季度"]), ("Q3营收", ["Q3"]),
    ("90年代", ["90年代"]), ("上世纪八十年代初", ["上世纪八十年代初"]), ("21世纪", ["21世纪"]), ("20世纪90年代", ["20世纪90年代"]),
    ("今日开盘", ["今日"]), ("昨天和明天", ["昨天", "明天"]), ("去年，", ["去年"]), ("近一年", ["近一年"]), ("上周五开会", ["上周五"]),
    ("本月底前", ["本月底"]), ("前天", ["前天"]), ("明年", ["明年"]), ("日前，", ["日前"]), ("3天前", ["3天前"]), ("两年后", ["两年后"]),
    ("三个月前", ["三个月前"]), ("周五见", ["周五"]), ("星期日休息", ["星期日"]), ("5月初", ["5月初"]), ("2023年底", ["2023年底"]),
    ("2023年上半年", ["2023年上半年"]), ("5月中旬", ["5月中旬"]), ("记者5日获悉", ["5日"]), ("24年5月", ["24年5月"]), ("公元前221年", ["公元前221年"]),
    ("5月3日至5日", ["5月3日", "5日"]), ("5月3-5日", ["5月3-5日"]), ("1-3月", ["1-3月"]), ("农历正月初一", ["农历正月初一"]),
    ("三月的阳光", ["三月"]), ("今年5月", ["今年5月"]), ("过去三年里", ["过去三年里"]), ("2008年，他", ["2008年"]), ("民国元年", ["民国元年"]),
    ("2023年5月3日（星期三）", ["2023年5月3日（星期三）"]), ("今晚8点", ["今晚"]), ("08年毕业", ["08年"]), ("下个月3号", ["下个月3号"]),
    ("May 3, 2024", ["May 3, 2024"]), ("3rd of May", ["3rd of May"]), ("in May 2024", ["May 2024"]), ("3 May 2024.", ["3 May 2024"]),
    ("Sept. 5, 2023", ["Sept. 5, 2023"]), ("Monday, June 5", ["Monday, June 5"]), ("summer of '24", ["'24"]), ("the 1990s", ["1990s"]),
    ("late 1990s", ["late 1990s"]), ("Q3 2024", ["Q3 2024"]), ("third quarter of 2024", ["third quarter of 2024"]), ("in Q4", ["Q4"]),
    ("yesterday", ["yesterday"]), ("today's news", ["today"]), ("last week", ["last week"]), ("next Monday", ["next Monday"]),
    ("two years ago", ["two years ago"]), ("10 days ago", ["10 days ago"]), ("this morning", ["this morning"]), ("In 2019, he", ["2019"]),
    ("since 1998", ["1998"]), ("from 1990 to 1995", ["1990", "1995"]), ("(2010)", ["2010"]), ("1990–1995", ["1990–1995"]),
    ("(born 1950)", ["1950"]), ("by the end of 2025", ["2025"]), ("during 2020 and", ["2020"]), ("the 19th century", ["19th century"]),
    ("spring 2024", ["spring 2024"]), ("early March", ["early March"]), ("in March", ["March"]), ("Friday night", ["Friday night"]),
    ("May 3-5, 2024", ["May 3-5, 2024"]), ("the past three years", ["the past three years"]), ("the 2008 Olympics", ["2008"]),
    ("05/03/2024", ["05/03/2024"]), ("2024-05-03T12:30:00", ["2024-05-03"]), ("a week earlier", ["a week earlier"]), ("44 BC", ["44 BC"]),
    ("the day before yesterday", ["the day before yesterday"]), ("between 2001 and 2005", ["2001", "2005"]), ("in September", ["September"]),
    # none
    ("you may go", []), ("may 3 people", []), ("they march on", []), ("一天，小明", []), ("3年", []), ("3个月", []), ("第3月台", []),
    ("月球与月亮", []), ("2000 people came in", []), ("5/3", []), ("周日益精进", []), ("一周五天", []), ("后天培养", []), ("今日头条", []), ("3.5", []),
    ("版本2.5.1", []), ("1/2/3/4", []), ("in 2000 cases", []), ("model 2024X", []), ("2024元", []), ("32.13.2024", []), ("3号楼", []), ("5号线", []),
    ("march 5 miles", []), ("room 2019", []), ("订单号20240503", []), ("19880101123", []), ("Theresa May said", []), ("三日游", []), ("v2024.05.03.1", []),
    ("1500年历史", []), ("a total of 2000 units", []), ("USA Today", []), ("中国国家", []), ("高二年级", []), ("岁月如歌", []), ("2019冠状病毒", []),
    ("一年一度", []), ("日月同辉", []), ("13月", []), ("2023-13-45", []), ("$2000", []), ("the second of two", []), ("目前", []), ("个月", []),
]  # fmt: skip

TIMES = [
    ("time", "12:30开会", ["12:30"]), ("time", "上午9点到下午3点半", ["上午9点", "下午3点半"]), ("time", "at 9:30am", ["9:30am"]),
    ("time", "晚上七点半", ["晚上七点半"]), ("time", "at noon", ["noon"]), ("time", "2024-05-03 12:30", ["12:30"]), ("time", "9 a.m. sharp", ["9 a.m."]),
    ("time", "14时30分", ["14时30分"]), ("time", "9:00-18:00", ["9:00", "18:00"]), ("time", "今晚8点", ["8点"]), ("time", "三点钟", ["三点钟"]),
    ("time", "seven o'clock", ["seven o'clock"]), ("time", "half past six", ["half past six"]), ("time", "8:05 PM EST", ["8:05 PM EST"]),
    ("time", "2024-05-03T12:30:00Z", ["12:30:00Z"]), ("time", "5月3日9时", ["9时"]), ("time", "下午两点", ["下午两点"]), ("time", "１２：３０", ["１２：３０"]),
    ("time", "10:00~11:30", ["10:00", "11:30"]), ("time", "早上八点十五分", ["早上八点十五分"]), ("time", "凌晨2:15", ["凌晨2:15"]),
    ("time", "一点也不", []), ("time", "比分3:2", []), ("time", "比分21:15", []), ("time", "3点建议", []), ("time", "以下三点", []), ("time", "9小时", []),
    ("time", "fe80:12:30::1", []), ("time", "25:70", []), ("time", "有一点", []), ("time", "3.5点", []), ("time", "I am here", []), ("time", "5 amps", []),
    ("time", "上涨20点", []), ("time", "1:100", []), ("time", "大一点点", []), ("time", "http://a.com:12:30", []), ("time", "当时", []), ("time", "10时代", []),
    ("duration", "工期3年", ["3年"]), ("duration", "18 months", ["18 months"]), ("duration", "两个小时", ["两个小时"]), ("duration", "30 minutes", ["30 minutes"]),
    ("duration", "3天", ["3天"]), ("duration", "1小时30分钟", ["1小时30分钟"]), ("duration", "3-5年", ["3-5年"]), ("duration", "半年", ["半年"]),
    ("duration", "两个半月", ["两个半月"]), ("duration", "two-year deal", ["two-year"]), ("duration", "half an hour", ["half an hour"]),
    ("duration", "5个工作日内", ["5个工作日"]), ("duration", "为期一年", ["一年"]), ("duration", "10秒", ["10秒"]), ("duration", "two to three weeks", ["two to three weeks"]),
    ("duration", "2 hours and 30 minutes", ["2 hours and 30 minutes"]), ("duration", "三年多", ["三年"]), ("duration", "2h30m", ["2h30m"]), ("duration", "7 days", ["7 days"]),
    ("duration", "for an hour", ["an hour"]), ("duration", "3分20秒", ["3分20秒"]), ("duration", "1,000 hours", ["1,000 hours"]), ("duration", "百年老店", []),
    ("duration", "3天前", []), ("duration", "两年后", []), ("duration", "2023年", []), ("duration", "一天，小明", []), ("duration", "三年级", []), ("duration", "90年代", []),
    ("duration", "28 years old", []), ("duration", "two years ago", []), ("duration", "第3天", []), ("duration", "二〇二三年五月", []), ("duration", "3岁", []), ("duration", "半天没说话", []),
    ("duration", "这两天", []), ("duration", "24年5月", []), ("duration", "8 years later", []), ("duration", "the second one", []), ("duration", "1990s", []), ("duration", "五天后", []), ("duration", "万年历", []),
]  # fmt: skip

AMOUNTS = [
    ("money", "35000元", ["35000元"]), ("money", "投资3.5亿元。", ["3.5亿元"]), ("money", "¥1,280.00", ["¥1,280.00"]), ("money", "￥９９", ["￥９９"]),
    ("money", "人民币壹佰贰拾捌万元整", ["人民币壹佰贰拾捌万元整"]), ("money", "五百块", ["五百块"]), ("money", "12万美元", ["12万美元"]), ("money", "月薪2万", ["2万"]),
    ("money", "$12 million deal", ["$12 million"]), ("money", "EUR 12,500", ["EUR 12,500"]), ("money", "£1.2bn", ["£1.2bn"]), ("money", "300 dollars", ["300 dollars"]),
    ("money", "5 bucks", ["5 bucks"]), ("money", "20元/月", ["20元/月"]), ("money", "8000-12000元", ["8000-12000元"]), ("money", "CNY 500", ["CNY 500"]),
    ("money", "500 USD", ["500 USD"]), ("money", "USD 5 million", ["USD 5 million"]), ("money", "$5-$10", ["$5-$10"]), ("money", "HK$30", ["HK$30"]), ("money", "3块5", ["3块5"]),
    ("money", "10余万元", ["10余万元"]), ("money", "数百万元", ["数百万元"]), ("money", "价格：3000", ["3000"]), ("money", "薪资15k-20k", ["15k-20k"]), ("money", "€1.234,56", ["€1.234,56"]),
    ("money", "ten dollars", ["ten dollars"]), ("money", "50 cents", ["50 cents"]), ("money", "$20/hour", ["$20/hour"]), ("money", "两百欧元", ["两百欧元"]), ("money", "3元5角", ["3元5角"]), ("money", "5毛钱", ["5毛钱"]),
    ("money", "US$1.5 billion", ["US$1.5 billion"]), ("money", "一百元", ["一百元"]), ("money", "3万元至5万元", ["3万元", "5万元"]), ("money", "a million dollars", ["a million dollars"]), ("money", "2.5万亿元", ["2.5万亿元"]), ("money", "100块钱", ["100块钱"]),
    ("money", "一元一次方程", []), ("money", "二元论", []), ("money", "三块蛋糕", []), ("money", "万元", []), ("money", "元旦3天", []), ("money", "won 3 games", []), ("money", "ABC 500", []), ("money", "公元2000年", []), ("money", "3元素", []),
    ("money", "收入增长5%", []), ("money", "价格2024年", []), ("money", "月薪", []), ("money", "ISO 9001", []), ("money", "一块去", []), ("money", "GPT 4", []), ("money", "工资3个月", []), ("money", "the top 100", []), ("money", "多元化", []), ("money", "价格2折", []), ("money", "两块石头", []),
    ("percent", "12%", ["12%"]), ("percent", "增长百分之五", ["百分之五"]), ("percent", "12 percent", ["12 percent"]), ("percent", "5 percentage points", ["5 percentage points"]), ("percent", "三成左右", ["三成"]), ("percent", "１２．５％", ["１２．５％"]),
    ("percent", "5-10%", ["5-10%"]), ("percent", "-3.2%", ["-3.2%"]), ("percent", "2个百分点", ["2个百分点"]), ("percent", "千分之三", ["千分之三"]), ("percent", "ten per cent", ["ten per cent"]), ("percent", "3‰", ["3‰"]), ("percent", "占七成以上", ["七成"]), ("percent", "百分之十二点五", ["百分之十二点五"]),
    ("percent", "三成员", []), ("percent", "万分之一的机会", []), ("percent", "%d", []), ("percent", "a%20b", []), ("percent", "x5%", []), ("percent", "一成不变", []), ("percent", "percent", []), ("percent", "百分百", []), ("percent", "八成功", []),
]  # fmt: skip

MEASURES = [
    ("quantity", "5.5 litres", ["5.5 litres"]), ("quantity", "采购2台", ["2台"]), ("quantity", "30公斤", ["30公斤"]), ("quantity", "1,700 W", ["1,700 W"]), ("quantity", "20GWh", ["20GWh"]), ("quantity", "9次", ["9次"]), ("quantity", "三台", ["三台"]), ("quantity", "3万辆", ["3万辆"]),
    ("quantity", "1.2亿吨", ["1.2亿吨"]), ("quantity", "25℃", ["25℃"]), ("quantity", "120平方米", ["120平方米"]), ("quantity", "20 million tons", ["20 million tons"]), ("quantity", "8GB", ["8GB"]), ("quantity", "两个苹果", ["两个"]), ("quantity", "3人", ["3人"]), ("quantity", "10x20cm", ["10x20cm"]), ("quantity", "5 km", ["5 km"]),
    ("quantity", "一个人", []), ("quantity", "一次", []), ("quantity", "第3次", []), ("quantity", "2本科", []), ("quantity", "5位置", []), ("quantity", "3个月", []), ("quantity", "两口子", []), ("quantity", "一些", []), ("quantity", "3人民", []), ("quantity", "3元", []), ("quantity", "这两个", []), ("quantity", "5%", []), ("quantity", "千万台", []), ("quantity", "top 5 G", []), ("quantity", "2023届", []), ("quantity", "万家灯火", []), ("quantity", "百家号", []),
    ("age", "35岁", ["35岁"]), ("age", "28 years old", ["28 years old"]), ("age", "aged 40", ["40"]), ("age", "三十五岁", ["三十五岁"]), ("age", "年龄：35", ["35"]), ("age", "28-year-old", ["28-year-old"]), ("age", "18-35岁", ["18-35岁"]), ("age", "35周岁", ["35周岁"]), ("age", "John Smith, 45, said", ["45"]), ("age", "at the age of 12", ["12"]), ("age", "3岁半", ["3岁半"]), ("age", "8个月大", ["8个月大"]),
    ("age", "万岁", []), ("age", "岁月", []), ("age", "100 years", []), ("age", "page 40", []), ("age", "aged 40%", []), ("age", "千岁", []), ("age", "岁末", []), ("age", "managed 40", []), ("age", "年龄：18-35", []),
    ("rating", "4.6 out of 5", ["4.6 out of 5"]), ("rating", "豆瓣8.5分", ["8.5分"]), ("rating", "rated 3/5", ["3/5"]), ("rating", "5 stars", ["5 stars"]), ("rating", "4.6/5", ["4.6/5"]), ("rating", "考了95分", ["95分"]), ("rating", "5星好评", ["5星"]), ("rating", "五星好评", ["五星"]), ("rating", "★★★★☆", ["★★★★☆"]), ("rating", "4.5-star", ["4.5-star"]), ("rating", "评分：9.1", ["9.1"]),
    ("rating", "3/5", []), ("rating", "8分钟", []), ("rating", "五星级酒店", []), ("rating", "3 out of 5 people", []), ("rating", "十分好", []), ("rating", "movie stars", []), ("rating", "5星期", []), ("rating", "2.5分之一", []),
    ("dosage", "500mg", ["500mg"]), ("dosage", "每日三次", ["每日三次"]), ("dosage", "10 ml", ["10 ml"]), ("dosage", "每次2片", ["2片"]), ("dosage", "twice daily", ["twice daily"]), ("dosage", "three times a day", ["three times a day"]), ("dosage", "一日3次", ["一日3次"]), ("dosage", "2 tablets", ["2 tablets"]), ("dosage", "口服10毫升", ["10毫升"]), ("dosage", "5mg/kg", ["5mg/kg"]), ("dosage", "每8小时一次", ["每8小时一次"]),
    ("dosage", "120 mg/dL", []), ("dosage", "2片", []), ("dosage", "一次", []), ("dosage", "mg", []), ("dosage", "每日新闻", []), ("dosage", "500m", []),
    ("number", "编了123个", ["123"]), ("number", "共1,234.5", ["1,234.5"]), ("number", "三十五人", ["三十五"]), ("number", "3.5万", ["3.5万"]), ("number", "一百二十三", ["一百二十三"]), ("number", "１２３", ["１２３"]), ("number", "three people", ["three"]), ("number", "two million", ["two million"]), ("number", "答案是42。", ["42"]), ("number", "x = -5", ["-5"]), ("number", "三个", ["三"]), ("number", "twenty-five", ["twenty-five"]),
    ("number", "iPhone15", []), ("number", "A-12", []), ("number", "ID12345", []), ("number", "千万别", []), ("number", "万一", []), ("number", "第一", []), ("number", "两口子", []), ("number", "一些", []), ("number", "第3名", []), ("number", "2023年5月3日", []), ("number", "12:30", []), ("number", "v1.2.3", []), ("number", "一个人", []), ("number", "13800138000", []), ("number", "三心二意", []), ("number", "千方百计", []), ("number", "十分", []), ("number", "#1", []), ("number", "35元", []), ("number", "12%", []), ("number", "COVID-19", []), ("number", "no one", []), ("number", "1/3", []), ("number", "乱七八糟", []), ("number", "九牛一毛", []), ("number", "京A12345", []), ("number", "someone", []), ("number", "a thousand-year", []), ("number", "百姓", []), ("number", "四川", []), ("number", "三亚", []),
]  # fmt: skip

CODES = [
    ("id_number", "身份证11010519491231002X", ["11010519491231002X"]), ("id_number", "11010519491231002x。", ["11010519491231002x"]), ("id_number", "SSN 123-45-6789", ["123-45-6789"]), ("id_number", "护照号：E12345678", ["E12345678"]), ("id_number", "身份证号130503670401001", ["130503670401001"]), ("id_number", "passport No. E12345678", ["E12345678"]), ("id_number", "身份证：110105********1234", ["110105********1234"]),
    ("id_number", "110105194912310021", []), ("id_number", "E12345678", []), ("id_number", "000-12-3456", []), ("id_number", "130503670401001", []), ("id_number", "011010519491231002X", []),
    ("bank_card", "卡号6222020000000000006", ["6222020000000000006"]), ("bank_card", "4111 1111 1111 1111", ["4111 1111 1111 1111"]), ("bank_card", "4111-1111-1111-1111", ["4111-1111-1111-1111"]), ("bank_card", "银行卡号：6222 **** **** 1234", ["6222 **** **** 1234"]),
    ("bank_card", "4111111111111112", []), ("bank_card", "11010519491231002X", []), ("bank_card", "1234567890123456", []), ("bank_card", "订单号4111111111111111", []),
    ("order_number", "订单号：20240503123456，", ["20240503123456"]), ("order_number", "订单编号 DD-2024-0001", ["DD-2024-0001"]), ("order_number", "order no. A12345", ["A12345"]), ("order_number", "order #98765 shipped", ["98765"]), ("order_number", "Order number: AB-1234", ["AB-1234"]), ("order_number", "订单号为E20231", ["E20231"]),
    ("order_number", "in order 2 go", []), ("order_number", "订单3个", []), ("order_number", "快递单号SF1234567890123", []), ("order_number", "order number", []), ("order_number", "border #12345", []),
    ("tracking_number", "快递单号：SF1234567890123", ["SF1234567890123"]), ("tracking_number", "运单号7712345678901", ["7712345678901"]), ("tracking_number", "tracking number 1Z999AA10123456784", ["1Z999AA10123456784"]), ("tracking_number", "SF1234567890123", ["SF1234567890123"]), ("tracking_number", "圆通快递单号YT1234567890123。", ["YT1234567890123"]),
    ("tracking_number", "SF123", []), ("tracking_number", "快递3天", []), ("tracking_number", "tracking 5 items", []),
    ("contract_number", "合同编号：HT-2023-001", ["HT-2023-001"]), ("contract_number", "contract no. C/2024/15", ["C/2024/15"]), ("contract_number", "合同号ABC123456", ["ABC123456"]), ("contract_number", "合同3份", []), ("contract_number", "合同编号：", []),
    ("licence_plate", "京A·12345", ["京A·12345"]), ("licence_plate", "粤B12345D", ["粤B12345D"]), ("licence_plate", "沪AD12345", ["沪AD12345"]), ("licence_plate", "车牌苏E8K9P2", ["苏E8K9P2"]), ("licence_plate", "京A级", []), ("licence_plate", "云ABCDEF", []), ("licence_plate", "鲁A123456789", []),
    ("transport_number", "乘G1234次列车", ["G1234次"]), ("transport_number", "CA1831航班", ["CA1831"]), ("transport_number", "flight BA 287", ["BA 287"]), ("transport_number", "车次：D301", ["D301"]), ("transport_number", "乘坐MU5735", ["MU5735"]), ("transport_number", "1路公交车", ["1路"]), ("transport_number", "Flight UA328 landed", ["UA328"]),
    ("transport_number", "9次", []), ("transport_number", "G20峰会", []), ("transport_number", "C919客机", []), ("transport_number", "维生素D3", []), ("transport_number", "BA 287", []), ("transport_number", "网路", []),
    ("postcode", "邮编：100080", ["100080"]), ("postcode", "ZIP 94105", ["94105"]), ("postcode", "London SW1A 1AA", ["SW1A 1AA"]), ("postcode", "San Jose, CA 95113", ["95113"]), ("postcode", "邮政编码 518000", ["518000"]), ("postcode", "100080", []), ("postcode", "A4 2PM", []), ("postcode", "MB 94105", []), ("postcode", "zip file 3", []),
]  # fmt: skip

LISTS = [
    ("gender", "性别：男", ["男"]), ("gender", "张三，男，35岁", ["男"]), ("gender", "（女，1990年生）", ["女"]), ("gender", "性别 女性", ["女性"]), ("gender", "Gender: Female", ["Female"]), ("gender", "Bob, male, 30", ["male"]), ("gender", "姓名：李四 性别：女 年龄：20", ["女"]),
    ("gender", "男人和女人", []), ("gender", "不分男、女", []), ("gender", "性别男/女", []), ("gender", "男篮夺冠", []), ("gender", "female workers", []), ("gender", "性别：男生", []),
    ("political_status", "政治面貌：群众", ["群众"]), ("political_status", "他是中共党员", ["中共党员"]), ("political_status", "共青团员", ["共青团员"]), ("political_status", "群众路线", []), ("political_status", "广大党员", []),
    ("ethnicity", "汉族，", ["汉族"]), ("ethnicity", "民族：回", ["回"]), ("ethnicity", "维吾尔族歌手", ["维吾尔族"]), ("ethnicity", "蒙古族和藏族", ["蒙古族", "藏族"]), ("ethnicity", "Ethnicity: Han Chinese", ["Han Chinese"]), ("ethnicity", "广西壮族自治区", []), ("ethnicity", "土家族苗族自治州", []), ("ethnicity", "水族馆", []), ("ethnicity", "上班族", []), ("ethnicity", "家族", []), ("ethnicity", "种族", []),
    ("degree", "本科毕业", ["本科"]), ("degree", "硕士研究生", ["硕士研究生"]), ("degree", "获博士学位", ["博士学位"]), ("degree", "a bachelor's degree in", ["bachelor's degree"]), ("degree", "an MBA from", ["MBA"]), ("degree", "学历：大专", ["大专"]), ("degree", "Ph.D. in physics", ["Ph.D."]), ("degree", "Master of Science", ["Master of Science"]), ("degree", "大专及以上学历", ["大专"]), ("degree", "高中学历", ["高中学历"]), ("degree", "男，硕士，", ["硕士"]),
    ("degree", "王博士说", []), ("degree", "专科医院", []), ("degree", "高中三年", []), ("degree", "degrees Celsius", []), ("degree", "小学老师", []), ("degree", "本科室", []), ("degree", "硕士生导师", []), ("degree", "the Master's voice", []),
]  # fmt: skip

ROWS = [*CONTACTS, *(("date", *row) for row in DATES), *TIMES, *AMOUNTS, *MEASURES, *CODES, *LISTS]


@pytest.mark.parametrize(("concept", "text", "expected"), ROWS)
def test_found(concept: str, text: str, expected: list[str]) -> None:
    assert values(concept, text) == expected
