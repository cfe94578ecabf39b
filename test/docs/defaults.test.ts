import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  defaultApprovalTimeout,
  defaultWaitTimeout,
  parseDuration,
} from "../../packages/cli/src/input/duration.js";
import { defaultSettings } from "../../packages/engine/src/values/settings.js";
import { defaultMaxResponseBytes } from "../../packages/sdk/src/errors/response-too-large-error.js";
import { approvalGrantedGoal } from "../../packages/sdk/src/wait/goals.js";
import { root } from "../../scripts/generate/contract/contract.js";

/** The sources of each package, as one text. */
const packages = readdirSync(join(root, "packages")).map((name) => {
  const folder = join(root, "packages", name, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !file.includes("generated"),
  );
  return { name, text: files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n") };
});

const units = { "": 1, KiB: 1024, MiB: 1024 ** 2 };

/** Returns the options of a package whose doc comments have a number as their default. */
const documentedIn = (text: string): { option: string; number: number }[] =>
  [...text.matchAll(/\/\*\*((?:(?!\*\/)[^])*?)\*\/\s*(?:readonly )?(\w+)\??:/g)].flatMap(
    ([, comment = "", option = ""]) => {
      const [, digits, unit = ""] = /Default: ([\d,]*\d)(?: (KiB|MiB))?\b/.exec(comment) ?? [];
      if (digits === undefined) return [];
      return [{ option, number: Number(digits.replaceAll(",", "")) * units[unit as keyof typeof units] }];
    },
  );

/** Returns the numbers that a package uses for an option that is not passed. */
const usedIn = (text: string, option: string): number[] =>
  [
    ...text.matchAll(new RegExp(`\\b${option}\\b(?:\\)? \\?\\?| =|:) ([\\w]+(?: \\* [\\d_]+)*)`, "g")),
  ].flatMap(([, value = ""]) => {
    const product = /^\d/.test(value)
      ? value
      : new RegExp(`\\bconst ${value} = ([\\d_ *]+);`).exec(text)?.[1];
    if (product === undefined) return [];
    return [product.split(" * ").reduce((result, part) => result * Number(part.replaceAll("_", "")), 1)];
  });

const textOf = (name: string): string => packages.find((source) => source.name === name)?.text ?? "";

describe("the default in the doc comment of an option", () => {
  const documented = packages
    .flatMap(({ name, text }) => documentedIn(text).map((row) => ({ package: name, ...row })))
    // Without it, nothing is drawn.
    .filter(({ option }) => option !== "probability");

  it.each(documented)("is what the code uses: $package, $option, $number", (row) => {
    expect(usedIn(textOf(row.package), row.option)).toContain(row.number);
  });

  it("is compared for all packages that have options", () => {
    expect(new Set(documented.map(({ package: name }) => name))).toEqual(
      new Set(["cli", "cluster", "engine", "platform", "sdk"]),
    );
  });
});

describe("the default in a table of a guide", () => {
  const rows = [
    { page: "docs/guides/client.md", package: "sdk" },
    { page: "packages/platform/README.md", package: "platform" },
  ].flatMap(({ page, package: name }) =>
    readFileSync(join(root, page), "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, option = "", digits] = /^\| `(\w+)` .*\| ([\d,]*\d) +\|/.exec(line) ?? [];
        return digits === undefined
          ? []
          : [{ page, name, option, number: Number(digits.replaceAll(",", "")) }];
      }),
  );

  it.each(rows)("is what the code uses: $page, $option, $number", ({ name, option, number }) => {
    expect(usedIn(textOf(name), option)).toContain(number);
  });

  it("is compared for each option that has a number", () => {
    expect(rows.map(({ option }) => option)).toEqual([
      "timeoutMs",
      "maxRetries",
      "maxRetryAfterMs",
      "connectionsPerDatabase",
    ]);
  });
});

describe("the default of --timeout", () => {
  it("is that of the SDK for an approval", () => {
    expect(parseDuration(defaultApprovalTimeout, "--timeout")).toBe(approvalGrantedGoal.timeoutMs);
  });

  it("is in the guide", () => {
    const guide = readFileSync(join(root, "docs/guides/command-line.md"), "utf8");
    const defaults = [...guide.matchAll(/`--timeout` \(default (\w+)\)/g)].map(([, time]) => time);
    expect(defaults).toEqual([defaultWaitTimeout, defaultApprovalTimeout]);
  });
});

describe("a limit in a sentence of a page", () => {
  const { approvals, oauth } = defaultSettings;
  const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

  it.each([
    [
      "docs/guides/waiting.md",
      /longer than the (\d+) minutes that a sponsor has/,
      approvals.pending / minute,
    ],
    ["docs/guides/waiting.md", /sends it again within (\d+) minutes/, approvals.pending / minute],
    ["docs/guides/mcp.md", /The sponsor has (\d+) minutes to decide/, approvals.pending / minute],
    [
      "docs/guides/mcp.md",
      /with `approval:denied` until (\d+) minutes after it was first made/,
      approvals.pending / minute,
    ],
    ["docs/guides/mcp.md", /the call can be sent within (\d+) minutes/, approvals.approved / minute],
    ["docs/mock.md", /stays denied until its (\d+) minutes are over/, approvals.pending / minute],
    [
      "docs/mock.md",
      /repeat the same request once, by default within (\d+) minutes/,
      approvals.approved / minute,
    ],
    ["docs/mock.md", /an hour by default, at most (\d+) hours/, approvals.maxWindow / hour],
    ["docs/threat-model.md", /A login ends (\d+) days after it began/, oauth.refreshFamily / day],
    [
      "docs/threat-model.md",
      /a single repetition within (\d+) seconds succeeds/,
      oauth.refreshGrace / second,
    ],
    [
      "docs/guides/errors.md",
      /the body of a response exceeds (\d+) MiB/,
      defaultMaxResponseBytes / 1024 ** 2,
    ],
  ])("is that of the code: %s, %s", (page, sentence, expected) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/\s+/g, " ");
    expect(Number(sentence.exec(text)?.[1])).toBe(expected);
  });
});
