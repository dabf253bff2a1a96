"""The Monitor page's parts: live figures and plots, actions, advice, snapshots, the log, and tuning.

`view` takes what the process has observed, once a tick for every open page; `charts` and `figures` draw a view and know
no session; the panels hold the widgets. What is measured is measured in `engine.observe`, nothing here.
"""
