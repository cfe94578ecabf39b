import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getDefaultDataDir, ensurePrivateCacheDir } from "./directories.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let home: string;
beforeEach(async () => {
  home = await temporaryDirectory();
  vi.stubEnv("XDG_STATE_HOME", undefined);
  vi.stubEnv("XDG_CACHE_HOME", undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

describe.skipIf(process.platform !== "linux")("the directories of the user", () => {
  it.each(["", ".", "here", "../here"])(
    "ignore a path relative to the working directory: %j",
    async (named) => {
      vi.stubEnv("HOME", home);
      vi.stubEnv("XDG_STATE_HOME", named);
      vi.stubEnv("XDG_CACHE_HOME", named);
      expect(getDefaultDataDir()).toBe(join(home, ".local/state/mgmt"));
      expect(await ensurePrivateCacheDir()).toBe(join(home, ".cache/mgmt"));
    },
  );

  it("ignore a relative home directory", () => {
    vi.stubEnv("HOME", "here");
    expect(getDefaultDataDir()).toMatch(/^\/.*\.local\/state\/mgmt$/);
  });

  it("are where absolute paths lead", async () => {
    vi.stubEnv("XDG_STATE_HOME", join(home, "state"));
    vi.stubEnv("XDG_CACHE_HOME", join(home, "cache"));
    expect(getDefaultDataDir()).toBe(join(home, "state/mgmt"));
    expect(await ensurePrivateCacheDir()).toBe(join(home, "cache/mgmt"));
  });
});
