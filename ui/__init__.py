"""Streamlit glue that the pages share: state, editors, rendering, language. Pages hold widgets, the engine the work."""
