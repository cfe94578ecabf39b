import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { linksOf } from "../docs/markdown.js";

const page = "docs/architecture.md";
const text = readFileSync(join(root, page), "utf8");

/** Returns the files of the numbered steps of a section, in order. */
const stepsOf = (heading: string): string[] => {
  const [, section = ""] = text.split(`## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  const steps = body.split("\n").filter((line) => /^\d+\. /.test(line));
  return steps.flatMap((line) => linksOf(line).slice(0, 1)).map((link) => join("docs", link));
};

/** Entry points of packages, which other packages import by name. */
const entryPoints: Readonly<Record<string, string>> = {
  "@mgmt/sdk": "packages/sdk/src/index.ts",
  "@mgmt/sdk/node": "packages/sdk/src/node.ts",
  "@mgmt/engine": "packages/engine/src/index.ts",
  "@mgmt/engine/http": "packages/engine/src/http.ts",
  "@mgmt/engine/internal": "packages/engine/src/internal.ts",
  "@mgmt/platform": "packages/platform/src/index.ts",
};

/** Returns the files that a file imports or re-exports, statically or dynamically, types included. */
const importsOf = (file: string): string[] => {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  return importedFiles.flatMap(({ fileName }) => {
    if (!fileName.startsWith(".")) return entryPoints[fileName] ?? [];
    return relative(root, join(root, dirname(file), fileName.replace(/\.js$/, ".ts")));
  });
};

/** The files between the pipeline and the limit. */
const countRequest = [
  "packages/engine/src/context/rule-context.ts",
  "packages/engine/src/server/stored-state.ts",
];

/**
 * Steps that follow each other without an import from one to the other. Each names the files that connect them; every pair of
 * neighbors in that chain is connected by an import in one direction or the other.
 */
const handOvers: readonly { from: string; to: string; through: readonly string[]; how: string }[] = [
  ...["methods/resource", "bare-client"].map((name) => ({
    from: `packages/sdk/src/${name}.ts`,
    to: "packages/sdk/src/request/request.ts",
    through: ["packages/sdk/src/methods/core.ts"],
    how: "`core.ts` holds the function that sends requests",
  })),
  {
    from: "packages/sdk/src/request/encode.ts",
    to: "packages/sdk/src/request/round-trip.ts",
    through: ["packages/sdk/src/request/request.ts"],
    how: "`request.ts` calls both",
  },
  {
    from: "packages/sdk/src/request/authorize.ts",
    to: "packages/sdk/src/request/send.ts",
    through: ["packages/sdk/src/request/round-trip.ts"],
    how: "`round-trip.ts` calls both",
  },
  {
    from: "packages/sdk/src/request/send.ts",
    to: "packages/sdk/src/transport/fetch-transport.ts",
    through: ["packages/sdk/src/request/context.ts", "packages/sdk/src/request/settings.ts"],
    how: "the settings of the context hold the transport",
  },
  {
    from: "packages/engine/src/http/host-guard.ts",
    to: "packages/engine/src/http/http-body.ts",
    through: ["packages/engine/src/http/http-server.ts"],
    how: "`http-server.ts` calls both",
  },
  {
    from: "packages/engine/src/http/http-body.ts",
    to: "packages/engine/src/server/server.ts",
    through: ["packages/engine/src/http/http-server.ts"],
    how: "`http-server.ts` calls both",
  },
  {
    from: "packages/engine/src/request/engine.ts",
    to: "packages/engine/src/server/stored-backend.ts",
    through: ["packages/engine/src/server/server.ts"],
    how: "`server.ts` passes `requestContext` of the backend to the engine",
  },
  {
    from: "packages/engine/src/server/stored-backend.ts",
    to: "packages/engine/src/request/pipeline.ts",
    through: ["packages/engine/src/server/server.ts", "packages/engine/src/request/engine.ts"],
    how: "`engine.ts` passes the context to the pipeline",
  },
  {
    from: "packages/engine/src/request/route.ts",
    to: "packages/engine/src/control/faults.ts",
    through: ["packages/engine/src/request/pipeline.ts", "packages/engine/src/context/faults.ts"],
    how: "`pipeline.ts` calls both, and knows the faults as a `FaultSource`",
  },
  {
    from: "packages/engine/src/control/faults.ts",
    to: "packages/engine/src/oauth/access-tokens.ts",
    through: [
      "packages/engine/src/context/faults.ts",
      "packages/engine/src/request/pipeline.ts",
      "packages/engine/src/context/authenticator.ts",
    ],
    how: "`pipeline.ts` calls both, and knows the tokens as an `Authenticator`",
  },
  {
    from: "packages/engine/src/oauth/access-tokens.ts",
    to: "packages/engine/src/server/stored-state.ts",
    through: ["packages/engine/src/server/server-state.ts"],
    how: "`stored-state.ts` runs `transact` of the context, whose `Authenticator` is a part of its state",
  },
  {
    from: "packages/engine/src/store/replay.ts",
    to: "packages/engine/src/request/authenticate.ts",
    through: ["packages/engine/src/server/stored-state.ts", "packages/engine/src/context/rule-context.ts"],
    how: "the step that `replay.ts` runs calls `authenticate` with the context that `stored-state.ts` makes",
  },
  {
    from: "packages/engine/src/request/authenticate.ts",
    to: "packages/engine/src/request/limit.ts",
    through: [
      "packages/engine/src/request/pipeline.ts",
      "packages/engine/src/context/rule-context.ts",
      "packages/engine/src/server/stored-state.ts",
    ],
    how: "`pipeline.ts` calls both, `countRequest` of the context for the limit",
  },
  {
    from: "packages/engine/src/request/limit.ts",
    to: "packages/engine/src/request/read-body.ts",
    through: [...countRequest.toReversed(), "packages/engine/src/request/pipeline.ts"],
    how: "`pipeline.ts` calls `countRequest` of the context, and then `readBody`",
  },
  ...pipelineNeighbors("read-body", "validate"),
  ...pipelineNeighbors("validate", "authorize"),
  ...pipelineNeighbors("authorize", "prepare"),
  ...pipelineNeighbors("prepare", "perform"),
  {
    from: "packages/engine/src/request/approve.ts",
    to: "packages/engine/src/rules/projects/projects.ts",
    through: [
      "packages/engine/src/request/pipeline.ts",
      "packages/engine/src/request/engine.ts",
      "packages/engine/src/server/server.ts",
      "packages/engine/src/rules/handlers.ts",
    ],
    how: "`server.ts` passes the handlers to the pipeline, which finds one by its operation",
  },
  {
    from: "packages/engine/src/rules/projects/projects.ts",
    to: "packages/engine/src/store/partial-tables.ts",
    through: ["packages/engine/src/context/rule-context.ts", "packages/engine/src/store/store.ts"],
    how: "the context holds a `Store`, which `partial-tables.ts` makes",
  },
  {
    from: "packages/engine/src/store/partial-collection.ts",
    to: "packages/cluster/src/rows/postgres-storage-adapter.ts",
    through: ["packages/engine/src/store/storage-adapter.ts", "packages/engine/src/internal.ts"],
    how: "`replay.ts` passes the changes to a `StorageAdapter`, which `postgres-storage-adapter.ts` implements",
  },
  {
    from: "packages/cli/src/contract/generated/commands/projects.ts",
    to: "packages/cli/src/run/define-operation.ts",
    through: ["packages/cli/src/contract/generated/groups.ts", "packages/cli/src/run/groups.ts"],
    how: "`groups.ts` passes each row to `defineOperation`",
  },
  {
    from: "packages/cli/src/contract/overlay.ts",
    to: "packages/cli/src/run/run.ts",
    through: ["packages/cli/src/run/define-operation.ts"],
    how: "`define-operation.ts` passes the overlay to `run.ts`",
  },
  ...["run/defaults.ts input/read-input.ts", "input/read-input.ts service/connect.ts"].map((pair) => {
    const [from = "", to = ""] = pair.split(" ").map((file) => `packages/cli/src/${file}`);
    return { from, to, through: ["packages/cli/src/run/run.ts"], how: "`run.ts` calls both" };
  }),
  ...["profiles/resolve-access.ts credentials/token-source.ts", "credentials/token-source.ts sdk/sdk.ts"].map(
    (pair) => {
      const [from = "", to = ""] = pair.split(" ").map((file) => `packages/cli/src/${file}`);
      return { from, to, through: ["packages/cli/src/service/connect.ts"], how: "`connect.ts` calls both" };
    },
  ),
  {
    from: "packages/cli/src/sdk/sdk.ts",
    to: "packages/sdk/src/client.ts",
    through: ["packages/sdk/src/index.ts"],
    how: "the SDK's entry point exports `createClient`",
  },
  {
    from: "packages/sdk/src/request/request.ts",
    to: "packages/sdk/src/transport/node-transport.ts",
    through: [
      "packages/sdk/src/methods/core.ts",
      "packages/sdk/src/client.ts",
      "packages/sdk/src/index.ts",
      "packages/cli/src/sdk/sdk.ts",
      "packages/sdk/src/node.ts",
    ],
    how: "`connect.ts` passes the transport to the client as an option",
  },
];

/** Steps of the pipeline that follow each other. */
function pipelineNeighbors(from: string, to: string): (typeof handOvers)[number][] {
  const file = (name: string): string => `packages/engine/src/request/${name}.ts`;
  return [{ from: file(from), to: file(to), through: [file("pipeline")], how: "`pipeline.ts` calls both" }];
}

/** Steps that are connected by HTTP and by nothing else. */
const overHttp = [
  ["packages/sdk/src/transport/fetch-transport.ts", "packages/engine/src/http/http-server.ts"],
  ["packages/sdk/src/transport/node-transport.ts", "packages/engine/src/http/http-server.ts"],
];

const isConnected = (one: string, other: string): boolean =>
  importsOf(one).includes(other) || importsOf(other).includes(one);

const walks = ["From `client.projects.create` to the row", "From `mgmt projects create` to the same row"];
const pairsOf = (heading: string): [string, string][] => {
  const steps = stepsOf(heading);
  return steps.slice(1).map((to, index) => [steps[index] ?? "", to]);
};
const pairs = walks.flatMap(pairsOf);

describe("the walks through the code in docs/architecture.md", () => {
  it.each(walks)("have steps: %s", (heading) => {
    expect(stepsOf(heading).length).toBeGreaterThanOrEqual(15);
  });

  it("name only files that exist", () => {
    const files = linksOf(text).map((link) => join("docs", link));
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it.each(pairs)("lead from %s to %s", (from, to) => {
    if (overHttp.some(([sender, receiver]) => sender === from && receiver === to)) {
      expect(isConnected(from, to)).toBe(false);
      return;
    }
    const handOver = handOvers.find((each) => each.from === from && each.to === to);
    if (!handOver) {
      expect(importsOf(from)).toContain(to);
      return;
    }
    const chain = [from, ...handOver.through, to];
    const gaps = chain.slice(1).filter((file, index) => !isConnected(chain[index] ?? "", file));
    expect(gaps, handOver.how).toEqual([]);
  });

  it("need every hand-over that is listed here", () => {
    const isUsed = (from: string, to: string): boolean =>
      pairs.some((pair) => pair[0] === from && pair[1] === to);
    expect(handOvers.filter(({ from, to }) => !isUsed(from, to))).toEqual([]);
    expect(overHttp.filter(([from = "", to = ""]) => !isUsed(from, to))).toEqual([]);
  });
});
