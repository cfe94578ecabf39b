import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { LatestVersionCache } from "./latest-version.js";

const aWeekAgo = Date.now() / 1_000 - 7 * 86_400;

describe("the cache of the latest version", () => {
  it("keeps the version without npm, and looks it up again only after a day", () => {
    const folder = temporaryFolder();
    const path = join(folder, "latest-version");
    writeFileSync(path, "0.1.0\n", { mode: 0o600 });
    utimesSync(path, aWeekAgo, aWeekAgo);
    const cache = new LatestVersionCache("@mgmt/cli", folder, { PATH: join(folder, "no-programs") });
    expect(cache.isLookupDue()).toBe(true);
    cache.startLookup();
    expect(cache.read()).toBe("0.1.0");
    expect(cache.isLookupDue()).toBe(false);
  });
});
