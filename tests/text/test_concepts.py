"""The table of concepts, and which of them a field's name means."""

import json
import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.concepts import (
    LONGEST,
    TABLE,
    ancestors,
    concept_of_type,
    concepts,
    descendants,
    lookup,
    qualifier,
)
from engine.types import ValueType

CASES: dict[str, str] = {
    "usual names": """
        姓名 person|人名 person|人物 person|位置 location|地名 location|地点 location|单位 organization
        机构名 organization|機構名 organization|組織 organization|組織機構 organization|团体 group
        公司 company|公司名称 company|企業 company|时间 date|時間 date|日期 date|金额 money|金額 money|股票 stock
        股票代码 stock|事件 event|产品名 product|產品 product|电话 phone|電話號碼 phone|手机号 phone|邮箱 email
        郵箱地址 email|网址 url|IP地址 ip_address|ip 地址 ip_address|书名 book|作品 creative_work|价格 price
        薪水 salary|年龄 age|性别 gender|其他 miscellaneous|name person|title job_title|account username
        state region|model model_number|date-time date|E-mail email|IPAddress ip_address|URL url|emails email
        companies company|country_name country|companyName company|PHONE-NUMBER phone|ＥＭＡＩＬ email
        addresses address|colour color|color color|organisation organization
    """,
    "labels of corpora": """
        person person|location location|organization organization|PER person|LOC location|ORG organization
        GPE location|MISC miscellaneous|corporation company|creative work creative_work|group group|product product
        album album|academic journal periodical|astronomical object astronomical_object|award award
        chemical compound chemical|chemical element element|country country|discipline discipline|enzyme protein
        event event|protein protein|miscellaneous miscellaneous|scientist scientist|theory theory|university school
        election election|band band|political party political_party|politician politician|music genre music_genre
        musical artist artist|song song|musical instrument instrument|algorithm algorithm|conference conference
        field discipline|metrics metric|programming language programming_language|researcher scientist|task task
        book book|magazine periodical|literary genre literary_genre|poem poem|writer writer|date or time date
        document document|money money|military platform military_platform|nationality nationality|quantity quantity
        weapon weapon|artist artist|best rating rating|city city|condition description weather
        condition temperature weather|cuisine cuisine|current location location|entity name creative_work
        facility facility|geographic poi location|track song|location name location|movie name movie
        movie type category|music item category|object type category|object location type facility
        object name creative_work|object part of series type category|object select selection
        party size description group|party size number number|playlist playlist|poi location|playlist owner person
        rating unit rating|rating value rating|restaurant name restaurant|served dish food|restaurant type category
        sort selection|spatial relation spatial_relation|state region|time range date|timeRange date
        genre music_genre|service service|year date
    """,
    "contracts": """
        甲方 party_a|乙方名称 party_b|甲方联系人 person|乙方联系电话 phone|甲方地址 address|合同编号 contract_number
        合同金额 money|合同总价 money|违约金 money|履约保证金 money|质保期 duration|租赁期限 duration
        签订地点 location|签订日期 date|签署时间 date|生效日期 date|到期日 date|法定代表人 person
        管辖法院 government_agency|开户行名称 bank|银行账号 bank_card|投资方 organization|受让方 organization
        转让价格 price|违约金比例 percent|party A party_a|first party party_a|effective date date
        contract value money|contract no. contract_number|lease term duration|governing law law|monthly fee money
        name of the company company|landlord's address address|the date when the contract was signed date
        signatories person
    """,
    "invoices and orders": """
        发票号码 identifier|发票代码 identifier|购买方名称 company|纳税人识别号 identifier|价税合计 money
        税率 percent|税额 money|开票日期 date|订单号 order_number|订单编号 order_number|快递单号 tracking_number
        运费 money|收货人 recipient|收件人姓名 recipient|收件人电话 phone|收货地址 address|寄件人 sender
        商品名称 product|数量 number|单价 price|金额(元) money|颜色 color|尺码 size|品牌 brand|型号 model_number
        材质 material|优点 pros|缺点 cons|Invoice No. identifier|invoice date date|due date date|total amount money
        unit price price|Order ID order_number|orderIDs order_number|ship-to address address|customer's phone phone
        vendor name company|tax rate percent|price per unit price|billing contact person|tracking no tracking_number
        product names product
    """,
    "CVs": """
        入职月薪 salary|期望薪资 salary|成立时间 date|入职时间 date|毕业院校 school|毕业学校 school|最高学历 degree
        专业 major|求职意向 job_title|应聘职位 job_title|就职公司 company|就职单位 company|工作年限 duration
        工作经验 duration|籍贯 native_place|民族 ethnicity|政治面貌 political_status|出生年月 birth_date
        出生日期 birth_date|技能 skill|证书 certificate|紧急联系人电话 phone|身份证号 id_number|期望城市 city
        start date date|date of birth birth_date|employer company|current employer company|job title job_title
        years of experience duration|languages language|place of birth native_place|home address address
        expected salary salary|alma mater school|degrees degree
    """,
    "tickets and news": """
        工单号 identifier|报修人 person|故障现象 problem|投诉原因 reason|客户诉求 request|设备名称 device
        责任部门 department|航班号 transport_number|出发城市 city|出发时间 time|到达站 location|酒店名称 hotel
        死亡人数 number|涨跌幅 percent|原告 person|罪名 law|案由 event|比分 number|主队 sports_team
        赛事名称 competition|战争 war|ticket ID identifier|error message problem|root cause reason
        reason for leaving reason|company acquired company|type of incident category|number of employees number
        amount of tax money|death toll number|flight no transport_number|opening hours time|hashtags hashtag
        license plate licence_plate
    """,
    "medical notes": """
        患者姓名 patient|主诉 symptom|现病史 symptom|既往史 disease|诊断 disease|入院诊断 disease|用药 drug
        过敏药物 drug|剂量 dosage|用法用量 dosage|手术名称 treatment|检查项目 medical_test
        就诊科室 medical_department|住院号 identifier|入院日期 date|住院天数 duration|血压 quantity
        疼痛部位 body_part|主治医师 person|就诊医院 hospital|medications drug|diagnosis disease
        chief complaint symptom|allergies disease|lab results medical_test|blood pressure quantity
        attending physician person|dosage of the drug dosage
    """,
    "questions and descriptions": """
        谁 person|谁签的合同 person|哪里 location|在哪家公司工作 company|什么时候 date|什么时候入职 date|几点 time
        多少钱 money|工资多少 salary|价格是多少 price|公司叫什么名字 company|为什么 reason|多少人 number
        多久 duration|哪个城市 city|什么职位 job_title|谁的电话 phone|公司的名称 company|文中提到的公司名称 company
        签合同的人 person|用户表达情绪的词语 opinion|人名或机构 person|联系人及电话 person|客户email email
        APP名称 software|联系人1 person|who person|who signed the contract person|where location|when date
        how much money|how many people number|how long duration|what company did he join company|which city city
        what is the salary salary|why reason|the name of the person who signs person
        words that express emotions opinion|start and end date date
    """,
}
PAIRS = [
    (name, concept)
    for block in CASES.values()
    for name, _, concept in (one.strip().rpartition(" ") for one in re.split(r"[|\n]", block) if one.strip())
]


@pytest.mark.parametrize(("name", "concept"), PAIRS)
def test_a_name_means_its_concept(name: str, concept: str) -> None:
    assert lookup(name)[:1] == (concept,)


def test_many_names_are_tried() -> None:
    assert len(PAIRS) > 300


@pytest.mark.parametrize(
    ("name", "among"),
    [
        ("时间", {"date", "time"}),
        ("单位", {"organization", "company"}),
        ("投资方", {"organization", "company"}),
        ("date or time", {"date", "time"}),
        ("人名或机构", {"person", "organization"}),
        ("联系人及电话", {"person", "phone"}),
        ("姓名/公司/金额", {"person", "company", "money"}),
        ("联系方式", {"phone", "email"}),
        ("birthplace", {"location", "native_place"}),
        ("genre", {"music_genre", "literary_genre"}),
        ("timeRange", {"date", "time", "duration"}),
        ("position", {"job_title", "location"}),
    ],
)
def test_a_name_may_mean_several(name: str, among: set[str]) -> None:
    assert among <= set(lookup(name))


@pytest.mark.parametrize(
    "name",
    [
        "asdf",
        "满意度打分理由吗",
        "xyz 123",
        "名称",
        "的",
        "!?",
        "状态",
        "付款方式",
        "触发词",
        "status",
        "lorem ipsum",
        "吗",
        "饱和度",
    ],
)
def test_a_name_may_mean_nothing(name: str) -> None:
    assert lookup(name) == ()


HOSTILE = [
    *(
        "",
        " ",
        "\t\n",
        "😀👨🏻‍🚒",
        "\x00\x01\x7f",
        "\ud800",
        "\u200b\u202e\ufeff",
        "(((",
        "()",
        "/ / /",
        " of ",
        "and and",
    ),
    *(
        "人" * 10_000,
        "a b " * 2_500,
        "﷽" * LONGEST,
        "的" * LONGEST,
        "和" * LONGEST,
        "a的" * 100,
        "of " * 66,
        "1" * LONGEST,
    ),
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_only_a_name(name: str) -> None:
    assert set(lookup(name)) <= set(concepts())
    assert isinstance(qualifier(name, "date"), str)
    assert isinstance(qualifier("date", name), str)


@given(st.text(max_size=60))
def test_any_name_can_be_looked_up(name: str) -> None:
    found = lookup(name)
    assert len(set(found)) == len(found)
    assert set(found) <= set(concepts())


def test_every_listed_name_is_found_by_itself() -> None:
    for one in concepts().values():
        for name in one.names:
            assert one.id in lookup(name), (one.id, name)


def test_the_first_name_of_each_list_means_its_concept_first() -> None:
    """But 时间: who asks for it means the calendar more often than the clock."""
    for one in concepts().values():
        assert lookup(one.zh[0])[0] == ("date" if one.id == "time" else one.id)
        assert lookup(one.en[0])[0] == one.id


@pytest.mark.parametrize(
    ("name", "head", "rest"),
    [
        ("入职月薪", "salary", "入职"),
        ("入职月薪", "月薪", "入职"),
        ("start date", "date", "start"),
        ("endDate", "date", "end"),
        ("甲方联系人", "person", "甲方"),
        ("乙方的电话", "phone", "乙方"),
        ("合同生效时间", "date", "合同生效"),
        ("发货地", "location", "发货"),
        ("合同签订时间", "date", "合同签订"),
        ("customer's phone", "phone", "customer"),
        ("date of birth", "birth_date", "birth"),
        ("name of the company", "company", ""),
        ("公司名称", "company", ""),
        ("日期", "date", ""),
        ("asdf", "date", "asdf"),
    ],
)
def test_the_rest_of_a_name_tells_fields_of_one_concept_apart(name: str, head: str, rest: str) -> None:
    assert qualifier(name, head) == rest


def test_the_table_is_consistent() -> None:
    raw: dict[str, Any] = json.loads(TABLE.read_text("utf-8"))
    lines = TABLE.read_text("utf-8").splitlines()
    assert len(lines) == len(raw) + 2, "one concept a line"
    assert len(re.findall(r'^ "\w+": ', "\n".join(lines), re.M)) == len(raw), "no id twice"
    for key, one in raw.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", key)
        assert set(one) <= {"parents", "zh", "en", "heads"}
        assert set(one["parents"]) <= set(raw) - {key}
        for names in (one["zh"], one["en"], one.get("heads", ["x"])):
            assert names
            assert len(set(names)) == len(names), key
            assert all(name and name == name.strip() for name in names), key
        assert all(name == name.lower() and name.isascii() for name in one["en"]), key
        assert len(one["zh"]) >= 5 and len(one["en"]) >= 5, key  # noqa: PT018


def test_no_concept_is_a_kind_of_itself() -> None:
    parents = {one.id: set(one.parents) for one in concepts().values()}
    while free := {key for key, above in parents.items() if not above & set(parents)}:
        parents = {key: above for key, above in parents.items() if key not in free}
    assert not parents, "these go round"


def test_wider_and_narrower_concepts() -> None:
    assert ancestors("sports_team") == {"organization", "group"}
    assert ancestors("bank") == {"company", "organization"}
    assert ancestors("person") == frozenset()
    assert {"company", "bank", "school", "band"} <= descendants("organization")
    assert descendants("bank") == frozenset()
    for kin in (ancestors, descendants):
        with pytest.raises(KeyError):
            kin("no such concept")


def test_types_have_concepts() -> None:
    known = {one: concept_of_type(one) for one in get_args(ValueType)}
    assert {one for one, ids in known.items() if not ids} == {"text", "list", "regex"}
    assert all(set(ids) <= set(concepts()) for ids in known.values())
    assert known["money"] == ("money",)
    assert known["email"] == ("email",)
