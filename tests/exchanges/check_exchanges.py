"""Checks recorded exchanges against the official types of each protocol revision, which are made from its schema.json.

Every answer must be valid, whatever was asked; a request must be valid if it was answered with a result. The types of the
handshake revisions are those of 2025-11-25, which only added to the older ones.

usage: check_exchanges.py FOLDER
"""

import json
import sys
from collections import Counter
from pathlib import Path

from mcp_types.jsonrpc import JSONRPCError
from mcp_types.methods import validate_client_request, validate_server_result

UNVERSIONED = "2025-03-26"
HANDSHAKE = ("2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
# JSON-RPC's own, and of -32020 to -32099 those that 2026-07-28 defines and this server has a use for.
CODES = (-32700, -32600, -32601, -32602, -32603, -32020, -32022)
META_VERSION = "io.modelcontextprotocol/protocolVersion"


class Violation(Exception):
    """An exchange breaks what its revision demands."""


def demand(holds, reason):
    if not holds:
        raise Violation(reason)


def version_of(exchange, request, result):
    """The revision that a request was served at."""
    if request["method"] == "initialize" and "protocolVersion" in result:
        return result["protocolVersion"]
    params = request.get("params")
    meta = params.get("_meta", {}) if isinstance(params, dict) else {}
    return meta.get(META_VERSION) or exchange.get("version") or UNVERSIONED


def check_error(answer):
    """JSON-RPC wants a null id for what could not be read (section 5); the types know an absent one only."""
    members = {name: value for name, value in answer.items() if not (name == "id" and value is None)}
    JSONRPCError.model_validate({"id": 0, **members}, strict=True)
    demand(set(answer) == {"jsonrpc", "id", "error"}, "an error answer has other members")
    demand(answer["error"]["code"] in CODES, "the code is not one of the specification's")


def check_pair(exchange, request, answer, seen):
    if "error" in answer:
        check_error(answer)
        readable = isinstance(request, dict) and isinstance(request.get("id"), (str, int)) and "method" in request
        demand(answer["id"] is None or (readable and answer["id"] == request["id"]), "the error's id is not the request's")
        seen["error"] += 1
        return
    demand(set(answer) == {"jsonrpc", "id", "result"}, "an answer has other members")
    demand(answer["jsonrpc"] == "2.0", "jsonrpc is not 2.0")
    demand(type(answer["id"]) is type(request["id"]) and answer["id"] == request["id"], "the id is not the request's")
    version = version_of(exchange, request, answer["result"])
    demand(version == MODERN or version in HANDSHAKE, f"served at {version}")
    validate_client_request(request["method"], version, request.get("params"))
    validate_server_result(request["method"], version, answer["result"])
    if version == MODERN:
        demand("io.modelcontextprotocol/serverInfo" in answer["result"]["_meta"], "the result does not say whose it is")
    seen[f"{request['method']} at {version}"] += 1


def check(exchange, seen):
    if exchange["status"] in (202, 204):
        demand(exchange["answered"] == "", "an accepted message has a body")
        seen["accepted"] += 1
        return
    demand(exchange["type"] == "application/json", "an answer is not JSON")
    answered = json.loads(exchange["answered"])
    if isinstance(answered, dict) and isinstance(answered.get("error"), str):
        demand(exchange["status"] >= 400, "HTTP refuses with a status of success")
        seen["refused by HTTP"] += 1
        return
    try:
        asked = json.loads(exchange["asked"])
    except ValueError:
        asked = None
    except RecursionError:
        seen["nested deeper than can be checked"] += 1
        return
    if not isinstance(answered, list):
        return check_pair(exchange, asked, answered, seen)
    demand(exchange.get("version") in (None, UNVERSIONED), "a batch is answered at another revision")
    asked_by_id = {message["id"]: message for message in asked if isinstance(message, dict) and "id" in message}
    for answer in answered:
        check_pair(exchange, asked_by_id.get(answer["id"]), answer, seen)


def seeded_faults():
    """Exchanges that break the types, each in one way."""
    good = {
        "version": "2025-11-25", "asked": '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        "status": 200, "type": "application/json", "answered": '{"jsonrpc":"2.0","id":1,"result":{}}',
    }  # fmt: skip
    check(good, Counter())
    meta = {META_VERSION: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    modern = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})
    yield {**good, "answered": '{"jsonrpc":"2.0","id":"1","result":{}}'}
    yield {**good, "answered": '{"jsonrpc":"2.0","id":1,"result":{},"error":null}'}
    yield {**good, "answered": '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}'}
    yield {**good, "answered": '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"x"}}'}
    yield {**good, "answered": '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}'}
    yield {**good, "answered": '[{"jsonrpc":"2.0","id":1,"result":{}}]'}
    yield {**good, "asked": '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'}
    yield {**good, "type": "text/plain"}
    yield {**good, "status": 202}
    yield {**good, "version": "2024-11-05"}
    for result in [{"tools": []}, {"tools": [], "resultType": "complete", "ttlMs": 1, "cacheScope": "public"}]:
        yield {**good, "asked": modern, "answered": json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})}


def is_refused(exchange):
    try:
        check(exchange, Counter())
    except Exception:
        return True
    return False


def main(folder):
    seen, violations = Counter(), []
    for fault in seeded_faults():
        if not is_refused(fault):
            violations.append(f"a seeded fault was not found: {fault}")
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in file.read_text("utf-8").split("\n")[:-1]:
            exchange = json.loads(line)
            try:
                check(exchange, seen)
            except Exception as error:  # Whatever does not fit the types, in whichever way.
                violations.append(f"{type(error).__name__}: {error}\n  asked: {exchange['asked'][:500]}\n  answered: {exchange['answered'][:500]}")
    for what, count in sorted(seen.items()):
        print(f"{count:7} {what}")
    for violation in violations[:20]:
        print(violation, file=sys.stderr)
    for needed in [f"tools/call at {version}" for version in (*HANDSHAKE, MODERN)] + [f"server/discover at {MODERN}", "error", "accepted"]:
        if not seen[needed]:
            violations.append(needed)
            print(f"nothing was recorded of: {needed}", file=sys.stderr)
    print(f"{seen.total()} exchanges are as the official types have them" if not violations else f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
