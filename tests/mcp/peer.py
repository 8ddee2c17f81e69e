# SPDX-License-Identifier: Apache-2.0
"""The official Python SDK of the Model Context Protocol uses a study: python3 peer.py FCPS STUDY.

It is taken from .deps/mcp, where `scripts/setup --full` puts it, or from what Python has. Exit code 77 where it is not
installed."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".deps" / "mcp"))

try:
    import anyio
    import jsonschema
    from mcp import Client, MCPError, StdioServerParameters
    from mcp_types import Implementation
except ImportError as reason:
    print(reason)
    sys.exit(77)

fcps, study = sys.argv[1:]
CONTEXT = {"target": {"mark": 0.5}, "environment": {"wind": 0.1}}


class Session:
    """One client, which judges arguments by the schema of their tool before it sends them."""

    def __init__(self, client, tools):
        self.client, self.tools = client, tools

    async def call(self, name, **arguments):
        jsonschema.validate(arguments, self.tools[name].input_schema, jsonschema.Draft202012Validator)
        result = await self.client.call_tool(name, arguments)
        if not result.is_error:
            assert json.loads(result.content[0].text) == result.structured_content
        return result

    async def get(self, name, **arguments):
        result = await self.call(name, **arguments)
        assert not result.is_error, result
        return result.structured_content


async def open_and(use, mode, *options):
    server = StdioServerParameters(command=fcps, args=["mcp", study, *options])
    info = Implementation(name="peer " + mode, version="1.0")
    async with Client(server, mode=mode, client_info=info, read_timeout_seconds=120) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        await use(Session(client, tools))


async def do_trials(session):
    for tool in session.tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.title and tool.description and tool.annotations.destructive_hint is False
    problem = await session.get("problem")
    assert [one["name"] for one in problem["parameters"]] == ["tilt", "speed"]
    ask = await session.get("ask", **CONTEXT)
    assert ask["client"].startswith("mcp:peer-") and not ask["repeated"]
    assert (await session.get("ask", **CONTEXT))["ask"] == ask["ask"]
    assert (await session.get("tell", ask=ask["ask"], outcome={"land": 0.25}))["reward"] == -0.25
    assert (await session.get("tell", ask=ask["ask"], outcome={"land": 0.25}))["repeated"]
    failed = await session.call("tell", ask=ask["ask"], outcome={"land": 0.75})
    assert failed.is_error and failed.structured_content["error"]["code"] == "E_CONFLICT"
    assert failed.content[0].text.startswith("E_CONFLICT: ask: ")
    several = (await session.get("ask", count=3, **CONTEXT))["asks"]
    await session.get("tell", ask=several[0]["ask"], failed="gripper slipped, 3 \N{EURO SIGN}")
    for one in several[1:]:
        await session.get("forget", ask=one["ask"])
    left = (await session.get("ask", **CONTEXT))["trials_left"]
    refused = await session.call("ask", count=left + 2, **CONTEXT)
    assert refused.is_error and refused.structured_content["error"]["field"] == "trials"
    rows = (await session.get("rollouts", latest=1))["rollouts"]
    assert rows[0]["message"] == "gripper slipped, 3 \N{EURO SIGN}" and rows[0]["client"].startswith("mcp:peer-")
    answers = (await session.get("retarget", contexts=[CONTEXT, CONTEXT]))["answers"]
    assert len(answers) == 2 and answers[0]["parameters"].keys() == {"tilt", "speed"}
    await session.get("best", **CONTEXT)
    for name in ("status", "asks", "suspects", "events", "health"):
        await session.get(name)
    few = await session.call("check-model")
    assert few.is_error and "Tell more results first" in few.content[0].text
    try:
        await session.client.call_tool("amend", {"reward": "0"})
        raise AssertionError("amend was called")
    except MCPError as error:
        assert error.code == -32602, error
    async with anyio.create_task_group() as group:  # requests that do not wait for each other
        for _ in range(20):
            group.start_soon(session.get, "problem")


async def only_look(session):
    assert not {"ask", "choose", "tell", "forget"} & session.tools.keys()
    await session.get("status")


for mode in ("auto", "legacy", "2026-07-28"):
    anyio.run(open_and, do_trials, mode, "--may", "tell", "--trials", "8")
    anyio.run(open_and, only_look, mode)
