import { expect, it } from "vitest";
import { parseCommandLine } from "./arguments.js";

const defaults = {
  port: 4010,
  host: "127.0.0.1",
  baseUrl: undefined,
  seed: undefined,
  deterministic: undefined,
  latency: undefined,
  rateLimit: undefined,
  unknownFields: "refuse",
  errorCodes: "contract",
  recording: undefined,
  replay: undefined,
};

it.each<[string[], object]>([
  [[], {}],
  [["--port=0"], { port: 0 }],
  [["--port", "65535"], { port: 65_535 }],
  [["--host=::1"], { host: "::1" }],
  [["--base-url=https://x.test/mock//"], { baseUrl: "https://x.test/mock" }],
  [["--seed=a.json"], { seed: "a.json" }],
  [["--deterministic="], { deterministic: "" }],
  [["--latency=3600000"], { latency: 3_600_000 }],
  [["--rate-limit=5"], { rateLimit: 5 }],
  [["--unknown-fields=ignore"], { unknownFields: "ignore" }],
  [["--error-codes=public"], { errorCodes: "public" }],
  [
    ["--upstream=http://x.test/", "--record=r.json"],
    { recording: { upstream: "http://x.test", file: "r.json" } },
  ],
  [["--replay=r.json"], { replay: { file: "r.json", report: undefined, latency: false } }],
  [
    ["--replay=r.json", "--report=d.json", "--recorded-latency"],
    { replay: { file: "r.json", report: "d.json", latency: true } },
  ],
  [
    ["--replay=r.json", "--latency=5"],
    { latency: 5, replay: { file: "r.json", report: undefined, latency: false } },
  ],
])("parseCommandLine reads %j", (words, fields) => {
  expect(parseCommandLine(words)).toEqual({ ...defaults, ...fields });
});

it.each([
  ["help", ["--help"]],
  ["help", ["-h", "--version"]],
  ["version", ["-v"]],
] as const)("parseCommandLine returns %s for %j", (result, words) => {
  expect(parseCommandLine(words)).toBe(result);
});

it.each([
  [["--port=65536"], "--port must be"],
  [["--port="], "--port must be"],
  [["--port=1.5"], "--port must be"],
  [["--port=1e3"], "--port must be"],
  [["--latency=3600001"], "--latency must be"],
  [["--rate-limit=1000000001"], "--rate-limit must be"],
  [["--unknown-fields=drop"], "--unknown-fields must be refuse or ignore"],
  [["--base-url=ftp://x.test"], "--base-url must be"],
  [["--base-url=https://x.test#a"], "--base-url must be"],
  [["--upstream=http://x.test/v1", "--record=r.json"], "--upstream must be"],
  [["--record=r.json"], "need each other"],
  [["--toString"], "There is no flag --toString"],
  [["--secret=value"], "There is no flag --secret."],
])("parseCommandLine refuses %j", (words, message) => {
  expect(() => parseCommandLine(words)).toThrow(message);
});
