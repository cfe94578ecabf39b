import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { libraries } from "../tsup.config.js";
import { buildIfStale } from "./build-if-stale.mjs";

/**
 * `npm run api:check` fails if the public interface of a package differs from its reports, `packages/NAME/api/ENTRY.api.md`, one
 * per entry point. `npm run api:update` writes the reports.
 */

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Describes what an entry point exports, and the types that it refers to.
 *
 * @param packageFolder absolute path of the package
 * @param declarations absolute path of the declarations of the entry point
 * @returns the report, as Markdown
 */
export const apiReport = (packageFolder: string, declarations: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-api-"));
  try {
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: packageFolder,
        mainEntryPointFilePath: declarations,
        compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
        apiReport: {
          enabled: true,
          reportFileName: "entry.api.md",
          reportFolder: folder,
          reportTempFolder: join(folder, "new"),
          includeForgottenExports: true,
        },
        newlineKind: "lf",
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(packageFolder, "package.json"),
    });
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        message.logLevel = ExtractorLogLevel.None;
      },
    });
    return readFileSync(join(folder, "entry.api.md"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "DOM", "DOM.Iterable"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
};

/**
 * Returns the lines by which a text differs from a file, in the format of `git diff`, or an empty string.
 *
 * @param file absolute path of the file, which need not exist
 * @param text the text, which is empty if the file should not exist
 */
export const changesFrom = (file: string, text: string): string => {
  const { stdout, stderr, status } = spawnSync(
    "git",
    [
      ..."diff --no-index --no-color --no-ext-diff --unified=0 --".split(" "),
      existsSync(file) ? file : "/dev/null",
      "-",
    ],
    { input: text, encoding: "utf8" },
  );
  if (status !== 0 && status !== 1) throw new Error(`git diff failed: ${stderr}`);
  return stdout.slice(Math.max(0, stdout.indexOf("@@")));
};

const folderOf = (name: string): string => `packages/${name}/api`;

const newReports = (): Map<string, string> =>
  new Map(
    libraries.flatMap(({ name, entries }) =>
      entries.map((entry): [string, string] => {
        const report = apiReport(
          join(root, "packages", name),
          join(root, `packages/${name}/dist/${entry}.d.ts`),
        );
        return [`${folderOf(name)}/${entry.replace("/", "-")}.api.md`, report];
      }),
    ),
  );

const committedReports = (): string[] =>
  libraries
    .map(({ name }) => folderOf(name))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`));

const printedLines = 80;

const summaryOf = (report: string, changes: string): string => {
  const lines = changes.trimEnd().split("\n");
  const more = lines.length - printedLines;
  return [
    report,
    ...lines.slice(0, printedLines),
    ...(more > 0 ? [`... and ${String(more)} more lines`] : []),
  ].join("\n");
};

const run = (updating: boolean): void => {
  buildIfStale();
  const reports = newReports();
  const changed = [...new Set([...reports.keys(), ...committedReports()])].flatMap((report) => {
    const text = reports.get(report) ?? "";
    const changes = changesFrom(join(root, report), text);
    return changes === "" ? [] : [{ report, text, changes }];
  });
  if (updating) {
    for (const { report, text } of changed) {
      const path = join(root, report);
      mkdirSync(dirname(path), { recursive: true });
      if (text === "") rmSync(path);
      else writeFileSync(path, text);
    }
    console.log(`${String(reports.size)} API reports, ${String(changed.length)} written`);
  } else if (changed.length > 0) {
    const summaries = changed.map(({ report, changes }) => summaryOf(report, changes));
    console.error(
      `The public interface differs from its reports:\n\n${summaries.join("\n\n")}\n\nIf you mean to change it, run \`npm run api:update\`, and describe the change with \`npm run changeset\`.`,
    );
    process.exitCode = 1;
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv.includes("--update"));
