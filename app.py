"""The workbench in a browser: settings of the page, the sidebar, the pages. Start it with `workbench`."""

import streamlit as st

from ui.engine import workbench
from ui.i18n import keep_language, t
from ui.sidebar import sidebar

st.set_page_config(page_title="SeqGPT Workbench", page_icon="assets/icon.svg", layout="wide")
keep_language()
workbench().ensure_loaded()
page = st.navigation(
    [
        st.Page("pages/classify.py", title=t("page.classify"), icon=":material/label:", default=True),
        st.Page("pages/extract.py", title=t("page.extract"), icon=":material/ink_highlighter:"),
        st.Page("pages/prompt.py", title=t("page.prompt"), icon=":material/edit_note:"),
        st.Page("pages/batch.py", title=t("page.batch"), icon=":material/table_rows:"),
        st.Page("pages/monitor.py", title=t("page.monitor"), icon=":material/monitoring:"),
    ]
)
sidebar()
page.run()
