import { EventEmitter } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TerminationSignal } from "../errors/exit-codes.js";
import { Interruption } from "./interruption.js";
import { runForExitStatus, runProgram } from "./run-program.js";
import { type ProgramEnd, recordPrograms } from "../../test/recorded-programs.js";

const start = (
  end: ProgramEnd | ((signals: EventEmitter) => ProgramEnd | Promise<ProgramEnd>),
  variables = {},
) => {
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const programs = recordPrograms({ tool: () => (typeof end === "function" ? end(signals) : end) });
  const interruption = new Interruption(signals);
  const env: NodeJS.ProcessEnv = {
    ...programs.env,
    MGMT_TOKEN: "hidden",
    mgmt_other: "hidden",
    KEPT: "1",
    GONE: "1",
  };
  const options = { cwd: "/", env, interruption };
  return {
    programs,
    interruption,
    run: (program = join(programs.env.PATH, "tool")) =>
      runProgram(
        program,
        ["--flag", "value with spaces"],
        { URL: "new", GONE: undefined, ...variables },
        options,
        {
          notFoundHint: "Install it.",
        },
      ),
    status: (onSignal?: (signal: TerminationSignal) => void) =>
      runForExitStatus(join(programs.env.PATH, "tool"), [], {
        ...options,
        stdio: "inherit",
        notFoundHint: "Install it.",
        ...(onSignal && { onSignal }),
      }),
  };
};

const listeners = (): number => process.listenerCount("SIGUSR1") + process.listenerCount("SIGUSR2");

describe("a program that the command runs", () => {
  it("gets its arguments, and the variables of the user, but none of this command", async () => {
    const { run, programs } = start({});
    await run();
    const [call] = programs.calls;
    expect(call?.args).toEqual(["--flag", "value with spaces"]);
    expect(call?.env).toEqual({ ...programs.env, KEPT: "1", URL: "new" });
  });

  it.each([
    [{ status: 7 }, 7],
    [{ signal: "SIGTERM" }, 143],
    [{ signal: "SIGKILL" }, 137],
  ])("ends the run with its status: %j", async (end, status) => {
    const before = listeners();
    await expect(start(end).run()).rejects.toMatchObject({ status });
    expect(listeners()).toBe(before);
  });

  it.each([
    ["EAGAIN", "program:not_started"],
    ["ENOENT", "program:not_started"],
    ["EACCES", "program:not_executable"],
  ])("is named if it does not start with %s though it exists", async (error, code) => {
    const before = listeners();
    await expect(start({ error }).run()).rejects.toMatchObject({ code });
    expect(listeners()).toBe(before);
  });

  it("is not found where it does not exist", async () => {
    const missing = { code: "program:not_found", hint: expect.stringContaining("Install it.") };
    await expect(start({}).run("/nowhere/tool")).rejects.toMatchObject(missing);
    await expect(start({}).run("missing")).rejects.toMatchObject(missing);
  });

  it("decides what a signal means", async () => {
    const { run, interruption } = start((signals) => {
      signals.emit("SIGTERM");
      return { status: 0 };
    });
    await run();
    expect(interruption.signal.aborted).toBe(false);
  });

  it("leaves a signal to the run that asked for it, and to itself after its end", async () => {
    const received: string[] = [];
    const { status, interruption } = start((signals) => {
      signals.emit("SIGTERM");
      return { status: 143 };
    });
    expect(await status((signal) => received.push(signal))).toBe(143);
    expect(received).toEqual(["SIGTERM"]);
    interruption.interrupt("SIGINT");
    expect(interruption.signal.aborted).toBe(true);
  });
});
