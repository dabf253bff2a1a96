"""What the workbench keeps of a user's own work: SQLite files of the data folder. It knows no models and no pages."""
