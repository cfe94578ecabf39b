import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { decodeRequest, encodeRequest, type ExportRequest } from "./background-export.js";
import type { SpanRecord } from "./command-trace.js";

const createSpan = (kind: SpanRecord["kind"], attributes: SpanRecord["attributes"]): SpanRecord => ({
  ...{ spanId: randomBytes(8).toString("hex"), name: "GET /v1/projects", kind, attributes },
  ...{ start: Date.now(), durationMs: Math.random() * 100 },
});

const createRequest = (requestCount: number): ExportRequest => ({
  record: {
    ...{ traceId: randomBytes(16).toString("hex"), parent: undefined, version: "1.2.3" },
    command: createSpan("internal", { "process.command_args": ["mgmt", "projects", "list"] }),
    requests: Array.from({ length: requestCount }, () =>
      createSpan("client", {
        "http.request.method": "GET",
        "url.full": "https://api.example.com/v1/projects/ümlaut",
        "url.template": "/v1/projects/{id}",
        "server.address": "api.example.com",
        "server.port": 443,
        "http.response.status_code": 200,
        "mgmt.request_id": `req_${randomBytes(12).toString("hex")}`,
      }),
    ),
  },
  protocol: "http/protobuf",
  timeoutMs: 10_000,
});

it.each([0, 1, 500])("passes a trace of %i requests on in what a pipe holds", async (requestCount) => {
  const request = createRequest(requestCount);
  const bytes = await encodeRequest(request);
  // With more, the end of the command would wait for the process that sends the trace.
  expect(bytes.length).toBeLessThanOrEqual(64 * 1_024);
  expect(await decodeRequest(bytes)).toEqual(JSON.parse(JSON.stringify(request)));
});
