import { expect, it } from "vitest";
import { createExplainedTransport } from "./explained-transport.js";

it("explains the failure of the last request only", async () => {
  const failures = [
    Object.assign(new Error("connect"), { code: "ENOTFOUND" }),
    undefined,
    new Error("other"),
  ];
  const transport = createExplainedTransport({
    send: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return { status: 200, headers: {}, body: "" };
    },
  });
  const { signal } = new AbortController();
  const send = () =>
    transport.send({ method: "GET", url: "https://api.test/v1/me", headers: {}, body: undefined, signal });
  expect(transport.explain()).toBeUndefined();
  await expect(send()).rejects.toThrow("connect");
  expect(transport.explain()).toMatchObject({ message: expect.stringContaining("api.test") });
  await send();
  expect(transport.explain()).toBeUndefined();
  await expect(send()).rejects.toThrow("other");
  expect(transport.explain()).toBeUndefined();
});
