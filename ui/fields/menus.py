"""The fields editor's menus: a list of names, samples and saved sets, a file and the link.

Each does one thing to the table through the functions it is given, or says in one sentence why not; the table stays.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from engine.errors import WorkbenchError
from engine.field_sets import FILE_LIMIT, FieldSets
from engine.text.fields import field_set_json, parse_fields, read_field_set
from engine.types import FieldSpec
from ui.engine import workbench
from ui.fields.link import pack
from ui.i18n import t
from ui.messages import plain

Fields = Sequence[FieldSpec]


@dataclass(frozen=True)
class Menus:
    """The menus of the editor under `key`. current: its fields now; load: replaces them; add: appends to them."""

    key: str
    current: Callable[[], Fields]
    load: Callable[[Fields], None]
    add: Callable[[Fields], None]

    def show(self, field_set: Fields, samples: Mapping[str, Fields]) -> None:
        """All of them, in the row of the editor's tools; field_set: the fields as this run shows them."""
        with st.popover(t("fields.add"), type="tertiary"):
            st.text_area(t("fields.names"), key=f"{self.key}_names", height=110, placeholder=t("fields.names_hint"))
            st.button(t("fields.add_names"), on_click=self._add_names, key=f"{self.key}_add_names")
        with st.popover(t("fields.sets"), type="tertiary", key=f"{self.key}_sets"):
            self._show_sets(samples)
        with st.popover(t("fields.share"), type="tertiary", key=f"{self.key}_share"):
            self._show_share(field_set)

    def _show_sets(self, samples: Mapping[str, Fields]) -> None:
        listing = _sets().list()
        st.caption(t("fields.samples"))
        with st.container(horizontal=True, gap="small"):
            for number, (name, chosen) in enumerate(samples.items()):
                st.button(plain(name), on_click=self._act, args=(self.load, chosen), key=f"{self.key}_sample_{number}")
        st.text_input(t("fields.save_as"), key=f"{self.key}_save_as", placeholder=t("fields.save_hint"))
        st.button(t("fields.save"), on_click=self._act, args=(self._save,), key=f"{self.key}_save")
        if listing.names:
            chosen_name = st.selectbox(t("fields.saved"), listing.names, key=f"{self.key}_saved")
            sure = st.session_state.get(self._sure) == chosen_name
            with st.container(horizontal=True, gap="small"):
                st.button(t("fields.load"), on_click=self._act, args=(self._load_saved,), key=f"{self.key}_load")
                st.button(
                    t("fields.delete_sure" if sure else "fields.delete"),
                    on_click=self._act,
                    args=(self._delete,),
                    key=f"{self.key}_delete",
                )
        if listing.unreadable:
            st.caption(plain(t("fields.unreadable", files=", ".join(listing.unreadable))))

    def _show_share(self, field_set: Fields) -> None:
        packed = pack(field_set)
        st.caption(t("fields.link_help" if packed is not None else "fields.link_long"))
        st.download_button(
            t("fields.download"),
            json.dumps(field_set_json(field_set), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"),
            "fields.json",
            "application/json",
            key=f"{self.key}_download",
            on_click="ignore",
            icon=":material/download:",
        )
        number = st.session_state.get(self._uploads, 0)
        st.file_uploader(
            t("fields.upload"),
            type=["json", "txt"],
            max_upload_size=1,
            key=self._uploader(number),
            on_change=self._act,
            args=(self._upload,),
        )

    @property
    def _sure(self) -> str:
        return f"{self.key}_sure"

    @property
    def _uploads(self) -> str:
        return f"{self.key}_uploads"

    def _uploader(self, number: int) -> str:
        """A used uploader is left behind and another shown: the same file can then be loaded once more."""
        return f"{self.key}_upload_{number}"

    def _act(self, action: Callable[..., None], *arguments: object) -> None:
        """A callback: do it, or leave the reason under the editor."""
        problem = f"{self.key}_problem"
        st.session_state.pop(problem, None)
        try:
            action(*arguments)
        except WorkbenchError as error:
            st.session_state[problem] = error

    def _add_names(self) -> None:
        def add() -> None:
            box = f"{self.key}_names"
            self.add(parse_fields(st.session_state.get(box) or ""))
            st.session_state[box] = ""

        self._act(add)

    def _save(self) -> None:
        box = f"{self.key}_save_as"
        name = _sets().save(st.session_state.get(box) or "", self.current())
        st.session_state[box] = ""
        st.session_state[f"{self.key}_saved"] = name
        st.toast(plain(t("fields.was_saved", name=name)))

    def _load_saved(self) -> None:
        self.load(_sets().load(st.session_state.get(f"{self.key}_saved") or ""))

    def _delete(self) -> None:
        """The first press asks, the second deletes."""
        name = st.session_state.get(f"{self.key}_saved") or ""
        if st.session_state.get(self._sure) != name:
            st.session_state[self._sure] = name
            return
        st.session_state.pop(self._sure)
        _sets().delete(name)
        st.toast(plain(t("fields.was_deleted", name=name)))

    def _upload(self) -> None:
        number = st.session_state.get(self._uploads, 0)
        given = st.session_state.get(self._uploader(number))
        if given is None:
            return
        st.session_state[self._uploads] = number + 1
        if given.size > FILE_LIMIT:
            raise WorkbenchError("bad_file", path=given.name, reason=t("fields.too_large"))
        raw = given.getvalue().decode("utf-8-sig", "replace")
        read = read_field_set(raw) if given.name.lower().endswith(".json") else parse_fields(raw)
        if not read:
            raise WorkbenchError("bad_file", path=given.name, reason=t("fields.no_field"))
        self.load(read)


def _sets() -> FieldSets:
    return FieldSets(workbench().settings.data_dir / "field_sets")
