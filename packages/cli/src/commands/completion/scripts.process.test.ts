import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { programInPty } from "../../../test/pty.js";
import { startSession } from "../../../test/terminal.js";

const folder = temporaryFolder();
const home = join(folder, "home");
const called = join(folder, "called");
const env: NodeJS.ProcessEnv = {
  PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
  HOME: home,
  ZDOTDIR: home,
  MGMT_CONFIG_DIR: join(folder, "config"),
  CALLED: called,
};

beforeAll(async () => {
  await ensureBuilt();
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(home, "functions"), { recursive: true });
  // Completes as mgmt does, and notes the arguments of every other command line.
  const mgmt = join(folder, "bin/mgmt");
  writeFileSync(
    mgmt,
    `#!/bin/sh
case $1 in complete | completion) exec '${process.execPath}' '${bin}' "$@" ;; esac
printf '%s\\n' "$*" >>"$CALLED"
`,
  );
  chmodSync(mgmt, 0o755);
  writeFileSync(join(home, "bashrc"), 'source <(mgmt completion bash); PS1="ready> "\n');
  writeFileSync(
    join(home, ".zshrc"),
    'fpath=("$HOME/functions" $fpath); autoload -U compinit; compinit -u -D; PS1="ready> "\n',
  );
  const zsh = await runInProcess(["completion", "zsh"]);
  writeFileSync(join(home, "functions/_mgmt"), zsh.stdout);
  writeFileSync(
    join(home, "config.fish"),
    'mgmt completion fish | source; function fish_prompt; printf "ready> "; end',
  );

  // The names are known from an earlier completion, and the service is stopped.
  const { server, env: access, close } = await startSession();
  await server.engine.seed.project({ name: "shop" });
  Object.assign(env, access);
  await runInProcess(["complete", "--refresh", "--", "projects", "get", ""], { env });
  await close();
  writeFileSync(join(home, "manifest.yaml"), "");
});

/** Each completes files of the home directory as well. The one for zsh loads its script at the first TAB. */
const shells: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash", "--noprofile", "--rcfile", join(home, "bashrc"), "-i"],
  zsh: ["zsh", "-i"],
  fish: ["fish", "--no-config", "--init-command", `source ${join(home, "config.fish")}`, "--interactive"],
};

const installed = Object.keys(shells).filter(
  (shell) => process.env["CI"] === "true" || spawnSync(shell, ["-c", "true"]).status === 0,
);

/** Completes commands, a name, a value after `=`, a path of the API, and a file. */
const everything = [
  ["mgmt data\tli\t", "databases list"],
  ["mgmt projects get sh\t", "projects get shop"],
  ["mgmt projects create --region=eu-c\t--name x", "projects create --region=eu-central-1 --name x"],
  ["mgmt api DELETE /v1/pro\tx", "api DELETE /v1/projects/x"],
  ["mgmt plan -f man\t", "plan -f manifest.yaml"],
] as const;

describe.each(installed)("completion in %s", (shell) => {
  it.each([
    [20, everything.slice(2, 3)],
    [80, everything],
    [200, everything.slice(2, 3)],
  ] as const)("completes what is typed in a terminal of %i columns", async (columns, lines) => {
    rmSync(called, { force: true });
    const when = /ready> /;
    const typed = [...lines.map(([line]) => line), "exit"].map((line) => ({ when, type: `${line}\r` }));
    const { status } = await programInPty(
      shells[shell] ?? [],
      [{ when, type: "cd\r" }, ...typed],
      env,
      columns,
    );
    const words = readFileSync(called, "utf8").trimEnd().split("\n");
    expect({ status, words: words.map((line) => line.trimEnd()) }).toEqual({
      status: 0,
      words: lines.map(([, expected]) => expected),
    });
  });
});
