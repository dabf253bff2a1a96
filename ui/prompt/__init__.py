"""The Prompt page's parts: templates, settings, structure, the answer as it is written, and the history.

`state` knows the keys of session_state and makes a `Draft` of them; `draft` makes a request of that; `follow` shows
runs from the button to the answer. Nothing here computes.
"""
