"""Setuptools in a copy of the sources: within them it would leave build/, whose old modules get into later wheels."""
import contextlib
import os
import shutil
import tempfile

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F401,F403 - pip install -e needs the sources where they are

_NOT_SOURCES = ("build", "dist", "tests", "*.egg-info", "__pycache__")


@contextlib.contextmanager
def _copy():
    sources = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "sources")
        shutil.copytree(sources, copy, ignore=shutil.ignore_patterns(*_NOT_SOURCES))
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(sources)


def _elsewhere(hook):
    def in_copy(*arguments, **named):
        with _copy():
            return hook(*arguments, **named)

    return in_copy


get_requires_for_build_wheel = _elsewhere(build_meta.get_requires_for_build_wheel)
prepare_metadata_for_build_wheel = _elsewhere(build_meta.prepare_metadata_for_build_wheel)
build_wheel = _elsewhere(build_meta.build_wheel)
get_requires_for_build_sdist = _elsewhere(build_meta.get_requires_for_build_sdist)
build_sdist = _elsewhere(build_meta.build_sdist)
