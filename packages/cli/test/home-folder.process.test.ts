import { execFile } from "node:child_process";
import os from "node:os";
import { promisify } from "node:util";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { homeFolder } from "../src/files/home-folder.js";
import { bin, ensureBuilt } from "./bin.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("is the folder of containers for an account without one", () => {
  vi.stubEnv("HOME", "");
  vi.stubEnv("USERPROFILE", "");
  vi.spyOn(os, "homedir").mockImplementation(() => {
    throw new Error("uv_os_homedir returned ENOENT");
  });
  expect(homeFolder()).toBe("/");
});

/** No account has this id. */
const unknownAccount = 54_321;

// Only root can start a program as another account.
describe.skipIf(process.platform === "win32" || process.getuid?.() !== 0)(
  "an account that is not known",
  () => {
    let server: RunningServer;
    let token: string;
    beforeAll(async () => {
      await ensureBuilt();
      server = await createServer();
      token = await server.engine.tokens.service();
    });
    afterAll(() => server.close());

    const run = (...words: string[]) => {
      const env = { PATH: process.env["PATH"], MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: token };
      const options = { uid: unknownAccount, gid: unknownAccount, cwd: "/", env, encoding: "utf8" } as const;
      return promisify(execFile)(process.execPath, [bin, ...words], options);
    };

    it.each([[["projects", "list"]], [["auth", "status"]], [["config", "list"]], [["help", "environment"]]])(
      "runs %j",
      async (words) => {
        expect((await run(...words)).stderr).not.toContain("internal:");
      },
    );
  },
);
