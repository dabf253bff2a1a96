"""Work over files: tables in and out, jobs that survive anything, runners here and elsewhere. It knows no pages."""
