"""Calls `cfg mcp` with the official client for Python, `mcp`."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams


def of(answer, name):
    """A member of an answer, which the first versions of the client call as the protocol does: `isError`."""
    parts = name.split("_")
    return getattr(answer, name) if hasattr(answer, name) else getattr(answer, parts[0] + "".join(map(str.title, parts[1:])))


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        assert of(started, "server_info").name == "cfg", started
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert "check" in tools and "fix" in tools, tools

        checked = await session.call_tool("check", {"paths": ["bad.toml"], "target": "0.4.0"})
        found = of(checked, "structured_content")["files"][0]["diagnostics"][0]
        assert not of(checked, "is_error") and found["code"] == "PRL101", checked
        text = open("bad.toml", encoding="utf-8").read()
        fixed = await session.call_tool("fix", {"text": text, "unsafe": True, "target": "0.4.0"})
        assert "rollouts_per_example = 16" in of(fixed, "structured_content")["files"][0]["text"], fixed
        planned = await session.call_tool("plan", {"text": text.replace("exmaple", "example"), "target": "0.4.0"})
        assert not of(planned, "is_error") and of(planned, "structured_content"), planned
        refused = await session.call_tool("memory", {"paths": ["rl.toml"], "target": "no such"})
        assert of(refused, "is_error"), refused

        listed = await session.list_resources()
        uris = [str(resource.uri) for resource in listed.resources]
        while of(listed, "next_cursor"):
            listed = await session.list_resources(params=PaginatedRequestParams(cursor=of(listed, "next_cursor")))
            uris += [str(resource.uri) for resource in listed.resources]
        assert "cfg://rules/unknown-key" in uris and "cfg://schemas/report" in uris, uris
        page = await session.read_resource("cfg://rules/unknown-key")
        assert page.contents[0].text.startswith("# unknown-key"), page


asyncio.run(main())
print("ok")
