# SPDX-License-Identifier: Apache-2.0
"""What strangers, broken clients and pages of other sites send to `fcps serve`: each row with the status that it must get.

After each row the server must still answer, and in the end it must have as many open files as in the beginning.
Standard library only: python3 hostile.py FCPS FOLDER [--long]
"""
import atexit
import os
import random
import select
import re
import signal
import socket
import subprocess
import sys
import threading
import time

PROBLEM = """name: p
target: {x: [0, 1]}
parameters: {a: [0, 1]}
outcome: [o]
achieved: {x: o}
reward: "-distance"
"""
failures = []


def complain(text):
    print(text, flush=True)
    failures.append(text)


class Server:
    def __init__(self, fcps, folder, *options):
        self.token_file = os.path.join(folder, "token")
        study = os.path.join(folder, "s.fcps")
        if not os.path.exists(study):
            problem = os.path.join(folder, "p.yaml")
            with open(problem, "w") as file:
                file.write(PROBLEM)
            subprocess.run([fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            [fcps, "serve", study, "--token-file", self.token_file, *options], stdout=subprocess.PIPE, text=True)
        atexit.register(lambda: self.process.poll() is None and self.process.kill())
        self.url = self.process.stdout.readline().strip()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]+)$", self.url)
        if not found:
            sys.exit("the server did not begin: %r" % self.url)
        self.port, self.token = int(found[1]), found[2]

    def open_files(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(300)
        if code != 0:
            complain("the server ended with %d" % code)


def talk(server, data, wait=5.0, half_close=False, pause=0.0):
    """Sends bytes (a list: one after the other) and returns the statuses of the answers, and how it ended."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(wait)
        out = b""
        try:
            for part in data if isinstance(data, list) else [data]:
                connection.sendall(part if isinstance(part, bytes) else part.encode("latin1"))
                time.sleep(pause)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        end = "closed"
        try:
            while True:
                got = connection.recv(65536)
                if not got:
                    break
                out += got
                if complete(out):
                    connection.settimeout(0.05)
        except TimeoutError:
            end = "open"
        except OSError:
            end = "reset"
    return [int(s) for s in re.findall(rb"HTTP/1\.1 (\d+) ", out)], end, out


def complete(out):
    head, _, body = out.partition(b"\r\n\r\n")
    length = re.search(rb"Content-Length: (\d+)", head)
    return bool(length) and len(body) >= int(length[1])


def rows(s):
    host = "Host: 127.0.0.1:%d\r\n" % s.port
    token = "Authorization: Bearer %s\r\n" % s.token
    good = host + token
    kind = "Content-Type: application/json\r\n"
    json_of = lambda text: "Content-Length: %d\r\n\r\n%s" % (len(text), text)
    get = lambda path, headers=good: "GET %s HTTP/1.1\r\n%s\r\n" % (path, headers)
    best = "POST /v1/studies/s/best HTTP/1.1\r\n"
    ask = '{"target": {"x": 0.5}}'
    post = lambda headers: best + good + kind + headers
    chunked = "2\r\n{}\r\n0\r\n\r\n"
    yield "a good request", get("/v1/studies"), [200]
    yield "a good POST", post(json_of(ask)), [200]
    # the token
    yield "no token", get("/v1/studies", host), [401]
    yield "no token, a path that does not exist", get("/v1/nothing", host), [401]
    yield "a wrong token", get("/v1/studies", host + "Authorization: Bearer %s\r\n" % ("0" * 48)), [401]
    yield "a token that is cut", get("/v1/studies", host + "Authorization: Bearer %s\r\n" % s.token[:-1]), [401]
    yield "a token with more", get("/v1/studies", host + "Authorization: Bearer %s0\r\n" % s.token), [401]
    yield "an empty token", get("/v1/studies", host + "Authorization: Bearer \r\n"), [401]
    yield "the token as a password", get("/v1/studies", host + "Authorization: Basic %s\r\n" % s.token), [401]
    yield "the token in the path", get("/v1/studies?token=" + s.token, host), [401]
    yield "the token as a cookie", get("/v1/studies", host + "Cookie: token=%s\r\n" % s.token), [401]
    yield "two tokens", get("/v1/studies", good + token), [400]
    # whom it is for, and who sends it
    yield "no Host", get("/v1/studies", token), [400]
    yield "a foreign Host (DNS rebinding)", get("/v1/studies", "Host: evil.example:%d\r\n" % s.port + token), [403]
    yield "our Host with another port", get("/v1/studies", "Host: 127.0.0.1:1\r\n" + token), [403]
    yield "our Host without its port", get("/v1/studies", "Host: 127.0.0.1\r\n" + token), [403]
    yield "a Host that begins as ours", get("/v1/studies", "Host: 127.0.0.1:%d.evil.example\r\n" % s.port + token), [403]
    yield "localhost", get("/v1/studies", "Host: localhost:%d\r\n" % s.port + token), [200]
    yield "two Hosts", get("/v1/studies", good + host), [400]
    yield "a foreign Host for the page", get("/", "Host: evil.example\r\n"), [403]
    yield "a foreign Origin", get("/v1/studies", good + "Origin: http://evil.example\r\n"), [403]
    yield "Origin null", get("/v1/studies", good + "Origin: null\r\n"), [403]
    yield "an Origin that begins as ours", get(
        "/v1/studies", good + "Origin: http://127.0.0.1:%d.evil.example\r\n" % s.port), [403]
    yield "our Origin", get("/v1/studies", good + "Origin: http://127.0.0.1:%d\r\n" % s.port), [200]
    yield "a request of another site", get("/v1/studies", good + "Sec-Fetch-Site: cross-site\r\n"), [403]
    yield "a script of another site that wants our page", get(
        "/", host + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), [403]
    yield "a link to our page", get("/", host + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), [200]
    # methods
    for method in "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE":
        yield method, "%s /v1/studies HTTP/1.1\r\n%s\r\n" % (method, good), [405]
    yield "a method without the token", "DELETE /v1/studies HTTP/1.1\r\n%s\r\n" % host, [401]
    yield "CONNECT", "CONNECT a:1 HTTP/1.1\r\n%s\r\n" % good, [400]
    yield "a method in small letters", "get /v1/studies HTTP/1.1\r\n%s\r\n" % good, [400]
    yield "GET where POST is meant", get("/v1/studies/s/ask"), [405]
    yield "POST where GET is meant", "POST /v1/studies/s HTTP/1.1\r\n" + good + kind + json_of("{}"), [405]
    yield "POST to the page", "POST / HTTP/1.1\r\n" + good + kind + json_of("{}"), [405]
    # the kind of the body
    yield "no content type", best + good + json_of(ask), [415]
    for kind_of_form in "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp":
        yield kind_of_form, best + good + "Content-Type: %s\r\n" % kind_of_form + json_of(ask), [415]
    yield "two content types", best + good + kind + kind + json_of(ask), [400]
    yield "JSON with its charset", best + good + "Content-Type: application/json; charset=utf-8\r\n" + json_of(ask), [200]
    # the length of the body
    yield "a body of 2 MB", post("Content-Length: 2000000\r\n\r\n") + "a" * 2000000, [413]
    yield "a body of 2 MB without the token", best + host + kind + "Content-Length: 2000000\r\n\r\n" + "a" * 100000, [401]
    yield "a length of 20 digits", post("Content-Length: 99999999999999999999\r\n\r\n{}"), [413]
    for wrong in "+2", "-1", "2, 2", "0x2", "2 2", "two", "", "2;":
        yield "the length %r" % wrong, post("Content-Length: %s\r\n\r\n{}" % wrong), [400]
    yield "two equal lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"), [400]
    yield "two lengths", post("Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}"), [400]
    yield "no length", post("\r\n"), [411]
    for coding in "gzip", "identity, gzip", "x", "":
        yield "a body coded as %r" % coding, post("Content-Encoding: %s\r\n" % coding + json_of(ask)), [415]
    yield "a body that is not coded", post("Content-Encoding: identity\r\n" + json_of(ask)), [200]
    yield "two codings of the body", post("Content-Encoding: identity\r\nContent-Encoding: gzip\r\n" + json_of(ask)), [400]
    for path in "/v1/studies/", "/index.html/":
        yield "a slash at the end: " + path, get(path), [404]
    yield "GET with a body", "GET /v1/studies HTTP/1.1\r\n%sContent-Length: 2\r\n\r\n{}" % good, [400]
    yield "a body that ends too early", post("Content-Length: 20\r\n\r\n{}"), [], "closed", True
    # transfer codings
    yield "chunked", post("Transfer-Encoding: chunked\r\n\r\n" + chunked), [411]
    yield "chunked with a length", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked), [400]
    for coding in "xchunked", "gzip, chunked", "identity", "chunked, chunked", "\tchunked", "Chunked":
        yield "the coding %r" % coding, post("Transfer-Encoding: %s\r\n\r\n" % coding + chunked), [411]
    yield "two codings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n" + chunked), [400]
    yield "a coding before a blank", post("Transfer-Encoding : chunked\r\n\r\n" + chunked), [400]
    yield "a second request within the body", post("Transfer-Encoding: xchunked\r\n\r\n") + get("/v1/studies"), [411]
    # headers
    yield "a folded header", get("/v1/studies", good + "X: x\r\n y\r\n"), [400]
    yield "a folded token", get("/v1/studies", host + "Authorization: Bearer\r\n %s\r\n" % s.token), [400]
    yield "an empty name", get("/v1/studies", good + ": x\r\n"), [400]
    yield "a blank before the colon", get("/v1/studies", good + "X : x\r\n"), [400]
    yield "no colon", get("/v1/studies", good + "X\r\n"), [400]
    yield "a blank before a name", get("/v1/studies", " " + good), [400]
    yield "NUL in a value", get("/v1/studies", good + "X: a\0b\r\n"), [400]
    yield "NUL in a name", get("/v1/studies", good + "X\0: a\r\n"), [400]
    yield "a byte beyond ASCII", get("/v1/studies", good + "X: \xff\r\n"), [400]
    yield "DEL", get("/v1/studies", good + "X: \x7f\r\n"), [400]
    yield "lines that end with LF", get("/v1/studies").replace("\r\n", "\n"), [400]
    yield "one line that ends with LF", get("/v1/studies", good + "X: x\n"), [400]
    yield "CR within a line", get("/v1/studies", good + "X: a\rb\r\n"), [400]
    yield "an empty line first", "\r\n" + get("/v1/studies"), [400]
    yield "a header of 10 kB", get("/v1/studies", good + "X: %s\r\n" % ("a" * 10000)), [431]
    yield "100 headers", get("/v1/studies", good + "X: a\r\n" * 100), [431]
    yield "endless headers", "GET / HTTP/1.1\r\n" + "X: a\r\n" * 100000, [431]
    yield "Expect: other", post("Expect: other\r\n" + json_of(ask)), [417]
    yield "Expect: 100-continue, 3 MB", post("Expect: 100-continue\r\nContent-Length: 3000000\r\n\r\n"), [413]
    # the first line
    yield "HTTP/2.0", "GET /v1/studies HTTP/2.0\r\n%s\r\n" % good, [505]
    yield "HTTP/0.9", "GET /v1/studies\r\n\r\n", [400]
    yield "HTTP/1.10", "GET /v1/studies HTTP/1.10\r\n%s\r\n" % good, [505]
    yield "not HTTP", "GET /v1/studies FTP/1.1\r\n%s\r\n" % good, [400]
    yield "HTTP/1.0", "GET /v1/studies HTTP/1.0\r\n%s\r\n" % good, [200], "closed"
    yield "two blanks", "GET  /v1/studies HTTP/1.1\r\n%s\r\n" % good, [400]
    yield "more words", "GET /v1/studies x HTTP/1.1\r\n%s\r\n" % good, [400]
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\n" * 4, [400]
    yield "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]
    yield "an upgrade to WebSocket", get("/v1/studies", good + "Upgrade: websocket\r\nConnection: Upgrade\r\n"), [200]
    # paths
    yield "a whole URL of another host", get("http://evil.example/v1/studies"), [400]
    yield "a whole URL of ours", get("http://127.0.0.1:%d/v1/studies" % s.port), [400]
    yield "two slashes first", get("//v1/studies"), [400]
    for path in ("/v1//studies", "/v1/studies/{study}", "/v1/./studies", "/v1/x/../studies", "/../etc/passwd", "/v1/studies/..",
                 "/v1/studies/%2e%2e/s", "/v1/studies/s%2f..%2fs", "/v1/studies/%5c", "/v1/studies/%00", "/v1/studies/s%00",
                 "/v1/studies/%ff", "/v1/studies/%c0%ae", "/v1/studies/%ed%a0%80", "/v1/studies/%zz", "/v1/studies/%",
                 "/v1/studies/%0d%0aX:%20y", "/v1/studies?a", "/v1/studies?a=1&a=2", "/v1/studies?a=%00"):
        yield path, get(path), [400]
    for path in "/v1/studies#x", "/v1/studies\\x", "/v1/stu dies", '/v1/"', "/<script>", "*", "v1/studies":
        yield path, get(path), [400]
    yield "NUL in the path", get("/v1/studies\0"), [400]
    for path in ("/v1/studies/t", "/v1/studies/s.fcps", "/v1/nothing", "/v1", "/token", "/s.fcps", "/etc/passwd",
                 "/V1/studies", "/v1/studies/s/ask/x", "/v1/a/b/c/d/e/f/g/h/i/j", "/v1/studies/%C3%A9", "/v1/studies/%7Bstudy%7D"):
        yield path, get(path), [404]
    yield "a word that needs no decoding", get("/v1/%73tudies"), [200]
    yield "a path of 3 kB", get("/" + "a" * 3000), [414]
    yield "after that is no number", get("/v1/studies/s/rollouts?after=x"), [400]
    yield "after below zero", get("/v1/studies/s/rollouts?after=-1"), [400]
    yield "a huge after", get("/v1/studies/s/rollouts?after=99999999999999999999999"), [400]
    yield "a huge limit", get("/v1/studies/s/rollouts?limit=10000000"), [400]
    # bodies
    for text in ("", "{", "[]", "null", "7", '"x"', "{}x", '{"target": {"x": 0.5}, "target": {}}', "{'a': 1}", "\xff\xfe",
                 '{"target": {"x": "\xff"}}', '{"a\0": 1}', '{"target": {"x": 1e999}}', '{"\\ud800": 1}', "[" * 100000,
                 '{"a":' * 5000 + "1" + "}" * 5000, '{"targt": {"x": 0.5}}', '{"target": {"z": 0.5}}', '{"target": {}}',
                 '{"target": {"x": true}}', '{"target": {"x": "nan"}}', '{"target": 3}', '{"target": [0.5]}',
                 '{"contexts": []}', '{"contexts": {}}', '{"contexts": [3]}', '{"strict": 1, "target": {"x": 0.5}}'):
        yield "the body %.30r" % text, post(json_of(text)), [400]
    asking = "POST /v1/studies/s/ask HTTP/1.1\r\n" + good + kind
    for text in '{"count": 0}', '{"count": 1e9}', '{"count": 99999999999999999999}', '{"client": 7}', '{"client": "%s"}' % ("a" * 5000), '{"client": "%s"}' % ("a" * 144), '{"client": "%s", "count": 1000}' % ("a" * 139):
        yield "the ask %.30r" % text, asking + json_of('{"target": {"x": 0.5}, ' + text[1:]), [400]
    telling = "POST /v1/studies/s/tell HTTP/1.1\r\n" + good + kind
    for text in '{"ask": 0}', '{"ask": "1"}', '{"ask": -1, "outcome": {"o": 1}}', '{"outcome": {"o": 1}}', '{"ask": 1.5}':
        yield "the tell %.30r" % text, telling + json_of(text), [400]
    yield "a tell to an ask that does not exist", telling + json_of('{"ask": 77, "outcome": {"o": 1}}'), [404]
    yield "a study that may not be made", "POST /v1/studies HTTP/1.1\r\n" + good + kind + json_of(
        '{"name": "t", "problem": "x"}'), [403]
    # connections
    yield "three requests at once", get("/v1/studies") + post(json_of(ask)) + get("/v1/studies"), [200, 200, 200]
    yield "half closed", get("/v1/studies"), [200], "closed", True
    yield "half closed after a POST", post(json_of(ask)), [200], "closed", True
    yield "the last request", get("/v1/studies", good + "Connection: close\r\n"), [200], "closed"
    yield "the body later", [post("Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(ask)), ask], [100, 200]
    yield "byte by byte", [c for c in get("/v1/studies")], [200]


def check_rows(server):
    count = 0
    for row in rows(server):
        name, data, expected = row[:3]
        statuses, end, out = talk(server, data, half_close=len(row) > 4 and row[4], pause=0.05 if name == "the body later" else 0)
        if statuses != expected:
            complain("%s: %s instead of %s" % (name, statuses, expected))
        if len(row) > 3 and end != row[3]:
            complain("%s: the connection is %s instead of %s" % (name, end, row[3]))
        if server.process.poll() is not None:
            complain("%s: the server ended" % name)
            return count
        for status in expected:
            if 400 <= status < 600 and b'{"error":{"code":"E_' not in out:
                complain("%s: no error in JSON" % name)
        count += 1
    return count


def check_headers(server):
    _, _, out = talk(server, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
    head = out.partition(b"\r\n\r\n")[0].decode()
    for wanted in ("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'", "X-Content-Type-Options: nosniff",
                   "Cache-Control: no-store", "Referrer-Policy: no-referrer", "frame-ancestors 'none'"):
        if wanted not in head:
            complain("the page has no %s" % wanted)
    if "Access-Control" in head or "unsafe" in head:
        complain("the page allows other sites, or inline scripts: %s" % head)


def check_slow(server):
    """Bytes that drip in keep no connection for longer than a request may take."""
    begin = time.time()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(0.25)
        out = b""
        while time.time() - begin < 30:
            try:
                connection.sendall(b"X")
                got = connection.recv(4096)
                if not got:
                    break
                out += got
                if b"408" in out:
                    break
            except TimeoutError:
                pass
            except OSError:
                break
    if not 8 < time.time() - begin < 16:
        complain("a head that drips was ended after %.1f s" % (time.time() - begin))
    if b" 408 " not in out:
        complain("a head that drips got %r" % out[:40])


def check_flood(server, count):
    """Silent connections keep nobody else out."""
    idle = []
    for _ in range(count):
        try:
            idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=5))
        except OSError:
            break
    begin = time.time()
    statuses, _, _ = talk(server, "GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n" % (
        server.port, server.token))
    if statuses != [200] or time.time() - begin > 5:
        complain("with %d silent connections: %s after %.1f s" % (len(idle), statuses, time.time() - begin))
    for connection in idle:
        connection.close()
    return len(idle)


def check_vanishing(server):
    """Clients that go away in the middle, with a reset, leave nothing behind."""
    body = '{"target": {"x": 0.5}}'
    data = ("POST /v1/studies/s/best HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
            "Content-Length: %d\r\n\r\n%s" % (server.port, server.token, len(body), body)).encode()
    for cut in list(range(0, len(data), 17)) + [len(data)] * 20:
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(data[:cut])
        connection.close()


def check_unread(server):
    """A client that asks and never reads does not fill the server's memory."""
    data = ("GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n" % (server.port, server.token)).encode()
    before = megabytes_of(server)  # of what was checked until now: a sanitizer keeps what was freed
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(1)
        try:
            for _ in range(20000):
                connection.sendall(data)
        except OSError:
            pass
        megabytes = megabytes_of(server) - before
    if megabytes > 100:
        complain("a client that does not read made the server take %.0f MB more" % megabytes)


def megabytes_of(server):
    with open("/proc/%d/statm" % server.process.pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def import_of(server, length, more=""):
    return ("POST /v1/studies/s/import HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
            "Content-Length: %d\r\n%s\r\n" % (server.port, server.token, length, more)).encode()


def check_bodies(server):
    """All bodies that are being received have a common bound. Short ones are always accepted, and a closed connection no
    longer counts."""
    for _ in range(2):
        taken = []
        for _ in range(20):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            connection.sendall(import_of(server, 60 << 20, "Expect: 100-continue\r\n"))
            taken.append((connection, connection.recv(65536)))
        accepted = [got.startswith(b"HTTP/1.1 100 ") for _, got in taken]
        if accepted != sorted(accepted, reverse=True) or not 1 <= sum(accepted) <= 4 or b"HTTP/1.1 503 " not in taken[-1][1]:
            complain("20 long bodies: %s, %r" % (accepted, taken[-1][1][:100]))
        ask = '{"target": {"x": 0.5}}'
        statuses, _, _ = talk(server, "POST /v1/studies/s/best HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                              "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (server.port, server.token, len(ask), ask))
        if statuses != [200]:
            complain("beside long bodies a short one got %s" % statuses)
        for connection, _ in taken:
            connection.close()


def check_large(server):
    """A large body that comes with its head is read at once: the small buffers of strangers are not those of who has the token.
    (A window that stays small takes over 10 s, in one of 50.)"""
    body = b'{"csv": "' + b"a" * (5 << 20) + b'"}'
    data = import_of(server, len(body)) + body
    for _ in range(20):
        statuses, _, _ = talk(server, data, 300)
        if statuses != [400]:
            complain("a large body with its head: %s" % statuses)


def slow_bodies(server, got):
    """Bodies that arrive in pieces for longer than a pause may last: one that grows is waited for, one that drips is not."""
    body = b'{"csv": "' + b"a" * 900000 + b'"}'
    grows, drips = (socket.create_connection(("127.0.0.1", server.port), timeout=300) for _ in range(2))
    begin, sent = time.monotonic(), 0
    try:
        drips.sendall(import_of(server, len(body)))
        grows.sendall(import_of(server, len(body)))
        while sent < len(body):
            grows.sendall(body[sent:sent + 100000])
            sent += 100000
            if not select.select([drips], [], [], 0)[0]:  # nothing is sent to who has answered
                drips.sendall(b" ")
            time.sleep(max(0.0, begin + 4 * sent / 100000 - time.monotonic()))
        got.append(grows.recv(65536)[:13])
        got.append(drips.recv(65536)[:13])
    except OSError as error:
        got.append(error)
    for connection in grows, drips:
        connection.close()


def check_strangers(server):
    """Strangers who request the largest part of the page again and again and read nothing take next to no memory, and keep
    nobody out. A client that reads gets all answers, also those to requests before it closed its side."""
    host = "Host: 127.0.0.1:%d\r\n" % server.port
    data = ("GET /chart.min.js HTTP/1.1\r\n%s\r\n" % host).encode()
    before, strangers = megabytes_of(server), []
    for _ in range(150):
        stranger = socket.socket()
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stranger.connect(("127.0.0.1", server.port))
        stranger.sendall(8 * data)
        strangers.append(stranger)
    for _ in range(20):  # each is answered after all that came before it
        statuses, _, _ = talk(server, "GET /v1/studies HTTP/1.1\r\n%sAuthorization: Bearer %s\r\n\r\n" % (host, server.token))
        if statuses != [200]:
            complain("beside strangers who do not read a call got %s" % statuses)
    grown = megabytes_of(server) - before
    if grown > 20:
        complain("150 strangers who do not read made the server take %.0f MB" % grown)
    strangers[0].shutdown(socket.SHUT_WR)
    for stranger, is_ended in (strangers[0], True), (strangers[1], False):
        stranger.settimeout(20)
        got, wanted = 0, None
        try:
            while is_ended or wanted is None or got < wanted:
                part = stranger.recv(65536)
                if not part:
                    break
                if wanted is None:
                    length = re.search(rb"Content-Length: (\d+)", part)
                    wanted = 8 * (part.index(b"\r\n\r\n") + 4 + int(length[1]))
                got += len(part)
        except OSError as error:
            complain("a stranger who reads at last: %s" % error)
        if got != wanted:
            complain("a stranger who reads at last got %s of %s bytes" % (got, wanted))
    for stranger in strangers:
        stranger.close()


def check_streams(server, most):
    """Streams of changes take at most half of the connections. One more is refused with a message, and calls go on."""
    head = "Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n" % (server.port, server.token)
    streams = []
    for number in range(most + 5):
        stream = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        stream.sendall(("GET /v1/changes HTTP/1.1\r\n" + head).encode())
        out = b""
        while b"sequence" not in out and b"--connections" not in out:
            part = stream.recv(65536)
            if not part:
                break
            out += part
        streams.append(stream)
        wanted = b"HTTP/1.1 200 " if number < most else b"HTTP/1.1 503 "
        if not out.startswith(wanted):
            complain("stream %d of at most %d: %r" % (number + 1, most, out[:60]))
    statuses, _, _ = talk(server, "GET /v1/studies HTTP/1.1\r\n" + head)
    if statuses != [200]:
        complain("beside all streams a call got %s" % statuses)
    for stream in streams:
        stream.close()


def check_random(server, seconds):
    """Mutated requests, many on one connection."""
    rng = random.Random(1)
    seeds = [row[1] for row in rows(server) if isinstance(row[1], str) and len(row[1]) < 2000]
    until, count = time.time() + seconds, 0
    while time.time() < until:
        data = bytearray(rng.choice(seeds).encode("latin1"))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(data) + 1)
            change = rng.randrange(4)
            if change == 0:
                data[at:at] = bytes([rng.randrange(256)])
            elif change == 1:
                del data[at:at + rng.randint(1, 8)]
            elif change == 2:
                data[at:at + 1] = rng.choice([b"\r\n", b"\0", b"%", b"/", b" ", b"\n", b"{", b"9" * 20])
            else:
                other = rng.choice(seeds).encode("latin1")
                data[at:at] = other[rng.randrange(len(other)):][:64]
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.settimeout(0.02)
            try:
                connection.sendall(bytes(data))
                connection.recv(200)
            except OSError:
                pass
        count += 1
    if server.process.poll() is not None:
        complain("the server did not survive random requests")
    return count


def check_hang_up(fcps, folder):
    """If its terminal closes, the server ends and answers calls as after TERM. A server started with nohup goes on."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    check_end(Server(fcps, folder), signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # children inherit it
    server = Server(fcps, folder)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    server.process.send_signal(signal.SIGHUP)
    statuses, _, _ = talk(server, "GET /v1/studies HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n" % (
        server.port, server.token))
    if statuses != [200]:
        complain("with nohup a hang-up ended the server: %s" % statuses)
    server.end()


def check_end(server, number=signal.SIGTERM):
    """A call that has begun is answered even if the server is told to end. After that no call is accepted."""
    count = 40 if "FCPS_SANITIZED" in os.environ else 400  # a server that ends waits 15 s, and what is watched is slow
    contexts = ", ".join('{"target": {"x": %g}}' % (i / count) for i in range(count))
    body = '{"contexts": [%s]}' % contexts
    answer = {}

    def ask():
        answer["got"] = talk(server, "POST /v1/studies/s/best HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                             "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (server.port, server.token, len(body), body), 300)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    server.end(number)
    thread.join()
    statuses, _, out = answer["got"]
    if statuses != [200] or not complete(out):
        complain("a call that had begun was answered with %s when the server ended" % statuses)


def main():
    fcps, folder = sys.argv[1:3]
    is_long = "--long" in sys.argv
    server = Server(fcps, folder, *([] if is_long else ["--connections", "200"]))
    if os.stat(server.token_file).st_mode & 0o777 != 0o600:
        complain("the token file can be read by others")
    talk(server, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
    count = check_rows(server)
    if count < 150:
        complain("only %d rows" % count)
    slow = []
    slowly = threading.Thread(target=slow_bodies, args=(server, slow))
    slowly.start()
    check_headers(server)
    check_bodies(server)
    check_large(server)
    check_vanishing(server)
    check_strangers(server)
    check_unread(server)
    if not is_long:
        check_streams(server, 100)
    idle = check_flood(server, 10000 if is_long else 400)
    sent = check_random(server, 120 if is_long else 3)
    check_slow(server)
    slowly.join()
    if slow != [b"HTTP/1.1 400 ", b"HTTP/1.1 408 "]:
        complain("slow bodies got %r" % slow)
    for _ in range(100):
        files = server.open_files()
        if files < 60:
            break
        time.sleep(0.1)
    if files >= 60:
        complain("%d files stay open" % files)
    check_end(server)
    check_hang_up(fcps, folder)
    print("%d rows, %d silent connections, %d random requests" % (count, idle, sent))
    sys.exit(1 if failures else 0)


main()
