"""Every sentence the engine says to a user, in English, by code: (what happened, what to do next).

Errors and notes carry a code and details; this table renders them. The pages translate the same codes
(assets/locales/); a test holds both to the same codes and the same placeholders. It does not decide when
something is said.
"""

from typing import Any

from engine.advice_notes import ADVICE_NOTES
from engine.job_errors import JOB_ERRORS
from engine.phrases import PHRASES

ERRORS: dict[str, tuple[str, str]] = {
    # the input
    "text_empty": ("There is no text to read.", "Type or paste a text."),
    "labels_empty": ("There are no labels to choose from.", "Add at least two labels to the label box."),
    "label_too_long": (
        'The label "{label}" is {tokens} tokens long; one label may have at most {limit}.',
        "Shorten the label.",
    ),
    "labels_too_long": (
        "The {count} labels take {tokens} tokens; {limit} of the model's {context} are left for them.",
        "Use fewer or shorter labels, or a model with a longer context.",
    ),
    "fields_empty": ("There are no fields to look for.", "Add at least one field with a name to the table."),
    "fields_too_many": ("There are {count} fields; one set may have at most {limit}.", "Use fewer fields."),
    "fields_too_long": (
        "{count} fields in one prompt take {tokens} tokens; {limit} of the model's {context} are left for them.",
        "Ask for fewer fields in a prompt, or shorten their names and descriptions.",
    ),
    "fields_unreadable": (
        "The field set cannot be read: {reason}.",
        'Use names separated by commas, or JSON such as [{{"name": "price", "type": "money"}}].',
    ),
    "field_without_options": ('The field "{name}" is one of a list, but the list is empty.', "Fill in its list."),
    "field_pattern": (
        'The regular expression of the field "{name}" is not valid: {reason}.',
        "Correct the expression.",
    ),
    "bad_structure": (
        "The answer cannot be held to this structure: {reason}.",
        "Correct the structure, or ask without one.",
    ),
    "structure_unsupported": (
        "The model {name} cannot hold its answer to this structure: {reason}.",
        "Ask without a structure, simplify it, or choose another model.",
    ),
    "role_too_long": (
        "The role is too long: beside it and an answer of {limit} tokens, the model's {context} leave too little text.",
        "Shorten the role, or ask for fewer tokens.",
    ),
    "gold_unreadable": (
        "The gold cell cannot be read: {reason}.",
        "Use a label, several as a JSON list or separated by commas, or spans as JSON; or leave the cell empty.",
    ),
    "compare_other_file": (
        "{first} and {second} did not read the same file.",
        "Compare runs of one file, unchanged between them.",
    ),
    "compare_other_task": (
        "{first} and {second} do not have the same task.",
        "Compare two classifications or two extractions.",
    ),
    "bad_setting": ("The setting {name} cannot be {value}.", "{hint}"),
    "no_terminal": (
        "There is no terminal to ask questions in.",
        "Use workbench launch --yes, or workbench run with options.",
    ),
    "bad_file": ("The file {path} cannot be read: {reason}.", "Check the file and try again."),
    "file_not_written": ("The file {path} cannot be written: {reason}.", "Check the folder and try again."),
    "table_unreadable": (
        "The file {name} cannot be read as a table: {reason}.",
        "Use CSV, TSV, Excel (xlsx), JSON Lines or Parquet, and check what is chosen as encoding, separator and sheet.",
    ),
    "export_kind": (
        "It is not known what kind of export {name} is.",
        "Use a name that ends with one of {known}.",
    ),
    "field_set_missing": ('There is no saved field set named "{name}".', "Choose one of the list."),
    "field_set_unnamed": ("The field set has no name.", "Type a name to keep it under."),
    "template_brace": (
        "A {brace} in line {line}, column {column} of the template has no partner.",
        "Close it, or write {twice} where the text has a brace.",
    ),
    "template_variable": (
        "The template's variable {name} has no value.",
        "Fill it in, or take it out of the template.",
    ),
    "store_unusable": (
        "The history in {path} cannot be used: {reason}.",
        "All else works without it. Check the file and its folder, or name another with WORKBENCH_DATA_DIR.",
    ),
    **JOB_ERRORS,
    # finding and fetching a model
    "unknown_model": (
        'There is no model named "{name}".',
        "Use one of {known}, a folder that holds a model, or a hub id such as owner/name.",
    ),
    "folder_without_weights": (
        "The folder {path} holds no {missing}.",
        "Point to a folder with config.json, tokenizer.json and the weights (safetensors or .bin).",
    ),
    "file_damaged": (
        "The file {path} is damaged: {reason}.",
        "Delete it and load {name} again, which fetches what is missing; take one of your own from its source again.",
    ),
    "head_damaged": (
        "The offline model's head {path} cannot be read: {reason}.",
        "Take the file from the project again, or make it: python -m training. Other models still work.",
    ),
    "gguf_several": (
        "The folder {path} holds {count} GGUF files.",
        "Name one of them, such as --model {first}",
    ),
    "checksum_mismatch": (
        "The download of {name} does not have the expected checksum.",
        "Try again; if it happens twice, the network or the mirror changes the file.",
    ),
    "download_failed": (
        "The model {name} could not be fetched: {reason}.",
        "Check the network, or name a local folder with --model. What was fetched is kept.",
    ),
    "offline_missing": (
        "The model {name} is not on this disk, and offline mode allows no download.",
        "Turn offline mode off once, or name a local folder with --model.",
    ),
    "ray_unreachable": (
        "The Ray cluster at {address} cannot be used: {reason}.",
        "Check the address, and that the cluster runs the same version of Ray and Python.",
    ),
    "ray_stalled": (
        "Ray has given no row for {minutes} minutes.",
        "See that the cluster has free CPUs and memory for a worker, then run the same command again: it goes on.",
    ),
    "ray_failed": (
        "Ray ended the run: {reason}.",
        "Run the same command again: it goes on with the rows that are left.",
    ),
    "ray_lost_rows": (
        "{count} rows did not come back from Ray.",
        "Run the same command again: it goes on with the rows that are left.",
    ),
    "ray_other_version": (
        "A worker has version {there} of the workbench, and this is {here}.",
        "Install the same version on every machine.",
    ),
    "extra_missing": (
        "{what} needs a package that is not installed.",
        'Install it with: pip install -c constraints.txt -e ".[{extra}]"',
    ),
    "disk_full": (
        "There is not enough room on the disk at {path}: {needed} are needed, {free} are free.",
        "Free some space, or set WORKBENCH_CACHE_DIR to a larger disk.",
    ),
    # a model behind a server
    "remote_address": (
        'The address "{name}" cannot be used: {reason}.',
        "Use http://host:port/v1, followed by #model-name where the server has several models.",
    ),
    "remote_offline": (
        "Offline mode reaches no other machine, and {url} may be one.",
        "Turn offline mode off, or name a server of this machine by 127.0.0.1 or localhost.",
    ),
    "remote_unreachable": (
        "The server {url} cannot be reached: {reason}.",
        "Check that it runs, its address and port, and that the address begins with http or https as it should.",
    ),
    "remote_denied": (
        "The server {url} does not let us in (HTTP {status}).",
        "Set its key as WORKBENCH_REMOTE_KEY and start the workbench again.",
    ),
    "remote_missing": (
        "The server {url} does not have what is asked: {said}.",
        "Check the address, which mostly ends in /v1, and the model's name after #.",
    ),
    "remote_models": (
        "The server {url} has {count} models: {names}.",
        "Name one of them at the end of the address: http://host:port/v1#model-name.",
    ),
    "remote_busy": (
        "The server {url} is busy or fails (HTTP {status}); tries: {tries}.",
        "Try again later; WORKBENCH_REMOTE_RETRIES sets how often it is tried.",
    ),
    "remote_rejected": (
        "The server {url} refused the request (HTTP {status}): {said}.",
        "Change what it names, or look into the server's log.",
    ),
    "remote_too_long": (
        "The server {url} finds the prompt too long: {said}.",
        "Shorten the text, or set WORKBENCH_REMOTE_CONTEXT to fewer tokens: they are estimated here.",
    ),
    "remote_silent": (
        "The server {url} sent nothing for {seconds} seconds.",
        "Try again, or allow more with WORKBENCH_REMOTE_READ_TIMEOUT.",
    ),
    "remote_broken": (
        "The server {url} broke its answer off.",
        "Try again; if it happens again, look into the server's log.",
    ),
    "remote_partial": ("The answer is not whole: {reason}.", "Try again. This came until then: {text}"),
    "remote_garbage": (
        "The server {url} answered something that is not of the protocol: {reason}.",
        "Check that the address is that of an OpenAI-compatible server, with its /v1.",
    ),
    "remote_too_big": (
        "The server {url} sent more than {limit} MB in one answer.",
        "Check that the address is that of an OpenAI-compatible server.",
    ),
    "remote_no_scores": (
        "The server tells no probabilities by which labels can be weighed.",
        "Use a server whose completions give logprobs, such as vLLM or llama.cpp, or ask by a free prompt.",
    ),
    "remote_ignored_structure": (
        "The server did not keep to the structure: {reason}.",
        "Use a server that honours structured outputs, such as vLLM, allow more tokens, or say the form in the prompt.",
    ),
    # loading and running
    "memory_short": (
        "The model {name} needs about {needed} in {precision}; {limit} may be used.",
        "Close other programs, choose a smaller precision or model, or raise --max-memory.",
    ),
    "device_missing": ("The device {device} is not there: {reason}.", "Use --device auto or --device cpu."),
    "remote_code": (
        "The model {name} wants to run code of its own, which is not allowed.",
        "Choose another model; or, if you trust who made it, start the workbench for it with --trust-remote-code.",
    ),
    "not_loadable": ("The model {name} could not be loaded: {reason}.", "Choose a causal language model."),
    "extract_unsupported": (
        "The model {name} cannot extract: its tokenizer cannot write every text ({reason}).",
        "Choose a model with a byte-level tokenizer; classifying works with this one.",
    ),
    "prompt_unsupported": (
        "The model {name} cannot write, and no other model writes in its place.",
        "Choose a model that writes, such as smollm2-135m.",
    ),
    "model_silent": (
        "The model stopped answering: {reason}.",
        "Load it again in the sidebar.",
    ),
    "model_missing": ("No model is loaded.", "Load a model in the sidebar."),
    "memory_budget": (
        "There is no memory left for this: {held} of the {limit} that --max-memory allows are in use.",
        "Try again later, use a smaller model or precision, or raise --max-memory.",
    ),
    "experiment_running": ("Another measurement is going on.", "Wait for its end, or stop it."),
    "experiment_disturbed": (
        "The model was changed during the measurement, so its figures would not be of one model.",
        "Start the measurement again.",
    ),
    "sweep_skipped": ("This setting was not tried: a smaller one failed.", "See what the smaller one says."),
    "sweep_without_texts": ("There are no texts to measure with.", "Give some texts, or take the samples."),
    "sweep_without_threads": (
        "The threads of {name} cannot be set here: it runs elsewhere.",
        "Load a model that runs on this machine's processor.",
    ),
    "out_of_memory": ("The memory ran out during the run.", "Shorten the text or use fewer labels."),
    "cancelled": ("The run was stopped.", "Press Run to start it again."),
    "internal": ("Something went wrong inside the workbench ({kind}).", "The log has the details."),
}

NOTES: dict[str, str] = {
    "text_cut": "The text was cut: the model read the first {kept} of {total} characters.",
    "encoder_placed": "The model {name} runs on the CPU in fp32, whatever is asked: it is small.",
    "gguf_placed": "The model {name} runs on the CPU in {precision}, as its file has it, whatever is asked.",
    "no_label_fits": "None of the labels seems to fit this text.",
    "one_label": "With one label its probability is always 1: add another label to compare.",
    "language_unknown": "The model {name} was not trained on Chinese: its answers to this input say little.",
    "served": "Answers come from {url}, where texts are sent. Prompt tokens are estimated; free decoding has one beam.",
    "served_by_steps": "The server tells the {count} most probable next tokens only: labels are weighed by them.",
    "served_unscored": "The server tells no probabilities: labels cannot be weighed.",
    "served_unstructured": "The server does not hold answers to a structure: they are checked when they are whole.",
    "labels_untold": "The server tells no probability of these labels, which count as 0: {labels}.",
    "values_left_out": "The server gave values that are not in the text; they are left out: {values}.",
    "fields_unread": "What the server answered could not be read for: {fields}.",
    "penalty_counts_prompt": "On a server the repetition penalty counts the prompt too, where it is honoured at all.",
    "labels_merged": "Merged duplicates: {labels}.",
    "labels_one_by_one": "Labels are scored one after the other: this model's attention cannot take them together.",
    "labels_twins": "Labels that differ only in width or case: {labels}.",
    "precision_replaced": "{asked} is not used on {device}: {reason}. {used} is used instead.",
    "device_reason": "{device}: {reason}.",
    "precision_reason": "{precision}: {reason}.",
    "fast_extra": 'int8 takes about half the time with ONNX Runtime: pip install -c constraints.txt -e ".[fast]"',
    "choice_reason": "{name}: {reason}.",
    "trusts_code": "--trust-remote-code is on: code that comes with the model {name} runs here with all your rights.",
    "free_unparsed": "Part of the free answer names no label: {text}",
    "free_repeats": "The free answer repeats itself; each label is counted once.",
    "free_extra_values": "The free answer repeats itself; values left out, as the text has fewer of them: {count}.",
    "free_broken_tail": "The free answer reached its limit of tokens inside a character: ask for fewer fields at once.",
    "free_limit": "The free answer stopped at its limit of {limit} tokens.",
    "answer_closed": "The answer reached its limit of {limit} tokens and was ended there: what it says last may be cut "
    "short, and what was left to say is empty or made up.",
    "answer_unclosed": "The answer reached its limit of {limit} tokens and is not whole.",
    "free_unsupported": "Free decoding was skipped: the model {name} cannot generate.",
    "written_by": "{writer} wrote this: {name} cannot write.",
    "specials_neutralised": "The text holds {tokens}: read as plain characters, not as a control token.",
    "text_in_parts": "The text is too long to be read at once: it was read in {count} overlapping parts.",
    "parts_cut": "The model did not read {count} characters of the text: a part did not fit.",
    "batch_shrunk": "Memory is near the limit that --max-memory sets: {size} texts were read at a time, not {count}.",
    "batch_halved": "The memory ran out with {count} texts at once: they were read {size} at a time.",
    "stopped_early": "The run was stopped: {done} of {total} prompts were answered, and only these are shown.",
    "stopped_free": "The free decoding was stopped before its end.",
    "answer_cut": "The answer reached its limit of tokens before these were complete: {fields}. Ask for fewer at once.",
    "fields_missing": "Required, but not found: {fields}.",
    "values_untyped": "Values that do not fit their field's type are marked: {fields}.",
    "text_symbols": "The text holds no words, only digits or symbols: models read words, so add some around them.",
    "text_invisible": "Hidden or look-alike characters in the text: {count} ({names}). Remove them if answers are odd.",
    "script_mismatch": "The text is in {text}, what is asked is in {asked}: better ask in the language of the text.",
    **ADVICE_NOTES,
}


class Phrase(str):
    """A reason in English that the pages can say in another language; everywhere else it is its own text."""

    code: str
    details: dict[str, object]

    def __new__(cls, code: str, **details: object) -> "Phrase":
        """The phrase of a code of `PHRASES`."""
        phrase = super().__new__(cls, render(PHRASES[code], details))
        phrase.code, phrase.details = code, details
        return phrase

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle by code and details."""
        return (_phrase, (self.code, self.details))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        """To pydantic a phrase is itself, never some text that reads alike."""
        from pydantic_core import core_schema

        return core_schema.is_instance_schema(cls)


def _phrase(code: str, details: dict[str, object]) -> Phrase:
    return Phrase(code, **details)


def render(template: str, details: dict[str, object]) -> str:
    """Fill a template's {placeholders}; user text in the details is never itself read as a template."""
    return template.format_map(details)
