import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { canRunPager, findPagerCommand } from "./pager.js";

describe("the pager", () => {
  it.each<[NodeJS.ProcessEnv, boolean, boolean, string | undefined]>([
    [{}, true, true, "less"],
    [{ PAGER: " most -s " }, true, true, "most -s"],
    [{ PAGER: "" }, true, true, undefined],
    [{ PAGER: " " }, true, true, undefined],
    [{ PAGER: "cat" }, true, true, undefined],
    [{ NO_PAGER: "1" }, true, true, undefined],
    [{ NO_PAGER: "" }, true, true, "less"],
    [{ CI: "true" }, true, true, undefined],
    [{ CI: "false" }, true, true, "less"],
    [{ CLAUDECODE: "1" }, true, true, undefined],
    [{ CLAUDECODE: "" }, true, true, "less"],
    [{ TERM: "dumb" }, true, true, undefined],
    [{ TERM: "xterm" }, true, true, "less"],
    [{ PAGER: "most" }, false, true, undefined],
    [{ PAGER: "most" }, true, false, undefined],
  ])("with %j on a terminal (%s) where it is wanted (%s): %s", (env, isTTY, isWanted, command) => {
    expect(findPagerCommand({ isTTY }, env, isWanted)).toBe(command);
  });

  it.each([
    [process.execPath, true],
    [`${process.execPath} -e 1`, true],
    ["node -e 1", true],
    ["/no/such/pager", false],
    ["no-such-pager --raw", false],
    [import.meta.filename, false],
    ["exec no-such-pager", true],
    ["LESS=FRX no-such-pager", true],
    ["trap 'echo' INT; no-such-pager", true],
    ["no-such-pager | cat", true],
    ["'no such pager'", true],
    ["$HOME/no-such-pager", true],
  ])("can run %s: %s", (command, isRunnable) => {
    expect(canRunPager(command, { PATH: dirname(process.execPath) })).toBe(isRunnable);
  });
});
