import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { ProcessLike } from "../../main.js";
import { Output } from "../../output/output.js";
import { readPastedCallback } from "./paste-callback.js";

/** Reads what is piped into the command. */
const read = async (text: string) => {
  const stdin = Object.assign(new PassThrough().end(text), { unref: vi.fn() });
  // It has everything that reading a line needs.
  const host = { stdin, stdout: new PassThrough(), stderr: new PassThrough() } as unknown as ProcessLike;
  const { stderr } = host;
  const { signal } = new AbortController();
  const callback = await readPastedCallback(
    { url: "https://auth.test/authorize", signInKey: undefined },
    { stdin: host.stdin, stderr, signal, output: new Output("table", host) },
  );
  return { callback, isReleased: stdin.unref.mock.calls.length > 0 };
};

describe("what was pasted", () => {
  it.each([
    [" abc-1.~_\n", { code: "abc-1.~_" }],
    ["http://127.0.0.1/callback?code=a&state=b", "http://127.0.0.1/callback?code=a&state=b"],
    ["?code=a&state=b", "?code=a&state=b"],
    ["code=a&state=b", "?code=a&state=b"],
    ["state=b&code=a", "?state=b&code=a"],
    ["iss=https%3A%2F%2Fauth.test&code=a", "?iss=https%3A%2F%2Fauth.test&code=a"],
    ["error=access_denied&state=b", "?error=access_denied&state=b"],
    ["abc\nsecond line", { code: "abc" }],
  ])("is a code, or the query of a callback: %j", async (text, callback) => {
    expect((await read(text)).callback).toEqual(callback);
  });

  it.each([
    ["", "login:nothing_pasted", "inputNeeded"],
    ["\n", "login:nothing_pasted", "inputNeeded"],
    ["two words", "login:wrong_paste", "usage"],
    ["http://127.0.0.1/callback", "login:wrong_paste", "usage"],
  ])("is refused: %j", async (text, code, reason) => {
    await expect(read(text)).rejects.toMatchObject({ code, reason });
  });

  it("is the only thing that keeps the process alive", async () => {
    expect((await read("abc")).isReleased).toBe(true);
  });
});
