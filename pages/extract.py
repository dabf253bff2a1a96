"""Extract: a text and a table of fields in, every value at its exact place in the text out."""

import streamlit as st

from ui.extract import editor, result_area
from ui.i18n import t
from ui.wordings import compare_wordings

st.title(t("page.extract"), anchor=False)
left, right = st.columns([1, 1], gap="medium")
with left:
    request = editor()
with right:
    result_area(request)
compare_wordings(request)
