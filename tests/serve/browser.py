# SPDX-License-Identifier: Apache-2.0
"""A browser, driven through Chromium's DevTools protocol over two pipes: standard library only."""
import atexit
import json
import os
import select
import subprocess
import time


class Browser:
    def __init__(self, program, folder, language="en"):
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()

        def connect():  # the protocol uses descriptors 3 and 4
            os.dup2(to_browser, 101)
            os.dup2(from_browser, 102)
            os.dup2(101, 3)
            os.dup2(102, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--lang=" + language,
             "--accept-lang=" + language, "--remote-debugging-pipe", "--user-data-dir=" + folder, "about:blank"],
            env={**os.environ, "LANGUAGE": language}, close_fds=False, preexec_fn=connect, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.out, self.into, self.rest, self.number = from_us, to_us, b"", 0
        self.events = []
        atexit.register(lambda: self.process.poll() is None and self.process.kill())

    def call(self, method, session=None, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(60)
            if answer is None:
                raise RuntimeError("the browser did not answer " + method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]

    def read(self, wait):
        """The next message; events are also kept."""
        until = time.time() + wait
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.into], [], [], max(0, until - time.time()))
            if not ready:
                return None
            got = os.read(self.into, 1 << 20)
            if not got:
                raise RuntimeError("the browser ended")
            self.rest += got
        message, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(message)
        if "method" in message:
            self.events.append(message)
        return message

    def page(self, width=1280, height=900, scheme="light", beside=None):
        """A page in a browser of its own, as of another person; or in the same browser as the page `beside`."""
        context = beside.context if beside else self.call("Target.createBrowserContext")["browserContextId"]
        return Page(self, context, width, height, scheme)

    def end(self):
        try:
            self.call("Browser.close")
        except RuntimeError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Page:
    def __init__(self, browser, context, width, height, scheme):
        self.browser, self.context = browser, context
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def go(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of a script, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def wait(self, script, seconds=30):
        """Waits until a script is true, and returns the seconds that it took; None: it never was."""
        begin = time.time()
        while time.time() - begin < seconds:
            try:
                if self.run(script):
                    return time.time() - begin
            except RuntimeError:
                pass
            time.sleep(0.05)
        return None

    def press(self, key, code=None):
        text = {"Enter": "\r"}.get(key)
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "Backspace": 8, "Escape": 27}.get(key, 0),
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def type_keys(self, text):
        """Types as a person does: a field may refuse a single key, and typing then goes on without it."""
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=character, text=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def click(self, script):
        """Clicks with the mouse on the element that a script names, once it stands still."""
        box = None
        for _ in range(100):
            before, box = box, self.run("(() => { const e = %s; e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
                                        "return [b.left + b.width / 2, b.top + b.height / 2]; })()" % script)
            if box == before:
                break
            time.sleep(0.05)
        for kind in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self, path):
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def mine(self):
        return [e for e in self.browser.events if e.get("sessionId") == self.session]

    def errors(self):
        found = []
        for e in self.mine():
            if e["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(e["params"]["exceptionDetails"].get("exception", {}).get("description", e["params"])))
            if e["method"] == "Log.entryAdded" and e["params"]["entry"]["level"] == "error":
                found.append(e["params"]["entry"]["text"] + " " + e["params"]["entry"].get("url", ""))
            if e["method"] == "Runtime.consoleAPICalled" and e["params"]["type"] in ("error", "warning"):
                found.append(json.dumps(e["params"]["args"])[:300])
        return found

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.mine() if e["method"] == "Network.requestWillBeSent"]

    def nameless(self):
        """Controls that a screen reader would not name."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "textbox", "searchbox", "spinbutton", "combobox", "slider", "link", "image", "img", "application", "checkbox"}
        return [n["role"]["value"] for n in nodes
                if not n.get("ignored") and n.get("role", {}).get("value") in roles and not n.get("name", {}).get("value", "").strip()]
