"""Prompt: a template and values in, what a model writes after it out."""

import streamlit as st

from ui.i18n import t
from ui.prompt.page import prompt_page

st.title(t("page.prompt"), anchor=False)
prompt_page()
