"""Products, brands, food, places to eat and to stay, and what goods are described by."""

from training.texts.zh_values.compose import between, decimal, digits, either, joined, letters, listed, mixed, sometimes
from training.texts.zh_values.organisations import short_company, stem
from training.texts.zh_values.places import city_stem

_tech_brand = listed("""
华为 小米 红米 OPPO vivo 荣耀 苹果 三星 联想 戴尔 惠普 华硕 索尼 佳能 尼康 大疆 海信 TCL 海尔 美的 格力 戴森
飞利浦 松下 西门子 苏泊尔 九阳 科沃斯 石头 罗技 漫步者 小度 金士顿 西部数据 倍思 安克
""")
_brand_known = listed("""
华为 小米 苹果 三星 索尼 耐克 阿迪达斯 安踏 李宁 特步 优衣库 ZARA H&M 海澜之家 波司登 回力 香奈儿 迪奥 古驰 爱马仕
LV 兰蔻 雅诗兰黛 欧莱雅 资生堂 SK-II 完美日记 花西子 珀莱雅 百雀羚 大宝 海飞丝 潘婷 高露洁 云南白药 帮宝适 好奇
飞鹤 伊利 蒙牛 光明 农夫山泉 娃哈哈 可口可乐 元气森林 王老吉 加多宝 康师傅 统一 三只松鼠 良品铺子 旺旺 奥利奥 德芙
费列罗 老干妈 海天 李锦记 金龙鱼 茅台 五粮液 洋河 泸州老窖 青岛啤酒 星巴克 瑞幸 喜茶 奈雪的茶 蜜雪冰城 肯德基
麦当劳 必胜客 宜家 全友 林氏木业 美的 格力 海尔 方太 老板 戴森 膳魔师 乐高 宝马 奔驰 奥迪 丰田 特斯拉 比亚迪 蔚来
劳力士 欧米茄 卡地亚 周大福 得力 晨光 迪卡侬 北面 始祖鸟 匡威 Vans New_Balance 李维斯 无印良品 MUJI 名创优品 雷朋
双立人 全棉时代
""")
brand = mixed((6, _brand_known), (1, _tech_brand), (1, stem), (1, short_company))
model_number = mixed(
    (3, joined(letters(2), "-", digits(4), sometimes(0.3, letters(1)))),
    (2, joined(letters(1), digits(3), sometimes(0.3, listed("Pro Plus S -A /B")))),
    (2, joined(letters(3), digits(3))),
    (1, joined("KFR-", between(23, 72), "GW/", letters(2), digits(2))),
    (1, joined(letters(2), digits(2), "-", digits(2), letters(1))),
    (
        2,
        listed("""
A2783 SM-S9180 MGN63CH/A iPhone_15_Pro Mate_60_Pro ThinkPad_X1 RTX_4090 i7-13700K XR-55A80K WH-1000XM5 EOS_R6 B365
LX-9000 Q345B HRB400E YJV-0.6/1kV PLC_S7-1200 5.0TFSI P40 K70 DN100 M8×25 LED-60W ESP32 STM32F103
"""),
    ),
)
_phone = mixed(
    (
        2,
        joined(
            listed("iPhone_ 苹果 苹果iPhone_"), between(8, 17), sometimes(0.5, listed("_Pro _Pro_Max Plus Pro mini"))
        ),
    ),
    (
        2,
        joined(
            "华为", listed("Mate P nova_ Pura"), between(8, 70, 2), sometimes(0.5, listed("Pro RS _Pro+ 5G _Ultra"))
        ),
    ),
    (
        2,
        joined(
            listed("""
小米 红米K 红米Note OPPO_Reno vivo_X 荣耀 三星Galaxy_S 一加 Redmi_K 真我GT
"""),
            between(5, 80),
            sometimes(0.4, listed("Pro _Ultra SE Plus 青春版")),
        ),
    ),
)
_appliance = listed("""
空调 冰箱 洗衣机 电视 电饭煲 微波炉 扫地机器人 吸尘器 空气净化器 热水器 油烟机 破壁机 豆浆机 电水壶 加湿器 电风扇
吹风机 剃须刀 电动牙刷 笔记本电脑 平板电脑 蓝牙耳机 智能手表 手环 音箱 路由器 投影仪 打印机 键盘 鼠标 显示器
充电宝 数据线 移动硬盘 U盘 相机 无人机 行车记录仪 智能门锁 台灯 摄像头 学习机 洗碗机 烤箱
""")
_daily = listed("""
连衣裙 羽绒服 牛仔裤 T恤 卫衣 衬衫 运动鞋 帆布鞋 高跟鞋 双肩包 行李箱 钱包 手套 帽子 围巾 口红 面膜 洗面奶 防晒霜
眼霜 精华液 香水 洗发水 沐浴露 牙膏 纸尿裤 婴儿奶粉 婴儿车 积木 毛绒玩具 保温杯 雨伞 床垫 四件套 枕头 沙发 书桌
办公椅 窗帘 炒锅 菜刀 餐具 收纳箱 垃圾袋 抽纸 洗衣液 猫粮 狗粮 跑步机 瑜伽垫 帐篷 自行车 电动车 轮胎 玻璃 水泥
钢材 瓷砖 螺丝 电缆 复印纸 签字笔 笔记本 口罩 酒精 手机壳 钢化膜 蓝光眼镜 手表 项链 戒指 茶叶 大米 食用油 坚果
牛奶 咖啡豆
""")
_adjective = listed("""
智能 便携式 家用 全自动 无线 儿童 男士 女士 加厚 纯棉 有机 防水 复古 迷你 变频 静音 超薄 真皮 不锈钢 夏季 春秋
新款 轻薄 一次性 负离子 多功能
""")
product = mixed(
    (3, _phone),
    (3, joined(_tech_brand, sometimes(0.3, joined(letters(1), digits(2))), _appliance)),
    (3, either(_appliance, _daily)),
    (2, joined(_adjective, either(_appliance, _daily))),
    (2, joined(_brand_known, either(_daily, _appliance))),
    (
        2,
        joined(
            listed("""
Nova Air Lumi Echo Magic Pixel Aero Zen Hero Flow Sky Neo Moto Vita Max Cube Pod Smart
"""),
            listed("Pro Book Buds Pad One Watch Max Go X Link Lite Cam Home 3 7 S2"),
            sometimes(0.3, joined(" ", between(2, 15))),
        ),
    ),
    (
        2,
        joined(
            stem,
            listed("""
一号 Pro X1 牌净水器 云盘 奶粉 智能音箱 理财 扫描仪 纯电SUV 胶囊 系列 蛋白粉 机器人 芯片 保险 口服液 套装
"""),
        ),
    ),
    (
        1,
        listed("""
AirPods_Pro MacBook_Pro iPad_Air Switch PS5 Kindle 麒麟9000 骁龙8_Gen3 Model_Y 小蓝瓶 神仙水 小棕瓶 飞天茅台
五粮液普五 老干妈辣酱 大白兔奶糖 红牛 辣条 螺蛳粉 余额宝 重疾险 年卡会员 ChatGPT 小爱同学 天猫精灵 北斗导航
特斯拉Model_3 脑白金
"""),
    ),
)
vehicle = mixed(
    (
        4,
        listed("""
宝马X5 宝马3系 奔驰E级 奔驰GLC 奥迪A4L 奥迪Q5 大众朗逸 途观L 帕萨特 迈腾 高尔夫 丰田凯美瑞 卡罗拉 汉兰达 本田雅阁
思域 CR-V 日产轩逸 天籁 别克君越 福特蒙迪欧 比亚迪汉EV 比亚迪秦PLUS 宋PLUS 海豚 特斯拉Model_3 Model_Y 蔚来ES6
理想L9 小鹏P7 问界M7 极氪001 哈弗H6 长安CS75 吉利星越L 五菱宏光 五菱宏光MINIEV 红旗H9 保时捷卡宴 法拉利488
兰博基尼 劳斯莱斯幻影 沃尔沃XC60 雷克萨斯ES 路虎揽胜 小米SU7 解放J7 东风天龙 金龙客车 依维柯 出租车 公交车 大货车
面包车 救护车 消防车 摩托车 电动车 三轮车 自行车 拖拉机 高铁 复兴号 和谐号 校车 网约车 渣土车 皮卡 越野车 SUV 轿车
半挂车 地铁 叉车 洒水车 游轮 直升机
"""),
    ),
    (
        1,
        joined(
            listed("白色 黑色 红色 银灰色 蓝色 一辆"),
            listed("""
轿车 面包车 大众轿车 越野车 货车 商务车 电动自行车 宝马 奥迪 丰田 摩托车
"""),
        ),
    ),
    (
        1,
        joined(
            listed("宝马 奔驰 奥迪 大众 吉利 长安 奇瑞 荣威 名爵 领克 岚图 哪吒"),
            letters(1),
            between(1, 9),
            sometimes(0.4, listed("_Pro PLUS L _PHEV EV")),
        ),
    ),
)
device = mixed(
    (
        3,
        listed("""
交换机 服务器 路由器 变压器 发电机 水泵 空压机 数控机床 车床 铣床 磨床 注塑机 锅炉 冷却塔 起重机 挖掘机 推土机
盾构机 叉车 传送带 机械臂 3D打印机 激光切割机 离心机 显微镜 质谱仪 示波器 光谱仪 核磁共振仪 CT机 呼吸机 心电监护仪
血糖仪 血压计 超声诊断仪 X光机 除颤仪 输液泵 打印机 扫描仪 投影仪 监控摄像头 POS机 ATM机 电梯 中央空调 配电柜
UPS电源 逆变器 光伏组件 传感器 温度计 压力表 流量计 阀门 变频器 PLC 工控机 无人机 望远镜 雷达 光刻机 电子秤 充电桩
门禁 打卡机 烘干机 反应釜 粉碎机
"""),
    ),
    (2, joined(letters(2), digits(3), listed("型离心泵 型压缩机 数控车床 扫描仪 检测仪 型变压器 机组 控制器"))),
    (1, joined(listed("1 2 3 二 5"), listed("号机组 号锅炉 号电梯 号服务器 号泵 号生产线"))),
    (1, joined(_tech_brand, listed("服务器 笔记本 打印机 手机 投影仪 显示器 路由器"))),
)
software = mixed(
    (
        4,
        listed("""
微信 支付宝 淘宝 抖音 快手 微博 QQ 钉钉 飞书 企业微信 腾讯会议 高德地图 百度地图 网易云音乐 QQ音乐 哔哩哔哩 小红书
知乎 今日头条 美团 饿了么 滴滴出行 携程旅行 12306 拼多多 京东 学习强国 WPS Word Excel PowerPoint Photoshop AutoCAD
SolidWorks MATLAB SPSS Stata Visual_Studio_Code PyCharm IntelliJ_IDEA Windows_11 Windows_XP macOS iOS_17 Android
鸿蒙 HarmonyOS Linux Ubuntu CentOS MySQL Oracle Redis MongoDB Kafka Docker Kubernetes Nginx Hadoop Spark
TensorFlow PyTorch Chrome Firefox Edge 360安全卫士 迅雷 百度网盘 剪映 Pr 用友U8 金蝶K3 SAP 美图秀秀 有道词典 Zoom
Slack Notion Git Jenkins Tomcat Keep Steam 全民K歌
"""),
    ),
    (
        1,
        joined(
            stem,
            listed("""
ERP OA系统 APP 云盘 管理系统 助手 浏览器 地图 输入法 客户端 通 云平台 V3.0 安全卫士
"""),
        ),
    ),
)
website = mixed(
    (
        4,
        listed("""
百度 新浪网 新浪微博 搜狐 网易 腾讯网 知乎 豆瓣 淘宝网 天猫 京东商城 拼多多 当当网 亚马逊 唯品会 苏宁易购 携程网
去哪儿网 马蜂窝 大众点评 58同城 赶集网 链家 贝壳找房 智联招聘 前程无忧 BOSS直聘 拉勾网 猎聘网 中国知网 万方数据
维基百科 百度百科 百度贴吧 天涯社区 虎扑 优酷 爱奇艺 腾讯视频 B站 哔哩哔哩 谷歌 YouTube Facebook Twitter GitHub
CSDN 博客园 果壳网 雪球 东方财富网 人民网 新华网 中国政府网 凤凰网 起点中文网 晋江文学城 汽车之家 中关村在线
丁香园 好大夫在线 铁血网 猫眼电影 12306官网 学信网 微博 小红书 领英 eBay 闲鱼
"""),
    ),
    (1, joined(either(stem, city_stem), listed("网 论坛 在线 商城 社区 信息港 招聘网 之家 房产网"))),
)
_ingredient = listed("""
牛肉 羊肉 猪肉 鸡 鸭 鱼 虾仁 豆腐 茄子 土豆 番茄 鸡蛋 排骨 香菇 白菜 豆角 藕 青椒 鱿鱼 肥肠 牛腩 腊肉 海参 粉丝
菠菜 西兰花 鸡翅 五花肉
""")
food = mixed(
    (
        3,
        listed("""
北京烤鸭 宫保鸡丁 麻婆豆腐 鱼香肉丝 回锅肉 水煮鱼 酸菜鱼 红烧肉 东坡肉 糖醋排骨 西湖醋鱼 叫花鸡 佛跳墙 白切鸡 叉烧
烧鹅 肠粉 虾饺 小笼包 生煎包 包子 馒头 饺子 馄饨 油条 豆浆 煎饼果子 凉皮 肉夹馍 羊肉泡馍 兰州拉面 热干面 重庆小面
担担面 炸酱面 米线 螺蛳粉 酸辣粉 火锅 麻辣烫 烤串 小龙虾 臭豆腐 粽子 月饼 汤圆 元宵 年糕 春卷 炒饭 扬州炒饭 煲仔饭
皮蛋瘦肉粥 寿司 刺身 拉面 牛排 披萨 意大利面 汉堡 薯条 沙拉 三明治 炸鸡 烤肉 石锅拌饭 泡菜 咖喱饭 蛋糕 面包 冰淇淋
巧克力 饼干 布丁 提拉米苏 马卡龙 双皮奶 苹果 香蕉 西瓜 草莓 葡萄 芒果 榴莲 橙子 番茄 黄瓜 胡萝卜 花生 瓜子 红枣
火腿 辣条 薯片 方便面 酸奶 奶酪 燕窝 鸡胸肉 阳澄湖大闸蟹 驴肉火烧 毛血旺 夫妻肺片
"""),
    ),
    (
        3,
        joined(
            listed("""
红烧 清蒸 糖醋 爆炒 油焖 麻辣 干煸 水煮 凉拌 蒜蓉 香煎 葱爆 酸辣 孜然 铁板 白灼 炭烤 黑椒
"""),
            _ingredient,
        ),
    ),
    (1, joined(_ingredient, listed("汤 面 粥 炖土豆 火锅 饭 煲 饺子 包子 盖饭 炒面"))),
)
drink = listed("""
茅台 五粮液 白酒 啤酒 红酒 葡萄酒 黄酒 米酒 威士忌 伏特加 白兰地 鸡尾酒 香槟 清酒 青岛啤酒 二锅头 女儿红 绿茶 红茶
乌龙茶 普洱茶 龙井 西湖龙井 铁观音 碧螺春 大红袍 茉莉花茶 菊花茶 奶茶 珍珠奶茶 杨枝甘露 柠檬茶 酸梅汤 豆浆 牛奶
酸奶 咖啡 美式咖啡 拿铁 卡布奇诺 生椰拿铁 浓缩咖啡 可乐 雪碧 橙汁 苹果汁 椰汁 矿泉水 苏打水 红牛 王老吉 凉茶
冰红茶 热可可 果汁 西瓜汁 芝士葡萄 抹茶拿铁 桂花酿 汾酒 国窖1573 拉菲 莫吉托 气泡水 芒果冰沙 豆奶 燕麦奶 功能饮料
白开水 青稞酒 马奶酒
""")
cuisine = listed("""
川菜 粤菜 鲁菜 苏菜 浙菜 闽菜 湘菜 徽菜 东北菜 京菜 本帮菜 潮汕菜 客家菜 云南菜 贵州菜 新疆菜 西北菜 清真菜 江浙菜
淮扬菜 台湾菜 农家菜 私房菜 素食 火锅 烧烤 海鲜 自助餐 快餐 小吃 日本料理 日料 韩国料理 韩餐 泰国菜 泰餐 越南菜
印度菜 西餐 法餐 法国菜 意大利菜 墨西哥菜 地中海菜 中餐 面馆 甜品 甜点 茶餐厅 创意菜 融合菜 家常菜 麻辣 清淡
重口味 酸甜口 咸鲜 香辣 微辣 重庆火锅 铁板烧 土菜 美式 早茶 咖啡厅
""")
_shop = joined(
    listed("""
老 小 大 川 蜀 江南 外婆 渔 巷子 北 东 湘 胖哥 张记 李记 王记 陈记 阿婆 福 满 聚 鼎 晋 悦 鲜 山城 半亩 一品 七里
老城
"""),
    listed("""
味居 香园 家 院子 食堂 小馆 人家 火锅店 面馆 饭庄 酒楼 烧烤 餐厅 渔港 私房菜 菜馆 面 小厨 粥铺 海鲜坊 串串香
茶餐厅 轩 楼 阁
"""),
)
_branch = sometimes(0.25, joined("（", city_stem, listed("店 万达店 中山路店 银泰店 总店 南站店"), "）"))
restaurant = mixed(
    (
        3,
        joined(
            listed("""
全聚德 海底捞 外婆家 西贝莜面村 小肥羊 狗不理 东来顺 楼外楼 知味观 真功夫 肯德基 麦当劳 必胜客 星巴克 太二酸菜鱼
呷哺呷哺 眉州东坡 绿茶餐厅 大董 鼎泰丰 新荣记 陶陶居 广州酒家 点都德 味千拉面 萨莉亚 费大厨 巴奴毛肚火锅 小龙坎
沙县小吃 黄焖鸡米饭 喜茶 同庆楼 松鹤楼 绿波廊
"""),
            _branch,
        ),
    ),
    (5, joined(_shop, _branch)),
    (1, joined(city_stem, listed("饭店 小吃城 大酒楼 菜馆 老灶火锅 食府"))),
)
hotel = mixed(
    (
        3,
        joined(
            city_stem,
            sometimes(0.2, listed("国际 高新 西湖 浦东 火车站")),
            listed("""
希尔顿酒店 香格里拉大酒店 万豪酒店 喜来登酒店 洲际酒店 凯悦酒店 威斯汀酒店 四季酒店 皇冠假日酒店 君悦酒店
丽思卡尔顿酒店 大饭店 国际大酒店 宾馆 如家酒店 迎宾馆
"""),
        ),
    ),
    (
        2,
        joined(
            listed("""
如家 汉庭 7天 锦江之星 全季 亚朵 维也纳 桔子 速8 格林豪泰 布丁 城市便捷 麗枫
"""),
            listed("酒店 快捷酒店 连锁酒店"),
            sometimes(0.5, joined("（", city_stem, listed("火车站店 机场店 大学城店 市中心店 店"), "）")),
        ),
    ),
    (
        2,
        joined(
            listed("""
半山 听雨 花间 云上 归园 悦来 海边 拾光 青年 望湖 锦绣 东方 金陵 白天鹅 长城 北京 和平 花园 君澜 山水 星空
"""),
            listed("民宿 客栈 酒店 大酒店 饭店 宾馆 国际青年旅舍 度假酒店 公寓 招待所 山庄"),
        ),
    ),
)
material = listed("""
纯棉 棉 亚麻 真丝 羊毛 羊绒 涤纶 锦纶 氨纶 腈纶 莫代尔 雪纺 牛仔布 灯芯绒 帆布 牛皮 真皮 PU皮 人造革 麂皮 羽绒
不锈钢 铝合金 钛合金 碳钢 铸铁 铜 黄铜 锌合金 碳纤维 玻璃纤维 塑料 ABS PVC PP PE 聚碳酸酯 亚克力 硅胶 橡胶 乳胶
尼龙 实木 橡木 胡桃木 松木 红木 密度板 竹 藤 陶瓷 骨瓷 玻璃 钢化玻璃 水晶 大理石 花岗岩 石英石 混凝土 水泥 砂石
钢筋 石膏 沥青 石墨烯 氮化镓 碳化硅 硅片 聚氨酯 环氧树脂 泡沫 海绵 和田玉 翡翠 银 纯银 18K金 铂金 纸 牛皮纸 凯夫拉
304不锈钢 6061铝合金 Q235钢 桑蚕丝 天丝 珊瑚绒 100%棉
""")
color = mixed(
    (
        3,
        listed("""
红色 黑色 白色 蓝色 绿色 黄色 灰色 紫色 粉色 橙色 棕色 银色 金色 咖啡色 米色 卡其色 藏青色 天蓝色 酒红色 墨绿色
玫瑰金 香槟金 深空灰 午夜黑 远峰蓝 月光白 星光色 雅川青 曜石黑 樱花粉 雾霾蓝 焦糖色 奶茶色 象牙白 湖蓝 驼色 军绿
裸色 荧光绿 黑 白 红 蓝 灰 粉 透明 彩色 迷彩 黑白相间 红棕色 青色 珍珠白 冰川蓝 豆沙色 正红色 砖红色 杏色
"""),
    ),
    (1, joined(listed("深 浅 亮 暗 淡 哑光 粉"), listed("蓝色 灰色 绿色 紫色 棕色 红色 黑色"))),
)
size = mixed(
    (
        2,
        listed("""
S M L XL XXL XXXL XS 均码 大号 中号 小号 加大码 S码 M码 L码 XL码 大码 特大号 迷你 标准 A4 A3 B5 大杯 中杯 小杯
超大杯 大 中 小 5寸 双人 1.8米床 两室一厅 三室两厅 全尺寸
"""),
    ),
    (2, joined(either(between(34, 46), between(150, 195, 5)), listed("码 A 号"))),
    (
        2,
        joined(
            either(between(10, 300), decimal(1, 90, 1)),
            listed("× * x X"),
            between(10, 300),
            sometimes(0.5, joined("×", between(1, 200))),
            listed("cm mm 厘米 毫米"),
        ),
    ),
    (2, joined(between(11, 98), listed("英寸 寸"))),
    (1, joined(between(64, 512, 64), "GB")),
    (1, joined(between(50, 1000, 50), listed("ml 克 g 毫升 g×2袋 ml/瓶 g*10包"))),
    (1, joined(between(8, 16, 4), "GB+", listed("128GB 256GB 512GB 1TB"))),
    (1, joined(between(1, 40), listed("米 厘米 平方米 mm cm"))),
)
service = mixed(
    (
        4,
        listed("""
上门安装 免费配送 送货上门 代驾 家政服务 保洁 月嫂 搬家 快递 同城配送 洗衣 干洗 美容美发 美甲 按摩 足疗 汽车保养
洗车 道路救援 维修 家电清洗 开锁 管道疏通 疏通下水道 网络布线 宽带安装 云存储 云计算 数据备份 技术支持 售后服务
七天无理由退货 免费试用 法律咨询 心理咨询 税务代理 代理记账 公司注册 商标注册 翻译 同声传译 广告投放 网站建设
软件开发 系统运维 物业管理 安保 停车 接机 接送机 早餐 叫醒服务 行李寄存 健身房 免费Wi-Fi 机票预订 酒店预订
旅游签证 导游 租车 贷款 信用卡办理 转账 理财 保险理赔 体检 疫苗接种 挂号 陪诊 护理 养老服务 托育 家教 课后托管
会员 流量包 国际漫游 来电显示 彩铃 套餐升级 水电维修 审计 猎头 培训 宠物寄养 婚礼策划 摄影
"""),
    ),
    (
        1,
        joined(
            listed("24小时 上门 免费 VIP 一对一 在线 定制 全程"),
            listed("客服 维修 咨询 配送 保洁 检测 护理 培训 管家 托管服务"),
        ),
    ),
)
category = mixed(
    (
        2,
        listed("""
科技 体育 娱乐 财经 教育 军事 社会 国际 房产 汽车 旅游 美食 健康 时尚 游戏 文化 历史 母婴 数码 家居 家电 手机 电脑
服装 女装 男装 鞋靴 箱包 美妆 个护 食品 生鲜 酒水 图书 玩具 医药 运动户外 珠宝 宠物 咨询 投诉 建议 表扬 报修 紧急
普通 一般 重大 高级 初级 经济型 豪华型 喜剧 爱情 动作 科幻 悬疑 恐怖 动画 纪录片 剧情 有限责任公司 事业单位
国有企业 民营企业 外资企业 增值税专用发票 普通发票 全职 兼职 实习 单选题 判断题 住宅 商铺 写字楼 一手房 二手房
民事案件 刑事案件 合同纠纷 劳动争议 软件 硬件 硬件故障 网络故障 退款 退货退款 换货 年假 事假 病假 差旅费 办公用品
高速公路 哺乳动物 爬行动物 乔木 灌木
"""),
    ),
    (
        1,
        joined(
            listed("智能 绿色 传统 新型 综合 专业 大型 小型"),
            listed("设备类 企业 服务类 制造业 农业 应用 工程 项目 商品"),
        ),
    ),
)
selection = listed("""
最近的 最近 最便宜的 最便宜 最贵的 评分最高 好评最多 人气最高 销量最高 最新 最热 最高 最低 最大的 最好的 距离最近
价格从低到高 价格从高到低 按价格排序 按距离排序 按销量排序 按时间倒序 由近到远 从高到低 从新到旧 随机 随便一个
第一个 第二个 最后一个 前三名 前十 排名第一 性价比最高 速度最快 时间最短 不走高速 避开拥堵 少换乘 直达 步行最少
免费的 只看有货 仅限包邮 带停车场 带早餐 可退改 靠窗 有Wi-Fi 评价好的 口碑好的 离得近一点的 默认 综合排序 新品优先
更便宜的 稍大一点 不要辣 除了川菜 24小时营业 允许带宠物 人均100以下 四星以上 价位适中 高档 中等价位 便宜点的
""")
