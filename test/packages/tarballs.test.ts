import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import { decode } from "@jridgewell/sourcemap-codec";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { thirdPartyDeclarations } from "../../scripts/declaration-maps.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { manifestOf } from "../../scripts/release/pack.js";
import { licensesFile, thirdPartyIn } from "../../scripts/third-party-licenses.js";
import { linksOf } from "../docs/markdown.js";
import { type Tarballs, type Unpacked, unpackPackages } from "./unpacked.js";

let tarballs: Tarballs;
beforeAll(async () => {
  tarballs = await unpackPackages();
}, 120_000);
afterAll(() => tarballs.remove());

const { repository } = manifestOf(".");
const repositoryPage = repository.url.replace(/^git\+|\.git$/g, "");

const unpacked = (folder: string): Unpacked => {
  const found = tarballs.packages.find(({ source }) => source === `packages/${folder}`);
  if (!found) throw new Error(`packages/${folder} was not packed`);
  return found;
};

/** Returns the declarations in a tarball whose sources are in it. */
const ownDeclarationsIn = ({ files }: Unpacked): string[] =>
  files.filter(
    (file) => /^dist\/.*\.d\.[cm]?ts$/.test(file) && !file.startsWith(`dist/${thirdPartyDeclarations}-`),
  );

/** Returns the packages that a file imports or requires, without modules of Node.js. */
const packagesIn = (text: string): string[] =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.flatMap(({ fileName }) => /^(?![.#/])(?:@[^/]+\/)?[^/]+/.exec(fileName)?.[0] ?? [])
    .filter((name) => !isBuiltin(name));

describe.each(packageFolders)("the tarball of packages/%s", (folder) => {
  it("has a license, a README, a changelog, and built files", () => {
    const { has, read, manifest } = unpacked(folder);
    expect(manifest.license).toBe("MIT");
    expect(read("LICENSE")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    expect(read("README.md")).toMatch(new RegExp(`^# ${manifest.name}\n`));
    expect(read("CHANGELOG.md")).toContain(`# ${manifest.name}\n\n## ${manifest.version}\n`);
    expect(has("dist")).toBe(true);
  });

  it("says where its source, issues, and pages are, and how it is published", () => {
    const { manifest } = unpacked(folder);
    const directory = `packages/${folder}`;
    expect(manifest.repository).toEqual({ ...repository, directory });
    expect(manifest.homepage).toBe(`${repositoryPage}/tree/main/${directory}#readme`);
    expect(manifest.bugs).toEqual({ url: `${repositoryPage}/issues` });
    expect(manifest.keywords?.length).toBeGreaterThan(2);
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
    expect(
      Object.keys(manifest.scripts ?? {}).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
    ).toEqual([]);
    expect(manifest.scripts?.["prepack"]).toBe("node ../../scripts/build-if-stale.mjs");
  });

  it("has only links in its README that work outside the repository", () => {
    const relative = linksOf(unpacked(folder).read("README.md")).filter((link) => !/^(https:|#)/.test(link));
    expect(relative).toEqual([]);
  });

  it("has a map for each declaration file, which leads from each top-level name to the same name in a packed source", () => {
    const { files, read } = unpacked(folder);
    const declarations = ownDeclarationsIn(unpacked(folder));
    expect(declarations.length > 0).toBe(folder !== "cli");
    for (const file of declarations) {
      const text = read(file);
      const map = join(dirname(file), /\n\/\/# sourceMappingURL=(.+)\s*$/.exec(text)?.[1] ?? "none");
      expect(files, file).toContain(map);
      const {
        sources,
        mappings,
        sourcesContent,
      }: { sources: string[]; mappings: string; sourcesContent?: string[] } = JSON.parse(read(map));
      expect(sourcesContent, map).toBeUndefined();
      const texts = sources.map((source) => read(join(dirname(map), source)).split("\n"));
      const segments = decode(mappings);
      const wrong = text.split("\n").flatMap((line, index) => {
        const declaration =
          /^(?:export )?(?:declare )?(?:class|interface|type|const|function) ([\w$]+)/d.exec(line);
        const [, name = ""] = declaration ?? [];
        // The bundler adds names that begin with `__`, and numbers declarations of the same name.
        if (name === "" || name.startsWith("__")) return [];
        const column = declaration?.indices?.[1]?.[0];
        const [, source = -1, sourceLine = -1, sourceColumn] =
          segments[index]?.find(([generated]) => generated === column) ?? [];
        const target = texts[source]?.[sourceLine]?.slice(sourceColumn);
        return target?.startsWith(name.replace(/\$\d+$/, ""))
          ? []
          : [`${name} leads to ${target ?? "nothing"}`];
      });
      expect(wrong, file).toEqual([]);
    }
  });

  // The command has no types, and starts alone in other tests.
  it.runIf(folder !== "cli")("imports only packages that npm installs with it, also for types", () => {
    const { files, read, manifest } = unpacked(folder);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
    const installed = Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...peerDependencies,
      ...peerDependenciesMeta,
    });
    const built = files.filter((file) => /^dist\/.*\.([cm]?js|d\.[cm]?ts)$/.test(file));
    const imported = new Set(built.flatMap((file) => packagesIn(read(file))));
    expect([...imported].filter((name) => !installed.includes(name))).toEqual([]);
  });

  it("contains no tests, build settings, or leftovers", () => {
    const expected =
      /^(dist\/|src\/|api\/|package\.json$|(control-)?openapi\.json$|mgmt\.schema\.json$|(LICENSE|Dockerfile|THIRD-PARTY-LICENSES|README\.md|CHANGELOG\.md)$)/;
    expect(unpacked(folder).files.filter((file) => !expected.test(file))).toEqual([]);
  });
});

/** Packages whose code each tarball contains, among others. */
const contained: Record<string, string[]> = {
  cli: [
    "chalk",
    "cli-table3",
    "commander",
    "conf",
    "openapi-fetch",
    "@inquirer/search",
    "string-width",
    "yaml",
  ],
  mock: ["jose", "msw"],
  platform: ["jose", "pg"],
  sdk: [
    "http-proxy-agent",
    "https-proxy-agent",
    "oauth4webapi",
    "openapi-fetch",
    "openapi-typescript-helpers",
    "proxy-from-env",
  ],
};

describe.each(packageFolders)("the third-party licenses of packages/%s", (folder) => {
  const licenses = (): string => {
    const { has, read } = unpacked(folder);
    return has(licensesFile) ? read(licensesFile) : "";
  };

  it("name the packages whose code the build contains", () => {
    const names = thirdPartyIn(licenses()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(contained[folder] ?? ["not listed in this test"]));
    expect(names.length > 0).toBe(contained[folder]?.length !== 0);
  });

  it("allow the code to be part of another package", () => {
    const allowed = /^(MIT|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|0BSD|\(?MIT OR .+)$/;
    expect(thirdPartyIn(licenses()).filter(({ license }) => !allowed.test(license))).toEqual([]);
  });

  it("have the text of each license", () => {
    const [, ...sections] = licenses().split(/^-{80}\n(?=\S+ \S+ \(.+\)\n-{80}\n)/m);
    expect(sections).toHaveLength(thirdPartyIn(licenses()).length);
    const incomplete = sections.filter(
      (section) => !/permission|redistribution|License: MIT\n/i.test(section.split("\n").slice(2).join("\n")),
    );
    expect(incomplete).toEqual([]);
  });
});
