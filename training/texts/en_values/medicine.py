"""Medicine: diseases, symptoms, drugs, dosages, treatments, tests, body parts, hospital departments."""

from training.texts.en_values.compose import capitalised, decimal, listed, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.template import Draw, words

_site = listed(
    """lung; breast; colon; liver; kidney; prostate; stomach; pancreatic; ovarian; thyroid; bladder; cervical
        skin; brain; bone; gastric; rectal; esophageal"""
)
_side = words("left right bilateral upper lower")
_organ = listed(
    """heart; liver; lung; kidney; brain; stomach; knee; hip; shoulder; ankle; wrist; elbow; spine; neck; chest
        abdomen; pelvis; foot; hand; leg; arm; breast; thyroid; prostate; colon; bladder; ear; eye; sinus; jaw
        thigh"""
)
body_part = mix(
    _organ,
    shape(
        "<s> <o>; <s> <o>; <o>s; <s> <v>; <v> <w>; <d> toe",
        s=_side,
        o=_organ,
        v=words("femoral carotid pulmonary coronary renal radial"),
        w=words("artery vein nerve"),
        d=words("big little second"),
    ),
    listed("""lower back; forehead; throat; spleen; pancreas; gallbladder; small intestine; esophagus; trachea; aorta
        left ventricle; mitral valve; hippocampus; frontal lobe; cerebral cortex; retina; cornea; uterus
        ovaries; lymph nodes; bone marrow; skin; right lower lobe; lumbar spine; L4-L5; femur; tibia; fibula
        humerus; scapula; rotator cuff; Achilles tendon; ACL; meniscus; index finger; thumb; scalp; tongue; gums
        teeth; nose; lips; cheek; eyelids; spinal cord; peripheral blood; appendix; rib cage
        right upper quadrant; duodenum; adrenal gland; pituitary gland; vocal cords; calf; heel; groin
        epithelial cells; temporal lobe; cerebellum; hair; fingernails"""),
)
disease = mix(
    listed("""diabetes; type 2 diabetes; type 1 diabetes mellitus; hypertension; high blood pressure; asthma; COPD
        pneumonia; tuberculosis; influenza; flu; COVID-19; HIV; AIDS; malaria; cholera; Ebola; measles; mumps
        chickenpox; shingles; hepatitis B; hepatitis C; cirrhosis; lymphoma; melanoma; leukemia
        acute myeloid leukemia; stroke; heart failure; congestive heart failure; coronary artery disease
        atrial fibrillation; myocardial infarction; heart attack; Alzheimer's disease; Parkinson's disease
        multiple sclerosis; ALS; epilepsy; migraine; dementia; depression; schizophrenia; bipolar disorder
        anxiety disorder; PTSD; autism; ADHD; anorexia nervosa; rheumatoid arthritis; osteoarthritis
        osteoporosis; gout; lupus; psoriasis; eczema; acne; Crohn's disease; ulcerative colitis; IBS; GERD
        gastritis; peptic ulcer; appendicitis; gallstones; pancreatitis; kidney stones; chronic kidney disease
        UTI; sepsis; anemia; sickle cell disease; hemophilia; cystic fibrosis; Down syndrome; hypothyroidism
        hyperlipidemia; obesity; sleep apnea; glaucoma; cataract; otitis media; sinusitis; bronchitis
        tonsillitis; meningitis; Lyme disease; rabies; polio; smallpox; dengue fever; Zika virus; endometriosis
        PCOS; preeclampsia; deep vein thrombosis; pulmonary embolism; DVT; ARDS; acute kidney injury
        myocarditis; neuroblastoma; Huntington disease; torsades de pointes; hepatotoxicity; cancer
        bubonic plague; arthritis; diabetic retinopathy"""),
    shape(
        """<s> cancer; <s> cancer; <x> <s> cancer; <l> syndrome; <l>'s disease; <o> fracture; <a> <o> failure
        <a> bronchitis; <o> infection; stage <n> <s> cancer; <l> disease; metastatic <s> carcinoma; <s> tumor
        <o> sprain; <v> of the <o>""",
        s=_site,
        x=words("advanced early-stage metastatic hereditary recurrent"),
        l=last_name,
        o=_organ,
        a=words("acute chronic"),
        n=words("II III IV 2 3"),
        v=words("abscess cyst hemangioma arthritis"),
    ),
)
symptom = mix(
    listed("""fever; cough; dry cough; headache; nausea; vomiting; diarrhea; constipation; fatigue; dizziness
        shortness of breath; chest pain; abdominal pain; sore throat; runny nose; chills; muscle aches
        joint pain; back pain; rash; itching; swelling; loss of appetite; weight loss; weight gain; insomnia
        blurred vision; double vision; numbness; tingling; weakness; palpitations; sweating; night sweats
        hair loss; bleeding gums; nosebleeds; blood in urine; frequent urination; confusion; memory loss
        seizures; tremor; fainting; anxiety; mood swings; irritability; dry mouth; heartburn; bloating; cramps
        hoarseness; wheezing; jaundice; hives; tinnitus; hearing loss; sensitivity to light; stiff neck
        cold sweats; hot flashes; loss of taste and smell; hypotension; bradycardia; tachycardia; drowsiness
        pain; leg cramps; hallucinations; tired all the time; could not sleep; stomach pains; hematuria; dyspnea
        edema; syncope; nauseous; extreme fatigue"""),
    shape(
        """<o> pain; severe <o> pain; pain in the <o>; swelling of the <o>; <a> headache; <a> cough
        numbness in the <s> <o>; <s> <o> pain; stiffness in the <o>; <a> <o> pain; fever of <t> °C
        <a> chest pain; temperature of <f>°F; burning in the <o>; <a> fatigue""",
        o=_organ,
        s=_side,
        a=words("severe mild persistent intermittent dull sharp throbbing worsening sudden"),
        t=decimal(37.6, 40.4),
        f=decimal(100, 104),
    ),
)
_drug_list = listed("""aspirin; ibuprofen; acetaminophen; paracetamol; naproxen; amoxicillin; penicillin; azithromycin
        ciprofloxacin; doxycycline; vancomycin; metformin; insulin; insulin glargine; lisinopril; amlodipine
        metoprolol; losartan; atorvastatin; simvastatin; warfarin; heparin; clopidogrel; furosemide; omeprazole
        pantoprazole; prednisone; dexamethasone; hydrocortisone; albuterol; levothyroxine; sertraline
        fluoxetine; Prozac; Zoloft; escitalopram; diazepam; Xanax; lorazepam; morphine; oxycodone; fentanyl
        codeine; tramadol; gabapentin; lithium; haloperidol; clozapine; cisplatin; paclitaxel; doxorubicin
        tamoxifen; methotrexate; trastuzumab; pembrolizumab; rituximab; imatinib; remdesivir; Tamiflu; acyclovir
        Paxlovid; Viagra; Lipitor; Advil; Tylenol; Nexium; Humira; Ozempic; semaglutide; Benadryl; loratadine
        cetirizine; digoxin; nitroglycerin; propranolol; hydrochlorothiazide; carbamazepine; phenytoin; cocaine
        ketamine; propofol; cyclosporine; tacrolimus; bevacizumab; fluorouracil; lidocaine; epinephrine
        vitamin D; folic acid; hydroxychloroquine; ivermectin; naloxone; Pfizer-BioNTech vaccine; flu vaccine
        MMR vaccine; Arthrotec; Lexapro; birth control pills; antibiotics; statins; beta-blockers; nifedipine
        ketoconazole; rifampin""")
_coined_drug = shape(
    "<a><b><c>",
    a=words("zal pre tor ven ami cor lux nep osi tri bel ral"),
    b=words("a i o u e ta li mo ro xi"),
    c=words("mab tinib pril sartan statin zole cillin mycin vir dipine lol gliptin"),
)
drug = mix(
    _drug_list,
    _drug_list,
    _drug_list,
    capitalised(_drug_list),
    _coined_drug,
    shape(
        "<d> <n> mg; <d> tablets; <d> sodium; <d> XR; <d> cream; <d> injection; IV <d>",
        d=_drug_list,
        n=whole(5, 500, 5),
    ),
)
_often = listed(
    """once daily; twice daily; twice a day; three times a day; every 8 hours; every 4-6 hours; every 12 hours
        daily; BID; TID; QID; q8h; PRN; at bedtime; once a week; per day; as needed; before meals; after meals
        weekly; every morning"""
)
dosage = shape(
    """<n> mg; <n> mg; <n>mg; <n> mg <o>; <n> mg <o>; <k> tablets <o>; one tablet <o>; <m> g/day; <m> mg/kg
        <n> mg/day; <k> ml; <u> units; <u> IU; <n> mcg; <k> puffs <o>; <o>; <k> capsules; <n> mg IV <o>
        one pill; <n> µg; <n> mg orally <o>; <k> drops <o>; <m> mg/kg/day; 1 tablet; <n>-mg; <m> ml <o>
        <n> mg/m²; half a tablet; <n> mg per day for <u> days; two tablets; <n> milligrams; a single <n>-mg dose
        <m> mL/hr; low dose; <n> mg t.i.d.; one spoonful; <n> mg x <k>""",
    n=whole(5, 1000, 5),
    o=_often,
    k=whole(2, 10),
    m=decimal(0.1, 9),
    u=whole(4, 60),
)
_treatment = mix(
    listed("""surgery; chemotherapy; radiation therapy; radiotherapy; immunotherapy; physical therapy; physiotherapy
        dialysis; hemodialysis; transfusion; blood transfusion; mechanical ventilation; intubation
        cognitive behavioral therapy; CBT; psychotherapy; electroconvulsive therapy; acupuncture; massage
        appendectomy; cholecystectomy; mastectomy; hysterectomy; C-section; bypass surgery
        coronary artery bypass graft; angioplasty; stent placement; hip replacement; knee replacement
        cataract surgery; LASIK; root canal; tooth extraction; tonsillectomy; amputation
        hormone replacement therapy; oxygen therapy; CPAP; antibiotic therapy; vaccination; bed rest
        low-salt diet; IVF; gene therapy; stem cell therapy; tracheostomy; defibrillation; CPR; debridement
        craniotomy; laparoscopy; skin graft; palliative care; rehabilitation; anticoagulation; insulin therapy
        light therapy; speech therapy; ice and elevation; liposuction; Botox"""),
    shape(
        """<o> transplant; <o> surgery; <o> biopsy; <o> replacement; <d> therapy; treatment with <d>
        laparoscopic <s> resection; arthroscopy of the <o>; <s> surgery; <n> cycles of chemotherapy
        <d> infusion; course of <d>""",
        o=_organ,
        d=_drug_list,
        s=_site,
        n=whole(2, 8),
    ),
)
_test = mix(
    listed("""CT scan; MRI; X-ray; chest X-ray; ultrasound; ECG; EKG; EEG; echocardiogram; blood test; urine test
        urinalysis; CBC; complete blood count; blood glucose; HbA1c; cholesterol; lipid panel
        liver function tests; LFTs; creatinine; BUN; potassium; hemoglobin; white blood cell count
        platelet count; troponin; D-dimer; CRP; ESR; PSA; TSH; INR; biopsy; colonoscopy; endoscopy; gastroscopy
        bronchoscopy; mammogram; Pap smear; PET scan; bone density scan; DEXA; spirometry; stress test
        angiography; lumbar puncture; PCR test; COVID test; rapid antigen test; HIV test; pregnancy test
        allergy test; genetic testing; hearing test; eye exam; blood pressure; temperature; oxygen saturation
        blood culture; stool culture; throat swab; arterial blood gas; ABG; physical examination
        Doppler ultrasound; Holter monitor; amniocentesis; heart rate; Mini-Mental State Examination; hematocrit
        ferritin; vitamin B12; karyotype; skin prick test"""),
    shape(
        """MRI of the <o>; CT of the <o>; CT <o>; <o> X-ray; <o> ultrasound; <o> MRI; <o> biopsy
        x-ray of the <s> <o>; serum <e>; <e> level""",
        o=_organ,
        s=_side,
        e=words("sodium calcium albumin glucose bilirubin ferritin cortisol lactate insulin"),
    ),
)
_departments = listed("""Cardiology; Neurology; Oncology; Pediatrics; Orthopedics; Dermatology; Psychiatry; Radiology
        Emergency Department; ER; ICU; Intensive Care Unit; Surgery; General Surgery; Internal Medicine
        Gastroenterology; Nephrology; Urology; Gynecology; Obstetrics and Gynecology; OB-GYN; ENT; Ophthalmology
        Anesthesiology; Pathology; Pulmonology; Endocrinology; Hematology; Rheumatology; Infectious Diseases
        Geriatrics; Neurosurgery; Plastic Surgery; Maternity; NICU; Physical Therapy; A&E; Dentistry
        Cardiothoracic Surgery; Vascular Surgery; Rehabilitation; Family Medicine; outpatient clinic; Burn Unit
        Palliative Care; CCU""")
VALUES: dict[str, Draw] = {
    "disease": disease,
    "symptom": symptom,
    "drug": drug,
    "dosage": dosage,
    "treatment": _treatment,
    "medical_test": _test,
    "body_part": body_part,
    "medical_department": mix(
        _departments,
        _departments,
        shape(
            "<d> Department; Department of <d>; <d> Ward; <d> Clinic; <d> Unit; Ward <n>",
            d=listed(
                """Cardiology; Neurology; Oncology; Pediatrics; Orthopedics; Surgery; Dermatology; Urology; Stroke
        Maternity"""
            ),
            n=whole(1, 30),
        ),
    ),
}
