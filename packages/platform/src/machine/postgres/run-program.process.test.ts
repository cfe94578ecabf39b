import { describe, expect, it } from "vitest";
import { runProgram } from "./run-program.js";

const runShell = (script: string, options: Parameters<typeof runProgram>[2] = {}) =>
  runProgram("/bin/sh", ["-c", script], options);

describe.skipIf(process.platform === "win32")("a program of Postgres", () => {
  it("gets its input, and returns what it prints and its status", async () => {
    const result = await runShell("cat; echo problem >&2; exit 3", { input: "text" });
    expect(result).toEqual({ status: 3, stdout: "text", stderr: "problem\n" });
  });

  it("need not read its input", async () => {
    const result = await runShell("exec <&-; exit 3", { input: "x".repeat(10_000_000) });
    expect(result).toEqual({ status: 3, stdout: "", stderr: "" });
  });

  it("gets no variable of this process", async () => {
    expect((await runShell("echo $HOME$PGPORT$LC_ALL")).stdout).toBe("C\n");
  });

  it("is killed when its signal is aborted, which may be before it starts", async () => {
    const controller = new AbortController();
    const running = runShell("echo started; exec sleep 600", { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ status: null });
    expect(await runShell("exit 3", { signal: AbortSignal.abort() })).toMatchObject({ status: null });
  });

  it("says why it did not start", async () => {
    expect(await runProgram("/none/at/all", [])).toMatchObject({
      status: null,
      startError: "ENOENT",
      stderr: expect.stringContaining("/none/at/all"),
    });
  });
});
