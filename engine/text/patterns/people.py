"""Closed lists about a person: sex, political status, ethnic group, degree.

A word that also means something else (男, 群众, 专科, 高中) is a value only after its field's name or set off as a
field of its own. Other countries' ethnic groups and degrees in abbreviations of two letters (BA, MS) are not found.
"""

import re

from engine.text.patterns.rules import ANY_CASE, HAN, Rule, needing, rule

_IS = r"(?:\ ?[:为是]\ ?|\ {1,3})"
_OPEN = r"(?:(?<=[，,；;|(\t])\ ?|^\ ?)"
_CLOSE = r"(?=\ ?(?:[，,；;|)。.\t\n]|$))"
_FIELD = r"(?=\ ?(?:[，,；;|)\t\n]|$))"

_SEX = [
    rule("gender", "cue", rf"(?:性别|男女){_IS}?(?P<value>男性?|女性?)(?![{HAN}/、])", needs="han"),
    rule("gender", "field", r"(?:(?<=[，,；;|(])\ ?|(?<=[一-龥])\ )(?P<value>男性?|女性?)" + _CLOSE, needs="han"),
    rule("gender", "first field", r"^(?P<value>男性?|女性?)(?=[，,；;|])", None, re.MULTILINE, needs="han"),
    rule("gender", "cue in english",
         r"(?<![A-Za-z])(?:gender|sex)\ ?[:=]\ ?(?P<value>non-binary|female|male|woman|man|[MF])(?![A-Za-z/-])",
         None, ANY_CASE, needs="latin"),
    rule("gender", "field in english", r"(?<=,\ )(?P<value>[Ff]emale|[Mm]ale)(?=[,;.)]|$)", needs="latin"),
]  # fmt: skip

_PARTIES = (
    "中共预备党员|中共正式党员|中共党员|中国共产党党员|中国共产党预备党员|共产党员|预备党员|共青团员"
    "|中国共青团团员|民革党员|民革会员|"
    "民盟盟员|民建会员|民进会员|农工党党员|致公党党员|九三学社社员|台盟盟员|无党派民主人士|无党派人士|入党积极分子"
)
_STATUS = [
    rule("political_status", "list", f"(?:{_PARTIES})(?![的]?(?:先锋|活动|大会|示范|之家|网))", needs="han"),
    rule("political_status", "cue",
         rf"政治面貌{_IS}?(?P<value>(?:{_PARTIES})|党员|团员|群众|无党派|民主党派)(?![{HAN}])"),
]  # fmt: skip

_GROUP_NAMES = (
    "汉 蒙古 回 藏 维吾尔 苗 彝 壮 布依 朝鲜 满 侗 瑶 白 土家 哈尼 哈萨克 傣 黎 傈僳 佤 畲 高山 拉祜 水 东乡 纳西 "
    "景颇 柯尔克孜 土 "
    "达斡尔 仫佬 羌 布朗 撒拉 毛南 仡佬 锡伯 阿昌 普米 塔吉克 怒 乌孜别克 俄罗斯 鄂温克 德昂 保安 裕固 京 塔塔尔 独"
    "龙 鄂伦春 赫哲 "
    "门巴 珞巴 基诺"
)
_GROUP = "|".join(sorted(_GROUP_NAMES.split(), key=len, reverse=True))
_PEOPLES = (
    "Han|Mongol(?:ian)?|Hui|Tibetan|Uyghur|Uighur|Miao|Yi|Zhuang|Bouyei|Korean|Manchu|Dong|Yao|Bai|Tujia|Hani"
    "|Kazakh|Dai|Li|"
    "Caucasian|Asian|Hispanic|Latino|Latina|African\\ American|Black|White|Native\\ American|Pacific\\ Islander"
)
_ETHNICITY = [
    rule("ethnicity", "list",
         rf"(?:{_GROUP})族(?![馆箱人]?自治)(?![馆箱缸谱长群类裔权])(?!(?:[{HAN}]{{1,4}}族){{0,3}}(?:自治|乡(?!亲)))",
         needs="han"),
    rule("ethnicity", "cue", rf"民族{_IS}(?P<value>(?:{_GROUP})族?)(?![{HAN}])", needs="han"),
    rule("ethnicity", "cue in english",
         rf"(?<![A-Za-z])(?:ethnicity|ethnic\ group|race)\ ?[:=]\ ?(?P<value>(?:{_PEOPLES})(?:\ Chinese)?)"
         rf"(?![A-Za-z-])", None, ANY_CASE, needs="latin"),
    rule("ethnicity", "in english",
         r"(?<![A-Za-z-])(?:Han\ Chinese|ethnic\ (?P<value>Han|Uyghurs?|Uighurs?|Tibetans?|Mongols?|Mongolians?"
         r"|Kazakhs?|Koreans?|Hui|Zhuang|Miao|Manchus?))(?![A-Za-z-])", needs="latin"),
]  # fmt: skip

_CLEAR = (
    "博士研究生|博士后|博士学位|博士学历|硕士研究生|硕士学位|硕士学历|研究生学历|全日制本科|统招本科|大学本科"
    "|本科学历|本科(?![室目普院校医人课技])|"
    "大学专科|大专学历|大专(?!生?院)|专科学历|中专学历|高中学历|初中学历|小学学历|双学士学位|学士学位|双学位"
    "|硕士(?!生?导师|点|论文|生)|"
    "(?<![A-Za-z])(?:E?MBA|MPA|MPAcc)(?![A-Za-z])"
)
_UNCLEAR = "博士研究生|博士后|博士|硕士|研究生|学士|本科|大专|专科|高职|中专|职高|技校|高中|初中|小学|文盲|大学"
_FIELDS_EN = (
    r"(?:Science|Arts|Engineering|Laws?|Business\ Administration|Education|Philosophy|Medicine|Fine\ Arts"
    r"|Public\ (?:Health|Administration|Policy)|Commerce|Music|Architecture|Social\ Work|Technology)"
)
_DEGREES = [
    rule("degree", "list", f"(?:{_CLEAR})", needs="any"),
    rule("degree", "before a word",
         r"(?:博士|研究生|专科|高中|中专|初中|学士)(?=及以上|以上学历|毕业(?!论文|设计|生|典礼|照)|学历|或以上)",
         needs="han"),
    rule("degree", "cue",
         rf"(?:学历|学位|文化程度|教育程度)(?:要求)?{_IS}?(?P<value>{_UNCLEAR})(?![{HAN}]{{0,2}}[院校系])",
         needs="han"),
    rule("degree", "field",
         rf"(?:(?<=[，,；;|])\ ?)(?P<value>博士|研究生|专科|高中|中专|初中|小学|学士){_FIELD}", needs="han"),
    rule("degree", "in english",
         rf"(?<![A-Za-z-])(?:Bachelor|Master|Doctor|Associate)(?:'?s)?(?:\ degree)?"
         rf"\ of\ {_FIELDS_EN}(?:\ and\ {_FIELDS_EN})?(?![A-Za-z])"
         r"|(?<![A-Za-z-])(?:bachelor|master|associate|doctoral|doctorate|undergraduate|graduate|postgraduate|law"
         r"|medical|college|university)(?:'?s)?\ degrees?(?![A-Za-z-])"
         r"|(?<![A-Za-z-])(?:bachelor|master)'s(?=\ (?:in|from)\b)|(?<![A-Za-z-])(?:high\ school\ diploma"
         r"|doctorate)(?![A-Za-z-])", None, ANY_CASE, needs="latin"),
    rule("degree", "letters",
         r"(?<![A-Za-z0-9.-])(?:Ph\.?\ ?D\.?|E?MBA|MPhil|DPhil|B\.?Sc\.?|M\.?Sc\.?|B\.S\.|M\.S\.|B\.A\.|M\.A\."
         r"|B\.?Eng\.?|M\.?Eng\.?|LL\.?[BM]\.?|J\.D\.|M\.D\.|(?:BA|MA|BS|MS)(?=\ in\ [A-Z]))(?![A-Za-z0-9-])",
         needs="latin"),
]  # fmt: skip
RULES: list[Rule] = needing("any", [*_SEX, *_STATUS, *_ETHNICITY, *_DEGREES])
