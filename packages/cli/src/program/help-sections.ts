import { exitCodeHelp } from "../exit-codes.js";
import { idPrefixes } from "../generated/id-prefixes.js";
import type { MgmtCommand } from "./command.js";

/** Adds sections below the options. */
export const addSections = (
  command: MgmtCommand,
  sections: Record<string, () => readonly string[]>,
): void => {
  for (const [title, lines] of Object.entries(sections)) command.sections.push({ title, lines });
};

/** An id for examples: `exampleId(idPrefixes.project)` is `proj_8s2d…`. */
export const exampleId = (prefix = ""): string => `${prefix}8s2d4f6g1h3j5k7l9q0w2e4r`;

const aligned = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
};

/** The sections of `mgmt --help` below the commands. */
export const overviewSections: Record<string, () => readonly string[]> = {
  Environment: () =>
    aligned([
      ["MGMT_BASE_URL", "address of the service, without /v1"],
      ["MGMT_TOKEN", "token to send with requests"],
      ["MGMT_PROFILE", "profile to use"],
      ["MGMT_PROJECT_ID", "default project of commands"],
      ["MGMT_WORKSPACE_ID", "default workspace of commands"],
      ["MGMT_CONFIG_DIR", "folder of the profiles file"],
      ["NO_COLOR", "turns colors off"],
    ]),
  "Exit codes": () => aligned(exitCodeHelp.map(([code, meaning]) => [String(code), meaning] as const)),
  "Help topics": () => ["mgmt help output|exit-codes|environment|auth|names"],
  Examples: () => [
    "mgmt dev",
    "mgmt login",
    "mgmt projects create shop --region eu-central-1 --wait",
    "mgmt projects list --output json",
    `mgmt databases list --project-id ${exampleId(idPrefixes.project)} --all`,
  ],
};
