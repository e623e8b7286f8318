"""The official Python client signs in by itself: python_oauth.py URL OWNER_KEY."""

import asyncio
import html
import re
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


class Storage:
    """What the client keeps of its sign-in."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def main(url, owner_key):
    answers = []

    async def owner_decides(authorization_url):
        async with httpx2.AsyncClient() as browser:
            page = (await browser.get(authorization_url)).text
            form = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', page)}
            form |= {"owner_key": owner_key, "codex": "python", "decision": "allow"}
            answer = await browser.post(authorization_url.split("?")[0], data=form)
            assert answer.status_code == 303, answer.text
            answers.append({name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()})

    async def come_back():
        answer = answers[-1]
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    redirect_uri = "http://127.0.0.1:41998/callback"
    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=[redirect_uri], token_endpoint_auth_method="none")
    storage = Storage()
    auth = OAuthClientProvider(url, metadata, storage, owner_decides, come_back)
    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            saved = await client.call_tool("field_notes_save", {"requestId": "r", "entry": {"content": "x"}})
            assert saved.structured_content["entry"]["content"] == "x"
            version = client.session.protocol_version
    assert storage.tokens.refresh_token and len(answers) == 1
    print("signed in at", version)


asyncio.run(main(*sys.argv[1:]))
