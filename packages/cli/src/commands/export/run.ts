import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context.js";
import { unknownProject } from "../../errors/manifest-errors.js";
import { exportManifest } from "../../manifest/export-manifest.js";
import { readState, type State } from "../../manifest/read-state.js";
import { renderYaml } from "../../output/yaml.js";
import { connect } from "../../service/connect.js";

const header = "# yaml-language-server: $schema=./node_modules/@mgmt/cli/mgmt.schema.json\n";

/** Prints a manifest of the given projects, or of all projects with a logical id. */
export const runExport = async (
  projects: readonly string[],
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const client = await connect(flags, context);
  const keys = projects.length === 0 ? undefined : await keysOf(projects, client, signal);
  const state = await readState(client, keys, signal);
  await warnAboutUnnamed(state, context);
  const manifest = exportManifest(state);
  if (output.format === "json") await output.result(manifest);
  else output.text(`${header}${renderYaml(manifest)}`);
};

/** Returns the logical ids of projects that are given by their id or their logical id. */
const keysOf = async (
  projects: readonly string[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<string[]> => {
  const all = await client.projects.list({ limit: 1000 }, { signal }).toArray();
  return projects.map((key) => {
    const found = all.find(({ id, logicalId }) => logicalId !== null && (logicalId === key || id === key));
    if (typeof found?.logicalId !== "string") throw unknownProject(key);
    return found.logicalId;
  });
};

const warnAboutUnnamed = async ({ unnamed }: State, { output }: Context): Promise<void> => {
  if (unnamed.length === 0) return;
  const ids = unnamed.map(({ resource, id }) => `${resource} ${id}`);
  await output.warn({
    code: "export:incomplete",
    message: `Not exported, for lack of a logical id or a branch: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""}`,
    resources: unnamed,
  });
};
