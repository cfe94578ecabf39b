import { describe, expect, it } from "vitest";
import { readTraceSettings, readTraceTimeout } from "./trace-settings.js";

const endpoint = "http://localhost:4318";

describe("readTraceSettings", () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ["no endpoint", {}],
    ["a blank endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
    ["a disabled SDK", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "TRUE" }],
    ["no exporter", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" }],
    ["no exporter of Python", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "None" }],
    ["an exporter of Java", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "logging" }],
  ])("is off with %s", (_, env) => {
    expect(readTraceSettings(env)).toBeUndefined();
  });

  it.each<[string, NodeJS.ProcessEnv, object]>([
    ["an endpoint for all signals", { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp` }, {}],
    ["an endpoint for traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` }, {}],
    [
      "a blank endpoint for traces beside one",
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "", OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      {},
    ],
    [
      "several exporters",
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "console, otlp" },
      {},
    ],
    [
      "an SDK that is not disabled",
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "false" },
      {},
    ],
    [
      "JSON",
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
      { protocol: "http/json" },
    ],
    [
      "gRPC for other signals",
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      },
      { protocol: "http/json" },
    ],
  ])("is on with %s", (_, env, settings) => {
    expect(readTraceSettings(env)).toEqual({ protocol: "http/protobuf", origin: endpoint, ...settings });
  });

  it.each<[string, string, NodeJS.ProcessEnv]>([
    [
      "an endpoint without a scheme",
      "trace:endpoint_invalid",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "secret:4318" },
    ],
    ["a host alone", "trace:endpoint_invalid", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "user:secret@host" }],
    [
      "an invalid port",
      "trace:endpoint_invalid",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:secret@host:x" },
    ],
    ["another scheme", "trace:endpoint_invalid", { OTEL_EXPORTER_OTLP_ENDPOINT: "unix:///secret.sock" }],
    [
      "gRPC",
      "trace:protocol_unsupported",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://:secret@host", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    ],
    [
      "another word",
      "trace:protocol_unsupported",
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "secret" },
    ],
  ])("explains %s without its value", (_, code, env) => {
    const settings = readTraceSettings(env);
    expect(settings).toEqual({
      problem: { code, message: expect.stringContaining("No trace is sent."), hint: expect.any(String) },
    });
    expect(JSON.stringify(settings)).not.toContain("secret");
  });

  it("names the collector without a path or a password", () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:secret@collector.example/secret?key=secret" };
    expect(readTraceSettings(env)).toEqual({
      protocol: "http/protobuf",
      origin: "https://collector.example",
    });
  });
});

describe("readTraceTimeout", () => {
  it.each([
    [undefined, 10_000],
    ["", 10_000],
    ["0", 10_000],
    ["-1", 10_000],
    ["10s", 10_000],
    ["1e400", 60_000],
    ["250", 250],
  ])("reads %j as %i ms", (OTEL_EXPORTER_OTLP_TIMEOUT, timeoutMs) => {
    expect(readTraceTimeout({ OTEL_EXPORTER_OTLP_TIMEOUT })).toBe(timeoutMs);
  });
});
