import type { Command } from "commander";
import { exitCodeHelp } from "../exit-codes.js";

/** Sections below the options, worked out only when the help is shown. */
export const addSections = (command: Command, sections: Record<string, () => readonly string[]>): void => {
  command.addHelpText("after", () =>
    Object.entries(sections)
      .map(([title, lines]) => [title, lines()] as const)
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `\n${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`)
      .join("\n"),
  );
};

const aligned = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
};

/** What stands below the overview. */
export const overviewSections: Record<string, () => readonly string[]> = {
  Environment: () =>
    aligned([
      ["MGMT_BASE_URL", "address of the service, without /v1"],
      ["MGMT_TOKEN", "token that requests are sent with"],
      ["MGMT_PROFILE", "profile that is used"],
      ["MGMT_PROJECT_ID", "project that commands use when none is given"],
      ["MGMT_WORKSPACE_ID", "workspace that commands work in"],
      ["MGMT_CONFIG_DIR", "folder that profiles are kept in"],
      ["NO_COLOR", "no colours"],
    ]),
  "Exit codes": () => aligned(exitCodeHelp.map(([code, meaning]) => [String(code), meaning] as const)),
  Examples: () => [
    "mgmt dev",
    "mgmt login",
    "mgmt projects create shop --region eu-central-1 --wait",
    "mgmt projects list --output json",
    "mgmt databases list --project-id proj_8s2d4f6g1h3j5k7l9q0w2e4r --all",
  ],
};
