"""Templates of medical notes, letters, research and leaflets."""

TEMPLATES: tuple[str, ...] = (
    (
        "Patient: {patient}\nSex: {gender}\nAge: {age}\nAdmitted: {date}\nDepartment: "
        "{medical_department}\nDiagnosis: {disease}\nAttending: Dr {person}"
    ),
    (
        "The patient, {patient}, {gender}, {age}, came to {hospital} on {date} with {symptom} and {symptom} [for "
        "{duration}|that had begun {duration} before]."
    ),
    (
        "[Chief complaint|Complaint]: {symptom}, {duration}. [History|Known conditions]: {disease}, {disease}. "
        "[Takes|Medication]: {drug} {dosage}, {drug} {dosage}."
    ),
    (
        "{medical_test} of the {body_part} [showed|suggested|ruled out] {disease}. [{treatment} was advised.|Dr "
        "{last_name} recommends {treatment} and {treatment}.]"
    ),
    (
        "{drug} {dosage} was given for {disease}. After {duration} the patient reported {symptom}, [so|and] it was "
        "[stopped|replaced with {drug} {dosage}]."
    ),
    (
        "[Take|Do not take] {drug} [with {drink}|with {food}|if you are allergic to {chemical}]. The usual dose is "
        "{dosage}. [Side effects include {symptom}, {symptom} and {symptom}.|Ask your doctor in case of "
        "{disease}.]"
    ),
    (
        "Rx: {drug} {dosage}\nRx: {drug} {dosage}\nPatient: {patient}, born {birth_date}\nPrescriber: {person}, "
        "{hospital}"
    ),
    (
        "Dear Dr {last_name}, thank you for seeing {patient}, {age}, in {medical_department}. [She|He] has "
        "{symptom} in the {body_part} and a history of {disease}. [{medical_test} on {date} was normal.|A "
        "{medical_test} is booked for {date}.]"
    ),
    "{drug} inhibits {protein} and [lowers|raises] {protein} levels in {disease}.",
    (
        "Mutations in {protein} and {protein} are [linked to|a cause of] {disease}[ in {animal}| in {ethnicity} "
        "families|]."
    ),
    (
        "[We|Researchers at {school}] treated {number} patients with {disease} with {drug} or {treatment} for "
        "{duration}. [Symptoms such as {symptom} fell by {percent}.|The {metric} improved by {percent}.]"
    ),
    (
        "{disease} is a [chronic|rare] illness of the {body_part}. [Signs are {symptom}, {symptom} and "
        "{symptom}.|It is treated with {drug}, {drug} or {treatment}.]"
    ),
    (
        "{hospital} opened a new {medical_department} unit in {city} on {date}. [It is led by {person}.|Visits: "
        "{time} to {time}.]"
    ),
    "{symptom} ; {symptom} ; no {symptom} . {body_part} normal . {medical_test} : {quantity} .",
    (
        "Discharge summary\nName: {patient}\nAdmitted: {date}\nDischarged: {date}\nDiagnosis: {disease}; "
        "{disease}\nProcedure: {treatment}\nMedication: {drug}, {dosage}"
    ),
    (
        "My [mother|father|son|daughter] ({age}) has {symptom} [and|or sometimes] {symptom} after eating {food}. "
        "[Could it be {disease}?|Should we ask for a {medical_test}?|Is {drug} safe?]"
    ),
    (
        "Exposure to {chemical} [caused|led to] {symptom} and {disease} in {animal}. {protein} was measured in the "
        "{body_part}."
    ),
    (
        "{drug}, made by {company} against {disease}, was approved by the {government_agency} on {date}. [It costs "
        "{price} a dose.|Some {percent} of people in {country} have had it.]"
    ),
    (
        "[Appointment|Booking]: {patient}, {medical_department}, {date} at {time}, {hospital}, {address}. [Please "
        "bring {document}.|Phone {phone}.]"
    ),
    (
        "Allergies: {drug}, {food}\nBlood pressure: {quantity}\nWeight: {quantity}\nTest: {medical_test}\nReferred "
        "to: {medical_department}"
    ),
    (
        "Extracts of {plant} contain {chemical} and {chemical}, which [act on|bind to] {protein}. [Used for "
        "{symptom}.|Studied in {animal}.]"
    ),
    (
        "After {treatment} of the {body_part}, {patient} had {symptom}. {person} ({medical_department}) ordered a "
        "{medical_test} and a {medical_test}."
    ),
    "[Is|Would] {treatment} [better than|be as good as] {drug} for {disease} with {symptom}?",
    "Low {element} in the diet may [cause|worsen] {disease}; {food}, {food} and {drink} are good sources.",
    "The nurse [noted|wrote]: {patient}, ID {id_number}, {symptom} since {time}, given {drug} {dosage} at {time}.",
    (
        "{disease} ( {plain_number} cases ) and {disease} ( {plain_number} cases ) were treated at {hospital} , "
        "{city} , in {date_year} ."
    ),
    (
        "Cause of illness: {reason}. Affected: {body_part}. Plan: {treatment}, {drug} {dosage} for {duration}. "
        "Review on {date}."
    ),
)
