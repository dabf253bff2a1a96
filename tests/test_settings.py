"""Settings: which source wins, what a value may look like, and what is said where it does not fit."""

from pathlib import Path
from typing import Any

import pytest
from doubles import attempt
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.errors import WorkbenchError
from engine.settings import Settings, config_path, load_settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "workbench.toml"
    monkeypatch.setenv("WORKBENCH_CONFIG", str(path))
    return path


def refused(**flags: Any) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        load_settings(**flags)
    return caught.value


def test_defaults() -> None:
    settings = load_settings()
    assert (settings.model, settings.device, settings.precision) == ("auto", "auto", "auto")
    assert (settings.threads, settings.max_memory, settings.offline) == (None, None, False)
    assert (settings.log_level, settings.hub) == ("info", "huggingface")
    assert (settings.result_cache, settings.result_cache_disk) == (64 * 2**20, False)


def test_folders_of_the_user_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_DATA_DIR")
    monkeypatch.delenv("WORKBENCH_CACHE_DIR")
    settings = load_settings()
    assert settings.data_dir != settings.cache_dir
    assert "seqgpt-workbench" in settings.data_dir.parts[-1]


def test_flags_beat_the_environment_which_beats_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('model = "file"\ndevice = "cpu"\nprecision = "fp32"\n', "utf-8")
    assert load_settings().model == "file"
    monkeypatch.setenv("WORKBENCH_MODEL", "environment")
    monkeypatch.setenv("WORKBENCH_DEVICE", "cuda")
    settings = load_settings(model="flag")
    assert (settings.model, settings.device, settings.precision) == ("flag", "cuda", "fp32")
    assert load_settings().model == "environment"


def test_a_flag_that_was_not_given_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_THREADS", "3")
    monkeypatch.setenv("WORKBENCH_OFFLINE", "1")
    settings = load_settings(threads=None, offline=None)
    assert (settings.threads, settings.offline) == (3, True)
    assert load_settings(offline=False).offline is False


def test_the_file_is_the_named_one_or_the_working_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_CONFIG", "")
    assert config_path() == Path("workbench.toml")
    (tmp_path / "workbench.toml").write_text('model = "here"', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_settings().model == "here"


def test_a_missing_file_is_no_file(config: Path) -> None:
    assert not config.exists()
    assert load_settings().model == "auto"
    config.mkdir()
    assert load_settings().model == "auto"


@pytest.mark.parametrize("content", [b"model = ", b"\xff\xfe", b"[a\n"])
def test_a_file_that_does_not_parse_is_named(config: Path, content: bytes) -> None:
    config.write_bytes(content)
    error = refused()
    assert (error.code, error.details["path"]) == ("bad_file", config)
    assert str(config) in error.message


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("2g", 2 * 2**30),
        ("2G", 2 * 2**30),
        (" 2GB ", 2 * 2**30),
        ("2GiB", 2 * 2**30),
        ("800m", 800 * 2**20),
        ("1.5k", 1536),
        ("64kb", 64 * 2**10),
        ("1t", 2**40),
        ("4096", 4096),
        (4096, 4096),
    ],
)
def test_sizes(value: object, size: int) -> None:
    assert load_settings(max_memory=value).max_memory == size


@pytest.mark.parametrize("value", ["2x", "", "  ", "g", "-2g", "0", "abc", "nan", "inf", "1e999g", "2 g g"])
def test_sizes_that_are_none(value: str) -> None:
    error = refused(max_memory=value)
    assert (error.code, error.details["name"]) == ("bad_setting", "max_memory")


@pytest.mark.parametrize(("value", "size"), [("0", 0), (0, 0), ("1.5m", 3 * 2**19), ("64M", 64 * 2**20)])
def test_the_size_of_the_result_cache_may_be_nothing(value: object, size: int) -> None:
    assert load_settings(result_cache=value).result_cache == size


@pytest.mark.parametrize("value", ["-1", "much", "", "nan"])
def test_the_size_of_the_result_cache_is_no_less(value: str) -> None:
    assert refused(result_cache=value).details["name"] == "result_cache"


@given(st.text(max_size=8))
def test_any_size_is_a_number_of_bytes_or_refused(value: str) -> None:
    settings, error = attempt(lambda: load_settings(max_memory=value))
    if settings is None:
        assert error is not None
        assert error.code == "bad_setting"
    else:
        assert isinstance(settings.max_memory, int)
        assert settings.max_memory >= 1


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("device", "gpu", "Use one of auto, cpu, cuda, mps."),
        ("precision", "int4", "Use one of auto, fp32, bf16, fp16, int8."),
        ("log_level", "loud", "Use one of debug, info, warning, error."),
        ("hub", "elsewhere", "Use one of huggingface, modelscope."),
        ("threads", 0, None),
        ("threads", 5000, None),
        ("threads", "many", None),
        ("offline", "perhaps", None),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_would(name: str, value: object, hint: str | None) -> None:
    error = refused(**{name: value})
    assert (error.code, error.details["name"], error.details["value"]) == ("bad_setting", name, value)
    assert str(value) in error.message
    assert error.hint == hint or (hint is None and error.hint)


def test_bad_values_from_the_environment_and_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DEVICE", "tpu")
    assert refused().details["name"] == "device"
    monkeypatch.delenv("WORKBENCH_DEVICE")
    config.write_text("threads = 'x'\n", "utf-8")
    assert refused().details["name"] == "threads"
    config.write_text("modle = 'typo'\n", "utf-8")
    error = refused()
    assert (error.code, error.details["name"]) == ("bad_setting", "modle")
    assert refused(nonsense=1).details["name"] in {"modle", "nonsense"}


def test_settings_do_not_change_and_home_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    settings = load_settings(cache_dir="~/cache")
    assert settings.cache_dir == Path("/somewhere/cache")
    with pytest.raises(ValidationError):
        settings.model = "other"  # type: ignore[misc]


def test_every_setting_survives_the_way_to_a_child_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """`workbench run` hands its settings to the server through the environment."""
    given = load_settings(model="m", device="cpu", threads=2, max_memory="2g", offline=True, log_level="debug")
    given = given.model_copy(update={"result_cache": 5, "result_cache_disk": True})
    for name, value in given.model_dump(mode="json").items():
        if value is not None:
            monkeypatch.setenv(f"WORKBENCH_{name.upper()}", str(value))
    assert load_settings() == given
    assert set(Settings.model_fields) >= {"model", "device", "precision", "threads", "max_memory", "offline"}
