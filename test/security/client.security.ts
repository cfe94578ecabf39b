import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setupBuilds } from "../../packages/sdk/test/build.js";
import { isPortFree } from "../../packages/platform/src/machine/ports.js";
import { startDev } from "./dev-process.js";
import { giveAway, isRoot } from "./foreign-account.js";
import { runAttack, whyNoOtherAccount } from "./other-account.js";
import { record } from "./recorder.js";
import { runCommand } from "./run-command.js";

let folder: string;
let configDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-client-"));
  configDir = join(folder, "config");
  mkdirSync(configDir, { mode: 0o700 });
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (line: string, env: NodeJS.ProcessEnv = {}, cwd = folder) =>
  runCommand(`${line} -o json`, { cwd, env: { MGMT_CONFIG_DIR: configDir, ...env } });

const storeProfiles = (profiles: object, active?: string): void =>
  writeFileSync(join(configDir, "config.json"), JSON.stringify({ active, profiles }), { mode: 0o600 });

let nextPort = 20_000 + (process.pid % 10_000);

/** Returns another port on which nothing listens. */
const freePort = async (): Promise<number> => {
  do nextPort += 1;
  while (!(await isPortFree(nextPort, "127.0.0.1")));
  return nextPort;
};

describe("the last port of a mgmt dev that has ended", () => {
  it("gives its next owner neither the token, nor the control secret, nor the sign-in key", async () => {
    const dataDir = join(folder, "data");
    const dev = await startDev("--data-dir", dataDir);
    const { ready } = dev;
    const signInKey = readFileSync(ready.signInKeyFile ?? "", "utf8");
    const controlSecret = readFileSync(ready.controlSecretFile, "utf8");
    const env = { MGMT_CONFIG_DIR: dev.configDir };
    // The control: the profile works while the service runs.
    expect(await run("projects list", env)).toMatchObject({ status: 0 });
    expect(await run("dev approvals list", env)).toMatchObject({ status: 0 });
    await dev.end();

    const port = Number(new URL(ready.baseUrl).port);
    const received = await record(port, async () => {
      for (const line of [
        "projects list",
        "api /v1/me",
        "whoami",
        "auth token",
        "doctor",
        "dev approvals list",
        "login --no-browser",
      ]) {
        const { status, stdout, stderr } = await run(line, env);
        expect({ line, failed: status !== 0, said: (stdout + stderr).includes("dev:not_running") }).toEqual({
          line,
          failed: true,
          said: true,
        });
      }
    });
    expect(received.length).toBeGreaterThan(0);
    const text = JSON.stringify(received);
    for (const secret of [ready.token, signInKey, controlSecret]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/authorization|cookie|x-mgmt-control-secret/i);

    // The control: a user who names the address and the token sends it, and the program receives it.
    const sent = await record(port, async (address) => {
      await run("projects list", { MGMT_BASE_URL: address, MGMT_TOKEN: ready.token });
    });
    expect(JSON.stringify(sent)).toContain(ready.token);
    await dev.stop();
  });
});

describe("a link in a repository", () => {
  const write = (value: object): string => {
    mkdirSync(join(folder, ".mgmt"), { recursive: true });
    const file = join(folder, ".mgmt/link.json");
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const projectOf = async (): Promise<unknown> => (await run("auth status --query project.value")).json;

  it("does not send a token from the environment to the service of a profile that it names", async () => {
    const port = await freePort();
    storeProfiles({ other: { baseUrl: `http://127.0.0.1:${String(port)}`, token: "of-the-profile" } });
    write({ profile: "other" });
    const received = await record(port, async () => {
      for (const line of ["projects list", "api /v1/me", "whoami", "doctor"]) {
        const { status, stdout, stderr } = await run(line, { MGMT_TOKEN: "canary" });
        expect({
          line,
          failed: status !== 0,
          said: (stdout + stderr).includes("auth:other_service"),
        }).toEqual({
          line,
          failed: true,
          said: true,
        });
      }
    });
    expect(received).toEqual([]);
    // The control: the user names the profile.
    const chosen = await record(port, async () => {
      await run("projects list", { MGMT_TOKEN: "canary", MGMT_PROFILE: "other" });
    });
    expect(JSON.stringify(chosen)).toContain("Bearer canary");
  });

  it("is named on standard error when a command uses it", async () => {
    const port = await freePort();
    storeProfiles({ other: { baseUrl: `http://127.0.0.1:${String(port)}`, token: "t" } });
    const file = write({ profile: "other", projectId: "proj_a" });
    await record(port, async () => {
      const linked = await run("projects databases list");
      expect({ status: linked.status, json: linked.json }).toEqual({ status: 0, json: [] });
      expect(linked.stderr).toContain(`Using profile other (127.0.0.1:${String(port)}) from ${file}`);
      expect(linked.stderr).toContain(`Using project proj_a from ${file}`);
      // The control: flags that say the same.
      const { stderr } = await run("projects databases list proj_a --profile other");
      expect(stderr).not.toContain("link:used");
    });
  });

  it("is ignored if every account can write to it or its folder, and says so", async () => {
    const file = write({ projectId: "proj_planted" });
    // The control: nobody else can write to it.
    expect(await projectOf()).toBe("proj_planted");
    for (const path of [file, join(folder, ".mgmt"), folder]) {
      const { mode } = lstatSync(path);
      chmodSync(path, 0o777);
      const { json, stderr } = await run("auth status --query project.value");
      expect({ path, json, said: stderr.includes("link:ignored") }).toEqual({ path, json: null, said: true });
      chmodSync(path, mode);
    }
  });

  it("is ignored if another account made it, and says so", async ({ skip }) => {
    const reason = whyNoOtherAccount();
    if (reason !== undefined) skip(reason);
    const plant = `
      import { mkdirSync, writeFileSync } from "node:fs";
      mkdirSync(input.folder + "/.mgmt");
      writeFileSync(input.folder + "/.mgmt/link.json", '{"projectId":"proj_planted"}');
      console.log("null");`;
    chmodSync(folder, 0o777);
    await runAttack(plant, { folder });
    chmodSync(folder, 0o755);
    const { json, stderr } = await run("auth status --query project.value");
    expect({ json, said: stderr.includes("link:ignored") }).toEqual({ json: null, said: true });
    // The control: the same link in a folder of this account.
    rmSync(join(folder, ".mgmt"), { recursive: true });
    write({ projectId: "proj_planted" });
    expect(await projectOf()).toBe("proj_planted");
  });

  it("does not make commands wait for a named pipe, nor read a device", async () => {
    write({ projectId: "proj_a" });
    expect(await projectOf()).toBe("proj_a");
    const file = join(folder, ".mgmt/link.json");
    for (const make of [
      ["mkfifo", file],
      ["ln", "-s", "/dev/zero", file],
      ["ln", "-s", "/dev/tty", file],
    ]) {
      rmSync(file);
      const [program = "", ...args] = make;
      execFileSync(program, args);
      const { status, stderr } = await run("projects list");
      expect({ make, status, said: stderr.includes("link:unreadable") }).toEqual({
        make,
        status: 1,
        said: true,
      });
    }
  });
});

describe("an http: address of another machine", () => {
  it("gets no credential without --insecure", async () => {
    const port = await freePort();
    const proxy = `http://127.0.0.1:${String(port)}`;
    // The proxy stands for the way to the other machine.
    const env = {
      MGMT_BASE_URL: "http://api.test",
      MGMT_TOKEN: "canary",
      HTTP_PROXY: proxy,
      http_proxy: proxy,
    };
    const received = await record(port, async () => {
      for (const line of [
        "projects list",
        "api /v1/me",
        "whoami",
        "open proj_1",
        "plan",
        "env db_1",
        "psql db_1",
      ]) {
        const { status, stderr } = await run(line, env);
        expect({ line, status, said: stderr.includes("connection:insecure") }).toEqual({
          line,
          status: 2,
          said: true,
        });
      }
    });
    expect(received).toEqual([]);
    // The control: with the flag, the token is on the way in plain text, and the command says so.
    const sent = await record(port, async () => {
      const { status, stderr } = await run("projects list --insecure", env);
      expect({ status, said: stderr.includes("connection:insecure") }).toEqual({ status: 0, said: true });
    });
    expect(JSON.stringify(sent)).toContain("Bearer canary");
  });
});

describe("a package called @mgmt/cli that somebody has planted", () => {
  const { bundle } = setupBuilds();
  let program: string;
  beforeAll(async () => {
    const source = `import { cliLogin } from "@mgmt/sdk/auth/node";
      console.log(await cliLogin().then(({ token }) => token(), ({ code }) => code));`;
    program = await bundle(source, { external: [] });
  });

  /** Writes a package that prints its name as the token. */
  const plant = (name: string): string => {
    const top = join(folder, name, "node_modules");
    mkdirSync(join(top, "@mgmt/cli/dist"), { recursive: true });
    const printed = JSON.stringify({ token: name, baseUrl: "https://a.test" });
    writeFileSync(join(top, "@mgmt/cli/dist/mgmt.js"), `console.log(${JSON.stringify(printed)});`);
    return top;
  };
  /** Runs a program that is in one folder, and that contains the SDK, in another one. */
  const runProgram = (place: string, cwd: string): string => {
    const file = join(folder, place, "program.mjs");
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(join(folder, cwd), { recursive: true });
    copyFileSync(program, file);
    return execFileSync(process.execPath, [file], {
      cwd: join(folder, cwd),
      env: { PATH: "" },
      encoding: "utf8",
    }).trim();
  };

  it("is not run when it is in the working directory, or in a folder above it", () => {
    plant("repository");
    expect(runProgram("tool", "repository")).toBe("auth:cli_failed");
    expect(runProgram("tool", "repository/work")).toBe("auth:cli_failed");
    // The control: a program of the repository itself.
    expect(runProgram("repository/bin", "tool")).toBe("repository");
  });

  it("is not run when another account has planted it in a folder above the program", ({ skip }) => {
    if (!isRoot) skip("it makes files of other accounts");
    const top = plant("shared");
    chmodSync(join(folder, "shared"), 0o1777);
    expect(runProgram("shared/own", "tool")).toBe("shared"); // the control: this account's
    for (const path of [top, join(top, "@mgmt/cli"), join(top, "@mgmt/cli/dist/mgmt.js")]) {
      giveAway(path);
      expect({ path, result: runProgram("shared/own", "tool") }).toEqual({ path, result: "auth:cli_failed" });
      lchownSync(path, 0, 0);
    }
    // A link of another account to a package of this one.
    renameSync(top, join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), top);
    expect(runProgram("shared/own", "tool")).toBe("shared");
    giveAway(top);
    expect(runProgram("shared/own", "tool")).toBe("auth:cli_failed");
  });
});

describe("a redirect to another origin", () => {
  it.each(["projects list", "api /v1/me", "whoami", "projects create shop", "env db_1", "apply --yes"])(
    "is not followed by %s",
    async (line) => {
      const [from, to] = [await freePort(), await freePort()];
      writeFileSync(join(folder, "mgmt.yaml"), "projects:\n  shop: {}\n");
      const source = `
        import { createServer } from "node:http";
        createServer((request, response) => {
          if (request.url === "/end") { response.end(); console.log("null"); process.exit(0); }
          response.writeHead(307, { location: "http://127.0.0.1:" + input.to + request.url }).end();
        }).listen(input.from, "127.0.0.1");`;
      const redirecting = runAttack(source, { from, to });
      const address = `http://127.0.0.1:${String(from)}`;
      const received = await record(to, async (target) => {
        while (!(await fetch(`${address}/started`, { redirect: "manual" }).catch(() => false)));
        const { status } = await run(line, { MGMT_BASE_URL: address, MGMT_TOKEN: "canary" });
        expect(status).not.toBe(0);
        // The control: a client that follows redirects arrives.
        await fetch(`${address}/followed`);
        expect(target).toContain(String(to));
      });
      await fetch(`${address}/end`);
      await redirecting;
      expect(received.map(({ url }) => url)).toEqual(["/followed"]);
    },
  );
});
