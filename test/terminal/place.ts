import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { NodeVersion } from "./installed-command.js";
import type { Service, Tenant } from "./service.js";
import { Terminal, type TerminalOptions } from "./terminal.js";

/** The folder of a user at a terminal, and the tenant that the user's commands act on. */
export class Place {
  // Not the folder of the system for temporary files: the width of its path would change the screens.
  readonly folder = mkdtempSync("/tmp/mgmt-");

  /** Ids of what the tenant has, by what it is. */
  readonly ids: Record<string, string>;
  /** Variables of the environment beyond those below. An empty one is not set. */
  readonly variables: Record<string, string> = {};

  constructor(
    readonly service: Service,
    readonly tenant: Tenant,
    readonly node: NodeVersion,
  ) {
    mkdirSync(join(this.folder, ".home/mgmt"), { recursive: true });
    this.ids = { ...tenant.ids };
  }

  get env(): Record<string, string> {
    return {
      // A `#!` line finds the version of Node.js here, and shells find `mgmt`.
      PATH: [this.node.folder, inject("commandFolder"), process.env["PATH"]].join(":"),
      HOME: join(this.folder, ".home"),
      XDG_CACHE_HOME: join(inject("cacheFolder"), String(this.node.major)),
      MGMT_CONFIG_DIR: join(this.folder, ".home/mgmt"),
      MGMT_BASE_URL: this.service.baseUrl,
      MGMT_TOKEN: this.tenant.token,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      NO_PAGER: "1",
      MGMT_NO_UPDATE_NOTIFIER: "1",
      ...this.variables,
    };
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs `mgmt` in the folder. */
  run(words: readonly string[], options: Partial<TerminalOptions> = {}): Terminal {
    return this.runProgram(["mgmt", ...words], options);
  }

  /** Runs any program in the folder. */
  runProgram(program: readonly string[], { env = {}, ...options }: Partial<TerminalOptions> = {}): Terminal {
    const all = Object.entries({ ...this.env, ...env }).filter(([, value]) => value !== "");
    return new Terminal(program, { cwd: this.folder, ...options, env: Object.fromEntries(all) });
  }

  /** Sends a request to the API as the tenant. */
  api(method: string, path: string, body?: Readonly<Record<string, unknown>>): ReturnType<Service["api"]> {
    return this.service.api(this.tenant.token, method, path, body);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
