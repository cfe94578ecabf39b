import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { libraries } from "../tsup.config.js";
import { buildIfStale } from "./build-if-stale.mjs";

/**
 * `npm run lint` fails if what a package exports differs from its report, `packages/NAME/api/index.api.md`. `npm run api:update`
 * writes the reports.
 */

const root = fileURLToPath(new URL("../", import.meta.url));
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
 * Compares what the main entry point of a package exports, and the types that this refers to, with the report of the package.
 *
 * @param owner absolute path of the package, with the declarations in `dist/index.d.ts`
 * @param isUpdating whether to write the report if it differs
 * @returns the lines that differ, in the format of `git diff`, or an empty string
 */
export const changesOfReport = (owner: string, isUpdating: boolean): string => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-api-"));
  const declarations = join(owner, "dist/index.d.ts");
  const report = join(owner, "api/index.api.md");
  const reportNow = join(folder, "index.api.md");
  try {
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: owner,
        mainEntryPointFilePath: declarations,
        compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
        apiReport: {
          enabled: true,
          reportFileName: "index.api.md",
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
      packageJsonFullPath: join(owner, "package.json"),
    });
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        message.logLevel = ExtractorLogLevel.None;
      },
    });
    const compared = "diff --no-index --no-color --no-ext-diff --unified=0 --".split(" ");
    const files = [existsSync(report) ? report : "/dev/null", reportNow];
    const { stdout, stderr, status } = spawnSync("git", [...compared, ...files], { encoding: "utf8" });
    if (status !== 0 && status !== 1) throw new Error(`git diff failed: ${stderr}`);
    if (status === 1 && isUpdating) {
      mkdirSync(dirname(report), { recursive: true });
      copyFileSync(reportNow, report);
    }
    return stdout.slice(Math.max(0, stdout.indexOf("@@")));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const printedLines = 80;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isUpdating = process.argv.includes("--update");
  buildIfStale();
  for (const { name } of libraries) {
    const changes = changesOfReport(join(root, "packages", name), isUpdating);
    if (changes === "") continue;
    process.exitCode = isUpdating ? 0 : 1;
    const lines = changes.trimEnd().split("\n");
    const more = lines.length - printedLines;
    console.log([`packages/${name}/api/index.api.md`, ...lines.slice(0, printedLines)].join("\n"));
    if (more > 0) console.log(`... and ${String(more)} more lines`);
  }
  if (process.exitCode === 1)
    console.error(
      "\nThe public interface differs from its reports. If you mean to change it, run `npm run api:update`, and describe the change in a changeset.",
    );
}
