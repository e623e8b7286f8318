"""The official Python client, version 1: python_v1.py URL TOKEN VERSION (the version that it must negotiate)."""

import asyncio
import sys

from full_round import full_round
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url, token, version):
    headers = {"Authorization": f"Bearer {token}"}
    async with streamablehttp_client(url, headers=headers) as (read, write, _), ClientSession(read, write) as session:
        initialized = await session.initialize()
        assert initialized.protocolVersion == version, initialized.protocolVersion

        async def list_tools():
            return [tool.name for tool in (await session.list_tools()).tools]

        async def call_tool(name, arguments):
            result = await session.call_tool(name, arguments)
            return bool(result.isError), result.content[0].text, result.structuredContent

        await full_round(list_tools, call_tool)


asyncio.run(main(*sys.argv[1:]))
