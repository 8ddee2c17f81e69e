# SPDX-License-Identifier: Apache-2.0
"""A small client of `fcps serve` for tests: standard library only."""
import atexit
import http.client
import json
import re
import signal
import subprocess
import sys
import time

failures = []


def complain(text):
    print(text, flush=True)
    failures.append(text)


def expect(what, got, wanted):
    if got != wanted:
        complain("%s: %r instead of %r" % (what, got, wanted))


class Server:
    """A server that ends with the test, however the test ends."""

    def __init__(self, fcps, studies, token_file, *options):
        self.command = [fcps, "serve", *studies, "--token-file", token_file, *options]
        self.process = None
        atexit.register(lambda: self.process and self.process.poll() is None and self.process.kill())
        self.start()

    def start(self, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(self.command + ["--listen", listen], stdout=subprocess.PIPE, text=True)
        found = re.match(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{48})$", self.process.stdout.readline().strip())
        if not found:
            sys.exit("the server did not begin")
        self.port, self.token = int(found[1]), found[2]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        expect("the end of the server", self.process.wait(60), 0)


class Client:
    """One connection, which is opened again after it was lost."""

    def __init__(self, server, timeout=60):
        self.server, self.timeout, self.connection = server, timeout, None

    def call(self, method, path, body=None):
        """Returns status and text; raises OSError or HTTPException if no answer came."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=self.timeout)
        headers = {"Authorization": "Bearer " + self.server.token}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = self.connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def again(self, method, path, body=None):
        """A connection that was silent for long may be gone: then the call is made again."""
        try:
            return self.call(method, path, body)
        except (ConnectionError, http.client.RemoteDisconnected):
            return self.call(method, path, body)

    def get(self, path, status=200):
        got, text = self.again("GET", path)
        expect("GET " + path, got, status)
        return json.loads(text)

    def post(self, path, body, status=200):
        got, text = self.again("POST", path, body)
        if got != status:
            complain("POST %s: %d instead of %d: %s" % (path, got, status, text))
        return json.loads(text)

    def insist(self, path, body):
        """Posts until a final answer comes, as a robot would: these requests may be repeated."""
        while True:
            try:
                status, text = self.call("POST", path, body)
                if status != 503:
                    return status, json.loads(text)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)


class Changes:
    """The stream of changes, read by hand."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        self.connection.request("GET", "/v1/changes", headers={"Authorization": "Bearer " + server.token})
        self.response = self.connection.getresponse()
        expect("the stream", (self.response.status, self.response.headers["Content-Type"]), (200, "text/event-stream"))

    def next(self):
        data = None
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if line.startswith("data: "):
                data = json.loads(line[6:])
            elif line == "" and data is not None:
                return data

    def until(self, study, sequence):
        while True:
            change = self.next()
            if change["study"] == study and change["sequence"] >= sequence:
                return change
