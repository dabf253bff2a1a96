"""Errors of jobs over files, and of the page that starts them: see `engine.messages`."""

JOB_ERRORS: dict[str, tuple[str, str]] = {
    "jobs_unusable": (
        "The jobs in {path} cannot be used: {reason}.",
        "What is done is kept. Check the disk, the file and its folder, or name another with WORKBENCH_DATA_DIR.",
    ),
    "job_missing": ("There is no such job any more.", "Choose one of the list, or start a new one."),
    "job_elsewhere": (
        "This job is run by another process.",
        "Wait until it is done, or stop it where it was started.",
    ),
    "job_interrupted": (
        "The process that ran this job ended before it was done.",
        "Resume it: what is done is kept and is not asked again.",
    ),
    "job_other_model": (
        "The rows that are done were answered by {first}; {loaded} is loaded now.",
        "Load {first} again, or resume with the other model, which the manifest then says.",
    ),
    "job_file_changed": (
        "The file {path} is not what it was when this job was made.",
        "Put the earlier file back: answers belong to rows by their number. Or start a new job on the new one.",
    ),
    "column_missing": ('The file has no column "{name}".', "It has these: {columns}."),
    "text_missing": ("The row has no text in the column {columns}.", "Fill it in, or leave the row out."),
    "no_text_column": ("No column with the text is chosen.", "Choose the column whose texts are to be read."),
    "upload_too_large": (
        "The file {name} is larger than {limit} MB.",
        "Use workbench batch on the command line, which has no limit, or set WORKBENCH_UPLOAD_LIMIT.",
    ),
    "value_not_in_text": (
        'The value "{value}" of the field {field} is not in the text.',
        "Write it as the text does, or say that it is not in the text.",
    ),
}
