# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: the tutorial by hand, two pages at once, texts that would be markup, the keyboard, a phone, the dark.

python3 page.py FCPS FOLDER CHROMIUM [--whole [--axe AXE.js]] [--pictures FOLDER]

Without --whole only one trial is made, by the forms of the page. --axe lets axe-core judge every page. --pictures makes the pictures of
docs/serve.md.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

from browser import Browser
from client import Client, Server, complain, expect, failures

EVIL = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>'\"&amp;"
EVIL_NAME = "u<img src=x onerror=window.hacked=1>'&amp;"  # of a study; after throw
PROBLEM = """name: "%s"
target:      {x: [-8, 8], y: [-8, 8]}
environment: {wind: {range: [-1, 1], unit: "m/s"}}
parameters:
  turn:  {range: [0, 360], period: 360, unit: deg}
  speed: {range: [1, 10], unit: "%s"}
outcome: [land_x, land_y]
achieved: {x: land_x, y: land_y}
reward: -distance - 0.01*speed^2
"""
S = "/v1/studies/throw"


def throw(parameters, wind):
    turn = math.radians(parameters["turn"])
    return {"land_x": parameters["speed"] * math.cos(turn) + wind, "land_y": parameters["speed"] * math.sin(turn)}


def must(page, what, script, seconds=150):
    taken = page.wait(script, seconds)
    if taken is None:
        complain("%s: not seen after %g s: %s" % (what, seconds, page.run("document.body.innerText.slice(0, 1500)")))
        raise SystemExit(1)
    if taken > 5:
        print("%s: after %.0f s" % (what, taken), flush=True)
    return taken


def fill(page, selector, text):
    page.click("document.querySelector(%s)" % json.dumps(selector))
    page.run("document.querySelector(%s).select()" % json.dumps(selector))
    page.type(text)


def button(text, within="document"):
    return "[...%s.querySelectorAll('button')].find(b => b.textContent === %s)" % (within, json.dumps(text))


def one_trial(page, client, x, y, wind):
    """Asks and tells through the forms of the page."""
    before = len(client.get(S + "/rollouts")["rollouts"])
    for name, value in (("target.x", x), ("target.y", y), ("environment.wind", wind)):
        fill(page, "section[aria-label=Asks] input[name='%s']" % name, str(value))
    page.click(button("Ask"))
    must(page, "the ask", "document.querySelector('.ask') !== null")
    ask = client.get(S + "/asks")["asks"][0]
    outcome = throw(ask["parameters"], ask["environment"]["wind"])
    for name, value in outcome.items():
        fill(page, ".ask input[name='outcome.%s']" % name, "%.4f" % value)
    page.press("Enter")
    must(page, "that the ask is gone", "document.querySelector('.ask') === null")
    expect("results", len(client.get(S + "/rollouts")["rollouts"]), before + 1)


RESULTS = "document.querySelectorAll('section[aria-label=Results] tbody tr').length"

# Notes in the page when a number of results is first seen.
WATCH = """(() => {
  const count = () => %s;
  window.seen = {[count()]: Date.now()};
  new MutationObserver(() => { window.seen[count()] ??= Date.now(); }).observe(document.getElementById('main'), {childList: true, subtree: true});
})()""" % RESULTS

# Tells a result of a trial, and gives the time at which that began, in milliseconds.
TELL = """(async () => {
  const headers = {Authorization: 'Bearer ' + sessionStorage.getItem('fcps-token'), 'Content-Type': 'application/json'}, begin = Date.now();
  const answer = await fetch('%s/tell', {method: 'POST', headers, body: JSON.stringify(%s)});
  if (!answer.ok) throw new Error(await answer.text());
  return begin;
})()"""

# How long the machine takes for a request that costs nothing.
PLAIN = """(async () => { const begin = performance.now(); await (await fetch('/icon.svg', {cache: 'no-store'})).text(); return performance.now() - begin; })()"""


def check_two_pages(first, second, client, tells=5, client_name=EVIL):
    """What is told on one page is on both within a second, by the clock of the pages. Returns the milliseconds."""
    count = len(client.get(S + "/rollouts")["rollouts"])
    for page in first, second:
        must(page, "the results on both pages", "%s === %d" % (RESULTS, count))
        page.run(WATCH)
    taken, plain = [], []
    for i in range(tells):
        ask = client.post(S + "/ask", {"client": client_name, "target": {"x": i % 8, "y": 1}, "environment": {"wind": 0}})
        count += 1
        plain.append(second.run(PLAIN))
        begin = first.run(TELL % (S, json.dumps({"ask": ask["ask"], "outcome": throw(ask["parameters"], 0), "client": client_name})))
        for page in first, second:
            must(page, "a result that was told elsewhere", "window.seen[%d] !== undefined" % count)
        taken.append(max(page.run("window.seen[%d]" % count) for page in (first, second)) - begin)
    taken.sort()
    plain.sort()
    print("seen on both pages after %s ms; a request that costs nothing takes %.0f ms" % (", ".join("%d" % t for t in taken), plain[tells // 2]))
    if plain[tells // 2] > 100:  # 2 ms where nothing else runs
        print("this machine is too busy to say how quick the pages are")
    elif taken[tells // 2] > 1000:
        complain("two pages see each other only after %d ms" % taken[tells // 2])
    return taken


def check_many_tabs(browser, beside, url, client):
    """A browser has six connections to a server: that is enough for any number of tabs."""
    tabs = [browser.page(beside=beside) for _ in range(8)]
    for number, tab in enumerate(tabs):
        tab.go(url)
        must(tab, "the study in tab %d" % number, RESULTS + " > 0", 60)
    ask = client.post(S + "/ask", {"target": {"x": 1, "y": 1}, "environment": {"wind": 0}})
    client.post(S + "/tell", {"ask": ask["ask"], "outcome": throw(ask["parameters"], 0)})
    count = len(client.get(S + "/rollouts")["rollouts"])
    for number, tab in enumerate(tabs):
        must(tab, "a new result in tab %d" % number, "%s === %d" % (RESULTS, count), 60)
    tabs[0].close()  # which reads the stream for all
    ask = client.post(S + "/ask", {"target": {"x": 1, "y": 2}, "environment": {"wind": 0}})
    client.post(S + "/tell", {"ask": ask["ask"], "outcome": throw(ask["parameters"], 0)})
    for number, tab in enumerate(tabs[1:]):
        must(tab, "a new result in tab %d after the first was closed" % (number + 1), "%s === %d" % (RESULTS, count + 1), 60)
    for tab in tabs[1:]:
        tab.close()


BEST = "/%s/.test(document.querySelector('section[aria-label=\"Best for a context\"]').innerText)"


def check_map(page):
    must(page, "the map", "/over x and y: from/.test(document.querySelector('.map canvas').getAttribute('aria-label') ?? '')")
    page.run("document.querySelector('.map canvas').focus()")
    for _ in range(3):
        page.press("ArrowLeft")
    page.press("Enter")
    must(page, "the best parameters at a place, by keyboard", BEST % "for x -[0-9.]+")
    page.click("document.querySelector('.map canvas')")
    must(page, "the best parameters at a place, by mouse", BEST % "land_x\\n?\\s*\\S+ \\(95 %: \\S+ to \\S+\\)")
    page.run("(() => { const s = document.querySelectorAll('section[aria-label=Map] select'); s[1].value = 'wind'; s[1].dispatchEvent(new Event('change')); })()")
    must(page, "the map over another dimension", "/over x and wind/.test(document.querySelector('.map canvas').getAttribute('aria-label'))")
    page.click(button("Ask here"))
    must(page, "an ask from the map", "document.querySelector('.ask') !== null")
    page.click(button("Give up"))
    must(page, "that it is given up", "document.querySelector('.ask') === null")


def check_results(page, client):
    newest = page.run("document.querySelector('section[aria-label=Results] tbody button').textContent")
    page.click("document.querySelector('section[aria-label=Results] tbody button')")
    must(page, "the card of a result", "document.querySelector('dialog').open")
    page.click(button("Drop " + newest, "document.querySelector('dialog')"))
    must(page, "a dropped result", "document.querySelector('tr.unused') !== null")
    page.click(button("Use " + newest, "document.querySelector('dialog')"))
    must(page, "that it counts again", "document.querySelector('tr.unused') === null")
    page.click(button("Close", "document.querySelector('dialog')"))
    must(page, "that the card is closed", "!document.querySelector('dialog').open")
    fill(page, "input[type=search]", "failed")
    must(page, "the filter", "document.querySelectorAll('section[aria-label=Results] tbody tr').length === 1")
    if EVIL not in page.run("document.querySelector('section[aria-label=Results] tbody').innerText"):
        complain("the message of a failed trial is not shown as it is")
    page.run("(() => { const s = document.querySelector('input[type=search]'); s.value = ''; s.dispatchEvent(new Event('input')); })()")


def axe(page, source):
    """The problems of accessibility that axe-core calls serious or critical."""
    page.run(source + "; 0")
    found = page.run("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
                     ".map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).join(', ')))")
    return found


def make_throws(client, count):
    """Trials in contexts that are spread evenly."""
    for i in range(1, count + 1):
        x, y, wind = (round(2 * ((step * i) % 1) - 1, 2) for step in (0.8192, 0.6711, 0.5497))
        ask = client.post(S + "/ask", {"client": "robot", "target": {"x": 8 * x, "y": 8 * y}, "environment": {"wind": wind}})
        client.post(S + "/tell", {"ask": ask["ask"], "outcome": throw(ask["parameters"], wind), "client": "robot"})


class Visit:
    """A study, its server, and a browser that looks at it."""

    def __init__(self, fcps, folder, program, is_hostile=True):
        self.study = os.path.join(folder, "throw.fcps")
        problem = os.path.join(folder, "throw.yaml")
        with open(problem, "w") as file:
            file.write(PROBLEM % (("<b>throw</b>", "<i>m/s</i>") if is_hostile else ("throw", "m/s")))
        studies = [self.study] + ([os.path.join(folder, EVIL_NAME + ".fcps")] if is_hostile else [])
        for study in studies:
            subprocess.run([fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
        self.server = Server(fcps, studies, os.path.join(folder, "token"), "--make", folder)
        self.client = Client(self.server)
        self.browser = Browser(program, os.path.join(folder, "profile"))
        self.root = "http://127.0.0.1:%d/" % self.server.port
        self.url = self.root + "#token=" + self.server.token
        self.pages = {}

    def open(self, name, url=None, **options):
        page = self.pages[name] = self.browser.page(**options)
        page.go(url or self.url)
        return page

    def see(self, name, **options):
        page = self.open(name, **options)
        must(page, "the study on the %s page" % name, "document.querySelectorAll('section[aria-label=State] dd').length > 2")
        return page

    def check_pages(self, report=None, source=None):
        """Checks of every page at the end."""
        ours = (self.root, "blob:", "about:", "data:") + (("file://" + report,) if report else ())
        for name, page in self.pages.items():
            expect("errors of the %s page" % name, page.errors(), [])
            expect("marks run as scripts on the %s page" % name, page.run("window.hacked ?? null"), None)
            expect("nameless things on the %s page" % name, page.nameless(), [])
            expect("requests of the %s page to others" % name, [u for u in page.requests() if not u.startswith(ours)], [])
            if source:
                expect("serious problems of accessibility on the %s page" % name, axe(page, source), [])

    def end(self):
        self.browser.end()
        self.server.end()


def check_texts(page, client):
    """Characters that turn a text around are shown by their numbers, and a whole log is not shown at all."""
    ask = client.post(S + "/ask", {"target": {"x": 0, "y": 0}, "environment": {"wind": 0}})
    client.post(S + "/tell", {"ask": ask["ask"], "failed": "a \u202e b" + "long " * 2000, "client": "c\u2066d"})
    table = "document.querySelector('section[aria-label=Results] table').innerText"
    must(page, "the marks", "/\\[U\\+202E\\] b/.test(%s) && /c\\[U\\+2066\\]d/.test(%s)" % (table, table))
    expect("the length of a note", page.run(table + ".length < 2000 && /characters; the table/.test(" + table + ")"), True)


def check_narrow(visit):
    """On a small phone, nothing is wider than the screen."""
    for width in 320, 390:
        page = visit.see("%d wide" % width, width=width, height=640)
        must(page, "the results", "document.querySelectorAll('section[aria-label=Results] tbody tr').length > 0")
        wide = "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > %d + 1)" % width
        expect("beside a screen of %d" % width, page.run(wide + ".map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"), [])
        expect("a screen of %d" % width, page.run("document.documentElement.scrollWidth"), width)


def short_visit(visit):
    first = visit.see("first")
    expect("the address without its token", first.run("location.href"), visit.root)
    must(first, "the stream", "document.getElementById('connection').textContent === 'live'")
    expect("a study with a name like markup", first.run("document.getElementById('studies').innerText.includes(%s)" % json.dumps(EVIL_NAME)), True)
    one_trial(first, visit.client, 2, 3, 0.1)
    must(first, "the title", "document.title === 'throw: 1 result – fcps'")
    check_texts(first, visit.client)
    check_narrow(visit)
    visit.check_pages()


def whole_visit(visit, fcps, folder, source):
    client = visit.client
    first = visit.see("first")
    expect("the address without its token", first.run("location.href"), visit.root)
    must(first, "the stream", "document.getElementById('connection').textContent === 'live'")
    for i in range(3):
        one_trial(first, client, 2 * i - 3, 3 - i, 0.1 * i)
    make_throws(client, 12)
    ask = client.post(S + "/ask", {"target": {"x": 0, "y": 0}, "environment": {"wind": 0}})
    client.post(S + "/tell", {"ask": ask["ask"], "failed": EVIL})
    second = visit.see("second", scheme="dark")
    check_two_pages(first, second, client)
    check_many_tabs(visit.browser, second, visit.url, client)
    check_map(first)
    check_results(first, client)
    must(first, "the model", "/within their 95 % intervals/.test(document.querySelector('section[aria-label=Model]').innerText)")
    client.post(S + "/amend", {"reward": "-distance - 0.02*speed^2"})
    must(first, "the amendment", "/0\\.02/.test(document.querySelector('section[aria-label=\"History and files\"]').innerText)")
    report = os.path.join(folder, "report.html")
    subprocess.run([fcps, "study", "report", visit.study, "-o", report], check=True, stdout=subprocess.DEVNULL)
    saved = visit.open("saved", "file://" + report)
    must(saved, "the report", "document.querySelectorAll('table.numbers tbody tr').length > 10")
    phone = visit.see("phone", width=400, height=800)
    expect("nothing beside the screen of a phone", phone.run("document.documentElement.scrollWidth"), 400)
    locked = visit.open("locked", visit.root)
    must(locked, "the question for the token", "document.querySelector('input[name=token]') !== null")
    fill(locked, "input[name=token]", visit.server.token)
    locked.press("Enter")
    must(locked, "the study behind the token", "document.querySelectorAll('section[aria-label=State] dd').length > 2")
    visit.check_pages(report, source)


def picture_visit(visit, pictures):
    """The pictures of docs/serve.md."""
    first = visit.see("first", height=1500)
    make_throws(visit.client, 35)
    visit.client.post(S + "/ask", {"client": "robot", "target": {"x": 5, "y": -2}, "environment": {"wind": 0.5}})
    phone = visit.see("phone", width=400, height=800)
    must(first, "all results", RESULTS + " === 35")
    must(first, "the map", "/over x and y/.test(document.querySelector('.map canvas').getAttribute('aria-label') ?? '')")
    page_map = "document.querySelector('.map canvas')"
    first.click(page_map)
    must(first, "the best parameters", BEST % "95 %")
    must(first, "the model", "/within their 95 % intervals/.test(document.querySelector('section[aria-label=Model]').innerText)")
    time.sleep(6)  # the map of the last result
    for name, page in (("serve", first), ("serve-phone", phone)):
        page.run("document.getElementById('messages').replaceChildren(); scrollTo(0, 0)")
        page.picture(os.path.join(pictures, name + ".png"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("folder")
    parser.add_argument("program")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--pictures")
    parser.add_argument("--axe")
    a = parser.parse_args()
    source = open(a.axe, encoding="utf-8").read() if a.axe else None
    visit = Visit(a.fcps, a.folder, a.program, is_hostile=not a.pictures)
    try:
        if a.pictures:
            picture_visit(visit, a.pictures)
        elif a.whole:
            whole_visit(visit, a.fcps, a.folder, source)
        else:
            short_visit(visit)
    finally:
        visit.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
