"""From pictures to what happened on the table. Knows cards and tables; never asks what is legal."""

import os

MOST_PIXELS = 1 << 27
"""A picture file of more is not read: unpacked it would take half a gigabyte."""

# OpenCV looks at this once, as it is loaded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
# Without it onnxruntime, as it is loaded, tells its makers' servers that and on what it runs.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
