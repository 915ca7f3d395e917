"""Files and texts read and written safely: bounded in size, complete or not at all."""
