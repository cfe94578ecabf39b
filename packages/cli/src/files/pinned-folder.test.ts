import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { useAttackedRepository } from "../../test/files/attacked-repository.js";

const attacked = useAttackedRepository();

describe.skipIf(process.platform === "win32")("mgmt env in a repository that may attack", () => {
  it.each([
    [
      "a file elsewhere",
      ".env",
      () => symlinkSync(join(attacked.home, ".bashrc"), join(attacked.repository, ".env")),
    ],
    [
      "no file yet",
      ".env",
      () => symlinkSync(join(attacked.home, ".profile"), join(attacked.repository, ".env")),
    ],
    [
      "a file in the repository",
      ".env",
      () => symlinkSync("package.json", join(attacked.repository, ".env")),
    ],
    [
      "a folder elsewhere",
      "config/.env",
      () => symlinkSync(attacked.home, join(attacked.repository, "config")),
    ],
    [
      "a folder elsewhere, further up",
      "a/b/.env",
      () => {
        mkdirSync(join(attacked.home, "b"));
        symlinkSync(attacked.home, join(attacked.repository, "a"));
      },
    ],
  ])("follows no symbolic link to %s", async (_, file, plant) => {
    plant();
    const { status, stdout, stderr } = await attacked.run(`env --file ${file}`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/env:unwritable.*hint: .*links are not followed/s);
    expect(stderr).toContain("is a symbolic link to");
    expect(existsSync(join(attacked.home, ".profile"))).toBe(false);
    expect(existsSync(join(attacked.home, ".env"))).toBe(false);
    expect(existsSync(join(attacked.home, "b/.env"))).toBe(false);
    expect(readFileSync(join(attacked.home, ".bashrc"), "utf8")).toBe("export A=1\n");
    expect(existsSync(join(attacked.repository, "package.json"))).toBe(false);
  });

  it("does not change the other name of a hard link", async () => {
    linkSync(join(attacked.home, ".bashrc"), join(attacked.repository, ".env"));
    expect((await attacked.run("env")).status).toBe(0);
    attacked.expectHomeUnchanged();
    expect(readFileSync(join(attacked.repository, ".env"), "utf8")).toMatch(/^export A=1\nDATABASE_URL="/);
  });

  it("leaves no temporary file", async () => {
    expect((await attacked.run("env")).status).toBe(0);
    expect(readdirSync(attacked.repository)).toEqual([".env"]);
  });

  it("follows a link that the user names by its full path or that leads to the folder itself", async () => {
    mkdirSync(join(attacked.home, "secrets"));
    symlinkSync(join(attacked.home, "secrets"), join(attacked.home, "linked"));
    expect((await attacked.run(`env --file ${join(attacked.home, "linked/.env")}`)).status).toBe(0);
    expect(readdirSync(join(attacked.home, "secrets"))).toEqual([".env"]);
  });

  it("warns about a file that other accounts can use", async () => {
    writeFileSync(join(attacked.repository, ".env"), "A=1\n");
    chmodSync(join(attacked.repository, ".env"), 0o644);
    const { status, errors } = await attacked.run("env -o json");
    expect(status).toBe(0);
    expect(errors).toEqual([{ warning: expect.objectContaining({ code: "env:open_mode", mode: "644" }) }]);
    chmodSync(join(attacked.repository, ".env"), 0o600);
    expect((await attacked.run("env -o json")).stderr).toBe("");
  });
});

describe.skipIf(process.platform === "win32")("mgmt link in a repository that may attack", () => {
  it("follows no symbolic link to a folder elsewhere, and unlink removes it alone", async () => {
    symlinkSync(attacked.home, join(attacked.repository, ".mgmt"));
    const { status, stderr } = await attacked.run(`link --project-id ${attacked.projectId}`);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("link:unwritable"),
    });
    attacked.expectHomeUnchanged();
    writeFileSync(join(attacked.home, "link.json"), '{"projectId":"proj_a"}');
    expect((await attacked.run("auth status")).stderr).toContain("link:unreadable");
    expect((await attacked.run("unlink")).status).toBe(0);
    expect(existsSync(join(attacked.repository, ".mgmt"))).toBe(false);
    expect(readFileSync(join(attacked.home, "link.json"), "utf8")).toBe('{"projectId":"proj_a"}');
  });

  it("follows no symbolic link to a file elsewhere", async () => {
    mkdirSync(join(attacked.repository, ".mgmt"));
    symlinkSync(join(attacked.home, ".bashrc"), join(attacked.repository, ".mgmt/link.json"));
    expect((await attacked.run(`link --project-id ${attacked.projectId}`)).status).toBe(1);
    attacked.expectHomeUnchanged();
    expect((await attacked.run("unlink")).status).toBe(0);
    attacked.expectHomeUnchanged();
  });

  it("does not use a temporary file that was planted", async () => {
    mkdirSync(join(attacked.repository, ".mgmt"));
    symlinkSync(
      join(attacked.home, "planted"),
      join(attacked.repository, `.mgmt/link.json.${String(process.pid)}.part`),
    );
    expect((await attacked.run(`link --project-id ${attacked.projectId}`)).status).toBe(0);
    attacked.expectHomeUnchanged();
  });

  it("writes a folder and a file for this user only", async () => {
    await attacked.run(`link --project-id ${attacked.projectId}`);
    expect(statSync(join(attacked.repository, ".mgmt")).mode & 0o777).toBe(0o700);
    expect(statSync(join(attacked.repository, ".mgmt/link.json")).mode & 0o777).toBe(0o600);
  });

  it("warns about a file that other accounts can use", async () => {
    const link = `link --project-id ${attacked.projectId} -o json`;
    expect((await attacked.run(link)).errors).toEqual([]);
    chmodSync(join(attacked.repository, ".mgmt/link.json"), 0o664);
    const warning = expect.objectContaining({ code: "link:open_mode", mode: "664" });
    expect((await attacked.run(link)).errors).toContainEqual({ warning });
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
    writeFileSync(join(attacked.home, "secret.yaml"), secret);
    symlinkSync(join(attacked.home, "secret.yaml"), join(attacked.repository, file));
    const { status, stdout, stderr } = await attacked.run(line);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/usage:linked_file.*hint: .*pass the path of the file/s);
    expect(stderr).not.toMatch(/aws|wJalr/);
  });

  it("nor does it if a folder in the path leads there", async () => {
    writeFileSync(join(attacked.home, "secret.yaml"), secret);
    symlinkSync(attacked.home, join(attacked.repository, "config"));
    const { stderr } = await attacked.run("plan --file config/secret.yaml");
    expect(stderr).toContain("usage:linked_file");
    expect(stderr).not.toContain("aws");
  });

  it("may be a link to another file of the folder, also in a folder that is reached by a link", async () => {
    mkdirSync(join(attacked.repository, "deploy"));
    writeFileSync(join(attacked.repository, "deploy/shop.yaml"), manifest);
    symlinkSync("deploy/shop.yaml", join(attacked.repository, "mgmt.yaml"));
    expect((await attacked.run("plan")).status).toBe(0);
    symlinkSync(attacked.repository, join(attacked.home, "linked"));
    expect((await attacked.account.run(["plan"], { cwd: join(attacked.home, "linked") })).status).toBe(0);
  });

  it("is read wherever the user says that it is", async () => {
    writeFileSync(join(attacked.home, "shop.yaml"), manifest);
    symlinkSync(join(attacked.home, "shop.yaml"), join(attacked.repository, "mgmt.yaml"));
    expect((await attacked.run(`plan --file ${join(attacked.repository, "mgmt.yaml")}`)).status).toBe(0);
    expect((await attacked.run(`plan --file ../${basename(attacked.home)}/shop.yaml`)).status).toBe(0);
  });
});
