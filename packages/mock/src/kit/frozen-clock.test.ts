import { expect, it } from "vitest";
import { type LoggedRequest, setupMock } from "@mgmt/mock";
import { describeFrozenClock } from "./frozen-clock.js";

const { clock: frozen } = setupMock({ deterministic: "shop" });
const { clock: running } = setupMock();

/** A request with the fields that the advice reads. */
const request = (path: string, at = 1, method = "GET"): LoggedRequest =>
  // The advice reads no others.
  ({ method, path, at }) as LoggedRequest;
const poll = request("/v1/databases/db_1");
const other = request("/v1/me");

it.each([
  ["three equal requests", [poll, poll, poll], "3 times"],
  ["those at the end", [poll, other, poll, poll, poll], "3 times"],
  ["those at the same time", [request(poll.path, 0), poll, poll, poll], "3 times"],
])("advises to move a clock that is frozen during %s", (_, requests, text) => {
  const advice = describeFrozenClock({ clock: frozen }, requests);
  expect(advice).toContain(`GET /v1/databases/db_1 ${text}`);
  expect(advice).toContain("mock.clock.advance(ms)");
});

it.each([
  ["two equal requests", [poll, poll]],
  ["equal requests before another one", [poll, poll, poll, other]],
  ["equal requests at other times", [request(poll.path, 0), poll, poll]],
  ["equal changes", [1, 2, 3].map(() => request("/v1/projects", 1, "POST"))],
  ["no requests", []],
])("has no advice for %s", (_, requests) => {
  expect(describeFrozenClock({ clock: frozen }, requests)).toBeUndefined();
});

it("has no advice for a clock that runs", () => {
  expect(describeFrozenClock({ clock: running }, [poll, poll, poll])).toBeUndefined();
});
