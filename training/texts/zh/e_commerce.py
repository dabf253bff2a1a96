"""Templates of Chinese texts: shop listings, reviews of goods, hotels and restaurants."""

TEMPLATES: tuple[str, ...] = (
    "【[正品|新品|包邮]】{brand}{product} {model_number} {color} {size} [现货|热卖][ 到手价{price}|]",
    "{brand} {product}，[采用|使用]{material}材质，[有|共]{color}、{color}两色可选，尺码{size}，售价{price}。",
    (
        "品牌：{brand}\n型号：{model_number}\n颜色：{color}\n材质：{material}\n尺寸：{size}\n价格：{price}\n产地"
        "：{country}"
    ),
    "[买了|入手]{brand}的{product}，{pros}，就是{cons}[，总体|。总的来说]{opinion}，打{rating}。",
    "{aspect}{opinion}，{aspect}{opinion}，[会回购|不推荐|一般般吧]。",
    "这款{product}的{aspect}[真的|确实]{opinion}[，|,][但是|不过]{aspect}[有点|比较]{opinion}",
    "优点：{pros}；{pros}。缺点：{cons}。[评分|综合评分]：{rating}",
    "[用了{duration}|]来追评：{problem}，客服说{reason}，[只给|扣到]{rating}，[别买|慎入]！",
    "{brand}和{brand}[的{product}|]哪个好？[预算{price}|想要{pros}的]，[主要|平时][送人|自用]",
    "{device}[性能|配置]：重量{quantity}，屏幕{size}，[运行|预装]{software}，[功率|电池]{quantity}。",
    "{vehicle}[试驾|提车]：[空间|动力]{opinion}，油耗{quantity}，落地{price}，{cons}。",
    (
        "{hotel}[位置|地理位置]很方便，离{attraction}只有{quantity}，{spatial_relation}就是{facility}。房间"
        "{opinion}，{cons}。"
    ),
    "在{hotel}住了{duration}，{price}，前台{person}[很热情|帮我升级了房型]，早餐的{food}{opinion}。",
    "{hotel}：{pros}[，|；]{cons}。[带孩子来|出差]住合适。",
    "{restaurant}的{food}[绝了|一绝|踩雷]，{drink}[也不错|偏甜]，消费{price}，[环境|服务]{opinion}。",
    "{restaurant}（{road}店）主打{cuisine}，[招牌是|必点]{food}和{food}，营业时间{time}，订位电话{phone}。",
    "[和朋友|]{date_relative:date}去{city}的{restaurant}吃{cuisine}，排队{duration}，{food}{opinion}，结账{money}。",
    "帮我找一家{spatial_relation}{location}的{cuisine}餐厅，要{selection}的，消费{price}以内。",
    "[推荐|有没有]{selection}的{category}？最好{spatial_relation}{facility}，评分{rating}以上。",
    "《{book}》（{writer}著，{company}）[包装|纸质]{opinion}，内容{opinion}，适合{group}阅读。",
    "{software}很好用，{aspect}{opinion}，{service}[会员费|月费]{price}[，唯一缺点是{cons}|]。",
    "[护肤品|面霜]含有{chemical}和{chemical}，[敏感肌|干皮]用后{symptom}，[不推荐|已退货]，退款{money}。",
    "净含量：{quantity}，配料：{food}、{food}、{chemical}，保质期{duration}，生产日期{date}，产地{region}。",
    "{plant}[盆栽|种子|鲜花]，高{quantity}，{price}一盆，{city}发货，{festival}[特惠|送礼]。",
    "[猫粮|狗粮|宠物玩具]测评：我家{animal}[{age}|]，[很爱吃|不感兴趣]，{pros}，{cons}。",
    "{instrument}[初学者|入门]选{brand}{model_number}，{price}，[音色|手感]{opinion}。",
    (
        "二手转让：{brand}{device}，{date}购入，[九成新|几乎全新]，{color}，{price}不议价，联系{phone}，[坐标|同"
        "城]{city}。"
    ),
    "[退货理由|退款原因]：{reason}。[问题|描述]：{problem}。[期望|希望]：{request}。",
    "[限时|秒杀]！{date}{time}，{website}，{product}直降{money}，[折后|券后]{price}，[仅限|限量]{quantity}。",
    "物流{opinion}，{city}到{city}{duration}，[快递员|小哥]{opinion}，包装[完好|破损]。",
    "{attraction}[门票|套票]{price}，{opinion}，[建议|大概]玩{duration}，{time}前入园，出来可以吃{food}。",
    "[买家|网友]{username}：{product}收到了，{aspect}{opinion}{emoji}[{emoji}|]",
    "房源：{address}，{category}，面积{quantity}，租金{price}，{spatial_relation}{facility}，中介{person}{phone}",
    "{vehicle}，[上牌|首次登记]{date}，行驶{quantity}，报价{price}，[车辆|排放]类型{category}，车在{city}。",
    "Q：[能|可以]{request}吗？A：亲，{product}不支持哦，{reason}{emoji}",
    "{game}[典藏版|光盘] {brand} {price}，{city}[自提|包邮]，[支持|兼容]{device}。",
    "{album}[黑胶|签名版]，{artist}，{price}，[品相|音质]{opinion}。",
    "{book}、{book}和{book}[打包|一起]{price}，{website}[买要|标价]{price}。",
)
