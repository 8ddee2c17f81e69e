# SPDX-License-Identifier: Apache-2.0
"""Looking around in the page, in a real browser: the best for a context, cards, notes, suspects, tables, the map.

Which test holds what the page promises:
- accessibility (axe): page.py --whole, and here cards and forms; nothing beside a screen of 320 or 390: check_narrow in page.py
- numbers with a comma, refused texts, the same digits in a German browser, what will be stored: numbers.py
- the best for a context: check_best; a trial done otherwise or unasked: check_told; conditions and costs: check_conditions
- cards with the prediction beside the result, and notes: check_card; suspects, and warnings with buttons: check_suspect
- failures and suspects in the curve, a panel for each outcome: check_curve; map, value under the pointer, "computing": check_map
- why, how many more, what matters, slices: check_questions; words: check_words; tables in and out: check_tables

python3 looking.py FCPS FOLDER CHROMIUM [--axe AXE.js]
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

from browser import Browser
from client import Client, Server, expect, failures
from page import EVIL, axe, button, fill, must

PROBLEM = """name: throw
target:      {land: {range: [2, 8], unit: m}}
environment: {wind: {range: [-1, 1], unit: "m/s"}}
parameters:
  tilt:  {range: [10, 80], unit: deg}
  speed: {range: [1, 10], unit: "m/s"}
outcome: {land_x: {unit: m}, apex: {unit: m}}
reward: -abs(land_x - land)
limits: {apex: {at_most: 2, chance: 0.9}}
safe: [{tilt: 30, speed: 5}]
"""
WORDS = """name: words
target:      {want: [1, 4]}
environment: {bean: {choices: [kenya, brazil]}}
parameters:  {gate: {choices: [tab, pin, fan]}, heat: [0, 5]}
outcome:     [body]
reward: -abs(body - want)
"""
PARTS = """name: parts
target:      {want: [1, 4]}
parameters:
  tool:    [mill, drill]
  coolant: {choices: [none, mist], when: tool == mill}
  flow:    {range: [0, 5], unit: L/min, when: coolant != none}
  speed:   [1, 9]
outcome: [rough]
reward: -abs(rough - want)
cost: 1 + speed
"""
S = "/v1/studies/throw"


def throw(parameters, wind):
    tilt, speed = math.radians(parameters["tilt"]), parameters["speed"]
    return {"land_x": speed**2 * math.sin(2 * tilt) / 9.81 + 0.1 * wind, "apex": (speed * math.sin(tilt))**2 / 19.62}


def context(i):
    return {"target": {"land": 2 + 6 * (0.37 * i % 1)}, "environment": {"wind": round(2 * (0.61 * i % 1) - 1, 2)}}


def make_trials(client, count):
    """Two of them fail, and one has lost its decimal point."""
    for i in range(1, count + 1):
        ask = client.post(S + "/ask", {"client": "bench", **context(i)})
        outcome = throw(ask["parameters"], ask["environment"]["wind"])
        if i == 18:
            outcome["land_x"] *= 100
        client.post(S + "/tell", {"ask": ask["ask"], "client": "bench", **({"failed": EVIL} if i in (6, 11) else {"outcome": outcome})})


def section(name):
    return "document.querySelector('section[aria-label=\"%s\"]')" % name


def says(name, text):
    return "%s.innerText.includes(%s)" % (section(name), json.dumps(text))


def choose_file(page, selector, path):
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[path])


def short(page, value):
    return page.run("import('/dom.js').then(({short}) => short(%s))" % json.dumps(value))


def check_curve(page):
    """A suspect does not flatten the curve, and failed trials are in it."""
    must(page, "the suspect", "/surprises/.test(document.body.innerText)")
    if not page.run("typeof Chart !== 'undefined'"):
        return
    chart = "Chart.getChart(document.querySelector('section[aria-label=\"Learning curve\"] canvas'))"
    must(page, "the curve without the suspect", chart + ".scales.y.min > -20")
    sets = page.run("Object.fromEntries(%s.data.datasets.map(d => [d.label, d.data.length]))" % chart)
    expect("points of the curve", (sets["told"], sets["failed"], sets["suspect"]), (17, 2, 1))
    must(page, "a panel for each outcome", "document.querySelectorAll('section[aria-label=Model] .chart canvas').length === 2")
    edge = page.run("Math.max(...[...document.querySelectorAll('section[aria-label=Model] .chart canvas')].map(c => Chart.getChart(c).scales.y.max))")
    expect("panels without the suspect", edge < 50, True)


def check_best(page, client):
    here = {"target": {"land": 5.5}, "environment": {"wind": -0.5}}
    fill(page, "section[aria-label='Best for a context'] input[name='target.land']", "5,5")
    fill(page, "section[aria-label='Best for a context'] input[name='environment.wind']", "-0.5 m/s")
    page.press("Enter")
    must(page, "the answer", says("Best for a context", "for land 5.5 m, wind -0.5 m/s"))
    answer = client.post(S + "/best", here)
    must(page, "the parameters", says("Best for a context", "tilt %s deg, speed %s m/s" % tuple(short(page, answer["parameters"][n]) for n in ("tilt", "speed"))))
    expect("the bar of the limit", page.run("[...%s.querySelectorAll('meter')].map(m => [m.getAttribute('aria-label').split(':')[0], m.value, m.low]).at(-1)" % section("Best for a context")),
           ["apex at most 2", answer["limits"]["apex"], 0.9])


def check_map(page, client):
    got = client.post(S + "/map", {"x": "land", "y": "wind", "columns": 24, "rows": 18})
    expect("chances of the limits on the map", [len(got["chances_of_limits"]), all(0 <= c <= 1 for c in got["chances_of_limits"])], [432, True])
    page.run("document.querySelector('.map').scrollIntoView({block: 'center'})")
    must(page, "the map", "/over land and wind: from/.test(document.querySelector('.map canvas').getAttribute('aria-label') ?? '')")
    must(page, "that it is computed", "document.querySelector('.computing').hidden")
    box = page.run("(() => { const b = document.querySelector('.map canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + 57, y=box[1] + box[3] - 45)
    must(page, "the value under the pointer", says("Map", "land 2 m, wind -1 m/s: predicted reward %s ±" % short(page, got["rewards"][0])))
    page.run("(() => { const f = window.fetch; window.fetch = async (...a) => { if (a[0].endsWith('/map')) await new Promise(r => setTimeout(r, 1500)); return f(...a); }; })()")
    page.run("(() => { const s = document.querySelectorAll('section[aria-label=Map] select'); s[0].value = 'wind'; s[0].dispatchEvent(new Event('change')); })()")
    must(page, "that the map is being computed", "!document.querySelector('.computing').hidden && document.querySelector('.computing').innerText === 'computing…'", 10)
    must(page, "the map turned", "/over wind and land/.test(document.querySelector('.map canvas').getAttribute('aria-label')) && document.querySelector('.computing').hidden")


def check_card(page, client, source):
    """A card has the prediction beside the result; a note on it is stored and shown as it is."""
    last = client.get(S + "/rollouts")["rollouts"][-1]
    page.click("document.querySelector('section[aria-label=Results] tbody button')")
    must(page, "the card", "document.querySelector('dialog').open")
    card = page.run("document.querySelector('dialog').innerText")
    for part in ("Result " + last["name"], time.strftime("%Y-%m-%d", time.localtime(last["time_ms"] / 1000)), "by bench", "told\texpected\tdeviations apart",
                 "%s ± %s" % (short(page, last["expected"]["outcome"]["land_x"]), short(page, float("%.2g" % last["expected"]["outcome_sd"]["land_x"])))):
        expect("%r in the card" % part, part in card, True)
    if source:
        expect("serious problems of accessibility of a card", axe(page, source), [])
    fill(page, "dialog input[name=note]", EVIL)
    page.press("Enter")
    must(page, "the note in the card", "document.querySelector('dialog .notes').innerText.includes(%s)" % json.dumps(EVIL))
    event = client.get(S + "/events")["events"][-1]
    expect("the event of the note", (event["code"], event["text"]), ("note." + last["name"], EVIL))
    must(page, "the note in the table", says("Results", EVIL))
    page.click(button("Previous", "document.querySelector('dialog')"))
    must(page, "the card before", "document.querySelector('dialog h2').textContent === %s" % json.dumps("Result " + client.get(S + "/rollouts")["rollouts"][-2]["name"]))
    page.press("Escape")
    must(page, "that the card is closed", "!document.querySelector('dialog').open")


def check_questions(page, client):
    """The page answers at the right places why an ask was made, how many more trials are needed, and what matters."""
    ask = client.post(S + "/ask", context(40))
    must(page, "the ask", "document.querySelector('.ask') !== null")
    page.run("[...document.querySelectorAll('.ask summary')].find(s => /Why/.test(s.innerText)).click()")
    why = client.get(S + "/why?ask=%d" % ask["ask"])
    must(page, "why", "document.querySelector('.ask').innerText.includes(%s)" % json.dumps(why["text"]))
    page.click("[...document.querySelectorAll('.ask button')].find(b => b.textContent.startsWith(%s))" % json.dumps(why["trials"][0]["name"] + " ("))
    must(page, "the trial that speaks for it", "document.querySelector('dialog h2')?.textContent === %s" % json.dumps("Result " + why["trials"][0]["name"]))
    page.press("Escape")
    client.post(S + "/forget", {"ask": ask["ask"]})

    forecast = "[...document.querySelectorAll('details')].find(d => /How many more/.test(d.innerText))"
    page.run(forecast + ".open = true")
    fill(page, "section[aria-label=State] input[name=more]", "5")
    page.press("Enter")
    must(page, "the forecast", "/with 5 more trials the policy earns about/.test(%s.innerText)" % forecast)

    page.click(button("What matters?", section("State")))
    must(page, "what matters", "%s.querySelectorAll('tbody tr').length === 3" % section("What matters"))
    if not page.run("typeof Chart !== 'undefined'"):
        return
    must(page, "panels along the target", "%s.querySelectorAll('canvas').length === 3" % section("What matters"))
    page.run("(() => { const s = %s.querySelector('select'); s.value = 'speed'; s.dispatchEvent(new Event('change')); })()" % section("What matters"))
    labels = "[...%s.querySelectorAll('canvas')].map(c => c.getAttribute('aria-label'))" % section("What matters")
    expect("slices along a parameter", page.run(labels), [n + " along speed" for n in ("reward", "land_x (m)", "apex (m)")])


def check_words(page, client):
    """Words are chosen from lists, and stand on the axis of the map."""
    W = "/v1/studies/words"
    page.run("location.hash = 'words'")
    form = "section[aria-label=Asks] > div > form "
    must(page, "the list of words", "document.querySelector('%s select[name=\"environment.bean\"]') !== null" % form)
    page.run("document.querySelector('%s select').value = 'brazil'" % form)
    page.click(button("Ask"))
    must(page, "the ask", "document.querySelector('.ask .recipe') !== null")
    ask = client.get(W + "/asks")["asks"][0]
    expect("the word of the ask", ask["environment"]["bean"], "brazil")
    expect("the word that is to be set", page.run("document.querySelector('.ask .recipe').innerText").startswith("gate " + ask["parameters"]["gate"]), True)
    for i in range(8):
        ask = client.post(W + "/ask", {"target": {"want": 1 + i % 3}, "environment": {"bean": ("kenya", "brazil")[i % 2]}})
        y = ask["parameters"]["heat"] * (1.5 if ask["parameters"]["gate"] == "pin" else 1) + (i % 2)
        client.post(W + "/tell", {"ask": ask["ask"], "outcome": {"body": y}})
    must(page, "the results", RESULTS + " === 8")
    page.click(button("What matters?", section("State")))
    ticks = "Chart.getChart([...%s.querySelectorAll('canvas')].find(c => c.getAttribute('aria-label') === 'best gate along want')).scales.y.ticks.map(t => t.label)"
    if page.run("typeof Chart !== 'undefined'"):
        must(page, "the words of the best gate", "[...%s.querySelectorAll('canvas')].length > 1" % section("What matters"))
        expect("the words beside their axis", page.run(ticks % section("What matters")), ["tab", "pin", "fan"])
    page.run("document.querySelector('.map').scrollIntoView({block: 'center'})")
    must(page, "the map with words", "/over want and bean: from/.test(document.querySelector('.map canvas').getAttribute('aria-label') ?? '')")
    must(page, "the best", says("Best for a context", "gate "))
    page.run("document.querySelector('.map canvas').focus()")
    page.press("ArrowDown")
    page.press("Enter")
    must(page, "the best for a word", "/for want \\S+, bean (kenya|brazil)/.test(%s.innerText)" % section("Best for a context"))


def check_conditions(page, client):
    """A field that does not apply is hidden, and what is in it is not stored; an ask says what it costs."""
    P = "/v1/studies/parts"
    page.run("location.hash = 'parts'")
    form = "section[aria-label=Asks] > div:last-child form"
    must(page, "the form", "document.querySelector(\"%s select[name='parameters.tool']\") !== null" % form)
    page.run("document.querySelector('section[aria-label=Asks] > div:last-child details').open = true")
    choose = "(() => { const s = document.querySelector(\"%s [name='parameters.%%s']\"); s.value = '%%s'; s.dispatchEvent(new Event('input')); })()" % form
    shown = "[...document.querySelectorAll('%s label')].filter(l => l.offsetWidth).map(l => l.querySelector('input, select').name.split('.')[1])" % form
    page.run(choose % ("coolant", "none"))
    expect("fields without coolant", page.run(shown), ["want", "tool", "coolant", "speed", "rough", None])
    page.run(choose % ("coolant", "mist"))
    expect("fields with coolant", page.run(shown), ["want", "tool", "coolant", "flow", "speed", "rough", None])
    for name, value in {"target.want": "2", "parameters.speed": "3", "outcome.rough": "1.5"}.items():
        fill(page, "%s input[name='%s']" % (form, name), value)
    said = "document.querySelector('%s output').innerText" % form
    expect("what is missing", page.run(said), "still missing: flow")
    fill(page, form + " input[name='parameters.flow']", "4")
    page.run(choose % ("tool", "drill"))
    expect("fields of the drill", page.run(shown), ["want", "tool", "speed", "rough", None])
    expect("what will be stored", page.run(said), "will be stored: want 2, tool drill, speed 3, rough 1.5")
    fill(page, form + " input[name='parameters.speed']", "3")
    page.press("Enter")
    must(page, "the result", RESULTS + " === 1")
    expect("what is stored", client.get(P + "/rollouts")["rollouts"][0]["parameters"], {"tool": "drill", "speed": 3})

    ask = client.post(P + "/ask", {"target": {"want": 3}})
    must(page, "the cost of the ask", "/cost\\s+[0-9]/.test(document.querySelector('.ask')?.innerText ?? '')")
    other = "mill" if ask["parameters"]["tool"] == "drill" else "drill"
    page.run("document.querySelectorAll('.ask details').forEach(d => d.open = true)")
    page.run("(() => { const s = document.querySelector(\".ask [name='executed.tool']\"); s.value = '%s'; s.dispatchEvent(new Event('input')); })()" % other)
    expect("whether the coolant is asked for", page.run("document.querySelector(\".ask [name='executed.coolant']\").closest('label').hidden"), other == "drill")
    if other == "mill":
        page.run("(() => { const s = document.querySelector(\".ask [name='executed.coolant']\"); s.value = 'none'; s.dispatchEvent(new Event('input')); })()")
    fill(page, ".ask input[name='outcome.rough']", "2")
    page.press("Enter")
    must(page, "the second result", RESULTS + " === 2")
    told = client.get(P + "/rollouts")["rollouts"][1]["parameters"]
    expect("the tool that was used", (told["tool"], told.get("coolant")), (other, "none" if other == "mill" else None))
    must(page, "the cost of the study", "/cost\\s*[0-9.]+ so far/.test(%s.textContent)" % section("State"))


def check_suspect(page, client):
    suspect = client.get(S + "/suspects")["suspects"][0]["name"]
    expect("the suspect", suspect, "18.1")
    expect("commands in the page", page.run("/fcps study|--drop/.test(document.body.innerText)"), False)
    page.click(button("Drop 18.1"))
    must(page, "that nothing needs attention", section("Attention") + ".hidden")
    expect("results that count", sum(r["used"] for r in client.get(S + "/rollouts")["rollouts"]), 19)

    # what is typed is doubted before it is stored, and the warning of the receipt has buttons
    ask = client.post(S + "/ask", context(30))
    outcome = throw(ask["parameters"], ask["environment"]["wind"])
    must(page, "the ask", "document.querySelector('.ask') !== null")
    fill(page, ".ask input[name='outcome.land_x']", "%.2f" % (100 * outcome["land_x"]))
    fill(page, ".ask input[name='outcome.apex']", "%.4f" % outcome["apex"])
    must(page, "a doubt", "/land_x was expected at .* typo/.test(document.querySelector('.ask').innerText)")
    page.press("Enter")
    name = "%d.1" % ask["ask"]
    must(page, "the warning", "[...document.querySelectorAll('.message')].some(m => /W_SURPRISE/.test(m.innerText) && !/fcps study/.test(m.innerText))")
    page.click(button("Confirm " + name, "document.getElementById('messages')"))
    must(page, "that it is confirmed", says("Results", "confirmed"))
    page.run("document.getElementById('messages').replaceChildren()")
    client.post(S + "/drop", {"result": name})


def check_told(page, client):
    """A trial done with another speed, and one that nobody asked for."""
    ask = client.post(S + "/ask", context(31))
    must(page, "the ask", "document.querySelector('.ask[data-ask=\"%d\"]') !== null" % ask["ask"])
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    fill(page, ".ask input[name='executed.speed']", "4,5")
    outcome = throw({**ask["parameters"], "speed": 4.5}, ask["environment"]["wind"])
    for name in outcome:
        fill(page, ".ask input[name='outcome.%s']" % name, repr(outcome[name]))
    page.press("Enter")
    must(page, "that it is told", "document.querySelector('.ask') === null")
    told = client.get(S + "/rollouts")["rollouts"][-1]
    expect("what was executed", told["parameters"], {"tilt": ask["parameters"]["tilt"], "speed": 4.5})

    before = len(client.get(S + "/rollouts")["rollouts"])
    form = "section[aria-label=Asks] > div:last-child form"
    outcome = throw({"tilt": 40, "speed": 6}, 0.25)
    for name, value in {"target.land": "3", "environment.wind": "0,25", "parameters.tilt": "40", "parameters.speed": "6",
                        **{"outcome." + n: repr(v) for n, v in outcome.items()}}.items():
        fill(page, "%s input[name='%s']" % (form, name), value)
    page.press("Enter")
    must(page, "the result", "/the trial is stored/.test(document.getElementById('messages').innerText)")
    rollouts = client.get(S + "/rollouts")["rollouts"]
    expect("results", len(rollouts), before + 1)
    expect("the trial that nobody asked for", [rollouts[-1][k] for k in ("ask", "environment", "parameters", "outcome")], [None, {"wind": 0.25}, {"tilt": 40, "speed": 6}, outcome])


def check_tables(page, browser, client, folder):
    """The content of a table is shown before it is stored; a table of contexts comes back with the best parameters."""
    old, contexts = os.path.join(folder, "old.csv"), os.path.join(folder, "shift.csv")
    with open(old, "w") as file:
        file.write("land,wind,tilt,speed,land_x,apex\n3,0,20,5,%r,%r\n4,0,25,6,%r,%r\n" % (
            *throw({"tilt": 20, "speed": 5}, 0).values(), *throw({"tilt": 25, "speed": 6}, 0).values()))
    before = len(client.get(S + "/rollouts")["rollouts"])
    choose_file(page, "section[aria-label='History and files'] input[type=file]", old)
    must(page, "the begin of the table", says("History and files", "land,wind,tilt,speed"))
    expect("results before the button", len(client.get(S + "/rollouts")["rollouts"]), before)
    page.run("document.getElementById('messages').replaceChildren()")
    page.click(button("Store 2 rows"))
    must(page, "the results", "/2 results added, 0 skipped/.test(document.getElementById('messages').innerText)")
    expect("results after it", len(client.get(S + "/rollouts")["rollouts"]), before + 2)

    with open(contexts, "w") as file:
        file.write("land,wind\n3,0\n6.5,0.5\n")
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder, browserContextId=page.context)
    choose_file(page, "section[aria-label='Best for a context'] input[type=file]", contexts)
    must(page, "the best of the table", says("Best for a context", "is saved as shift-best.csv"))
    saved = os.path.join(folder, "shift-best.csv")
    for _ in range(100):
        if os.path.exists(saved) and os.path.getsize(saved):
            break
        time.sleep(0.1)
    status, wanted = client.call("POST", S + "/retarget", {"contexts": "land,wind\n3,0\n6.5,0.5\n", "format": "csv"})
    expect("the table", (status, open(saved).read()), (200, wanted))
    narrow = os.path.join(folder, "narrow.csv")
    with open(narrow, "w") as file:
        file.write("land\n3\n")
    choose_file(page, "section[aria-label='Best for a context'] input[type=file]", narrow)
    must(page, "why a table is refused", "/narrow.csv.*wind/.test(%s.innerText)" % section("Best for a context"))


def check_changes(page, client):
    fill(page, "input[name=study-note]", "a new ball from here on")
    page.press("Enter")
    must(page, "the note", says("History and files", "a new ball from here on"))
    page.run("(() => { const s = %s.querySelector('select'); s.value = 'speed'; s.dispatchEvent(new Event('change')); })()" % section("History and files"))
    fill(page, "input[name=upper]", "9,5")
    page.press("Enter")
    must(page, "the new bounds", says("History and files", "1,9.5"))
    expect("the bounds", client.get(S + "/problem")["parameters"][1]["upper"], 9.5)


def visit(fcps, folder, program, source):
    studies = []
    for name, text in ("throw", PROBLEM), ("words", WORDS), ("parts", PARTS):
        problem, study = (os.path.join(folder, name + ending) for ending in (".yaml", ".fcps"))
        with open(problem, "w") as file:
            file.write(text)
        subprocess.run([fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
        studies.append(study)
    server = Server(fcps, studies, os.path.join(folder, "token"))
    client, browser = Client(server), Browser(program, os.path.join(folder, "profile"))
    make_trials(client, 20)
    page = browser.page(height=700)
    page.go("http://127.0.0.1:%d/#token=%s" % (server.port, server.token))
    must(page, "the page", RESULTS + " === 20")
    check_curve(page)
    check_best(page, client)
    check_map(page, client)
    check_card(page, client, source)
    check_suspect(page, client)
    check_told(page, client)
    check_tables(page, browser, client, folder)
    check_changes(page, client)
    check_questions(page, client)
    if source:
        expect("serious problems of accessibility", axe(page, source), [])
    check_words(page, client)
    check_conditions(page, client)
    expect("nameless things", page.nameless(), [])
    expect("marks run as scripts", page.run("window.hacked ?? null"), None)
    expect("errors of the page", [e for e in page.errors() if "status of 400" not in e], [])
    browser.end()
    server.end()


RESULTS = "document.querySelectorAll('section[aria-label=Results] tbody tr').length"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("folder")
    parser.add_argument("program")
    parser.add_argument("--axe")
    a = parser.parse_args()
    visit(a.fcps, a.folder, a.program, open(a.axe, encoding="utf-8").read() if a.axe else None)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
