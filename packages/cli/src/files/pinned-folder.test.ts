import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Account, startAccount } from "../../test/commands/auth/account.js";
import { temporaryFolder } from "../../test/folders.js";
import type { Result } from "../../test/result.js";

const root = temporaryFolder();
let account: Account;
let projectId: string;
/** A folder with somebody else's repository, and one that it must not reach. */
let repository: string;
let home: string;
beforeAll(async () => {
  account = await startAccount();
  await account.login();
  projectId = (await account.server.engine.seed.project()).id;
});
afterAll(() => account.close());
beforeEach(() => {
  repository = mkdtempSync(join(root, "repository-"));
  home = mkdtempSync(join(root, "home-"));
  writeFileSync(join(home, ".bashrc"), "export A=1\n");
});

const run = (line: string): Promise<Result> =>
  account.run(line.split(" "), {
    cwd: repository,
    env: { MGMT_PROJECT_ID: projectId, PATH: process.env["PATH"] },
  });
const untouched = (): void => {
  expect(readdirSync(home)).toEqual([".bashrc"]);
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("export A=1\n");
};

describe.skipIf(process.platform === "win32")("mgmt env in a repository that may attack", () => {
  it.each([
    ["a file elsewhere", ".env", () => symlinkSync(join(home, ".bashrc"), join(repository, ".env"))],
    ["no file yet", ".env", () => symlinkSync(join(home, ".profile"), join(repository, ".env"))],
    ["a file in the repository", ".env", () => symlinkSync("package.json", join(repository, ".env"))],
    ["a folder elsewhere", "config/.env", () => symlinkSync(home, join(repository, "config"))],
    [
      "a folder elsewhere, further up",
      "a/b/.env",
      () => {
        mkdirSync(join(home, "b"));
        symlinkSync(home, join(repository, "a"));
      },
    ],
  ])("follows no symbolic link to %s", async (_, file, plant) => {
    plant();
    const { status, stdout, stderr } = await run(`env --file ${file}`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/env:unwritable.*hint: .*links are not followed/s);
    expect(stderr).toContain("is a symbolic link to");
    expect(existsSync(join(home, ".profile"))).toBe(false);
    expect(existsSync(join(home, ".env"))).toBe(false);
    expect(existsSync(join(home, "b/.env"))).toBe(false);
    expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("export A=1\n");
    expect(existsSync(join(repository, "package.json"))).toBe(false);
  });

  it("does not change the other name of a hard link", async () => {
    linkSync(join(home, ".bashrc"), join(repository, ".env"));
    expect((await run("env")).status).toBe(0);
    untouched();
    expect(readFileSync(join(repository, ".env"), "utf8")).toMatch(/^export A=1\nDATABASE_URL="/);
  });

  it("leaves no temporary file", async () => {
    expect((await run("env")).status).toBe(0);
    expect(readdirSync(repository)).toEqual([".env"]);
  });

  it("follows a link that the user names by its full path or that leads to the folder itself", async () => {
    mkdirSync(join(home, "secrets"));
    symlinkSync(join(home, "secrets"), join(home, "linked"));
    expect((await run(`env --file ${join(home, "linked/.env")}`)).status).toBe(0);
    expect(readdirSync(join(home, "secrets"))).toEqual([".env"]);
  });

  it("warns about a file that other accounts can use", async () => {
    writeFileSync(join(repository, ".env"), "A=1\n");
    chmodSync(join(repository, ".env"), 0o644);
    const { status, errors } = await run("env -o json");
    expect(status).toBe(0);
    expect(errors).toEqual([{ warning: expect.objectContaining({ code: "env:open_mode", mode: "644" }) }]);
    chmodSync(join(repository, ".env"), 0o600);
    expect((await run("env -o json")).stderr).toBe("");
  });
});

describe.skipIf(process.platform === "win32")("mgmt link in a repository that may attack", () => {
  it("follows no symbolic link to a folder elsewhere, and unlink removes it alone", async () => {
    symlinkSync(home, join(repository, ".mgmt"));
    const { status, stderr } = await run(`link --project-id ${projectId}`);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("link:unwritable"),
    });
    untouched();
    writeFileSync(join(home, "link.json"), '{"projectId":"proj_a"}');
    expect((await run("auth status")).stderr).toContain("link:unreadable");
    expect((await run("unlink")).status).toBe(0);
    expect(existsSync(join(repository, ".mgmt"))).toBe(false);
    expect(readFileSync(join(home, "link.json"), "utf8")).toBe('{"projectId":"proj_a"}');
  });

  it("follows no symbolic link to a file elsewhere", async () => {
    mkdirSync(join(repository, ".mgmt"));
    symlinkSync(join(home, ".bashrc"), join(repository, ".mgmt/link.json"));
    expect((await run(`link --project-id ${projectId}`)).status).toBe(1);
    untouched();
    expect((await run("unlink")).status).toBe(0);
    untouched();
  });

  it("does not use a temporary file that was planted", async () => {
    mkdirSync(join(repository, ".mgmt"));
    symlinkSync(join(home, "planted"), join(repository, `.mgmt/link.json.${String(process.pid)}.part`));
    expect((await run(`link --project-id ${projectId}`)).status).toBe(0);
    untouched();
  });

  it("writes a folder and a file for this user only", async () => {
    await run(`link --project-id ${projectId}`);
    expect(statSync(join(repository, ".mgmt")).mode & 0o777).toBe(0o700);
    expect(statSync(join(repository, ".mgmt/link.json")).mode & 0o777).toBe(0o600);
  });

  it("warns about a file that other accounts can use", async () => {
    const link = `link --project-id ${projectId} -o json`;
    expect((await run(link)).errors).toEqual([]);
    chmodSync(join(repository, ".mgmt/link.json"), 0o664);
    const warning = expect.objectContaining({ code: "link:open_mode", mode: "664" });
    expect((await run(link)).errors).toContainEqual({ warning });
  });
});

describe.skipIf(process.platform === "win32")("a manifest in a repository that may attack", () => {
  const secret = 'aws_secret: "wJalrXUtnFEMI"\n';
  const manifest = "version: 1\nprojects: {}\n";

  it.each([
    ["plan", "mgmt.yaml"],
    ["apply --yes", "mgmt.yaml"],
    ["rehearse -- true", "mgmt.yaml"],
    ["plan --file ./shop.yaml", "shop.yaml"],
    ["apply plan.json", "plan.json"],
  ])("mgmt %s quotes nothing of a private file that %s leads to", async (line, file) => {
    writeFileSync(join(home, "secret.yaml"), secret);
    symlinkSync(join(home, "secret.yaml"), join(repository, file));
    const { status, stdout, stderr } = await run(line);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/usage:linked_file.*hint: .*pass the path of the file/s);
    expect(stderr).not.toMatch(/aws|wJalr/);
  });

  it("nor does it if a folder in the path leads there", async () => {
    writeFileSync(join(home, "secret.yaml"), secret);
    symlinkSync(home, join(repository, "config"));
    const { stderr } = await run("plan --file config/secret.yaml");
    expect(stderr).toContain("usage:linked_file");
    expect(stderr).not.toContain("aws");
  });

  it("may be a link to another file of the folder, also in a folder that is reached by a link", async () => {
    mkdirSync(join(repository, "deploy"));
    writeFileSync(join(repository, "deploy/shop.yaml"), manifest);
    symlinkSync("deploy/shop.yaml", join(repository, "mgmt.yaml"));
    expect((await run("plan")).status).toBe(0);
    symlinkSync(repository, join(home, "linked"));
    expect((await account.run(["plan"], { cwd: join(home, "linked") })).status).toBe(0);
  });

  it("is read wherever the user says that it is", async () => {
    writeFileSync(join(home, "shop.yaml"), manifest);
    symlinkSync(join(home, "shop.yaml"), join(repository, "mgmt.yaml"));
    expect((await run(`plan --file ${join(repository, "mgmt.yaml")}`)).status).toBe(0);
    expect((await run(`plan --file ../${basename(home)}/shop.yaml`)).status).toBe(0);
  });
});
