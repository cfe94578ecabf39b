import type { TransportRequest, TransportResponse } from "@mgmt/sdk";
import { describe, expect, it } from "vitest";
import { CommandTrace, type TraceRecord } from "./command-trace.js";
import type { TraceParent } from "./trace-parent.js";

const parent: TraceParent = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  flags: "01",
  state: "a=1",
};

const end = { commandPath: ["mgmt", "projects", "list"], flags: ["--json"], exitCode: 0 };

/** Sends requests, and returns their headers as they were sent, and the trace. */
const send = async (
  trace: CommandTrace,
  requests: readonly Partial<TransportRequest & { path: string; attempt: number }>[],
  respond = (): TransportResponse | Promise<TransportResponse> => ({
    status: 200,
    headers: {},
    body: "secret",
  }),
): Promise<{ sent: Record<string, string>[]; record: TraceRecord }> => {
  const sent: Record<string, string>[] = [];
  const transport = trace.traceTransport({
    send: async ({ headers }) => {
      sent.push(headers);
      return respond();
    },
  });
  const { signal } = new AbortController();
  const common = {
    method: "GET",
    url: "https://api.example/v1/projects",
    headers: {},
    body: undefined,
    signal,
  };
  for (const request of requests) await transport.send({ ...common, ...request }).catch(() => undefined);
  return { sent, record: trace.finish(end) };
};

describe("CommandTrace", () => {
  it("sends the ids of each span to the service", async () => {
    const trace = new CommandTrace("1.2.3", parent);
    const { sent, record } = await send(trace, [{ headers: { accept: "x" } }, {}]);
    const [first, second] = record.requests;
    expect(sent).toEqual([
      { accept: "x", traceparent: `00-${parent.traceId}-${first?.spanId ?? ""}-01`, tracestate: "a=1" },
      { traceparent: `00-${parent.traceId}-${second?.spanId ?? ""}-01`, tracestate: "a=1" },
    ]);
    expect(trace.traceparent).toBe(`00-${parent.traceId}-${record.command.spanId}-01`);
    expect(new Set([first, second, record.command].map((span) => span?.spanId)).size).toBe(3);
  });

  it("describes a request without its query, its headers and its bodies", async () => {
    const { record } = await send(
      new CommandTrace("1.2.3", undefined),
      [
        {
          method: "POST",
          url: "https://user:secret@api.example:8443/v1/projects/proj_1?token=secret#secret",
          headers: { authorization: "Bearer secret" },
          body: '{"password":"secret"}',
          path: "/v1/projects/{id}",
          attempt: 3,
        },
      ],
      () => ({ status: 429, headers: { "x-request-id": "req_1" }, body: "secret" }),
    );
    expect(record.requests).toEqual([
      {
        spanId: expect.stringMatching(/^[\da-f]{16}$/),
        name: "POST /v1/projects/{id}",
        kind: "client",
        start: expect.any(Number),
        durationMs: expect.any(Number),
        error: "429",
        attributes: {
          "http.request.method": "POST",
          "http.request.resend_count": 2,
          "http.response.status_code": 429,
          "error.type": "429",
          "url.full": "https://api.example:8443/v1/projects/proj_1",
          "url.template": "/v1/projects/{id}",
          "server.address": "api.example",
          "server.port": 8443,
          "mgmt.request_id": "req_1",
        },
      },
    ]);
    expect(JSON.stringify(record)).not.toContain("secret");
  });

  it("names the reason for a request without a response, and passes the error on", async () => {
    const trace = new CommandTrace("1.2.3", undefined);
    const error = Object.assign(new Error("secret"), { code: "ECONNREFUSED" });
    const { record } = await send(trace, [{}], () => Promise.reject(error));
    expect(record.requests[0]).toMatchObject({ name: "GET", error: "ECONNREFUSED" });
    expect(JSON.stringify(record)).not.toContain("secret");
  });

  it("describes the command and its failure", () => {
    const trace = new CommandTrace("1.2.3", undefined);
    expect(trace.finish({ ...end, exitCode: 6, errorCode: "not_found" }).command).toEqual({
      spanId: expect.any(String),
      name: "mgmt projects list",
      kind: "internal",
      start: expect.any(Number),
      durationMs: expect.any(Number),
      error: "not_found",
      attributes: {
        "process.executable.name": "mgmt",
        "process.pid": process.pid,
        "process.command_args": ["mgmt", "projects", "list", "--json"],
        "process.exit.code": 6,
        "error.type": "not_found",
      },
    });
    expect(trace.finish({ ...end, exitCode: 3 }).command).toMatchObject({ error: "3" });
    expect(trace.finish(end).command).not.toHaveProperty("error");
  });

  it("records no more than 500 requests", async () => {
    const { sent, record } = await send(new CommandTrace("1.2.3", undefined), Array(501).fill({}));
    expect([sent.length, record.requests.length]).toEqual([501, 500]);
  });

  it("passes a trace on that is not recorded, and records nothing", async () => {
    const trace = new CommandTrace("1.2.3", { ...parent, flags: "00" });
    const { sent, record } = await send(trace, [{}]);
    expect(sent[0]?.["traceparent"]).toMatch(/-00$/);
    expect([trace.isSampled, record.requests]).toEqual([false, []]);
  });
});
