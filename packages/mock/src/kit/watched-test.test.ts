import { describe, expect, it } from "vitest";
import type { LoggedRequest } from "@mgmt/mock";
import { WatchedTest } from "./watched-test.js";

const request = (fields: Partial<LoggedRequest> = {}): LoggedRequest =>
  // A report reads no other fields.
  ({
    ...{
      method: "GET",
      path: "/v1/me",
      query: null,
      operationId: "me.get",
      status: 200,
      code: null,
      body: null,
    },
    ...fields,
  }) as LoggedRequest;

const unmatched = request({ path: "/v2", operationId: null, status: 404, code: "route:not_found" });

describe("the error at the end of a test", () => {
  const [first, second, ifPassed] = ["first", "second", "if passed"].map((text) => new Error(text));
  const cases: [string, (test: WatchedTest) => void, boolean, string | undefined][] = [
    ["nothing for a test that passes", () => undefined, false, undefined],
    ["its requests for a test that fails", () => undefined, true, "sent no requests"],
    [
      "the first failure of its mock",
      (test) => [first, second].forEach((error) => error && test.failAtEnd(error)),
      false,
      "first",
    ],
    [
      "the failure of its mock, of a test that fails",
      (test) => first && test.failAtEnd(first),
      true,
      "first",
    ],
    ["what matters only if it passes", (test) => ifPassed && test.failIfPassed(ifPassed), false, "if passed"],
    [
      "its requests rather than what matters if it passes",
      (test) => ifPassed && test.failIfPassed(ifPassed),
      true,
      "sent no requests",
    ],
    ["a request that no operation matches", (test) => test.addRequest(unmatched), false, "GET /v2"],
    [
      "a method that no operation has",
      (test) => test.addRequest({ ...unmatched, code: "route:method_not_allowed" }),
      false,
      "GET /v2",
    ],
    [
      "a request to another host",
      (test) => test.addUnmatchedLine("GET https://x.test/ → another host"),
      false,
      "x.test",
    ],
    [
      "nothing for a request that an operation refuses",
      (test) => test.addRequest(request({ status: 404, code: "project:not_found" })),
      false,
      undefined,
    ],
    [
      "nothing for an unmatched request that is allowed",
      (test) => {
        test.addRequest(unmatched);
        test.allowUnmatched();
      },
      false,
      undefined,
    ],
  ];
  it.each(cases)("is %s", (_, act, hasFailed, message) => {
    const test = new WatchedTest("shop");
    act(test);
    const error = test.errorAtEnd(hasFailed);
    if (message === undefined) expect(error).toBeUndefined();
    else expect(error?.message).toContain(message);
  });

  it("names each unmatched request once", () => {
    const test = new WatchedTest("shop");
    for (let count = 0; count < 2; count += 1) test.addUnmatchedLine("GET https://x.test/ → another host");
    expect(test.errorAtEnd(false)?.message.split("another host")).toHaveLength(2);
  });
});

describe("the report of the requests of a test", () => {
  it.each([
    ["with the status", request(), "GET /v1/me → 200"],
    ["with the code", request({ status: 404, code: "a:b" }), "GET /v1/me → 404 a:b"],
    ["with the query", request({ query: { limit: 5 } }), "GET /v1/me?limit=5 → 200"],
    ["without a response", request({ status: null }), "GET /v1/me → connection dropped"],
    ["with the body", request({ body: { name: "x" } }), 'GET /v1/me → 200 {"name":"x"}'],
    ["without an empty body", request({ body: {} }), "GET /v1/me → 200"],
    [
      "with the beginning of a long body",
      request({ body: "x".repeat(400) }),
      `GET /v1/me → 200 "${"x".repeat(299)}…`,
    ],
    [
      "with a body of 300 characters",
      request({ body: "x".repeat(298) }),
      `GET /v1/me → 200 "${"x".repeat(298)}"`,
    ],
  ])("shows one %s", (_, logged, line) => {
    const test = new WatchedTest("shop");
    test.addRequest(logged);
    expect(test.describe()).toBe(`Requests of the test "shop":\n  ${line}`);
  });

  it.each([
    [50, 50, ""],
    [52, 50, "  (2 earlier requests)\n"],
  ])("of %s shows the last %s, and then notes", (count, lines, omitted) => {
    const test = new WatchedTest("shop");
    for (let index = 1; index <= count; index += 1) test.addRequest(request({ path: `/v1/${index}` }));
    test.addNote("A note.");
    const expectedLines = Array.from(
      { length: lines },
      (_, index) => `  GET /v1/${count - lines + index + 1} → 200`,
    );
    expect(test.describe()).toBe(
      `Requests of the test "shop":\n${omitted}${expectedLines.join("\n")}\nA note.`,
    );
  });
});
