import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { InputSources } from "./sources.js";
import { temporaryFolder } from "../../test/folders.js";

const folder = temporaryFolder();

const readPipe = (name: string, signal: AbortSignal): Promise<string> => {
  execFileSync("mkfifo", [join(folder, name)]);
  return new InputSources({ stdin: Readable.from([]) }, folder, signal).read(name, "--file");
};

describe("a named pipe", () => {
  it("is read until its writer closes it", async () => {
    const { signal } = new AbortController();
    const reading = readPipe("written", signal);
    createWriteStream(join(folder, "written")).end("text");
    expect(await reading).toBe("text");
  });

  it("is not awaited after an interruption if it has no writer", async () => {
    const controller = new AbortController();
    const reading = readPipe("unwritten", controller.signal);
    controller.abort(new Error("interrupted"));
    await expect(reading).rejects.toThrow("interrupted");
  });

  it("is not awaited after an interruption if its writer writes nothing", async () => {
    const controller = new AbortController();
    const reading = readPipe("silent", controller.signal);
    const writer = createWriteStream(join(folder, "silent"));
    await new Promise((resolve) => writer.once("open", resolve));
    controller.abort(new Error("interrupted"));
    await expect(reading).rejects.toThrow("interrupted");
    writer.destroy();
  });
});
