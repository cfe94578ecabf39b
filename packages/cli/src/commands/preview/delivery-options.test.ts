import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("--expires", () => {
  it("is stored, kept, moved and removed", async () => {
    const expiryOf = async (flags: string): Promise<string | null> =>
      ((await place.mgmt`preview up --branch a -o json ${flags}`).json as Up).expiresAt;
    const before = Date.now();
    const first = await expiryOf("--expires=7d");
    expect(Date.parse(first ?? "") - before).toBeGreaterThanOrEqual(7 * 86_400_000);
    expect(Date.parse(first ?? "") - Date.now()).toBeLessThanOrEqual(7 * 86_400_000 + 60_000);
    expect(await expiryOf("--timeout=5m")).toBe(first);
    expect(Date.parse((await expiryOf("--expires=2w")) ?? "")).toBeGreaterThan(Date.parse(first ?? ""));
    expect(await expiryOf("--expires=never")).toBeNull();
    expect((await place.databases()).at(-1)?.name).toBe("a");
  });

  it.each(["soon", "0", "", "7", "2y", "800d", "-1d"])("cannot be %j", async (value) => {
    const before = place.requestCount;
    const { status } = await place.mgmt`preview up --branch a ${`--expires=${value}`}`;
    expect(status).toBe(2);
    expect(place.writesSince(before)).toEqual([]);
  });
});

describe("--setup", () => {
  it("is refused if it is empty, or if --setup-again has none", async () => {
    expect((await place.mgmt`preview up --branch a ${"--setup= "}`).status).toBe(2);
    expect((await place.mgmt`preview up --branch a --setup-again`).status).toBe(2);
  });
});
