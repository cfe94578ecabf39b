import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { severalProjects, unknownProject } from "../../errors/manifest-errors.js";
import { exportManifest, identifyByName } from "../../manifest/export-manifest.js";
import { readState, type State } from "../../manifest/read-state.js";
import { renderYaml } from "../../output/yaml.js";
import { similar } from "../../text/suggest.js";
import { connect } from "../../service/connect.js";

const header = "# yaml-language-server: $schema=./node_modules/@mgmt/cli/mgmt.schema.json\n";

/** Prints a manifest of the given projects, or of all. */
export const runExport = async (
  projects: readonly string[],
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const client = await connect(flags, context);
  const ids = projects.length === 0 ? undefined : await idsOf(projects, client, signal);
  const state = await readState(client, { identify: identifyByName, ids }, signal);
  await describeLeftOut(state, context);
  const manifest = exportManifest(state);
  if (output.format === "json") await output.result(manifest);
  else output.text(`${header}${renderYaml(manifest)}`);
};

/** Returns the ids of projects that are given by their id, their logical id, or a name that no other project has. */
const idsOf = async (
  projects: readonly string[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<string[]> => {
  const all = await client.projects.list({ limit: 1000 }, { signal }).toArray();
  return projects.map((key) => {
    const identified = all.filter(({ id, logicalId }) => id === key || logicalId === key);
    const [project, ...others] = identified.length > 0 ? identified : all.filter(({ name }) => name === key);
    if (!project) throw unknownProject(key, similar(key, all.flatMap(namesOf)));
    if (others.length > 0)
      throw severalProjects(
        key,
        [project, ...others].map(({ id }) => id),
      );
    return project.id;
  });
};

const namesOf = ({ name, logicalId }: { name: string; logicalId?: string | null }): string[] =>
  typeof logicalId === "string" ? [name, logicalId] : [name];

const describeLeftOut = async ({ entries, unnamed }: State, { output }: Context): Promise<void> => {
  const adopted = entries.filter(({ isAdopted }) => isAdopted);
  if (adopted.length > 0) {
    const what = adopted.length === 1 ? "1 resource has" : `${String(adopted.length)} resources have`;
    const message =
      `${what} no logical id. The manifest adopts each by its id: mgmt apply does not create it again, and gives a ` +
      "database or service its key as logical id.";
    output.notice({ code: "export:adopted", message, ids: adopted.map(({ id }) => id) });
  }
  if (unnamed.length === 0) return;
  const resources = unnamed.map(({ resource, id }) => ({ resource, id }));
  const names = resources.map(({ resource, id }) => `${resource} ${id}`);
  await output.warn({
    code: "export:incomplete",
    message: `Not exported, because they are on no branch: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`,
    resources,
  });
};
