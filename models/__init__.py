"""Training and weights. The running app loads the .onnx files here as data and imports none of this code."""
