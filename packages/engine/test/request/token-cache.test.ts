import { expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";

it("accepts access tokens when there are more than the cache holds", async () => {
  const engine = new MemoryServer();
  const statusOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await engine.handle({ method: "GET", path: "/v1/me", headers })).status;
  };
  const first = await engine.tokens.user();
  expect(await statusOf(first)).toBe(200);
  const many = await Promise.all(Array.from({ length: 4_200 }, () => engine.tokens.user()));
  for (const token of many) {
    const status = await statusOf(token);
    if (status !== 200) expect(status).toBe(200);
  }
  expect(await statusOf(first)).toBe(200);
});
