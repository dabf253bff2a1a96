"""Times as people read them: how long something takes, and when it was."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import streamlit as st

from ui.i18n import t


def seconds_text(seconds: float) -> str:
    """A duration in the two largest units, at least a second."""
    whole = max(1, round(seconds))
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return t("batch.hours", hours=f"{hours:,}", minutes=minutes)
    if minutes:
        return t("batch.minutes", minutes=minutes, seconds=rest)
    return t("batch.seconds", seconds=rest)


def when(seconds: float) -> str:
    """A moment in the browser's time zone, as year-month-day hour:minute."""
    moment = datetime.fromtimestamp(seconds, UTC)
    try:
        zone = ZoneInfo(st.context.timezone or "")
    except (ValueError, KeyError, OSError):
        return moment.astimezone().strftime("%Y-%m-%d %H:%M")
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")
