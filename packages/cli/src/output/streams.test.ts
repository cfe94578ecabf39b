import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { processStreams } from "./streams.js";

let exits: unknown[];
let stdout: PassThrough;
let stderr: PassThrough;
beforeEach(() => {
  exits = [];
  [stdout, stderr] = [new PassThrough(), new PassThrough()];
  vi.spyOn(process, "stdout", "get").mockReturnValue(stdout as unknown as NodeJS.WriteStream & { fd: 1 });
  vi.spyOn(process, "stderr", "get").mockReturnValue(stderr as unknown as NodeJS.WriteStream & { fd: 2 });
  // The real one does not return.
  vi.spyOn(process, "exit").mockImplementation((code) => {
    exits.push(code);
    throw new Error("The process has ended");
  });
});

/** Returns the exit codes, and what is written to standard error, after a write to a stream failed. */
const fail = (name: "stdout" | "stderr", code: string): { exits: unknown[]; message: string } => {
  const stream = processStreams[name];
  try {
    stream.emit("error", Object.assign(new Error(code), { code }));
  } catch {
    // The process has ended.
  }
  return { exits, message: String(stderr.read() ?? "") };
};

describe("a stream that cannot be written", () => {
  it.each(["EPIPE", "EIO"])("does not end the command if it is standard error: %s", (code) => {
    expect(fail("stderr", code)).toEqual({ exits: [], message: "" });
  });

  it("ends the command if a full disk drops the messages", () => {
    expect(fail("stderr", "ENOSPC")).toEqual({ exits: [1], message: "" });
  });

  it("ends the command quietly if nobody reads the result", () => {
    expect(fail("stdout", "EPIPE")).toEqual({ exits: [undefined], message: "" });
  });

  it.each(["ENOSPC", "EDQUOT", "EFBIG"])(
    "is explained if its disk has no space for the result: %s",
    (code) => {
      expect(fail("stdout", code)).toEqual({
        exits: [1],
        message:
          `error: The output cannot be written (${code})\n` +
          "hint: Free some space, or write the output elsewhere. The command may have taken effect.\n",
      });
    },
  );

  it.each(["EIO", "EBADF"])("is explained if standard output is closed: %s", (code) => {
    expect(fail("stdout", code)).toEqual({
      exits: [1],
      message:
        `error: The output cannot be written (${code})\n` +
        "hint: Write the output elsewhere. The command may have taken effect.\n",
    });
  });
});
