"""Training and weights. The running app loads the .onnx files here as data and imports none of this code."""

import sys

from models.shared.extra import say_what_is_missing

if sys.argv[:1] == ["-m"]:  # Python is looking for a module of this package, to run it as a command
    sys.excepthook = say_what_is_missing
