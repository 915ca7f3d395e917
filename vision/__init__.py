"""Computer vision: from camera frames to game events. It never asks whether a play is legal."""

import os

MAX_IMAGE_PIXELS = 1 << 27
"""Largest image file to read, in pixels. Decoded, such an image takes 400 MB."""

# OpenCV reads this variable once, when it is loaded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_IMAGE_PIXELS))
# Without this, onnxruntime reports to its makers' servers when it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
