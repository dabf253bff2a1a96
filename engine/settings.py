"""Settings, from the weakest to the strongest source: defaults, file, environment (`WORKBENCH_`), flags.

The file is `workbench.toml` in the working folder, or the one named by WORKBENCH_CONFIG. It knows no models and
checks only the form of a value.
"""

import os
from pathlib import Path
from typing import Any, Literal, get_args

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from engine.errors import WorkbenchError
from engine.types import Device, Precision

_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
LogLevel = Literal["debug", "info", "warning", "error"]


class Settings(BaseSettings):
    """One immutable set of settings; see each field's description."""

    model_config = SettingsConfigDict(env_prefix="WORKBENCH_", frozen=True, extra="forbid", protected_namespaces=())

    model: str = Field("auto", description="a catalog name, a local folder, a hub id, a server's address, or auto")
    device: Device = "auto"
    precision: Precision = "auto"
    threads: int | None = Field(None, ge=1, le=1024, description="CPU threads of the model; None: all cores")
    max_memory: int | None = Field(
        None, ge=1, description="bytes the process, or the model on its device, may take; '2g' and '800m' work"
    )
    batch_size: int | None = Field(
        None, ge=1, le=4096, description="texts in a step of a batch; None: the usual number"
    )
    log_level: LogLevel = "info"
    log_json: bool = Field(False, description="the log as one JSON object a line")
    log_texts: bool = Field(False, description="requests' texts in the log too")
    sample_seconds: float = Field(1.0, ge=0.5, le=5, description="between two looks at memory and load")
    upload_limit: int = Field(
        200 * 2**20, ge=2**20, description="bytes of a file that is given to the Batch page; '1g' works"
    )
    hub: Literal["huggingface", "modelscope"] = "huggingface"
    offline: bool = Field(False, description="never touch the network")
    trust_remote_code: bool = Field(
        False, description="run code that the folder of this model brings, with all rights of the user"
    )
    prefix_cache: int = Field(
        256 * 2**20,
        ge=0,
        description="bytes of memory for texts that a model has read, so that an edit of the labels reads only these, "
        "within max_memory; '256m' works, 0 keeps none",
    )
    result_cache: int = Field(
        64 * 2**20,
        ge=0,
        description="bytes of memory for answers to requests that come again; '64m' works, 0 keeps none",
    )
    result_cache_disk: bool = Field(
        False,
        description="keep them on disk too, in data_dir, up to 16 times as many bytes: the file holds users' texts, "
        "readable by the user alone",
    )
    history: bool = Field(
        True, description="whether free prompts and answers are kept in data_dir, unless the page's switch says no"
    )
    remote_key: SecretStr | None = Field(None, description="the key of the server that --model names; never shown")
    remote_context: int | None = Field(
        None, ge=64, description="tokens that its model is given at most; None: as many as it says, or 4096"
    )
    remote_prompts: Literal["auto", "completions"] = Field(
        "auto", description="auto: free prompts and extractions are turns of a chat where the server has chats"
    )
    remote_connect_timeout: float = Field(10.0, gt=0, le=600, description="seconds that a server has to be reached")
    remote_read_timeout: float = Field(120.0, gt=0, le=3600, description="seconds that it may be silent")
    remote_retries: int = Field(3, ge=0, le=10, description="further tries where it is busy or fails")
    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("seqgpt-workbench")))
    cache_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("seqgpt-workbench")))

    @field_validator("max_memory", "prefix_cache", "result_cache", "upload_limit", mode="before")
    @classmethod
    def _read_size(cls, value: object) -> object:
        """Read '2g', '800M' or a plain count of bytes."""
        if isinstance(value, str) and value.strip():
            text = value.strip().lower().removesuffix("b").removesuffix("i")
            unit = _UNITS.get(text[-1:], 1)
            number = text[:-1] if text[-1:] in _UNITS else text
            try:
                return int(float(number) * unit)
            except OverflowError:
                raise ValueError("not a number of bytes") from None
        return value

    @field_validator("remote_key", mode="after")
    @classmethod
    def _one_line(cls, value: SecretStr | None) -> SecretStr | None:
        """A key as it may stand in a header; none at all where it is blank."""
        key = value.get_secret_value().strip() if value else ""
        if not key:
            return None
        if not (key.isascii() and key.isprintable()):
            raise ValueError("use printable ASCII characters")
        return SecretStr(key)

    @field_validator("data_dir", "cache_dir", mode="after")
    @classmethod
    def _expand(cls, value: Path) -> Path:
        return value.expanduser()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags beat the environment, which beats the file."""
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=config_path()))


def config_path() -> Path:
    """The settings file that is read; it need not exist."""
    return Path(os.environ.get("WORKBENCH_CONFIG") or "workbench.toml")


def load_settings(**flags: Any) -> Settings:
    """Settings from every source; a flag that is None was not given.

    Raises:
        WorkbenchError: `bad_setting` naming the first value that does not fit.
    """
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        value = "…" if name.endswith("_key") else first["input"]
        raise WorkbenchError("bad_setting", name=name, value=value, hint=_hint(name, first["msg"])) from None
    except ValueError as error:  # the file itself does not parse
        raise WorkbenchError("bad_file", path=config_path(), reason=error) from None


def _hint(name: str, message: str) -> str:
    annotation = Settings.model_fields[name].annotation if name in Settings.model_fields else None
    choices = [str(choice) for choice in get_args(annotation) if isinstance(choice, str)]
    return f"Use one of {', '.join(choices)}." if choices else f"{message}."
