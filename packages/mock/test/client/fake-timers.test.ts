import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import "@mgmt/mock";
import { createClient } from "@mgmt/sdk";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the first failed call of a process, under fake timers", () => {
  it("is sent again by moving the time once", async () => {
    const responses = [
      new Response("{}", { status: 503, headers: { "retry-after": "1" } }),
      Response.json({ data: { id: "me" } }),
    ];
    const fetch = () => Promise.resolve(responses.shift() ?? Response.error());
    const ended = vi.fn();
    void createClient({ baseUrl: "https://api.example.com", token: false, fetch })
      .me.get()
      .then(ended, ended);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ended.mock.calls).toEqual([[{ id: "me" }]]);
  });
});
