"""The file of a job, which may lie where its owner goes on changing it: rows belong to answers by their number."""

from engine.errors import WorkbenchError
from engine.jobs.tables import Table, digest, open_table
from engine.jobs.tables.table import of_files
from engine.jobs.types import Job


def open_source(job: Job) -> Table:
    """The table that a job reads.

    A file that was touched since the job was made is compared with what it was; a copy of the job's own is not.

    Raises:
        WorkbenchError: `job_file_changed`: it is another file by now; as `open_table` besides.
    """
    if job.source.parent.name != job.id:
        with of_files(job.source):
            about = job.source.stat()
        if max(about.st_mtime, about.st_ctime) > job.created and digest(job.source) != job.digest:
            raise WorkbenchError("job_file_changed", path=job.source)
    return open_table(job.source, job.form)
