"""Running a network: one small protocol, two backends that load the same ONNX file.

onnxruntime is the faster one; where it is missing (on Android), OpenCV's dnn module does the same work.
Beside some networks lies a copy with 8-bit weights, which onnxruntime runs where the processor suits that.
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
COPY_OF = "copy_of"
"""Key of an 8-bit copy's metadata: what `fingerprint_of` says of the file it was made from."""
_SPIN_US = "20"
"""Microseconds for which onnxruntime's threads look out for more work before they sleep."""
_CPU_AVX512_CLX = 261
"""OpenCV's number, which its Python module does not name, for processors with AVX-512 VNNI."""


class Network(Protocol):
    """A network with one input and one output, both float32, batch first. Several threads may run it."""

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output for a batch. Raises BadInputError when it is not finite."""
        ...


def _checked(output: NDArray[np.float32], path: Path) -> NDArray[np.float32]:
    """Return the output, or say that the weights are spoilt: a NaN slips past every threshold."""
    if not np.isfinite(output).all():
        raise BadInputError("{path}: the network's output is not a number; its weights are spoilt", path=path)
    return output


def _content(path: Path) -> bytes:
    """Return what a file holds: neither runtime opens one whose name is no UTF-8 text, and OpenCV crashes."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error


class OnnxRuntimeNetwork:
    """A network run by onnxruntime."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        """Load weights; `threads` None leaves the number to the runtime.

        From then on OpenCV works in one thread in the whole process: what is left to it between two runs of a
        network are pieces so small that to wake a second thread costs more than they do.
        """
        import onnxruntime

        cv2.setNumThreads(1)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        if threads is not None:
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
        # Threads that spin for long take the processor from everything else: on a busy machine a run then
        # takes half as long again. For a moment, and between two layers alone, it saves a twentieth on a
        # quiet one.
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        options.add_session_config_entry("session.intra_op.spin_duration_us", _SPIN_US)
        options.add_session_config_entry("session.force_spinning_stop", "1")
        # Its plans for the memory of one run are kept for every size of input there ever was: they save no
        # time that could be measured, and cost 50 MiB.
        options.enable_mem_pattern = False
        # Its own store of memory keeps what each network's largest input ever took: to go without costs a
        # thirtieth of the time, and spares 70 MiB that would go on growing through an evening.
        options.enable_cpu_mem_arena = False
        self._path = path
        weights = _content(path)
        try:
            # Its fallback to other providers, of which there are none, prints what went wrong.
            self._session = onnxruntime.InferenceSession(
                weights, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # its exception types are not public
            raise BadInputError("{path}: not a network that onnxruntime can load", path=path) from error
        self._input = self._session.get_inputs()[0].name

    @property
    def copy_of(self) -> str | None:
        """The fingerprint of the file that this 8-bit copy was made from; None where it is none."""
        found: str | None = self._session.get_modelmeta().custom_metadata_map.get(COPY_OF)
        return found

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first output for a batch."""
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
        """Load weights; `threads` sets OpenCV's number of threads, which is one for the whole process."""
        self._path, self._free = path, Lock()
        if threads is not None:
            cv2.setNumThreads(threads)
        weights = _content(path)
        try:
            self._net = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
        except cv2.error as error:
            raise BadInputError("{path}: not a network that OpenCV can load", path=path) from error

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first output for a batch."""
        try:
            with self._free:
                self._net.setInput(inputs)
                # A copy: OpenCV reuses the memory in its next run.
                output = np.array(self._net.forward(), np.float32)
        except cv2.error as error:
            raise BadInputError(
                "{path}: the network does not take {shape} inputs", path=self._path, shape=inputs.shape
            ) from error
        return _checked(output, self._path)


def available_backends() -> tuple[Backend, ...]:
    """Return the backends that can be used here, the preferred one first."""
    if importlib.util.find_spec("onnxruntime") is not None:
        return ("onnxruntime", "opencv")
    return ("opencv",)


def preferred(backend: Backend | None) -> Backend:
    """Return the backend that is used where `backend` is asked for, or none."""
    return backend or available_backends()[0]


def load_network(path: str | Path, backend: Backend | None = None, threads: int | None = None) -> Network:
    """Return the network of an ONNX file, on the preferred backend or the one named.

    Raises BadInputError when the file is missing, is no network, or the backend is not installed.
    """
    path = Path(path)
    if not path.is_file():
        raise BadInputError("{path}: the network's weights are missing", path=path)
    backend = preferred(backend)
    if backend not in available_backends():
        raise BadInputError("{path}: the runtime {backend} is not installed", path=path, backend=backend)
    kind = OnnxRuntimeNetwork if backend == "onnxruntime" else OpenCvNetwork
    return kind(path, threads)


def eight_bit_file(path: Path) -> Path:
    """Return where the 8-bit copy of a network lies, if it has one."""
    return path.with_suffix(".int8.onnx")


def fingerprint_of(path: Path) -> str:
    """Return what tells a file's content from that of any other."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_quickest(path: Path, backend: Backend | None = None, threads: int | None = None) -> Network:
    """Return the network of an ONNX file as `load_network`, or its 8-bit copy where that runs faster.

    A copy that is damaged, or was made from other weights than lie beside it now, is passed over: it is only
    there for speed. Raises BadInputError as `load_network`.
    """
    copy = eight_bit_file(path)
    by_onnxruntime = preferred(backend) == "onnxruntime"
    if by_onnxruntime and copy.is_file() and path.is_file() and _quick_at_eight_bits():
        try:
            network = OnnxRuntimeNetwork(copy, threads)
            if network.copy_of == fingerprint_of(path):
                return network
        except (BadInputError, OSError):
            pass
    return load_network(path, backend, threads)


def _quick_at_eight_bits() -> bool:
    """Tell whether the processor multiplies 8-bit integers quickly and without overflow."""
    return bool(cv2.checkHardwareSupport(_CPU_AVX512_CLX))
