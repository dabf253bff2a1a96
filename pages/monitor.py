"""Monitor: memory, load and latency as they are now, snapshots, the log, and the settings that work best."""

import streamlit as st

from ui.i18n import t
from ui.monitor.page import monitor_page

st.title(t("page.monitor"), anchor=False)
monitor_page()
