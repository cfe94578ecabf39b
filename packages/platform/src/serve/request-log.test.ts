import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LoggedRequest } from "@mgmt/engine";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ServiceMetrics } from "./metrics.js";
import { createRequestObserver, handleInTrace } from "./request-log.js";

const logged: LoggedRequest = {
  ...{
    requestId: "req_1",
    at: 0,
    method: "GET",
    path: "/v1/me",
    operationId: "me.get",
    query: null,
    body: null,
  },
  ...{ principal: null, ignoredFields: [], status: 200, code: null, duration: 1.26, traceId: null },
};

/** Returns the line that is logged for a request, and the metrics. */
const observe = async (
  request: Partial<LoggedRequest>,
  headers: Record<string, string> = {},
  trustProxy = false,
): Promise<{ line: object; metrics: string }> => {
  const lines: string[] = [];
  const metrics = new ServiceMetrics();
  const logger = pino({ base: null, timestamp: false }, { write: (text) => void lines.push(text) });
  const log = createRequestObserver(logger, metrics);
  const server = createServer((incoming, response) =>
    handleInTrace(incoming, response, {
      trustProxy,
      handle: () => {
        log({ ...logged, ...request });
        response.end();
      },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  await fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, { headers });
  server.close();
  expect(lines).toHaveLength(1);
  return { line: JSON.parse(String(lines[0])), metrics: await metrics.render(undefined, 0) };
};

const forwarded = { "x-forwarded-for": "192.0.2.1, 192.0.2.2 " };

describe("the log of requests", () => {
  it("has no query, no body, and nothing that is not known", async () => {
    const { line } = await observe({ query: { secret: "x" }, body: { password: "x" } });
    expect(line).toEqual({
      ...{ level: 30, requestId: "req_1", method: "GET", path: "/v1/me", operation: "me.get", status: 200 },
      ...{ clientAddress: "127.0.0.1", durationMs: 1.3, msg: "request" },
    });
  });

  it.each<[Partial<LoggedRequest>, object, string]>([
    [{ traceId: "0af7" }, { traceId: "0af7" }, 'operation="me.get",status="200"'],
    [{ status: 499, code: "a:b" }, { level: 30, code: "a:b" }, 'operation="me.get",status="499"'],
    [{ status: 500 }, { level: 50 }, 'operation="me.get",status="500"'],
    [{ status: null }, { level: 30, status: null }, 'operation="me.get",status="cut"'],
    [{ operationId: null, status: 404 }, { operation: "none" }, 'operation="none",status="404"'],
    [
      { principal: { kind: "agent", subject: "a", workspaceId: "wksp_1" } },
      { workspace: "wksp_1", principal: "agent" },
      'operation="me.get",status="200"',
    ],
  ])("and the metrics have %j", async (request, expected, labels) => {
    const { line, metrics } = await observe(request);
    expect(line).toMatchObject(expected);
    expect(metrics).toContain(`mgmt_requests_total{${labels}} 1`);
  });

  it.each<[Record<string, string>, boolean, object]>([
    [forwarded, true, { clientAddress: "192.0.2.2" }],
    [forwarded, false, { clientAddress: "127.0.0.1" }],
    [{}, true, { clientAddress: "127.0.0.1" }],
  ])(
    "says where a request with %j is from, if a proxy is trusted (%s)",
    async (headers, trustProxy, origin) => {
      const { line } = await observe({}, headers, trustProxy);
      expect(line).toMatchObject(origin);
    },
  );
});
