# SPDX-License-Identifier: Apache-2.0
"""Who listens where a server is expected learns no token: another program, one that answers what it likes, one that passes everything
on to the server. Servers that know the token and answer without end, or a byte now and then, are left.
python3 impostor.py FCPS FOLDER"""
import hashlib
import hmac
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

from client import Client, Server, complain, expect, failures

PROBLEM = """name: p
target: {x: [0, 1]}
parameters: {a: [0, 1]}
outcome: [o]
achieved: {x: o}
reward: "-distance"
"""
PATIENCE = 200 if "FCPS_SANITIZED" in os.environ else 50


class Listener:
    """Takes connections and keeps what they send; `behave(connection, read)` answers."""

    def __init__(self, behave):
        self.behave, self.got, self.over = behave, bytearray(), False
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while not self.over:
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

    def close(self):
        self.over = True
        self.socket.close()


def answer(status, text, more=""):
    return ("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s" % (status, len(text), more, text)).encode()


def prove(token, read, nonce=None):
    """The right answer to a question for a proof; with another nonce the one to a question of yesterday."""
    asked = parse_qs(urlsplit(read().split()[1].decode()).query)
    lines = ["fcps server", nonce or asked["nonce"][0], asked["address"][0], asked["host"][0], ""]
    return answer("200 OK", '{"proof":"%s"}' % hmac.new(token.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest())


class Place:
    def __init__(self, fcps, folder):
        self.fcps, self.folder = fcps, folder
        self.token_file = os.path.join(folder, "token")
        self.environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder, FCPS_TOKEN_FILE=self.token_file)
        with open(os.path.join(folder, "p.yaml"), "w") as file:
            file.write(PROBLEM)
        self.run("study", "new", "s.fcps", "--problem", "p.yaml")

    def run(self, *words, **environment):
        done = subprocess.run([self.fcps, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env={**self.environment, **environment})
        return done.returncode, done.stdout + done.stderr

    def refuses(self, what, port, *words, code=4, **environment):
        """A command on the address of a port fails with these words."""
        got, text = self.run("study", "log", "http://127.0.0.1:%d/s" % port, **environment)
        if got != code or not all(word in text for word in words):
            complain("%s: %d, %r" % (what, got, text[:500]))


def check_impostors(place, token):
    refusal = answer("401 Unauthorized", '{"error": {"code": "E_TOKEN", "field": "", "message": "send the token"}}')
    wrong = answer("200 OK", '{"proof":"%s"}' % ("0" * 64))
    unproven = "did not prove that it knows the token", "E_IO"
    behaviours = {
        "what refuses the token": (lambda c, read: (read(), c.sendall(refusal)), unproven),
        "a wrong proof": (lambda c, read: (read(), c.sendall(wrong)), unproven),
        "a proof of yesterday": (lambda c, read: c.sendall(prove(token, read, "0" * 32)), unproven),
        "no proof": (lambda c, read: (read(), c.sendall(answer("200 OK", "{}"))), unproven),
        "a page": (lambda c, read: (read(), c.sendall(answer("404 Not Found", "<html>"))), unproven),
        "another protocol": (lambda c, read: c.sendall(b"220 mail.example ESMTP\r\n\r\n"), ("is it another program",)),
        "two answers to one question": (lambda c, read: (read(), c.sendall(wrong + wrong)), ("is it another program",)),
        "an end": (lambda c, read: (read(), c.shutdown(socket.SHUT_RDWR)), ("connection was lost",)),
        "a large answer": (lambda c, read: (read(), c.sendall(answer("200 OK", "x" * 100000))), ("larger than",)),
    }
    for what, (behave, words) in behaviours.items():
        listener = Listener(behave)
        place.refuses(what, listener.port, *words)
        if token.encode() in listener.got:
            complain("%s got the token: %r" % (what, bytes(listener.got)[:300]))
        listener.close()
    listener = Listener(behaviours["a wrong proof"][0])
    for words in (["work", "http://127.0.0.1:%d/s" % listener.port, "--program", "true", "--trials", "1"],
                  ["study", "ask", "http://127.0.0.1:%d/s#token=%s" % (listener.port, token), "--target", "x=0.5"]):
        code, text = place.run(*words)
        if code != 4 or "did not prove" not in text:
            complain("%s: %d, %r" % (words[0], code, text[:500]))
    expect("the token of a worker", token.encode() in listener.got, False)
    listener.close()


def relay(server):
    """Passes everything on to the port where a server is now, and back."""
    def behave(connection, read):
        with socket.create_connection(("127.0.0.1", server.port)) as there:
            def back():
                try:
                    while part := there.recv(65536):
                        connection.sendall(part)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            threading.Thread(target=back, daemon=True).start()
            while part := read():
                there.sendall(part)

    return Listener(behave)


def check_relay(place, server):
    """A server proves nothing for an address at which it does not listen, unless its user has named it."""
    between = relay(server)
    place.refuses("a relay", between.port, "E_IO", "--host")
    got, _ = Client(server).call("GET", "/v1/proof?nonce=%s&address=127.0.0.1%%3A%d&host=x" % ("0" * 32, between.port))
    expect("a proof for another port", got, 403)
    got, _ = Client(server).call("GET", "/v1/proof?nonce=%s&address=127.0.0.1%%3A%d&host=x" % ("0" * 32, server.port))
    expect("a proof for its own", got, 200)
    for question in "", "?nonce=%s" % ("0" * 32), "?nonce=x&address=127.0.0.1:%d&host=x" % server.port:
        expect("a wrong question", Client(server).call("GET", "/v1/proof" + question)[0], 400)
    expect("the token through a relay", server.token.encode() in between.got, False)
    server.end()
    server.command += ["--host", "127.0.0.1:%d" % between.port]
    server.start()
    expect("a tunnel that was named", place.run("study", "log", "http://127.0.0.1:%d/s" % between.port)[0], 0)
    between.close()


def check_right(place, server):
    for host in "127.0.0.1", "localhost":
        code, text = place.run("study", "ask", "http://%s:%d/s" % (host, server.port), "--target", "x=0.5", "--client", "c")
        expect("the right server: " + text[:200], code, 0)


def check_socket(place):
    """Over a socket in the file system."""
    path = os.path.join(place.folder, "sock")
    server = subprocess.Popen([place.fcps, "serve", "s.fcps", "--listen", "unix:" + path], cwd=place.folder, env=place.environment,
                              stdout=subprocess.PIPE, text=True)
    expect("its address", server.stdout.readline(), "unix:%s\n" % path)
    expect("its rights", os.stat(path).st_mode & 0o777, 0o600)
    for address in "unix:%s/s" % path, "unix:sock/s":
        code, text = place.run("study", "ask", address, "--target", "x=0.5", "--client", "c")
        expect("ask %s: %s" % (address, text[:200]), code, 0)
    code, text = place.run("study", "log", "unix:" + path)
    expect("no study: " + text[:200], (code, "write unix:%s/s" % path in text), (2, True))
    code, text = place.run("work", "unix:%s/s" % path, "--program", "read ask; echo '{\"outcome\": {\"o\": 1}}'", "--trials", "1")
    expect("work: " + text[-300:], code, 0)
    code, text = place.run("study", "tell", "unix:%s/s" % path, "1", "--outcome", "o=0.5")
    expect("tell: " + text[-300:], code, 0)
    server.send_signal(signal.SIGTERM)
    expect("its end", server.wait(60), 0)


def check_answers(place, token):
    """Answers of a server that knows the token have a size and a time."""
    def drip(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(600):
            time.sleep(0.1)
            connection.sendall(b" ")

    def endless(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(2000):
            connection.sendall(b" " * 100000)

    def long_head(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 10000)

    odd = "is it another program"
    behaviours = {
        "an answer that drips": (drip, "was not complete"),
        "an endless answer": (endless, odd),
        "an endless head": (long_head, odd),
        "a huge length": (lambda c, _: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"), "larger than"),
        "a length that overflows": (lambda c, _: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\n{}"), odd),
        "a status that overflows": (lambda c, _: c.sendall(answer("999999999999 OK", "{}")), odd),
        "a status of two digits": (lambda c, _: c.sendall(answer("20 OK", "{}")), odd),
        "two lengths": (lambda c, _: c.sendall(answer("200 OK", "{}", "Content-Length: 3\r\n")), odd),
        "more than its length": (lambda c, _: c.sendall(answer("200 OK", "{}") + b"x"), odd),
        "silence": (lambda c, _: None, "nothing came within 1 s"),
    }
    for what, (behave, words) in behaviours.items():
        listener = Listener(lambda c, read: (c.sendall(prove(token, read)), read(), behave(c, read)))
        place.refuses(what, listener.port, words, FCPS_SERVER_WAIT="1")
        listener.close()
    short = Listener(lambda c, read: (c.sendall(prove(token, read)), read(), c.sendall(answer("418 Teapot", "x"))))
    place.refuses("an unknown status", short.port, "answered 418")
    short.close()


WHOLE = '{"ask": 1, "repeated": false, "target": {"x": 0.5}, "environment": {}, "parameters": %s}'
SPACES = '{"target": [{"name": "x"}], "environment": [], "parameters": [{"name": "%s"}], "outcome": [{"name": "o"}]}'
PROGRAM = "sed -u 's/.*\"ask\": *\\([0-9]*\\).*/{\"ask\": \\1, \"outcome\": {\"o\": 1}}/'"
ESCAPE = "\x1b]0;own\x07"


def saying(token, bodies):
    """A server that knows the token and answers each path with what `bodies` has for its last word."""
    def behave(connection, read):
        connection.sendall(prove(token, read))
        word = read().split()[1].decode().split("/")[-1].split("?")[0]
        connection.sendall(answer("200 OK", bodies[word]))

    return Listener(behave)


def check_shells(place, token):
    """The lines printed for a shell to evaluate have the dimensions of the problem, and numbers; otherwise nothing is
    printed."""
    bad = {
        "a command as a name": WHOLE % '{"a=0;touch OWNED;b": 0.5}',
        "a name of another study": WHOLE % '{"b": 0.5}',
        "a text": WHOLE % '{"a": "`touch OWNED`"}',
        "not JSON": "touch OWNED",
        "not JSON, with escapes": ESCAPE,
        "a list": "[]",
        "nothing": "",
        "no ask": "{}",
        "another target": (WHOLE % '{"a": 0.5}').replace("0.5", "0.6", 1),
        "an ask that is a text": (WHOLE % '{"a": 0.5}').replace('"ask": 1', '"ask": "1;touch OWNED"'),
    }
    cases = [(what, "a", body) for what, body in bad.items()]
    cases += [("PATH", "PATH", WHOLE % '{"PATH": 0.5}'), ("a command as a dimension", "a;touch OWNED;b", bad["a command as a name"])]
    for what, name, body in cases:
        listener = saying(token, {"problem": SPACES % name, "ask": body})
        done = subprocess.run(["sh", "-c", 'answer=$("$0" study ask "$1" --target x=0.5 --shell); echo "<$answer> $?"; eval "$answer"', place.fcps,
                               "http://127.0.0.1:%d/s" % listener.port], cwd=place.folder, env=place.environment, capture_output=True,
                              text=True, timeout=PATIENCE)
        if not re.fullmatch("<> [24]\n", done.stdout) or ESCAPE in done.stderr or os.path.exists(os.path.join(place.folder, "OWNED")):
            complain("a shell, %s: %r" % (what, done))
        listener.close()
    listener = saying(token, {"problem": SPACES % "a", "ask": WHOLE % '{"a": 0.25}'})
    code, text = place.run("study", "ask", "http://127.0.0.1:%d/s" % listener.port, "--target", "x=0.5", "--shell")
    expect("assignments: " + text, (code, text), (0, "ask=1\nrepeated=0\nx=0.5\na=0.25\n"))
    listener.close()


def check_pages(place, token):
    """An answer with the status of success that is no answer to the request is not printed."""
    for word in ["best"], ["ask"], ["ask", "--json"], ["export"], ["log"], ["status"], ["events"]:
        for body in ESCAPE, "<html>maintenance</html>", "{}", "":
            listener = Listener(lambda c, read, body=body: (c.sendall(prove(token, read)), read(), c.sendall(answer("200 OK", body))))
            context = ["--target", "x=0.5"] if word[0] in ("best", "ask") else []
            code, text = place.run("study", word[0], "http://127.0.0.1:%d/s" % listener.port, *word[1:], *context)
            if code != 4 or not text.startswith("fcps: E_") or ESCAPE in text:
                complain("%s, %r: %d, %r" % (word, body, code, text[:300]))
            listener.close()


def between(server, body):
    """Passes calls on to the server, one to a connection, and answers each tell itself; `listener.tells` counts them."""
    def behave(connection, read):
        asked = connection.recv(65536)
        while b"\r\n\r\n" not in asked:
            asked += connection.recv(65536)
        with socket.create_connection(("127.0.0.1", server.port)) as there:
            there.sendall(asked)
            connection.sendall(there.recv(65536))
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            if b"/tell " in head.split(b"\r\n")[0]:
                listener.tells += 1
                connection.sendall(answer("200 OK", body))
                return
            there.sendall(head)
            threading.Thread(target=lambda: [there.sendall(part) for part in iter(lambda: connection.recv(65536), b"")], daemon=True).start()
            while part := there.recv(65536):
                connection.sendall(part)
            connection.shutdown(socket.SHUT_RDWR)

    listener = Listener(behave)
    listener.tells = 0
    return listener


def tell_until_interrupted(place, listener, *words):
    """Runs a command that goes on trying, ends it after its second tell, and returns its code and what it said."""
    process = subprocess.Popen([place.fcps, *words], cwd=place.folder, env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    end, enough = time.monotonic() + PATIENCE, listener.tells + 2
    while listener.tells < enough and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=PATIENCE)[0]
    return process.returncode, said


def check_acknowledgements(place, server):
    """Only an answer about this very result acknowledges it. Otherwise the result is kept, and told again."""
    command = server.command
    code, text = place.run("study", "ask", "http://127.0.0.1:%d/s" % server.port, "--target", "x=0.5", "--json")
    number = json.loads(text)["ask"]
    for body in "", "{}", "<html>ok</html>", '{"ask": %d, "stored": false}' % number, '{"ask": 77, "stored": true}', ESCAPE:
        listener = between(server, body)
        server.end()
        server.command = command + ["--host", "127.0.0.1:%d" % listener.port]
        server.start()
        url = "http://127.0.0.1:%d/s" % listener.port
        code, text = tell_until_interrupted(place, listener, "study", "tell", url, str(number), "--outcome", "o=0.5")
        if code != 130 or "The result is kept in" not in text or "stored result" in text or ESCAPE in text:
            complain("tell, %r: %d, %r" % (body, code, text[:500]))
        code, text = tell_until_interrupted(place, listener, "work", url, "--program", PROGRAM, "--name", "w")
        if code != 130 or "W_RESULT_WAITS" not in text:
            complain("work, %r: %d, %r" % (body, code, text[-500:]))
        listener.close()
    server.command = command
    got = json.loads(place.run("study", "status", "http://127.0.0.1:%d/s" % server.port, "--json")[1])
    expect("results that nobody has stored", (got["rollouts"], got["pending"] > 0), (0, True))


def check_forgetful(place, token):
    """A worker stops if it gets the ask again whose result was acknowledged."""
    told = []

    def behave(connection, read):
        connection.sendall(prove(token, read))
        head = read()
        word = head.split()[1].decode().split("/")[-1].split("?")[0]
        told.append(word)
        connection.sendall(answer("200 OK", {
            "work": json.dumps({"problem": PROBLEM, "file": "p.yaml", "learner": "random", "settings": {}, "seed": 1, "identity": None, "asks": 0}),
            "lease": (WHOLE % '{"a": 0.5}')[:-1] + ', "asks": 1, "leases": 1}',
            "tell": '{"ask": 1, "stored": true}', "asks": '{"asks": []}'}.get(word, '{"leases": 0}')))

    listener = Listener(behave)
    code, text = place.run("work", "http://127.0.0.1:%d/s" % listener.port, "--program", PROGRAM)
    if code != 4 or "gives ask 1 again" not in text or told.count("tell") != 1:
        complain("a forgetful server: %d, %r, %r" % (code, text[-500:], told))
    listener.close()


def main():
    place = Place(*sys.argv[1:3])
    server = Server(place.fcps, [os.path.join(place.folder, "s.fcps")], place.token_file)
    check_right(place, server)
    check_impostors(place, server.token)
    check_shells(place, server.token)
    check_pages(place, server.token)
    check_forgetful(place, server.token)
    check_acknowledgements(place, server)
    check_relay(place, server)
    server.end()
    check_socket(place)
    check_answers(place, server.token)
    sys.exit(1 if failures else 0)


main()
