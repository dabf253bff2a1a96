"""Templates of CVs: prose, key-value lines and lists."""

TEMPLATES: tuple[str, ...] = (
    (
        "{person.1}\n{address}, {city}\n{phone} - {email}\n\n[Profile|Summary]\n{job_title} with {duration} of "
        "experience in {discipline}."
    ),
    (
        "[Name|Full name]: {person}\nDate of birth: {birth_date}\nNationality: {nationality}\nGender: "
        "{gender}\nPhone: {phone}\nE-mail: {email}"
    ),
    (
        "Name: {person}\nSex: {gender}\nAge: {age}\nEthnic group: {ethnicity}\nNative place: "
        "{native_place}\nPolitical status: {political_status}\nEducation: {degree}"
    ),
    (
        "Education\n{date_year} - {date_year}: {school}, {degree} in {major}\n{date_year} - {date_year}: {school}, "
        "{degree} in {major}"
    ),
    "Experience\n{date} to {date}: {job_title}, {company}, {city}\n{date} to {date}: {job_title}, {company}, {city}",
    (
        "Work history:\n- {company} ({date_year}-{date_year}), {job_title}\n- {company} ({date_year}-{date_year}), "
        "{job_title}\n- {organization} ({date_year}), {job_title}"
    ),
    "Skills: {skill}, {skill}, {skill}\nLanguages: {language}, {language}\nCertificates: {certificate}, {certificate}",
    (
        "[Technical skills|Tools]: {programming_language}, {programming_language}, {software}, {software}. [Also "
        "familiar with {skill} and {skill}.|Certificate: {certificate}.]"
    ),
    (
        "I graduated from {school}[ in {date_year}|] with a {degree} in {major} and [then |]joined {company} as a "
        "{job_title}."
    ),
    (
        "{person.1}, {age}, is a {job_title} at {company} in {city}. {person.1} holds a {degree} in {major} from "
        "{school}[ and the {certificate}|], and speaks {language} and {language}."
    ),
    (
        "[From|Between] {date_year} [to|and] {date_year} I worked [as {job_title}|in the {department}] at "
        "{company}, where I [led|ran] the {project} with {number} people and [raised|cut] {metric} by {percent}."
    ),
    "Projects\n{project} ({date} - {date}): {task}. [Written in {programming_language}.|Role: {job_title}.]",
    "[Desired|Expected] position: {job_title}\nDesired pay: {salary}\nPreferred city: {city}\nAvailable from: {date}",
    (
        "Dear [Ms|Mr] {last_name}, I am applying for the post of {job_title} at {company}, [seen on "
        "{website}|reference {identifier}]. [My current pay is {salary}.|I hope for {salary}.] I could start on "
        "{date}. Yours, {person}"
    ),
    'Awards: {award} ({date_year}), {award} ({date_year}). Publications: "{document}", {periodical}, {date_year}.',
    "[Referee|Reference]: Dr {person}, {job_title}, {school}, {email}, {phone}",
    "- {duration} as {job_title} at {company}\n- {degree}, {school}\n- {certificate}\n- {language}, {language}",
    (
        "[We are hiring|Vacancy]: {job_title} ([{city}|{country}])\nEmployer: {company}\nPay: {salary}\nRequired: "
        "{degree} in {major}, {skill}, {skill}\nApply by {date} to {email}"
    ),
    (
        "{company} seeks {number} [people|staff] for its {department} in {city} . Pay : {salary} . A {degree} and "
        "{duration} of experience are needed ."
    ),
    (
        "Hobbies: [playing the {instrument}|reading {literary_genre}], {skill}. Driving licence: {certificate}. "
        "Web: {url}"
    ),
    (
        "Dr. {person} , {job_title} ( {school} , {department} ) , {nationality} , born {birth_date} in "
        "{native_place} , studied {major} ."
    ),
    "[Left|Reason for leaving] {company}: {reason}. Last pay {salary}.",
    (
        "Volunteer at {organization} since {date_year}; member of {organization}. [Party: "
        "{political_party}.|Religion: {religion}.]"
    ),
    (
        "LANGUAGES\n{language} (native)\n{language} (fluent)\n{language} (basic)\n\nIT\n{software}, "
        "{programming_language}, {algorithm}"
    ),
    "{person}\n{job_title}\n{company}, {department}\n{address}\nTel. {phone}\n{email}\n{url}",
    (
        "I am {age} and [come from|grew up in] {native_place}. At {school} my major was {major}; at {company} my "
        "work was {task}."
    ),
    (
        "{person}, {gender}, {ethnicity}, born in {birth_date} in {native_place}, {political_status}, {degree}, is "
        "{job_title} of {company}."
    ),
    (
        "Political status: {political_status}\nReligion: {religion}\nNationality: {nationality}\nMarital status: "
        "[single|married]"
    ),
    "Name: {person}; Born: {birth_date}; Status: {political_status}; School: {school}",
)
