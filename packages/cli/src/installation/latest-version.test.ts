import { mkdtempSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { LatestVersionCache } from "./latest-version.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let file: string;
let cache: LatestVersionCache;
beforeEach(() => {
  const folder = mkdtempSync(join(root, "cache-"));
  file = join(folder, "latest-version");
  // Without npm.
  cache = new LatestVersionCache("@mgmt/cli", folder, { PATH: folder });
});

const store = (text: string, ageInDays = 0): void => {
  writeFileSync(file, text, { mode: 0o600 });
  const time = Date.now() / 1_000 - ageInDays * 86_400;
  utimesSync(file, time, time);
};

describe("the latest version", () => {
  it.each([
    ["99.0.0\n", "99.0.0"],
    ["", undefined],
    ["99.0.0\nrm", undefined],
    ["\u001B[31m99.0.0", undefined],
    ["99.0.0-beta", undefined],
    ["9999999999.0.0", undefined],
  ])("is what npm has printed, if it is only a version: %j", (text, version) => {
    store(text);
    expect(cache.read()).toBe(version);
  });

  it.each([
    [0, false],
    [0.9, false],
    [1.1, true],
    [-1.1, true],
  ])("is looked up again after a day, or a change of the clock: %d days", (days, isDue) => {
    expect(cache.isLookupDue()).toBe(true);
    store("", days);
    expect(cache.isLookupDue()).toBe(isDue);
  });

  it("is forgotten for a day, but not without npm", () => {
    store("99.0.0\n", 2);
    cache.startLookup();
    expect([cache.read(), cache.isLookupDue()]).toEqual(["99.0.0", false]);
    store("99.0.0\n", 2);
    cache.clear();
    expect([cache.read(), cache.isLookupDue()]).toEqual([undefined, false]);
  });

  it("is not written through a link", () => {
    const other = join(root, "other");
    writeFileSync(other, "kept");
    symlinkSync(other, file);
    expect(() => cache.startLookup()).toThrow();
    expect(readFileSync(other, "utf8")).toBe("kept");
  });
});
