"""The official Python client, version 2: python_v2.py URL TOKEN MODE VERSION (the version that it must negotiate)."""

import asyncio
import sys

import httpx2
from full_round import full_round
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url, token, mode, version):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            assert client.session.protocol_version == version, client.session.protocol_version

            async def list_tools():
                return [tool.name for tool in (await client.list_tools()).tools]

            async def call_tool(name, arguments):
                result = await client.call_tool(name, arguments)
                return bool(result.is_error), result.content[0].text, result.structured_content

            await full_round(list_tools, call_tool)


asyncio.run(main(*sys.argv[1:]))
