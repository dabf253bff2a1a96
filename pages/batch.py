"""Batch: a file in, an answer to every row out, by a job that runs while the page is elsewhere."""

import streamlit as st

from ui.batch.page import batch_page
from ui.i18n import t

st.title(t("page.batch"), anchor=False)
batch_page()
