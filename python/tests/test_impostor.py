# SPDX-License-Identifier: Apache-2.0
"""Who listens where a server is expected gets no token from Python either, and answers without end are left."""

import hashlib
import hmac
import os
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

import fcps
import pytest
from conftest import built, formula_problem

TOKEN = "7" * 48


class Listener:
    """Takes connections and keeps what they send; `behave(connection, read)` answers."""

    def __init__(self, behave):
        self.behave, self.got = behave, bytearray()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/throw"
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        def read():
            part = connection.recv(65536)
            self.got += part
            return part

        with connection:
            connection.settimeout(30)
            try:
                self.behave(connection, read)
                while read():
                    pass
            except OSError:
                pass


@pytest.fixture
def listen():
    listeners = []

    def begin(behave):
        listeners.append(Listener(behave))
        return listeners[-1]

    yield begin
    for listener in listeners:
        listener.socket.close()


def answer(status, text):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()


def prove(read):
    asked = parse_qs(urlsplit(read().split()[1].decode()).query)
    message = f"fcps server\n{asked['nonce'][0]}\n{asked['address'][0]}\n{asked['host'][0]}\n".encode()
    return answer("200 OK", '{"proof":"%s"}' % hmac.new(TOKEN.encode(), message, hashlib.sha256).hexdigest())


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (answer("401 Unauthorized", "{}"), fcps.errors.ArgumentError),
        (answer("200 OK", '{"proof":"%s"}' % ("0" * 64)), fcps.errors.ArgumentError),
        (2 * answer("200 OK", "{}"), fcps.errors.FileError),
        (b"220 mail.example ESMTP\r\n\r\n", fcps.errors.FileError),
        (answer("200 OK", "x" * 100000), fcps.errors.StoreError),
        (answer("503 Busy", "{}"), fcps.Error),
    ],
)
def test_who_does_not_know_the_token_does_not_get_it(listen, said, error):
    listener = listen(lambda connection, read: (read(), connection.sendall(said)))
    with pytest.raises(error):
        fcps.connect(listener.address, token=TOKEN, wait=0.5)
    assert TOKEN.encode() not in listener.got and listener.got.startswith(b"GET /v1/proof?")


def drip(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(600):
        time.sleep(0.1)
        connection.sendall(b" ")


@pytest.mark.parametrize(
    ("behave", "words"),
    [
        (drip, "was not complete 1 s later.*a larger `wait`"),
        (lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 100000), "not an answer"),
        (lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 10000), "not an answer"),
        (lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"), "larger than"),
        (lambda connection: connection.sendall(answer("999999999999 OK", "{}")), "not an answer"),
        (lambda connection: connection.sendall(answer("200 OK", "{}") + b"x"), "not an answer"),
    ],
)
def test_answers_have_a_size_and_a_time(listen, behave, words):
    listener = listen(lambda connection, read: (connection.sendall(prove(read)), read(), behave(connection)))
    with pytest.raises(fcps.Error, match=words):
        fcps.connect(listener.address, token=TOKEN, wait=0.5)
    assert TOKEN.encode() in listener.got  # it had proved that it knows the token


PROBLEM = (
    '{"target": [{"name": "x", "lower": 0, "upper": 1}], "environment": [], "parameters": [{"name": "a", "lower": 0, '
    '"upper": 1}], "outcome": [{"name": "o"}]}'
)
ASK = '{"ask": 1, "repeated": false, "target": {"x": 0.5}, "environment": {}, "parameters": {"a": 0.5}}'


def saying(listen, bodies):
    """A server that knows the token, and says this to the last word of a path."""

    def behave(connection, read):
        connection.sendall(prove(read))
        connection.sendall(answer("200 OK", bodies.get(read().split()[1].decode().split("/")[-1], "{}")))

    return listen(behave).address


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        "\x1b[2J",
        "[]",
        "{}",
        "null",
        PROBLEM.replace("[]", "{}"),
        PROBLEM.replace('"name": "a"', '"name": 7'),
        PROBLEM.replace('"name": "a"', '"name": "a b"'),
        PROBLEM.replace('"name": "a", ', ""),
        PROBLEM.replace('"lower": 0', '"lower": "much"'),
        PROBLEM.replace('"lower": 0, ', ""),
        PROBLEM.replace('"upper": 1', '"upper": -1'),
        PROBLEM.replace('"lower": 0', '"scale": "odd", "lower": 0'),
        PROBLEM.replace("[]", "[7]"),
    ],
)
def test_who_does_not_answer_with_a_problem_is_no_study(listen, body):
    address = saying(listen, {"problem": body})
    with pytest.raises(fcps.Error) as caught:
        fcps.connect(address, token=TOKEN, wait=0.1)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("body", ["", "<html>ok</html>", "{}", '{"ask": 1, "stored": false}', '{"ask": 77, "stored": true}'])
def test_only_a_receipt_acknowledges(listen, body):
    study = fcps.connect(saying(listen, {"problem": PROBLEM, "ask": ASK, "tell": body}), token=TOKEN, wait=0.1)
    trial = study.ask(x=0.5, client="c")
    with pytest.raises(fcps.errors.FileError, match="acknowledges nothing"):
        study.tell(trial, o=0.5)


@pytest.mark.parametrize(
    "body", ["", "{}", ASK.replace("0.5", "0.6", 1), ASK.replace('"a"', '"b"'), ASK.replace('"ask": 1', '"ask": null')]
)
def test_an_ask_is_whole(listen, body):
    study = fcps.connect(saying(listen, {"problem": PROBLEM, "ask": body}), token=TOKEN, wait=0.1)
    with pytest.raises(fcps.Error):
        study.ask(x=0.5, client="c")


def test_a_server_at_a_socket_in_the_file_system_is_asked(tmp_path, monkeypatch):
    program = built("FCPS_PROGRAM")
    monkeypatch.setenv("FCPS_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.chdir(tmp_path)
    fcps.Study("throw.fcps", formula_problem(), seed=1001).close()
    server = subprocess.Popen(
        [program, "serve", "throw.fcps", "--listen", "unix:sock"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if not server.stdout.readline():
        words = server.communicate()[1]
        pytest.skip(words) if "libevent" in words else pytest.fail(words)
    for address in "unix:sock/throw", f"unix:{tmp_path}/sock/throw":
        for served in fcps.connect(address), fcps.Study(address):
            assert served.path == address and served.ask(x=1, wind=0, client="robot").id == 1
    with pytest.raises(fcps.errors.ArgumentError, match="write unix:sock/throw"):
        fcps.connect("unix:sock")
    server.terminate()
    server.communicate(timeout=30)
    with pytest.raises(fcps.errors.FileError, match="is fcps serve running"):
        fcps.connect("unix:sock/throw", wait=0.1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_socket_of_another_user_gets_no_token(tmp_path, monkeypatch):
    monkeypatch.setenv("FCPS_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o777)
    code = (
        "import os, socket; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.bind('sock'); s.listen(); print(flush=True); "
        "print(s.accept()[0].recv(9999).hex())"
    )
    stranger = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert stranger.stdout.readline() == "\n"
    with pytest.raises(fcps.errors.ArgumentError, match="belongs to another user") as caught:
        fcps.connect("unix:sock/throw", token=TOKEN, wait=0.5)
    assert caught.value.field == "address"
    assert stranger.communicate(timeout=30)[0] == "\n"  # the connection ended without a byte
