"""Classify: a text and a label set in, every label with its probability out."""

import streamlit as st

from ui.classify import editor, result_area
from ui.i18n import t

st.title(t("page.classify"), anchor=False)
left, right = st.columns([1, 1], gap="large")
with left:
    request = editor()
with right:
    result_area(request)
