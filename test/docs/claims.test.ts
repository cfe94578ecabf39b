import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as auth from "../../packages/sdk/src/auth/index.js";
import * as main from "../../packages/sdk/src/index.js";
import * as node from "../../packages/sdk/src/node.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";

/** Compares what pages say with the sources that make it true. */
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** Returns the cells of the rows below a heading, without those of the table's head. */
const rowsBelow = (page: string, heading: string): string[][] => {
  const [, section = ""] = read(page).split(`\n## ${heading}\n`);
  return [...(section.split("\n## ")[0] ?? "").matchAll(/^\|(.+)\|$/gm)]
    .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()))
    .filter(([first = ""]) => first !== "" && !/^-+$/.test(first))
    .slice(1);
};

const codeIn = (cell = ""): string => /^`([^`]+)`$/.exec(cell)?.[1] ?? cell;

/** Returns the options of a client: an error about a misspelled one lists them. */
const clientOptions = (): string[] => {
  const misspelled = { baseUrl: "https://api.example.com", basUrl: "" };
  try {
    main.createClient(misspelled);
  } catch (error) {
    const hint = error instanceof Error && "hint" in error ? String(error.hint) : "";
    return /^The options of a client are (.+?)\. /.exec(hint)?.[1]?.split(", ") ?? [];
  }
  return [];
};

describe("the tables of the guides", () => {
  it("have all options of a client, and the signal of a call (client.md)", () => {
    const listed = rowsBelow("docs/guides/client.md", "Create a client").map(([name]) => codeIn(name));
    expect(clientOptions()).toContain("maxRetries");
    expect(listed.sort()).toEqual([...clientOptions(), "signal"].sort());
  });
});

type ErrorClass = typeof main.MgmtError;

/** `instanceof` compares the kinds of an instance, which a prototype lacks. */
const isBelow = (parent: object, value: unknown): value is ErrorClass =>
  typeof value === "function" && Object.prototype.isPrototypeOf.call(parent, value);

/** Returns the error classes of the SDK that an entry point exports. */
const errorsIn = (entryPoint: object): ErrorClass[] =>
  Object.values(entryPoint).filter((value: unknown) => isBelow(main.MgmtError, value));

describe("the classes of errors (errors.md)", () => {
  const entryPoints: Record<string, object> = {
    "@mgmt/sdk": main,
    "@mgmt/sdk/auth": auth,
    "@mgmt/sdk/node": node,
  };
  const rows = rowsBelow("docs/guides/errors.md", "All classes").map(([cell = "", text = ""]) => ({
    names: [...cell.matchAll(/`(\w+Error)`/g)].map(([, name = ""]) => name),
    depth: /^–*/.exec(cell)?.[0].length ?? 0,
    entryPoint: /exported by `([^`]+)`/.exec(text)?.[1] ?? "@mgmt/sdk",
  }));
  const classNamed = (name: string): ErrorClass | undefined =>
    Object.values(entryPoints)
      .flatMap(errorsIn)
      .find(({ className }) => className === name);

  it.each(rows)("are exported as the table says: $names", ({ names, entryPoint }) => {
    expect(names).not.toEqual([]);
    const exported = errorsIn(entryPoints[entryPoint] ?? {}).map(({ className }) => className);
    expect(exported).toEqual(expect.arrayContaining(names));
  });

  it("extend those that they are below in the table", () => {
    const withParents = rows.filter(({ depth }) => depth > 0);
    expect(withParents.length).toBeGreaterThan(3);
    for (const { names, depth } of withParents) {
      const above = rows.slice(
        0,
        rows.findIndex((row) => row.names === names),
      );
      const parents = above.findLast((row) => row.depth < depth)?.names.map(classNamed) ?? [];
      for (const name of names) {
        const extended = parents.filter((parent) => parent && isBelow(parent, classNamed(name)));
        expect(extended.length, `${name} extends its parent`).toBe(1);
      }
    }
  });

  it("are all in the table, apart from those of a status, of a code, and of a login", () => {
    const listed = rows.flatMap(({ names }) => names);
    const others = Object.values(entryPoints)
      .flatMap(errorsIn)
      .filter((each) => !isBelow(main.ApiError, each) && !isBelow(auth.AuthError, each));
    expect(others.length).toBeGreaterThan(8);
    for (const { className } of others) expect(listed).toContain(className);
  });
});

/** What pages say about limits, and the declarations that it is true for. */
const limits: readonly (readonly [
  page: string,
  text: string,
  source: string,
  declarations: readonly string[],
])[] = [
  [
    "docs/guides/client.md",
    "one deadline for the whole call",
    "packages/sdk/src/request/settings.ts",
    ["timeoutMs: 60_000,", "maxRetries: 2,", "maxRetryAfterMs: 60_000,"],
  ],
  [
    "docs/guides/waiting.md",
    "below a bound that grows from 0.2 to 5 seconds",
    "packages/sdk/src/wait/wait-for.ts",
    ["firstPauseMs = 200;", "longestPauseMs = 5_000;"],
  ],
  [
    "docs/guides/waiting.md",
    "are tolerated for up to a minute",
    "packages/sdk/src/wait/wait-for.ts",
    ["maxFailureMs = 60_000;"],
  ],
  [
    "docs/guides/ensure.md",
    "gives up after 8 rounds",
    "packages/sdk/src/ensure/ensure.ts",
    ["maxRounds = 8;"],
  ],
  [
    "docs/guides/local-service.md",
    "at most 100 connections, and all databases together have 500. If they have more than 400,",
    "packages/cluster/src/connection/connection-limits.ts",
    ["perDatabase: 100,", "total: 500,"],
  ],
  [
    "docs/threat-model.md",
    "at most 100 of 500 connections",
    "packages/cluster/src/connection/connection-limits.ts",
    ["perDatabase: 100,", "total: 500,"],
  ],
  [
    "docs/threat-model.md",
    "Another 30 are reserved",
    "packages/cluster/src/connection/connection-limits.ts",
    ["reserved: 30,"],
  ],
  [
    "docs/guides/local-service.md",
    "more than 16,000 locks together, the sessions of the database that holds the most are ended, and it accepts no connections for a minute",
    "packages/cluster/src/guard/tenant-guard.ts",
    [
      "sharedConnectionThreshold: connectionLimits.total * 0.8,",
      "maxLocks: connectionLimits.total * 32,",
      "penaltyMs: 60_000,",
    ],
  ],
  [
    "docs/guides/local-service.md",
    "If more than 400 of them wait, the oldest are disconnected",
    "packages/platform/src/front/front.ts",
    ["maxUnacceptedClients = 400;"],
  ],
  [
    "docs/guides/local-service.md",
    "if 2 GiB of `/dev/shm` and 4 GiB of memory are free",
    "packages/platform/src/machine/data-dir/directories.ts",
    ["bavail * bsize >= 2 * gibibyte", "availableMemory() >= 4 * gibibyte"],
  ],
  [
    "docs/threat-model.md",
    "at most four databases of one workspace at a time, and on eight more for requests that wait",
    "packages/engine/src/jobs/job-runner.ts",
    ["concurrencyLimits = { total: 16, perKey: 4 };", "awaitedConcurrencyLimits = { total: 32, perKey: 8 };"],
  ],
  [
    "docs/threat-model.md",
    "At most 16 requests of a connection are handled at a time, and the connection is closed within two minutes",
    "packages/engine/src/http/http-server.ts",
    ["maxPipelinedRequests = 16;", "sendTimeoutMs = 60_000;"],
  ],
  [
    "docs/threat-model.md",
    "limited to 1 GiB with `--ephemeral`, and otherwise to 10 GiB",
    "packages/platform/src/machine/postgres/settings.ts",
    ['temp_file_limit: durable ? "10GB" : "1GB",'],
  ],
  [
    "docs/threat-model.md",
    "A database that exceeds 1 GiB, including temporary files",
    "packages/platform/src/machine/memory-limits.ts",
    ["maxBytesPerDatabase: 1024 * mebibyte,", "maxTotalBytes: Math.floor((bavail * bsize) / 2)"],
  ],
  [
    "docs/guides/local-service.md",
    "fewer than 256 open files (`ulimit -n`) ends with `platform:open_files_limit`, one with fewer than 64 processes",
    "packages/platform/src/machine/process-limits.ts",
    ["minOpenFiles = 256;", "minProcesses = 64;"],
  ],
  [
    "docs/guides/local-service.md",
    "one with less than 1 GiB for the size of a file",
    "packages/platform/src/machine/process-limits.ts",
    ["minFileSize = 1024 ** 3;"],
  ],
  [
    "docs/guides/ci.md",
    "those younger than a day (`--min-age`)",
    "packages/cli/src/commands/preview/prune.ts",
    ['{ minAge = "1d" }'],
  ],
  [
    "docs/guides/waiting.md",
    "sends it again within 15 minutes",
    "packages/engine/src/values/settings.ts",
    ["pending: 15 * minuteMs,", "approved: 15 * minuteMs,"],
  ],
  [
    "docs/mock.md",
    "once the bodies of later requests in the log exceed 16 MiB",
    "packages/engine/src/request/request-log.ts",
    ["maxLoggedBodyBytes = 16 * 1024 * 1024;"],
  ],
  [
    "docs/guides/authentication.md",
    "For tokens that live less than 8 minutes, the two limits are a quarter and a sixteenth of their lifetime",
    "packages/sdk/src/auth/credential.ts",
    ["Math.min(30_000, lifetimeMs / 16)", "Math.min(120_000, lifetimeMs / 4)"],
  ],
  [
    "docs/threat-model.md",
    "The key consists of 256 random bits",
    "packages/platform/src/start/open-server.ts",
    ["signInKey = context.requireSignInKey ? randomBytes(32)"],
  ],
  [
    "docs/threat-model.md",
    "Wrong keys are limited to ten per minute",
    "packages/engine/src/oauth/sign-in-gate.ts",
    ["maxWrongKeys = 10;", "guessWindowMs = 60_000;"],
  ],
  [
    "docs/threat-model.md",
    "A login ends 180 days after it began",
    "packages/engine/src/values/settings.ts",
    ["refreshFamily: 180 * 24 * 60 * minuteMs,"],
  ],
  [
    "docs/threat-model.md",
    "a single repetition within 10 seconds succeeds",
    "packages/engine/src/values/settings.ts",
    ["refreshGrace: 10_000,"],
  ],
  ...[
    ["docs/guides/docker.md", "`postgres`, `daemon`, and `nobody`"],
    ["docs/guides/local-service.md", "`postgres` (on macOS `_postgres`), `daemon`, and `nobody`"],
    ["docs/threat-model.md", "`postgres` (on macOS `_postgres`), or else `daemon`, or else `nobody`"],
  ].map(
    ([page = "", text = ""]) =>
      [
        page,
        text,
        "packages/platform/src/machine/data-dir/postgres-account.ts",
        ['candidateAccountNames = ["postgres", "_postgres", "daemon", "nobody"];'],
      ] as const,
  ),
];

describe("the limits in the docs", () => {
  it.each(limits)("are those of the sources: %s says %j", (page, text, source, declarations) => {
    expect(read(page).replaceAll(/\s+/g, " ")).toContain(text);
    for (const declaration of declarations) expect(read(source)).toContain(declaration);
  });
});

interface Operation {
  operationId: string;
  description?: string;
  "x-agent-approval"?: "required" | "never" | { fields: string[] };
}

const operations = (): Operation[] => {
  // Written by the generator.
  const { paths } = JSON.parse(read("packages/sdk/openapi.json")) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).filter(({ operationId }) => operationId),
  );
};
const namesOf = (found: Operation[]): string[] => found.map(({ operationId }) => operationId).sort();

describe("what the docs say about the contract", () => {
  it("has the order of lists (paging.md)", () => {
    const newestFirst = operations().filter(({ description }) => description?.includes("newest first"));
    expect(namesOf(newestFirst)).toEqual(["databases.backups.list", "workspaces.serviceTokens.list"]);
    expect(read("docs/guides/paging.md")).toContain(
      "except service tokens and backups, which come newest first",
    );
  });

  it("has what an agent needs an approval for, and what it cannot do at all (threat-model.md)", () => {
    const withApproval = operations().filter((each) => each["x-agent-approval"] === "required");
    const named = operations().filter(({ operationId }) =>
      /\.(?:delete|restore|transfer|rotate)$/.test(operationId),
    );
    expect(namesOf(withApproval)).toEqual(namesOf(named));
    const refused = operations().filter((each) => each["x-agent-approval"] === "never");
    expect(namesOf(refused)).toEqual(["workspaces.create", "workspaces.serviceTokens.create"]);
    const changed = operations().filter((each) => typeof each["x-agent-approval"] === "object");
    expect(namesOf(changed)).toEqual(["apps.update", "databases.update", "services.update"]);
    const text = read("docs/threat-model.md").replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "An agent cannot delete, restore, transfer, or rotate anything, or change a logical id or the branch of a database, app or service, unless its sponsor approves",
    );
    expect(text).toContain("but not create service tokens or workspaces");
  });
});

describe("the README of each package", () => {
  it.each(["sdk", "cli", "mock", "platform"])("leads to the guides in at most 700 words: %s", (name) => {
    const words = read(`packages/${name}/README.md`)
      .split(/\s+/)
      .filter((word) => /\w/.test(word));
    expect(words.length).toBeLessThanOrEqual(700);
  });

  it("exists for each package", () => {
    expect([...packageFolders].sort()).toEqual(["cli", "mock", "platform", "sdk"]);
  });
});

/** Returns the number of lines in the files of a folder, apart from what comes with every example. */
const linesIn = (folder: string): number =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(?:README\.md|package\.json|.*\.test\.ts)$/.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8").split("\n").length - 1)
    .reduce((sum, lines) => sum + lines, 0);

describe("the READMEs of examples", () => {
  it.each(["ci", "saas", "vite-login", "vite-offline", "pull-request-database"])(
    "say how many lines there are: %s",
    (name) => {
      const [, lines] = /\b(\d+) lines of code\b/.exec(read(`examples/${name}/README.md`)) ?? [];
      expect(lines).toBe(String(linesIn(`examples/${name}`)));
    },
  );
});
