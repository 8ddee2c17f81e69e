# SPDX-License-Identifier: Apache-2.0
"""Numbers as people type them into the page: src/serve/page/number.js by itself, and the forms in an English and a German browser.

python3 numbers.py FCPS FOLDER NUMBER.JS [--node NODE] [--browser CHROMIUM]
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

from browser import Browser
from client import Client, Server, complain, expect, failures
from page import button, must

UNDERSTOOD = [
    ("1.66", 1.66), ("1,66", 1.66), ("58,4", 58.4), ("-3.05", -3.05), ("\u22125", -5), ("\u20135", -5), ("+5", 5), ("0", 0), ("-0", 0), ("007", 7), (" 2.5 ", 2.5),
    (".5", 0.5), (",5", 0.5), ("0,234", 0.234), ("-0,125", -0.125), ("1234,567", 1234.567), ("12,3456", 12.3456), ("1,23", 1.23),
    ("1.234", 1.234), ("1e-3", 0.001), ("1E3", 1000), ("1e\u22123", 0.001), ("1,5e3", 1500), ("12345678.25", 12345678.25),
    ("58.4 mm", 58.4, "mm"), ("58,4mm", 58.4, "mm"), ("58.4\u00a0mm", 58.4, "mm"), ("20 %", 20, "%"), ("5 1/min", 5, "1/min"), ("2e3 e", 2000, "e"),
]
REFUSED = [
    ("1,234", "can mean 1.234 or 1234"), ("-12,345", "can mean -12.345 or -12345"), ("\u22121,234", "can mean -1.234 or -1234"), ("999,000", "can mean 999.000 or 999000"),
    ("1,234e3", "can mean 1.234e3 or 1234e3"), ("1,234 mm", "can mean 1.234 or 1234", "mm"),
    ("1.234,5", "more than one mark"), ("1,234.5", "more than one mark"), ("1.234.567", "more than one mark"), ("1,234,567", "more than one mark"),
    ("1 234", "more than one mark or blank"), ("1\u00a0234", "more than one mark or blank"), ("1'234", "more than one mark"), ("1_000", "more than one mark"),
    ("0,1 0,2", "more than one mark or blank"), ("1,,5", "more than one mark"),
    ("58.4 mm", "write a number in m", "m"), ("58.4 mm", "write a number alone"), ("5 MM", "write a number in mm", "mm"), ("51/min", "in 1/min", "1/min"),
    ("mm", "in mm", "mm"), ("5 m m", "in m", "m"),
    ("1e999", "too large"), ("-1e999", "too large"),
    *((text, "not understood") for text in (
        "nan", "NaN", "inf", "-Infinity", "\u221e", "null", "true", "0x10", "1e", "e5", "1.", "1,", ".", ",", "-", "--5", "- 5", "5-3", "5\u00b2",
        "\u00bd", "\uff11", "\u0663", "n/a", "<b>5</b>")),
]
CASES = UNDERSTOOD + REFUSED + [("", None), ("  ", None)]
READ = "%s.map(c => readNumber(c[0], {name: 'x', unit: c[2]}))" % json.dumps(CASES)


def judge(where, answers):
    for case, answer in zip(CASES, answers, strict=True):
        text, wanted = case[0], case[1]
        if wanted is None:
            is_right = answer == {}
        elif isinstance(wanted, str):
            is_right = list(answer) == ["error"] and wanted in answer["error"] and text.strip() in answer["error"]
        else:
            is_right = answer == {"value": wanted}
        if not is_right:
            complain("%s: %r is read as %s" % (where, case, answer))


def check_in_node(node, source, folder):
    shutil.copy(source, os.path.join(folder, "number.mjs"))
    script = "import {readNumber} from './number.mjs'; console.log(JSON.stringify(%s))" % READ
    done = subprocess.run([node, "--input-type=module", "-e", script], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=120)
    expect("the end of node", done.returncode, 0)
    if done.returncode == 0:
        judge("node", json.loads(done.stdout))


PROBLEM = """name: %s
target:      {x: {range: [0, 8], unit: m}, y: [-8, 8]}
environment: {wind: {range: [-1, 1], unit: "m/s"}}
parameters:  {speed: [1, 10]}
outcome:     {land_x: {unit: m}, land_y: {}}
reward: %s
"""


def field(form, name):
    return "document.querySelector('%s input[name=\"%s\"]')" % (form, name)


def type_into(page, form, name, text):
    page.click(field(form, name))
    page.run(field(form, name) + ".select()")
    page.type_keys(text)


def line(page, form):
    """What the form says it has understood."""
    return page.run("document.querySelector('%s output').innerText" % form)


ASK, TELL = "section[aria-label=Asks] > div > form", ".ask form"


def ask(page, client, study, texts):
    for name, text in texts.items():
        type_into(page, ASK, name, text)
    page.press("Enter")
    must(page, "the ask", "document.querySelector('.ask') !== null")
    return client.get("/v1/studies/%s/asks" % study)["asks"][0]


def tell(page, client, study, texts, wanted_line):
    """Types and tells, and returns the result as the server stored it."""
    before = len(client.get("/v1/studies/%s/rollouts" % study)["rollouts"])
    for name, text in texts.items():
        type_into(page, TELL, name, text)
    expect("the line below the form", line(page, TELL), wanted_line)
    page.press("Enter")
    must(page, "that the ask is gone", "document.querySelector('.ask') === null")
    rollouts = client.get("/v1/studies/%s/rollouts" % study)["rollouts"]
    expect("results", len(rollouts), before + 1)
    return rollouts[-1]


def check_forms(page, client, study):
    asked = ask(page, client, study, {"target.x": "1,5", "target.y": "\u22122,25", "environment.wind": "0,5 m/s"})
    expect("the context of the ask", (asked["target"], asked["environment"]), ({"x": 1.5, "y": -2.25}, {"wind": 0.5}))
    expect("the keys of a phone", [page.run(field(ASK, name) + ".inputMode") for name in ("target.x", "target.y")], ["decimal", "text"])
    told = tell(page, client, study, {"outcome.land_x": "1,66", "outcome.land_y": "58,4"}, "will be stored: land_x 1.66 m, land_y 58.4")
    expect("what is stored", told["outcome"], {"land_x": 1.66, "land_y": 58.4})

    # what is not clear is not sent, by key or by button, and what was typed stays
    ask(page, client, study, {"target.x": "2"})
    for text, words in (("1,234", "land_x: “1,234” can mean 1.234 or 1234: write one of them, without a comma"),
                        ("58.4 mm", "land_x: “58.4 mm” is not understood: write a number in m"), ("nan", "land_x: “nan” is not understood: write a number in m")):
        type_into(page, TELL, "outcome.land_y", "0")
        type_into(page, TELL, "outcome.land_x", text)
        expect("the line for " + text, line(page, TELL), words)
        page.press("Enter")
        page.click(button("Tell", "document.querySelector('.ask')"))
        expect("the field after " + text, page.run("[document.activeElement.name, document.activeElement.value, document.activeElement.ariaInvalid]"),
               ["outcome.land_x", text, "true"])
    type_into(page, ASK, "target.x", "1.234,5")
    page.press("Enter")
    type_into(page, TELL, "outcome.land_x", "")
    page.press("Backspace")
    expect("the line without a number", line(page, TELL), "still missing: land_x")
    page.press("Enter")
    must(page, "what is missing", "/fill in every number/.test(document.getElementById('messages').innerText)")
    state = client.get("/v1/studies/" + study)
    expect("asks and results", (state["pending"], state["rollouts"]), (1, 1))
    told = tell(page, client, study, {"outcome.land_x": "12345.625", "outcome.land_y": "-1e-3"}, "will be stored: land_x 12345.625 m, land_y -0.001")
    expect("what is stored after a refusal", told["outcome"], {"land_x": 12345.625, "land_y": -0.001})


def check_shown(page):
    """A result has one name and its numbers one form, in whatever language the browser is."""
    table = "[...document.querySelectorAll('section[aria-label=Results] tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    must(page, "both results", "document.querySelectorAll('section[aria-label=Results] tbody tr').length === 2")
    newest = page.run(table)[0]
    expect("the newest result", newest[:4], ["2.1", "-12344", "12346", "-0.001"])
    expect("its button", page.run("document.querySelector('section[aria-label=Results] tbody button').getAttribute('aria-label')"), "Result 2.1")
    if page.run("typeof Chart !== 'undefined'"):
        ticks = page.run("Chart.getChart(document.querySelector('section[aria-label=\"Learning curve\"] canvas')).scales.y.ticks.map(t => t.label)")
        expect("marks of thousands on an axis", [t for t in ticks if "," in t or "." in t], [])
        expect("numbers on an axis", any(len(t) >= 5 for t in ticks), True)


def open_study(page, name):
    page.run("location.hash = %s" % json.dumps(name))
    must(page, "the study " + name, "document.querySelector('nav a[aria-current]')?.innerText.startsWith(%s)" % json.dumps(name))
    must(page, "its form", field(ASK, "target.x") + " !== null")


def check_told_reward(page, client):
    open_study(page, "told")
    ask(page, client, "told", {"target.x": "3"})
    texts = {"outcome.land_x": "0,5", "outcome.land_y": "1", "reward": "\u22121,75"}
    told = tell(page, client, "told", texts, "will be stored: land_x 0.5 m, land_y 1, reward -1.75")
    expect("the reward that is stored", told["reward"], -1.75)


def visit(program, language, folder, server, client, study):
    browser = Browser(program, os.path.join(folder, "profile-" + language), language)
    page = browser.page(height=1400)
    root = "http://127.0.0.1:%d/" % server.port
    page.go(root + "#token=" + server.token)
    must(page, "the page", field(ASK, "target.x") + " !== null")
    expect("the language", page.run("navigator.language.slice(0, 2)"), language)
    judge("the browser", page.run("import('/number.js').then(({readNumber}) => %s)" % READ))
    open_study(page, study)
    check_forms(page, client, study)
    check_shown(page)
    check_told_reward(page, client)
    expect("errors of the page", page.errors(), [])
    browser.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("folder")
    parser.add_argument("source")
    parser.add_argument("--node")
    parser.add_argument("--browser")
    a = parser.parse_args()
    if a.node:
        check_in_node(a.node, a.source, a.folder)
    if a.browser:
        studies = []
        for name, reward in (("en", "-abs(land_x - x)"), ("de", "-abs(land_x - x)"), ("told", "told")):
            problem, study = (os.path.join(a.folder, name + ending) for ending in (".yaml", ".fcps"))
            with open(problem, "w") as file:
                file.write(PROBLEM % (name, reward))
            subprocess.run([a.fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
            studies.append(study)
        server = Server(a.fcps, studies, os.path.join(a.folder, "token"))
        for language in "en", "de":
            visit(a.browser, language, a.folder, server, Client(server), language)
        server.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
