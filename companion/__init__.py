"""The program that people use: commands, window and store. It joins `vision` to `engine`."""
