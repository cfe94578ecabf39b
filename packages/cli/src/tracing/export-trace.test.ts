import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startCollector } from "../../test/collector.js";
import type { TraceRecord } from "./command-trace.js";
import { exportTrace } from "./export-trace.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";

const record: TraceRecord = {
  traceId,
  parent: { traceId, spanId: "b7ad6b7169203331", flags: "01", state: "a=1" },
  version: "1.2.3",
  command: {
    ...{
      spanId: "00000000000000c0",
      name: "mgmt whoami",
      kind: "internal",
      start: 1_796_000_000_000,
      durationMs: 25.5,
    },
    attributes: { "process.command_args": ["mgmt", "whoami"], "process.exit.code": 0 },
  },
  requests: [
    {
      ...{
        spanId: "00000000000000f1",
        name: "GET /v1/me",
        kind: "client",
        start: 1_796_000_000_010,
        durationMs: 5,
      },
      ...{ attributes: { "http.response.status_code": 401 }, error: "401" },
    },
  ],
};

afterEach(() => vi.unstubAllEnvs());

const useCollector = async (...options: Parameters<typeof startCollector>) => {
  const collector = await startCollector(...options);
  onTestFinished(() => collector.close());
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.replace("//", "//user:secret@"));
  return collector;
};

describe("exportTrace", () => {
  it("sends spans with their ids, their times and their status", async () => {
    const collector = await useCollector();
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "service.name=shop,team=a%20b");
    expect(await exportTrace(record, "http/json", 5_000)).toEqual({ sentSpans: 2 });
    const { spans, resource } = await collector.exported;
    expect(resource).toMatchObject({ "service.name": "shop", "service.version": "1.2.3", team: "a b" });
    expect(spans).toEqual([
      expect.objectContaining({
        ...{ traceId, spanId: "00000000000000c0", parentSpanId: "b7ad6b7169203331", traceState: "a=1" },
        ...{ name: "mgmt whoami", kind: 1, status: { code: 0 } },
        ...{ startTimeUnixNano: "1796000000000000000", endTimeUnixNano: "1796000000025500000" },
        attributes: { "process.command_args": ["mgmt", "whoami"], "process.exit.code": 0 },
      }),
      expect.objectContaining({
        ...{ traceId, spanId: "00000000000000f1", parentSpanId: "00000000000000c0" },
        ...{ name: "GET /v1/me", kind: 3, status: { code: 2, message: "401" } },
      }),
    ]);
  });

  it("sends nothing if the sampler of the environment leaves the trace out", async () => {
    await useCollector(() => expect.unreachable());
    vi.stubEnv("OTEL_TRACES_SAMPLER", "always_off");
    expect(await exportTrace(record, "http/protobuf", 5_000)).toEqual({ sentSpans: 0 });
  });

  it.each<[string, Parameters<typeof startCollector>[0], string]>([
    ["rejects it", (response) => response.writeHead(400, "secret").end("secret"), "status 400"],
    ["closes the connection", (response) => response.destroy(), "ECONNRESET"],
  ])("says in one word why, if the collector %s", async (_, respond, reason) => {
    await useCollector(respond);
    expect(await exportTrace(record, "http/protobuf", 500)).toEqual({ reason });
  });
});
