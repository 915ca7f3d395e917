"""The one exception that stands for bad input."""


class BadInputError(ValueError):
    """Input that cannot be used: a file, a message, an option.

    The message is one line, complete in itself, that names the input and what is wrong with it; the
    command line prints it as it stands and exits with status 2.
    """
