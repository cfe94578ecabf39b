import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

/** An escape sequence for a color. */
const color = /\u001b\[/;

describe("a message", () => {
  it.each(["projects get proj_0", "apps list"])(
    "has colors in an error or a warning on a terminal, and none with NO_COLOR or TERM=dumb: %s",
    async (line) => {
      const on = async (more: NodeJS.ProcessEnv): Promise<string> =>
        (await runInProcess(line.split(" "), { env: { ...session.env, ...more }, terminal: true })).stderr;
      expect(await on({})).toMatch(color);
      for (const plain of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) expect(await on(plain)).not.toMatch(color);
    },
  );
});

describe("a deprecated operation", () => {
  it("warns once on standard error and names the replacement", async () => {
    const { mgmt } = session;
    const { status, stdout, stderr } = await mgmt`apps list --output json`;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "[]\n" });
    expect(JSON.parse(stderr)).toEqual({
      warning: {
        code: "command:deprecated",
        message: "mgmt apps list is deprecated; use mgmt services list",
        replacement: "mgmt services list",
      },
    });
    expect((await mgmt`apps ls --all`).stderr).toBe(
      "warning: mgmt apps list is deprecated; use mgmt services list\nNothing found.\n",
    );
  });
});
