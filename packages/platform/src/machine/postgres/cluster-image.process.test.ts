import { execFile } from "node:child_process";
import { chown, mkdir, readFile, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadImage, readCluster, saveImage, writeCluster } from "./cluster-image.js";
import { isRunningAsRoot } from "../data-dir/postgres-account.js";
import { temporaryDirectory } from "../../../test/cluster.js";
import { bundleProgram } from "../../../test/platform-process.js";

let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, "cluster/base/empty"), { recursive: true });
  await writeFile(join(directory, "cluster/PG_VERSION"), "18\n");
  await writeFile(join(directory, "cluster/base/1"), Buffer.from([0, 10, 255]));
  await writeFile(join(directory, "cluster/base/2"), "");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const foreignFiles: [string, (path: string) => Promise<void>][] = [
  [
    "a file of another account",
    async (path) => {
      await writeFile(path, "");
      await chown(path, 54_321, 54_321);
    },
  ],
];

const image = () => readCluster(join(directory, "cluster"), "its-password");

describe("a cluster image", () => {
  it("recreates the cluster byte for byte, readable by its owner only", async () => {
    const path = join(directory, "image");
    await saveImage(image(), path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const loaded = await loadImage(path);
    expect(loaded?.contents.password).toBe("its-password");

    const copy = join(directory, "copy");
    await mkdir(copy);
    if (loaded) writeCluster(loaded, copy, undefined);
    for (const name of ["PG_VERSION", "base/1", "base/2"]) {
      expect(await readFile(join(copy, name))).toEqual(await readFile(join(directory, "cluster", name)));
      expect((await stat(join(copy, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(copy, "base/empty"))).mode & 0o777).toBe(0o700);
  });

  it("stores the same content of files of the same name once, and other content of the same size apart", async () => {
    const source = join(directory, "twins");
    const contents = {
      "1/data": "same",
      "2/data": "same",
      "3/data": "else",
      "4/data": "same",
      "4/other": "same",
    };
    for (const [name, text] of Object.entries(contents)) {
      await mkdir(join(source, dirname(name)), { recursive: true });
      await writeFile(join(source, name), text);
    }
    const path = join(directory, "image-of-twins");
    const made = readCluster(source, "its-password");
    expect(made.bytes.length).toBe("same else same".replaceAll(" ", "").length);
    await saveImage(made, path);
    const loaded = await loadImage(path);
    const copy = join(directory, "copy-of-twins");
    await mkdir(copy);
    if (loaded) writeCluster(loaded, copy, undefined);
    for (const [name, text] of Object.entries(contents))
      expect(await readFile(join(copy, name), "utf8")).toBe(text);
  });

  it("reports a file that does not fit, of which the system writes the first part only", async () => {
    const source = join(directory, "large");
    await mkdir(source);
    await writeFile(join(source, "data"), Buffer.alloc(100_000));
    const [path, copy] = [join(directory, "image-of-large"), join(directory, "copy-of-large")];
    await saveImage(readCluster(source, "its-password"), path);
    await mkdir(copy);
    const program = await bundleProgram(directory, "run-write-cluster");
    // A limit for the size of files has the effect of a full disk.
    const limited = ["-c", 'ulimit -f 10 && exec "$@"', "sh", process.execPath, program, path, copy];
    await expect(promisify(execFile)("/bin/sh", limited)).rejects.toThrow("EFBIG");
    expect((await stat(join(copy, "data"))).size).toBeLessThan(100_000);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ["a link", (path) => symlink("/etc/hostname", path)],
    // Only root can give files to other accounts.
    ...(isRunningAsRoot() ? foreignFiles : []),
  ])("is not made of a cluster that has %s", async (what, make) => {
    const source = join(directory, `cluster with ${what}`);
    await mkdir(source);
    await make(join(source, "data"));
    expect(() => readCluster(source, "its-password")).toThrow();
  });

  it("loads as undefined when the file is missing or damaged", async () => {
    const path = join(directory, "damaged");
    expect(await loadImage(path)).toBeUndefined();
    await saveImage(image(), path);
    const whole = await readFile(path);
    for (const bytes of [
      whole.subarray(0, -1),
      Buffer.alloc(0),
      Buffer.from("no image\n"),
      Buffer.from("{}\n"),
    ]) {
      await writeFile(path, bytes);
      expect(await loadImage(path)).toBeUndefined();
    }
  });

  it("saves concurrently and removes unfinished files of killed processes", async () => {
    const folder = join(directory, "saved");
    await mkdir(folder);
    const path = join(folder, "cluster-18");
    for (const name of ["cluster-18.abandoned", "cluster-18.under-way", "another"])
      await writeFile(join(folder, name), "");
    for (const name of ["cluster-18.abandoned", "another"]) await utimes(join(folder, name), 0, 0);
    await Promise.all([1, 2, 3].map(() => saveImage(image(), path)));
    expect((await readdir(folder)).sort()).toEqual(["another", "cluster-18", "cluster-18.under-way"]);
    expect(await loadImage(path)).toEqual(image());
  });
});
