"""Running networks: one small protocol, and two backends that load the same ONNX file.

onnxruntime is faster. OpenCV's dnn module does the same work where it is missing, as on Android. Some
networks have an 8-bit copy (a quantised one), which onnxruntime runs if the processor is fast at it.
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from threading import Lock
from typing import Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError

Backend = Literal["onnxruntime", "opencv"]
"""The runtimes for networks."""
QUANTISED_FROM_KEY = "copy_of"
"""Metadata key of an 8-bit copy; its value is the `file_fingerprint` of the original file."""
_SPIN_US = "20"
"""How long onnxruntime's threads wait actively for work before they sleep, in microseconds."""
_CPU_AVX512_CLX = 261
"""OpenCV's constant for processors with AVX-512 VNNI, which its Python module does not name."""


class Network(Protocol):
    """A network with one input and one output, both float32, batch first. Several threads may run it."""

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output for a batch.

        Raises:
            BadInputError: The input has the wrong shape, or the output is not finite.
        """
        ...


def _checked(output: NDArray[np.float32], path: Path) -> NDArray[np.float32]:
    """Return the output if it is finite. A NaN would pass every threshold.

    Raises:
        BadInputError: It is not finite, so the weights are damaged.
    """
    if not np.isfinite(output).all():
        raise BadInputError(
            "{path}: the network's output is not a number; its weights are damaged", path=path
        )
    return output


def _read_bytes(path: Path) -> bytes:
    """Return the content of a file, because neither runtime opens paths that are not UTF-8 text.

    Raises:
        BadInputError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error


class OnnxRuntimeNetwork:
    """A network run by onnxruntime."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        """Load weights; `threads` limits the runtime's threads, and None leaves the number to it.

        From then on, OpenCV uses a single thread in the whole process. Its pieces of work between two runs
        are so small that waking a second thread takes longer.

        Raises:
            BadInputError: The file cannot be read, or is no network.
        """
        import onnxruntime

        cv2.setNumThreads(1)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        if threads is not None:
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
        # Long active waiting takes the processor from other work: on a busy machine, a run takes half as long
        # again. A short wait, only between two layers, saves 5 % on an idle one.
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        options.add_session_config_entry("session.intra_op.spin_duration_us", _SPIN_US)
        options.add_session_config_entry("session.force_spinning_stop", "1")
        # Memory plans are kept for each size of input. They save no measurable time, and take 50 MiB.
        options.enable_mem_pattern = False
        # The arena keeps the memory of each network's largest input. Without it, a run takes 3 % longer, but
        # 70 MiB are saved, which would grow during an evening.
        options.enable_cpu_mem_arena = False
        self._path = path
        weights = _read_bytes(path)
        try:
            # The fallback to other providers, which do not exist here, would print the error.
            self._session = onnxruntime.InferenceSession(
                weights, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # the exception types are not public
            raise BadInputError("{path}: not a network that onnxruntime can load", path=path) from error
        self._input = self._session.get_inputs()[0].name

    @property
    def quantised_from(self) -> str | None:
        """Fingerprint of the file from which this 8-bit copy was made; None if it is no copy."""
        found: str | None = self._session.get_modelmeta().custom_metadata_map.get(QUANTISED_FROM_KEY)
        return found

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first output for a batch, see `Network.run`."""
        try:
            output = self._session.run(None, {self._input: inputs})[0]
        except Exception as error:
            raise BadInputError(
                "{path}: the network does not take {shape} inputs", path=self._path, shape=inputs.shape
            ) from error
        return _checked(np.asarray(output, np.float32), self._path)


class OpenCvNetwork:
    """A network run by OpenCV's dnn module."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        """Load weights; `threads` sets OpenCV's number of threads, which holds for the whole process.

        Raises:
            BadInputError: The file cannot be read, or is no network.
        """
        self._path, self._free = path, Lock()
        if threads is not None:
            cv2.setNumThreads(threads)
        weights = _read_bytes(path)
        try:
            self._net = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
        except cv2.error as error:
            raise BadInputError("{path}: not a network that OpenCV can load", path=path) from error

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first output for a batch, see `Network.run`."""
        try:
            with self._free:
                self._net.setInput(inputs)
                # A copy, because OpenCV reuses the memory in its next run.
                output = np.array(self._net.forward(), np.float32)
        except cv2.error as error:
            raise BadInputError(
                "{path}: the network does not take {shape} inputs", path=self._path, shape=inputs.shape
            ) from error
        return _checked(output, self._path)


def available_backends() -> tuple[Backend, ...]:
    """Return the backends that are installed, the preferred one first."""
    if importlib.util.find_spec("onnxruntime") is not None:
        return ("onnxruntime", "opencv")
    return ("opencv",)


def preferred_backend(backend: Backend | None) -> Backend:
    """Return the given backend; None: the preferred one."""
    return backend or available_backends()[0]


def load_network(path: str | Path, backend: Backend | None = None, threads: int | None = None) -> Network:
    """Return the network in an ONNX file.

    Args:
        path: The file.
        backend: The backend to use; None: the preferred one.
        threads: Number of threads; None: the default of the backend.

    Raises:
        BadInputError: The file is missing, is no network, or the backend is not installed.
    """
    path = Path(path)
    if not path.is_file():
        raise BadInputError("{path}: the network's weights are missing", path=path)
    backend = preferred_backend(backend)
    if backend not in available_backends():
        raise BadInputError("{path}: the runtime {backend} is not installed", path=path, backend=backend)
    kind = OnnxRuntimeNetwork if backend == "onnxruntime" else OpenCvNetwork
    return kind(path, threads)


def quantised_path(path: Path) -> Path:
    """Return the path of a network's 8-bit copy, which may not exist."""
    return path.with_suffix(".int8.onnx")


def file_fingerprint(path: Path) -> str:
    """Return a fingerprint of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_fastest_network(path: Path, backend: Backend | None = None, threads: int | None = None) -> Network:
    """Return the network in an ONNX file, or its 8-bit copy if that runs faster here.

    A copy that is damaged, or that was made from other weights, is ignored. Arguments and errors are those of
    `load_network`.
    """
    copy = quantised_path(path)
    by_onnxruntime = preferred_backend(backend) == "onnxruntime"
    if by_onnxruntime and copy.is_file() and path.is_file() and _has_fast_int8():
        try:
            network = OnnxRuntimeNetwork(copy, threads)
            if network.quantised_from == file_fingerprint(path):
                return network
        except (BadInputError, OSError):
            pass
    return load_network(path, backend, threads)


def _has_fast_int8() -> bool:
    """Return whether the processor multiplies 8-bit integers fast and without overflow."""
    return bool(cv2.checkHardwareSupport(_CPU_AVX512_CLX))
