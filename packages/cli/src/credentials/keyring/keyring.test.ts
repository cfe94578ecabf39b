import { beforeEach, describe, expect, it } from "vitest";
import { probeKeyring } from "./keyring.js";
import { memoryKeyring } from "../../../test/credentials/keyring/memory-keyring.js";

const entries = new Map<string, string>();
beforeEach(() => entries.clear());

describe("the probe", () => {
  it("leaves no entry behind", async () => {
    await probeKeyring(memoryKeyring(entries));
    expect(entries.size).toBe(0);
  });

  const fails = async (): Promise<never> => {
    throw new Error("locked");
  };
  it.each([
    ["writes", { write: fails }, "locked", 0],
    ["reads", { read: fails }, "locked", 0],
    ["deletes without failing", { remove: fails }, "locked", 1],
    ["returns what was stored", { read: async () => "another" }, "does not return what was stored", 0],
    ["deletes", { remove: async () => undefined }, "does not delete", 1],
  ])("refuses a keyring that never %s, and leaves no entry that it can delete", async (...columns) => {
    const [, changed, why, remainingCount] = columns;
    await expect(probeKeyring(memoryKeyring(entries, changed))).rejects.toMatchObject({
      code: "keyring:unavailable",
      message: expect.stringContaining(why),
    });
    expect(entries.size).toBe(remainingCount);
  });
});
