"""Templates of Chinese texts: curricula vitae, executives' resumes, vacancies."""

TEMPLATES: tuple[str, ...] = (
    (
        "{person}[先生|女士]，{birth_date}出生，{nationality}国籍，无境外永久居留权，{ethnicity}，{degree}学历，["
        "历任|曾任]{company}{job_title}[、{company}{job_title}|]，现任{company}{job_title}。"
    ),
    (
        "{person}[先生|女士]：{birth_date}出生，{nationality}国籍，{ethnicity}，{political_status}，{degree}[学历"
        "|]，持{certificate}。{date_year:date}至{date_year:date}任{company}{job_title}；{date_year:date}起任"
        "{company}{job_title}。"
    ),
    (
        "{person}，{gender}，{ethnicity}，{native_place}人，{birth_date}出生，{political_status}，毕业于{school}"
        "{major}专业，{degree}，[现任|曾任]{organization}{job_title}。"
    ),
    (
        "姓名：{person}\n性别：{gender}\n出生年月：{birth_date}\n民族：{ethnicity}\n籍贯：{native_place}\n政治面"
        "貌：{political_status}\n学历：{degree}\n电话：{phone}\n邮箱：{email}"
    ),
    (
        "姓名 {person}　性别 {gender}　年龄 {age}　学历 {degree}　专业 {major}　毕业院校 {school}　求职意向 "
        "{job_title}　期望薪资 {salary}"
    ),
    "[教育背景|教育经历]：{date}—{date}　{school}　{major}　{degree}",
    "工作经历\n{date} - {date}　{company}　{department}　{job_title}\n[负责|主要工作]：{task}、{task}",
    "{date}至{date}在{company}{department}[任|担任]{job_title}，[负责|主导]{project}，[将|使]{metric}提升{percent}。",
    (
        "[本人|我]{date_year:date}毕业于{school}{major}专业，[有|具备]{duration}工作经验，熟悉{skill}、{skill}[和"
        "{skill}|]。"
    ),
    (
        "技能：{programming_language}、{programming_language}，{software}，{skill}；语言：{language}（流利）、"
        "{language}；证书：{certificate}、{certificate}"
    ),
    "[持有|取得]{certificate}和{certificate}，[掌握|能用]{language}[交流|办公]，[精通|擅长]{skill}。",
    (
        "{person}，{age}，[现居|住在]{city}，{degree}，{school}{major}专业，[求职意向|应聘]：{job_title}，期望月"
        "薪{salary}。"
    ),
    (
        "项目经历：{project}（{date}—{date}），角色：{job_title}，[技术|工具]：{programming_language}、{software}"
        "、{algorithm}，成果：{metric}{percent}。"
    ),
    "获奖情况：{date_year:date}获{award}；{date_year:date}获{award}；{competition}[一等奖|银奖]。",
    (
        "{person}，{school}{department}{job_title}，研究方向为{discipline}和{discipline}，[在《{periodical}》等期"
        "刊发表论文{plain_number:number}篇|主持{project}{plain_number:number}项]。"
    ),
    "{scientist}，{degree}，{organization}会员，[获得|曾获]{award}[、{award}|]，著有《{book}》。",
    (
        "{person}[先生|女士]自{date}起[出任|担任]{full_company:company}{job_title}，[同时|亦]为{organization}"
        "{job_title}、{school}{job_title}。"
    ),
    "[推荐人|证明人]：{person}，{company}{job_title}，电话{phone}",
    "家庭住址：{address}；身份证号：{id_number}；邮编：{postcode}；紧急联系人：{person} {phone}",
    "离职原因：{reason}；原薪资：{salary}；期望薪资：{salary}；到岗时间：{duration}内",
    (
        "{company}[诚聘|招聘]{job_title}{plain_number:number}名，[要求|条件]{degree}以上，{major}等相关专业，"
        "{age}以下，[薪资|待遇]{salary}，[工作地点|地点]{city}，简历投{email}。"
    ),
    (
        "岗位职责：1、{task}；2、{task}。任职要求：1、{degree}，{duration}以上经验；2、熟练使用{skill}、"
        "{software}；3、持{certificate}优先。"
    ),
    (
        "招聘单位：{organization}\n岗位：{job_title}\n人数：{number}\n工作地点：{location}\n薪酬：{salary}\n截止"
        "日期：{date}\n联系人：{person}（{phone}）"
    ),
    "[个人主页|代码仓库]：{url}；[用户名|账号]：{username}；擅长{programming_language}，参与过{software}的开发。",
    "自我评价：{pros}，{pros}；[不足|缺点]是{cons}。[爱好|兴趣]：{instrument}、[阅读|跑步|摄影]。",
    (
        "{foreign_person:person}，{nationality}国籍，{birth_date}出生，{school}{degree}，[先后|曾]就职于"
        "{foreign_company:company}、{foreign_company:company}和{bank}，[{date}|]加入公司，任{job_title}。"
    ),
    (
        "董事简历：{person}，{gender}，{age}，{degree}，{certificate}持有人。曾任{government_agency}{job_title}，"
        "{bank}{job_title}，{full_company:company}{job_title}。"
    ),
    (
        "{person}同学{date}至{date}在{company}{department}实习，[岗位为|任]{job_title}，表现{opinion}，[特此证明|"
        "同意录用]。"
    ),
    (
        "{person}[，{native_place}人|]，{political_status}，{date_year:date}参加工作，[先后在|历任]"
        "{government_agency}、{government_agency}[工作|]，{date}任{city}{job_title}。"
    ),
    (
        "我叫{person}，{age}，来自{native_place}，在{school}读{major}，[拿过|得过]{award}，会[弹|演奏]"
        "{instrument}，也会说{language}。"
    ),
    "毕业院校：{school}[\n| / ]所学专业：{major}[\n| / ]学位：{degree}[\n| / ]毕业时间：{date}[\n| / ]绩点：{rating}",
)
