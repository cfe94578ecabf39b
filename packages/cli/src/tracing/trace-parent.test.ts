import { describe, expect, it } from "vitest";
import { readTraceParent } from "./trace-parent.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const TRACEPARENT = `00-${traceId}-${spanId}-01`;

describe("readTraceParent", () => {
  it.each<[string, NodeJS.ProcessEnv, object]>([
    ["a span", { TRACEPARENT }, {}],
    ["a span that is not recorded", { TRACEPARENT: `00-${traceId}-${spanId}-00` }, { flags: "00" }],
    ["white space around it", { TRACEPARENT: ` ${TRACEPARENT}\n` }, {}],
    ["a later version", { TRACEPARENT: `01-${traceId}-${spanId}-01-more` }, {}],
    ["a state", { TRACEPARENT, TRACESTATE: "a=1,b=2" }, { state: "a=1,b=2" }],
    ["a state that no header can have", { TRACEPARENT, TRACESTATE: "a=1\nx: y" }, {}],
    ["a state that is too long", { TRACEPARENT, TRACESTATE: "a".repeat(513) }, {}],
  ])("continues %s", (_, env, parent) => {
    expect(readTraceParent(env)).toEqual({ traceId, spanId, flags: "01", state: undefined, ...parent });
  });

  it.each([
    undefined,
    "",
    "x",
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${spanId}-01\r\nx: y`,
  ])("starts a new trace for %j", (value) => {
    expect(readTraceParent({ TRACEPARENT: value, TRACESTATE: "a=1" })).toBeUndefined();
  });
});
