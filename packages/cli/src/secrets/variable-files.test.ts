import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { VariableFlags } from "./secret-flags.js";
import { openVariableFiles } from "./variable-files.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let cwd: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  cwd = mkdtempSync(join(root, "variables-"));
  env = { GITHUB_ENV: join(cwd, "github-env"), GITHUB_OUTPUT: join(cwd, "github-output") };
  writeFileSync(join(cwd, "github-env"), "A=1");
  symlinkSync(join(cwd, "target"), join(cwd, "link"));
});

const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
const set = async (flags: VariableFlags, value: string): Promise<string[]> => {
  const files = await openVariableFiles(flags, { env, cwd });
  for (const file of files) await file.set(value).finally(() => file.close());
  return files.map(({ successMessage }) => successMessage);
};

describe("the files of variables", () => {
  it.each<[VariableFlags, string]>([
    [{ githubEnv: "A B" }, "usage:invalid"],
    [{ githubEnv: "A\nB" }, "usage:invalid"],
    [{ githubEnv: "" }, "usage:invalid"],
    [{ githubOutput: "A<<B" }, "usage:invalid"],
    [{ githubOutput: "LD_LIBRARY_PATH" }, "variable:reserved"],
    ...[
      "NODE_OPTIONS",
      "GITHUB_TOKEN",
      "PATH",
      "Path",
      "LD_PRELOAD",
      "BASH_ENV",
      "RUNNER_TEMP",
      "https_proxy",
    ].map((githubEnv): [VariableFlags, string] => [{ githubEnv }, "variable:reserved"]),
    [{ gitlabDotenv: "GIT_SSH_COMMAND=a.env" }, "variable:reserved"],
    [{ gitlabDotenv: "1A=x" }, "usage:invalid"],
    [{ gitlabDotenv: "-" }, "usage:invalid"],
    [{ gitlabDotenv: "A=" }, "usage:invalid"],
    [{ gitlabDotenv: "A=-" }, "usage:invalid"],
    [{ gitlabDotenv: "none/report.env" }, "variable:unwritable"],
    [{ gitlabDotenv: "link" }, "variable:unwritable"],
    [{ gitlabDotenv: "." }, "variable:unwritable"],
    [{ gitlabDotenv: "/dev/null" }, "variable:unwritable"],
    [{ githubEnv: "URL", gitlabDotenv: "link" }, "variable:unwritable"],
  ])("are refused: %j", async (flags, code) => {
    await expect(openVariableFiles(flags, { env, cwd })).rejects.toMatchObject({ code });
    expect([read("github-env"), existsSync(join(cwd, "target"))]).toEqual(["A=1", false]);
  });

  it.each([undefined, ""])("need those that GitHub Actions makes for the job, not %j", async (value) => {
    for (const flags of [{ githubEnv: "URL" }, { githubOutput: "url" }]) {
      const variables = { GITHUB_ENV: value, GITHUB_OUTPUT: value };
      const files = openVariableFiles(flags, { env: variables, cwd });
      await expect(files).rejects.toMatchObject({ code: "github:not_running" });
    }
  });

  it.each([
    { githubEnv: "PGPATH" },
    { githubEnv: "GITHUB" },
    { githubEnv: "HOME_DATABASE_URL" },
    { githubOutput: "path" },
    { githubOutput: "ci" },
  ])("accept names that only look like those of the system: %j", async (flags) => {
    expect(await set(flags, "x")).toHaveLength(1);
  });

  it("get a value of GitHub Actions between delimiters that differ each time", async () => {
    const value = "a'\"\nmgmt_\nB=2";
    const messages = ["Set URL for the following steps of the job.", "Set the output url of the step."];
    const flags = { githubEnv: "URL", githubOutput: "url" };
    expect([await set(flags, value), await set(flags, value)]).toEqual([messages, messages]);
    const pattern = /(?:URL|url)<<(\S+)\na'"\nmgmt_\nB=2\n\1\n/g;
    expect(read("github-env").replaceAll(pattern, "")).toBe("A=1\n");
    expect(read("github-output").replaceAll(pattern, "")).toBe("");
    const delimiters = [...read("github-env").matchAll(pattern)].map(([, delimiter]) => delimiter);
    expect(new Set(delimiters).size).toBe(2);
  });

  it("get a line of a dotenv report after what is there, and keep their permissions", async () => {
    expect(await set({ gitlabDotenv: "new.env" }, "x y=z")).toEqual([
      `Set DATABASE_URL in ${join(cwd, "new.env")}.`,
    ]);
    writeFileSync(join(cwd, "x=y.env"), "A=1");
    chmodSync(join(cwd, "x=y.env"), 0o644);
    for (const value of ["first", "second"]) await set({ gitlabDotenv: "B=x=y.env" }, value);
    expect([read("new.env"), read("x=y.env")]).toEqual(["DATABASE_URL=x y=z\n", "A=1\nB=first\nB=second\n"]);
    if (process.platform === "win32") return;
    const modes = ["new.env", "x=y.env"].map((name) => statSync(join(cwd, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o644]);
  });

  it.each(['a"b', "a'b", "a\nb", " a", "a\r"])(
    "get no value that a dotenv report would change: %j",
    async (value) => {
      await expect(set({ gitlabDotenv: "new.env" }, value)).rejects.toThrow("a dotenv report cannot contain");
      expect(read("new.env")).toBe("");
    },
  );
});
