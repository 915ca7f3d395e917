"""The program people use: commands, window, evening, store. Joins `vision` to `engine`."""
