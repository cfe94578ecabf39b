import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { pages } from "./markdown.js";

/** What users read. The changesets become the changelog. */
const texts = [
  ...pages.filter((page) => !/^(?:CONTRIBUTING\.md|docs\/architecture\.md|bench\/|\.changeset\/)/.test(page)),
  ...readdirSync(join(root, ".changeset"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => `.changeset/${name}`),
  "llms.txt",
];
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Returns the lines of all texts that a pattern matches. */
const linesWith = (pattern: RegExp, files: readonly string[] = texts): string[] =>
  files.flatMap((file) =>
    read(file)
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line}`),
  );

describe("the words of the docs", () => {
  it.each([
    ["resident", /\bresidents?\b/i],
    ["world", /\bworlds?\b/i],
    ["ready line", /\bready line\b/i],
    ["front", /\b(?<!in )fronts?\b/i],
  ])("have no %s, which has a meaning in the sources alone", (_, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });

  it("name the service that they mean, instead of a public one", () => {
    expect(linesWith(/\bpublic services?\b|\bpublished programs? of\b/i)).toEqual([]);
  });

  it("call only a workspace of a test a tenant", () => {
    expect(read("docs/glossary.md")).toMatch(/^\| \*\*tenant\*\* +\| in tests with the mock: a workspace/m);
    const aboutTheMock = (file: string): boolean =>
      /^docs\/(?:mock|glossary|guides\/testing|frameworks\/(?:jest|playwright))\.md$/.test(file) ||
      file === "packages/mock/README.md" ||
      (file.startsWith(".changeset/") && read(file).includes('"@mgmt/mock"'));
    const others = texts.filter((file) => !aboutTheMock(file));
    expect(linesWith(/\btenants?\b/i, others)).toEqual([]);
  });

  it("call only data a seed", () => {
    expect(read("docs/glossary.md")).toMatch(/^\| \*\*seed\*\* +\| data that is there before/m);
    // The text from which a mock derives its ids is the option `deterministic`.
    expect(linesWith(/\bseed: ["'`]|\bseeded (?:mock|server|engine|clock|generator)|\bsame seed\b/i)).toEqual(
      [],
    );
  });
});
