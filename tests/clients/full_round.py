"""A full round of the four tools through a client: every result, and each failure."""

import json

MISSING = "11111111-1111-4111-8111-111111111111"
TOOLS = ["field_notes_save", "field_notes_get", "field_notes_search", "field_notes_update"]


async def full_round(list_tools, call_tool):
    """`list_tools` gives names; `call_tool` gives (is_error, text, structured) of a call."""
    assert await list_tools() == TOOLS

    async def call(name, arguments):
        is_error, text, structured = await call_tool(f"field_notes_{name}", arguments)
        value = json.loads(text)
        assert structured == (None if is_error else value), (structured, value)
        return value["error"]["code"] if is_error else value

    async def search(**arguments):
        found = []
        while True:
            page = await call("search", arguments)
            found += [entry["id"] for entry in page["entries"]]
            if "nextCursor" not in page:
                return found
            arguments["cursor"] = page["nextCursor"]

    whole = {"content": "Die Straße", "title": "T", "tags": ["launch"], "relatedAgentIds": ["a"], "provenance": {"n": 1.5}}
    entry = (await call("save", {"requestId": "first", "entry": whole}))["entry"]
    assert {name: entry[name] for name in whole} == whole and entry["revision"] == 1
    assert (await call("get", {"id": entry["id"]}))["entry"] == entry
    for number in range(12):
        await call("save", {"requestId": f"more {number}", "entry": {"content": "more"}})
    assert await search(query="STRASSE") == [entry["id"]]
    assert await search(tag="launch", relatedAgentId="a") == [entry["id"]]
    everything = await search(limit=5)
    assert len(everything) == 13 and everything == sorted(everything)

    update = {"id": entry["id"], "expectedRevision": 1, "entry": {"content": "two"}}
    assert (await call("update", update))["entry"]["revision"] == 2
    cursor = (await call("search", {"limit": 1}))["nextCursor"]
    for code, name, arguments in [
        ("conflict", "update", update),
        ("conflict", "save", {"requestId": "first", "entry": {"content": "other"}}),
        ("not_found", "get", {"id": MISSING}),
        ("not_found", "update", {**update, "id": MISSING}),
        ("invalid_input", "get", {}),
        ("invalid_input", "search", {"limit": 51}),
        ("invalid_cursor", "search", {"cursor": cursor, "tag": "x"}),
    ]:
        assert await call(name, arguments) == code, (name, arguments)
