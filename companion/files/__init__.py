"""The program's own files and folders: locks, caches, logs, files that are being written."""
