"""The program's own files and folders: locks, caches, logs, incomplete files."""
