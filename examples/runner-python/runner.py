#!/usr/bin/env python3
"""A Rostra runner in one file: it says the words of its input one by one. Nothing but the standard library.

The host starts this process and speaks JSON-RPC 2.0 with it, one JSON object per line, on stdin and stdout. Replace
`run` with what your agent does; the rest is the protocol. Whatever you print goes to stderr, which the host logs.
"""

import json
import os
import sys
import threading

MANIFEST = {
    "id": "example/echo",
    "name": "echo",
    "label": {"en_US": "Echo"},
    "description": None,
    "capabilities": {"streaming": True, "interrupt": True},
    "permissions": {},
    "context": {},
}


def run(context, cancelled):
    """One run: yields results as (type, data). `cancelled` is an event that is set when the host wants it to stop."""
    for word in (context["input"].get("text") or "").split():
        if cancelled.is_set():
            return
        yield "message.delta", {"chunk": {"role": "assistant", "content": word + " "}}


PROTOCOL_VERSION = "1.0"
CREDIT_RESULTS = 256  # how far a run may be ahead of what its host has stored
CREDIT_BYTES = 256 * 1024

frames = os.fdopen(os.dup(1), "wb")  # stdout belongs to the frames
sys.stdout = sys.stderr
write_lock = threading.Lock()
runs_lock = threading.Lock()
live = {}  # run_id -> Run
cancelled_early = {}  # cancels that came before their run, oldest first


def send(frame):
    """Writes one line; gives back how many bytes it has."""
    line = json.dumps({"jsonrpc": "2.0", **frame}, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    with write_lock:
        frames.write(line + b"\n")
        frames.flush()
    return len(line)


class Run:
    """A live run: its number of results, its credit, and whether it was cancelled."""

    def __init__(self, run_id):
        self.run_id = run_id
        self.cancelled = threading.Event()
        self.stopped = threading.Event()
        self.room = threading.Condition()
        self.sequence = 0
        self.results_out = 0
        self.bytes_out = 0

    def emit(self, kind, data):
        """Sends one result; waits first while the host has not taken enough of the earlier ones."""
        with self.room:
            self.room.wait_for(self.has_room)
            self.sequence += 1
            self.results_out += 1
        params = {"run_id": self.run_id, "results": [[self.sequence, kind, data]]}
        size = send({"method": "RESULTS", "params": params})
        with self.room:
            self.bytes_out += size

    def has_room(self):
        open_window = self.results_out < CREDIT_RESULTS and self.bytes_out < CREDIT_BYTES
        return open_window or self.cancelled.is_set()

    def give_back(self, results, size):
        with self.room:
            self.results_out = max(0, self.results_out - results)
            self.bytes_out = max(0, self.bytes_out - size) if self.results_out else 0
            self.room.notify_all()

    def cancel(self):
        self.cancelled.set()
        with self.room:
            self.room.notify_all()

    def work(self, request_id, context):
        """Everything from RUN_ACCEPTED to the answer of RUN_AGENT."""
        send({"method": "RUN_ACCEPTED", "params": {"run_id": self.run_id}})
        ending = ("run.completed", {})
        try:
            if not self.cancelled.is_set():
                for kind, data in run(context, self.cancelled):
                    if self.cancelled.is_set():
                        break
                    self.emit(kind, data)
        except Exception as error:  # whatever goes wrong in a run ends that run, and no other
            ending = ("run.failed", {"code": "runner.error", "message": str(error), "error": str(error)})
        if self.cancelled.is_set():
            ending = ("run.failed", {"code": "cancelled", "message": "The run was cancelled."})
        self.emit(*ending)
        with runs_lock:
            live.pop(self.run_id, None)
        self.stopped.set()
        send({"id": request_id, "result": {"run_id": self.run_id}})


def refuse(request_id, number, code, message):
    data = {"code": code, "message": message, "retryable": False, "details": {}}
    send({"id": request_id, "error": {"code": number, "message": message, "data": data}})


def start_run(request_id, params):
    if params["runner_id"] != MANIFEST["id"]:
        refuse(request_id, -32000, "not_found", "This package has no such runner.")
        return
    context = params["context"]
    entry = Run(context["run_id"])
    with runs_lock:
        live[entry.run_id] = entry
        if cancelled_early.pop(entry.run_id, False):
            entry.cancel()
    threading.Thread(target=entry.work, args=(request_id, context), daemon=True).start()


def cancel_run(request_id, run_id):
    with runs_lock:
        entry = live.get(run_id)
        if entry is None:
            cancelled_early[run_id] = True
            if len(cancelled_early) > 1000:
                del cancelled_early[next(iter(cancelled_early))]
    answer = {"id": request_id, "result": {"run_id": run_id}}
    if entry is None:
        send(answer)
        return
    entry.cancel()

    def wait():  # the answer means that nothing more will come from this run
        entry.stopped.wait()
        send(answer)

    threading.Thread(target=wait, daemon=True).start()


def signs_of_life():
    while not threading.Event().wait(10):
        for run_id in list(live):
            send({"method": "RUN_ALIVE", "params": {"run_id": run_id}})


def take(frame):
    method, params, request_id = frame.get("method"), frame.get("params") or {}, frame.get("id")
    if method == "LIST_AGENT_RUNNERS":
        send({"id": request_id, "result": {"protocol_version": PROTOCOL_VERSION, "runners": [MANIFEST]}})
    elif method == "RUN_AGENT":
        start_run(request_id, params)
    elif method == "CANCEL_RUN":
        cancel_run(request_id, params["run_id"])
    elif method == "RUN_CREDIT":
        entry = live.get(params["run_id"])
        if entry is not None:
            entry.give_back(params["results"], params["bytes"])
    elif method == "PING":
        send({"id": request_id, "result": {}})
    elif method is not None and request_id is not None:
        refuse(request_id, -32601, "not_found", "There is no method " + str(method)[:64] + ".")


def main():
    threading.Thread(target=signs_of_life, daemon=True).start()
    for line in sys.stdin.buffer:
        if line.strip():
            take(json.loads(line.decode("utf-8")))
    os._exit(0)  # the host is gone: nothing that a run could still say would reach anyone


if __name__ == "__main__":
    main()
