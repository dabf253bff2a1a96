"""Moments as the browser's clock shows them."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st


def zone() -> tzinfo | None:
    """The browser's time zone; None, which is the server's, where it does not tell one."""
    try:
        return ZoneInfo(st.context.timezone or "")
    except (ValueError, KeyError, OSError):
        return None


def moment(seconds: float, form: str = "%H:%M:%S") -> str:
    """Seconds since 1970 on that clock."""
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone()).strftime(form)


def offset(seconds: float) -> float:
    """Seconds by which that clock is ahead of UTC at a moment."""
    ahead = datetime.fromtimestamp(seconds, UTC).astimezone(zone()).utcoffset()
    return ahead.total_seconds() if ahead is not None else 0.0
