# SPDX-License-Identifier: Apache-2.0
"""The places where studies of bench/work are kept: a file, behind `fcps serve`, in a PostgreSQL of this bench. Each place is a
Python context manager that gives the URL for workers."""
import contextlib
import os
import subprocess
import time


def make_study(fcps, study, problem, learner, seed):
    subprocess.run([fcps, "study", "new", study, "--problem", problem, "--learner", learner, "--seed", str(seed)],
                   check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def in_file(fcps, folder, name, make):
    path = os.path.join(folder, name + ".fcps")
    make(path)
    yield path


@contextlib.contextmanager
def behind_serve(fcps, folder, name, make):
    path = os.path.join(folder, name + ".fcps")
    make(path)
    server = subprocess.Popen([fcps, "serve", path, "--token-file", os.path.join(folder, "token"), "--listen", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, text=True)
    try:
        place, _, token = server.stdout.readline().strip().partition("/#")
        yield "%s/%s#%s" % (place, name, token)
    finally:
        server.terminate()
        server.wait()


class Database:
    """A private PostgreSQL in a folder; None if PostgreSQL is not installed."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "server")
        os.mkdir(self.folder)
        os.chmod(folder, 0o755)
        os.chmod(self.folder, 0o755)
        script = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "store", "postgresql-server.sh")
        self.process = subprocess.Popen(["sh", script, self.folder])
        while self.process.poll() is None and self.sql("SELECT 1") != 0:
            time.sleep(0.05)

    def sql(self, statement):
        return subprocess.run(["psql", "-qAt", "-h", self.folder, "-U", "fcps", "postgres", "-c", statement],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode

    def is_there(self):
        return self.process.poll() is None

    def end(self):
        if self.is_there():
            self.process.terminate()
            self.process.wait()

    @contextlib.contextmanager
    def study(self, fcps, folder, name, make):
        url = "postgresql:///postgres?host=%s&user=fcps#%s" % (self.folder, name)
        make(url)
        yield url
