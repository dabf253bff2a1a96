"""The library under the pages, the command line and the HTTP API. It never imports streamlit."""

__version__ = "0.1.0"
