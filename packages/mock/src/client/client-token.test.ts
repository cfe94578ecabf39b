import { MemoryServer } from "@mgmt/engine";
import { beforeEach, describe, expect, it } from "vitest";
import { ClientToken } from "./client-token.js";

const halfAnHour = 1_800_000;
let server: MemoryServer;
let clientToken: ClientToken;
beforeEach(() => {
  server = new MemoryServer();
  server.clock.freeze();
  clientToken = new ClientToken(server);
});

describe("the token of a mock's clients", () => {
  it("is the same for half an hour", async () => {
    const token = await clientToken.get();
    await server.clock.advance(halfAnHour - 1);
    expect(await clientToken.get()).toBe(token);
    expect(await clientToken.get("another")).toBe(token);
  });

  it.each<[string, (token: string) => unknown]>([
    ["half an hour has passed", () => server.clock.advance(halfAnHour)],
    ["the clock was moved back", () => server.clock.set(server.clock.now() - 1_000)],
    ["the rows were replaced", () => server.reset()],
  ])("is signed again when %s", async (_, change) => {
    const token = await clientToken.get();
    await change(token);
    expect(await clientToken.get()).not.toBe(token);
  });

  it("is signed again when the mock has refused it", async () => {
    const token = await clientToken.get();
    expect(await clientToken.get(token)).not.toBe(token);
  });
});
