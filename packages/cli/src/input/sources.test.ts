import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { InputSources } from "./sources.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "sources-"));
  writeFileSync(join(folder, "file"), "text\n");
  symlinkSync(join(folder, "file"), join(folder, "inside"));
  symlinkSync(root, join(folder, "outside"));
  writeFileSync(join(root, "secret"), "secret\n");
});

const sources = (stdin: string | Buffer = "", signal?: AbortSignal): InputSources =>
  new InputSources({ stdin: Readable.from([Buffer.from(stdin)]) }, folder, signal);

describe("the input of a flag", () => {
  it("is that of a file, or of standard input, which can be read once", async () => {
    const input = sources("typed");
    expect([await input.read("file", "--a"), input.readsStdin]).toEqual(["text\n", false]);
    expect([await input.read("-", "--b"), input.readsStdin]).toEqual(["typed", true]);
    await expect(input.readSecret("-", "--c")).rejects.toThrow("--b and --c cannot both read standard input");
  });

  it.each([
    ["", "--file needs a path"],
    ["missing", "--file: cannot read missing"],
    [".", "--file: cannot read ."],
  ])("is refused if there is no file at %j", async (path, problem) => {
    await expect(sources().read(path, "--file")).rejects.toThrow(problem);
    await expect(sources().readInFolder(path, "--file")).rejects.toThrow(problem);
  });

  it("follows no link out of the working directory if it may be somebody else's, unless the path says so", async () => {
    expect(await sources().readInFolder("inside", "--file")).toBe("text\n");
    expect(await sources().readInFolder(join(folder, "outside/secret"), "--file")).toBe("secret\n");
    await expect(sources().readInFolder("outside/secret", "--file")).rejects.toThrow("--file");
    expect(await sources().read("outside/secret", "--file")).toBe("secret\n");
  });

  it.each([
    ["", "--token-file: standard input is empty"],
    [" \n\n", "--token-file: standard input is empty"],
    ["a\nb\n", "--token-file: standard input has more than one line"],
    ["a\rb", "--token-file: standard input has more than one line"],
  ])("is no secret: %j", async (text, problem) => {
    await expect(sources(text).readSecret("-", "--token-file")).rejects.toThrow(problem);
    expect(await sources("\uFEFFtoken \r\n").readSecret("-", "--token-file")).toBe("token");
  });

  it("ends with the signal, for a file and for standard input", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(sources("", signal).read("file", "--file")).rejects.toThrow("interrupted");
  });
});
