"""Names of people."""

from training.texts.template import Draw, one_of
from training.texts.zh_values.compose import either, joined, listed, mixed

common_surname = listed("""
王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 林 罗 高 郑 梁 谢 宋 唐 许 韩 冯 邓 曹
""")
rarer_surname = listed("""
彭 曾 肖 田 董 袁 潘 于 蒋 蔡 余 杜 叶 程 苏 魏 吕 丁 任 沈 姚 卢 姜 崔 钟 谭 陆 汪 范 金 石 廖 贾 夏 韦 付 方 白
邹 孟 熊 秦 邱 江 尹 薛 闫 段 雷 侯 龙 史 陶 黎 贺 顾 毛 郝 龚 邵 万 钱 严 覃 武 戴 莫 孔 向 汤 温 康 施 文 牛 樊
葛 邢 安 齐 易 乔 伍 庞 颜 倪 庄 聂 章 鲁 岳 翟 殷 詹 申 欧 耿 关 兰 焦 俞 左 柳 甘 祝 包 宁 尚 符 舒 阮 柯 纪 梅
童 凌 毕 单 季 裴 霍 涂 成 苗 谷 盛 曲 翁 冉 骆 蓝 路 游 辛 靳 欧 管 柴 蒙 鲍 华 喻 祁 蒲 房 滕 屈 饶 解 牟 艾 尤
阳 时 穆 农 司 卓 古 吉 缪 简 车 项 连 芦 麦 褚 娄 窦 戚
""")
compound_surname = listed("""
欧阳 上官 司马 诸葛 司徒 东方 慕容 皇甫 尉迟 公孙 令狐 端木 夏侯 南宫 轩辕
""")
surname = mixed((60, common_surname), (38, rarer_surname), (2, compound_surname))

_man = listed("""
伟 强 磊 军 勇 杰 涛 明 超 刚 平 辉 鹏 华 飞 鑫 波 斌 宇 浩 凯 健 俊 帆 帅 旭 宁 龙 林 亮 建 峰 毅 昊 阳 晨 航 哲
翔 睿 博 诚 志 国 庆 海 山 东 文 武 德 永 振 世 家 立 宏 光 天 子 泽 皓 轩 梓 一 承 恩 启 云 思 远 鸿 卫 民 利 金
福 贵 根 生 良 川 嘉 骏 钧
""")
_woman = listed("""
芳 娜 敏 静 丽 艳 娟 霞 燕 玲 桂 英 秀 兰 红 梅 玉 萍 莉 婷 雪 慧 琳 倩 颖 洁 璐 欣 怡 佳 琪 悦 涵 萱 诗 梦 瑶 雅
晓 淑 惠 珍 月 春 凤 翠 菊 莹 蕾 薇 茜 蓉 曼 妍 宁 可 若 思 语 彤 雨 紫 馨 依 美 清 巧 云 莲 环 爱 贞 素 蓓 媛 艺
姝 舒 岚 青 苗 丹 露 冰
""")
_two_given = listed("""
建国 国庆 卫东 志强 文杰 俊杰 浩然 子轩 宇航 梓涵 欣怡 诗涵 雨桐 子涵 一诺 思远 明哲 晓明 晓东 海涛 海燕 丽华 丽娟
秀英 桂英 秀兰 玉兰 淑芬 建军 建华 建平 志刚 志明 永强 国强 国栋 家豪 嘉伟 婉婷 雅琪 佳怡 梦洁 思雨 若曦 晨曦 天宇
博文 泽宇 俊熙 沐宸 奕辰 芷若 静怡 美玲 春梅 冬梅 小红 小军 小燕 雪梅 红梅 爱华 爱民 振华 振宇 立新 新民 德华 学友
家辉 润发 星驰 启明 承志 怀玉
""")
_given = mixed((4, _man), (4, _woman), (5, joined(_man, _man)), (5, joined(_woman, _woman)), (5, _two_given))
chinese_person = joined(surname, _given)

_minority = listed("""
阿不都热西提·买买提 艾力·玉素甫 古丽娜扎尔·拜合提亚尔 买买提江·吐尔逊 热依扎·阿里木江 帕提古丽·克力木
阿依古丽 努尔兰·阿不都满金 迪丽热巴 乌兰图雅 巴特尔 其木格 斯琴高娃 扎西顿珠 次仁央金 格桑卓玛 洛桑江村 尼玛次仁
旦增罗布 吉克隽逸 阿沃建萍 色音巴雅尔 哈斯巴根 赛音吉日嘎拉 阿尔法特·艾尼瓦尔 吐尔洪·尼牙孜 白玛央宗 达瓦卓玛
莫色伍各 曲比阿乌 蓝小云 韦拔群 木拉提·黑尼亚提
""")
_western_given = listed("""
约翰 大卫 迈克尔 詹姆斯 罗伯特 威廉 卡尔 保罗 安德烈 亚历山大 汤姆 彼得 马克 斯蒂芬 安娜 玛丽 伊丽莎白 索菲亚 艾玛
凯瑟琳 路易斯 佩德罗 卡洛斯 何塞 弗朗西斯科 弗拉基米尔 谢尔盖 伊万 阿卜杜拉 穆罕默德 艾哈迈德 哈桑 奥马尔 马里奥
朱塞佩 让 皮埃尔 雅克 汉斯 弗里德里希 埃里克 拉斯
""")
_western_family = listed("""
史密斯 约翰逊 布朗 威尔逊 雷德斯 穆勒 施密特 费舍尔 杜邦 马丁内斯 加西亚 罗德里格斯 费尔南德斯 席尔瓦 桑托斯
伊万诺夫 彼得罗夫 库兹涅佐夫 安德森 汤普森 霍夫曼 罗西 比安奇 莱昂 穆萨 侯赛因 拉赫曼 科瓦奇 诺瓦克 汉森 埃里克森
范德贝克 卡特 摩根 哈里斯 库珀 贝克尔 奥尔森 塔希尔
""")
_foreign_family = listed("""
特朗普 拜登 奥巴马 普京 默克尔 马克龙 安倍 泽连斯基 内塔尼亚胡 莫迪 布莱尔 库尔茨 阿萨德 卡扎菲 杜特尔特 鲁哈尼
贝克汉姆 罗纳尔多 齐达内 穆里尼奥 温格 弗格森 瓜迪奥拉 德罗巴 梅西 内马尔 姆巴佩 乔丹 詹姆斯 科比 库里 杜兰特
费德勒 纳达尔 德约科维奇 伍兹 博尔特
""")
_japanese = joined(
    listed("""
山本 田中 佐藤 铃木 高桥 小林 中村 渡边 伊藤 加藤 村上 宫崎 松本 井上 木村 石川 大谷 羽生 福原 池江 东野
"""),
    listed("""
太郎 健一 由美 美穗 一郎 翔平 春树 骏 龙之介 爱 真由美 优子 圭吾 结弦 和也 璃花子 直人 拓哉 惠子 正雄 康弘
"""),
)
_korean = joined(
    listed("朴 金 李 崔 郑 尹 韩 姜 全 宋 孔 权"),
    listed("""
智星 敏英 秀贤 俊昊 智恩 慧教 宰旭 瑞俊 延珠 兴慜 正恩 在寅 锡悦 妍儿 泰亨 承宪 恩静
"""),
)
_latin = joined(
    listed("""
John David Michael Anna Emma Peter Maria Lucas Sophie Ahmed Yuki Kevin Linda Jason Amy Carlos Elena Tom Wei Li
"""),
    " ",
    listed("""
Smith Brown Müller Garcia Rossi Novak Tanaka Kim Chen Wang Zhang Anderson Taylor Silva Ivanov Khan Lee Davis
"""),
)
_western = joined(_western_given, "·", _western_family)
foreign_person = mixed(
    (6, _western),
    (1, joined(_western_given, "·", listed("J W F M D R"), "·", _western_family)),
    (3, _foreign_family),
    (2, _western_family),
    (2, _japanese),
    (2, _korean),
    (1, _latin),
    (1, listed("Jack Lucy Kevin Tony Amy Lily Alex Vivian Cindy Eric Leo Grace")),
)
nick_person = either(
    joined(listed("小 小 老 阿"), common_surname),
    joined(listed("阿 小"), either(_man, _woman)),
    joined(
        surname,
        listed("""
先生 女士 小姐 总 老师 医生 主任 师傅 阿姨 叔 姐 哥 工 经理 教授 局长 大爷 同学 某 某某
"""),
    ),
    listed("""
老爷子 二丫 铁柱 狗蛋 大壮 妞妞 豆豆 乐乐 毛毛 涛哥 芳姐 强子 虎子 丫丫 阿毛 小胖 大刘 三妹 李老 球球妈
"""),
)
person = mixed((84, chinese_person), (2, _minority), (8, foreign_person), (6, nick_person))
_formal_person = mixed((92, chinese_person), (4, _minority), (4, _western))


def _known(names: str, *, chinese: int = 5, foreign: int = 2) -> Draw:
    return mixed((5, listed(names)), (chinese, chinese_person), (foreign, foreign_person))


politician = _known("""
毛泽东 周恩来 邓小平 孙中山 朱镕基 温家宝 胡锦涛 习近平 李克强 王毅 李显龙 马英九 蔡英文 特朗普 拜登 奥巴马 克林顿
普京 默克尔 马克龙 萨科齐 安倍晋三 岸田文雄 小泉纯一郎 文在寅 卢武铉 金正恩 撒切尔夫人 丘吉尔 罗斯福 林肯 华盛顿
戴高乐 曼德拉 卡斯特罗 查韦斯 卢拉 莫迪 甘地 阿拉法特 沙龙 内塔尼亚胡 埃尔多安 梅德韦杰夫 叶利钦 戈尔巴乔夫
泽连斯基 约翰逊 卡梅伦 安南 潘基文 古特雷斯 曹操 诸葛亮 李世民 康熙 乾隆 武则天 唐太宗 秦始皇 慈禧太后
""")
athlete = _known("""
姚明 刘翔 易建联 李娜 郎平 马龙 张继科 樊振东 丁宁 孙颖莎 林丹 谌龙 孙杨 张雨霏 汪顺 苏炳添 巩立姣 谷爱凌 苏翊鸣
武大靖 全红婵 陈若琳 郭晶晶 朱婷 武磊 郑智 孙继海 科比 詹姆斯 库里 梅西 C罗 内马尔 姆巴佩 哈兰德 贝克汉姆 齐达内
费德勒 纳达尔 德约科维奇 小威廉姆斯 博尔特 菲尔普斯 羽生结弦 大谷翔平
""")
artist = _known("""
周杰伦 王菲 刘德华 张学友 邓丽君 陈奕迅 林俊杰 李宗盛 罗大佑 崔健 孙燕姿 蔡依林 张惠妹 薛之谦 毛不易 李健 朴树
许巍 汪峰 邓紫棋 华晨宇 周深 单依纯 陶喆 王力宏 张国荣 梅艳芳 李荣浩 蔡徐坤 鹿晗 张艺兴 齐白石 徐悲鸿 张大千
吴冠中 郎朗 李云迪 达·芬奇 毕加索 凡·高 莫奈 贝多芬 莫扎特 肖邦 阿黛尔 泰勒·斯威夫特 迈克尔·杰克逊 坂本龙一
""")
actor = _known("""
成龙 李连杰 周星驰 周润发 梁朝伟 葛优 黄渤 沈腾 吴京 徐峥 王宝强 章子怡 巩俐 周迅 孙俪 赵丽颖 杨紫 迪丽热巴 杨幂
刘亦菲 胡歌 靳东 陈道明 张译 易烊千玺 肖战 王一博 张颂文 贾玲 马丽 闫妮 海清 倪妮 章若楠 段奕宏 汤姆·克鲁斯
布拉德·皮特 莱昂纳多·迪卡普里奥 安妮·海瑟薇 斯嘉丽·约翰逊 宋慧乔 玄彬 木村拓哉 新垣结衣
""")
writer = _known("""
鲁迅 老舍 巴金 茅盾 沈从文 钱钟书 张爱玲 莫言 余华 贾平凹 路遥 王小波 刘慈欣 金庸 古龙 琼瑶 三毛 韩寒 郭敬明
严歌苓 陈忠实 迟子建 阿来 史铁生 冰心 徐志摩 海子 北岛 舒婷 李白 杜甫 苏轼 白居易 王维 李清照 辛弃疾 陆游 曹雪芹
罗贯中 施耐庵 吴承恩 蒲松龄 司马迁 村上春树 东野圭吾 马尔克斯 海明威 托尔斯泰 陀思妥耶夫斯基 莎士比亚 雨果
巴尔扎克 卡夫卡 加缪 J.K.罗琳 川端康成 泰戈尔 唐家三少 天蚕土豆 猫腻 辰东 墨香铜臭 南派三叔 当年明月 烽火戏诸侯
""")
scientist = _known("""
钱学森 钱三强 邓稼先 袁隆平 屠呦呦 杨振宁 李政道 陈景润 华罗庚 丘成桐 姚期智 潘建伟 施一公 颜宁 钟南山 李兰娟
南仁东 竺可桢 李四光 牛顿 爱因斯坦 达尔文 居里夫人 霍金 费曼 图灵 高斯 欧拉 伽利略 麦克斯韦 玻尔 薛定谔 海森堡
普朗克 孟德尔 巴斯德 门捷列夫 诺贝尔 弗洛伊德 杰弗里·辛顿 杨立昆 吴恩达 李飞飞 沈括 张衡 祖冲之
""")
_addressed = joined(surname, listed("女士 先生 小姐"))
recipient = mixed((8, _formal_person), (2, _addressed), (1, nick_person))
sender = mixed((8, _formal_person), (2, _addressed), (1, nick_person))
patient = mixed(
    (8, _formal_person),
    (1, joined(surname, listed("某 某某 XX ** X"))),
    (1, _addressed),
    (1, joined(surname, one_of("大爷", "阿姨"))),
)
