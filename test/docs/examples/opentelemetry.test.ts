import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type MgmtClient, createClient } from "@mgmt/sdk";
import { SpanKind, SpanStatusCode, context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { traceClient } from "../../../examples/opentelemetry/trace-client.js";

const exporter = new InMemorySpanExporter();
let server: RunningServer;
let token: string;
let client: MgmtClient;
let stop: () => void;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  server = await createServer();
  token = await server.engine.tokens.user();
  client = createClient({ baseUrl: server.baseUrl, token });
});
beforeEach(() => {
  stop = traceClient();
});
afterEach(() => {
  stop();
  exporter.reset();
  server.engine.faults.clear();
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await server.close();
});

const inSpan = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  trace.getTracer("test").startActiveSpan(name, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });

/** Returns each span as "name < parent's name", outermost first (inner spans end first). */
const tree = (): string[] => {
  const spans = exporter.getFinishedSpans();
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans
    .map(({ name, parentSpanContext }) => `${name} < ${nameOf.get(parentSpanContext?.spanId ?? "") ?? ""}`)
    .reverse();
};

const spansOf = (kind: SpanKind): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.kind === kind);

it("creates a span per call below the active span, and one per request below that, including retries", async () => {
  const { id } = await server.engine.seed.project();
  server.engine.faults.add({ operation: "projects.get", status: 502, times: 1 });
  await inSpan("open shop", () => client.projects.get(id));

  const name = "GET /v1/projects/{id}";
  expect(tree()).toEqual(["open shop < ", `${name} < open shop`, `${name} < ${name}`, `${name} < ${name}`]);
  const shared = {
    "http.request.method": "GET",
    "url.template": "/v1/projects/{id}",
    "url.full": `${server.baseUrl}/v1/projects/${id}`,
    "server.address": "127.0.0.1",
    "server.port": server.port,
  };
  expect(spansOf(SpanKind.CLIENT).map(({ attributes }) => attributes)).toEqual([
    { ...shared, "http.response.status_code": 502, "error.type": "502" },
    { ...shared, "http.response.status_code": 200, "http.request.resend_count": 1 },
  ]);
  const [, call] = spansOf(SpanKind.INTERNAL).map(({ status }) => status.code);
  expect(call).toBe(SpanStatusCode.UNSET);
});

it("nests concurrent calls below their own parent spans", async () => {
  const names = ["a", "b", "c"];
  await Promise.all(names.map((name) => inSpan(name, () => client.projects.list({ limit: 1 }))));
  const spans = new Map(exporter.getFinishedSpans().map((span) => [span.spanContext().spanId, span]));
  const above = (span: ReadableSpan | undefined) => spans.get(span?.parentSpanContext?.spanId ?? "");
  const owners = spansOf(SpanKind.CLIENT).map((attempt) => above(above(attempt))?.name);
  expect(owners.sort()).toEqual(names);
});

it("starts a new trace if no span is active", async () => {
  await client.me.get();
  expect(tree()).toEqual(["GET /v1/me < ", "GET /v1/me < GET /v1/me"]);
});

it("records why a call failed: the code of the response or of the connection", async () => {
  await expect(client.projects.get("proj_gone")).rejects.toMatchObject({ code: "project:not_found" });
  const closed = await createServer();
  await closed.close();
  const nobody = createClient({ baseUrl: closed.baseUrl, token: false, maxRetries: 0 });
  await expect(nobody.me.get()).rejects.toMatchObject({ code: "connection:failed" });

  const failures = exporter.getFinishedSpans().map(({ kind, status, attributes }) => ({
    kind: SpanKind[kind],
    isError: status.code === SpanStatusCode.ERROR,
    type: attributes["error.type"],
  }));
  expect(failures).toEqual([
    { kind: "CLIENT", isError: true, type: "404" },
    { kind: "INTERNAL", isError: true, type: "project:not_found" },
    { kind: "CLIENT", isError: true, type: "ECONNREFUSED" },
    { kind: "INTERNAL", isError: true, type: "connection:failed" },
  ]);
});

it("records no token, query, body, or connection string", async () => {
  const project = await client.projects.create({ name: "hush-name" });
  await client.projects.list({ logicalId: "hush-query" });
  const text = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    })),
  );
  expect(text).toContain("/v1/projects");
  const secrets = [token, project.database?.directConnection?.pass, project.database?.connectionString];
  for (const secret of [...secrets, "hush-name", "hush-query"]) {
    expect(secret).toBeTruthy();
    expect(text).not.toContain(secret);
  }
});

it("creates no spans after it is stopped", async () => {
  stop();
  await client.me.get();
  expect(exporter.getFinishedSpans()).toEqual([]);
});
