import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { runOutsideRepository } from "./run-git.js";

/** Returns the value of a setting for git, with another one that is added in variables. */
const read = (name: string, variables: NodeJS.ProcessEnv): Promise<string> => {
  const env = { PATH: process.env["PATH"], ...variables };
  const place = { cwd: tmpdir(), env, signal: new AbortController().signal };
  return runOutsideRepository(["config", "--get", name], place, { settings: [["shop.own", "ours"]] });
};

describe("settings of git in variables", () => {
  it("are kept", async () => {
    const theirs = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "shop.user", GIT_CONFIG_VALUE_0: "theirs" };
    expect(await read("shop.user", theirs)).toBe("theirs\n");
    expect(await read("shop.own", theirs)).toBe("ours\n");
  });

  it.each(["", "0", " 1", "1.0", "1e1", "0x10", "-1", "many", "99999999999999999999"])(
    "are left out when their count is %j",
    async (count) => {
      expect(await read("shop.own", { GIT_CONFIG_COUNT: count })).toBe("ours\n");
    },
  );
});
