import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { startCannedServer } from "../../test/canned-server.js";

const id = (kind: string, letter = "a"): string => `${kind}_${letter.repeat(24)}`;

describe("a table of several pages", () => {
  it("has no more pages requested once its reader is gone", async () => {
    let requests = 0;
    const server = await startCannedServer(() => {
      requests++;
      const data = Array.from({ length: 100 }, () => ({ id: id("proj"), name: "n" }));
      return { body: { data, pagination: { nextCursor: String(requests), hasMore: true } } };
    });
    const { status } = await runInProcess(["projects", "list", "--all"], {
      env: { ...server.env, PAGER: "head -c 10 > /dev/null; exit 0" },
      terminal: true,
    });
    server.close();
    expect(status).toBe(0);
    expect(requests).toBeLessThan(1_000);
  });
});
