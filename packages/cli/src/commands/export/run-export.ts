import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { severalProjectsError, unknownProjectError } from "../../errors/manifest-errors.js";
import { exportManifest, identifyByName } from "../../manifest/export-manifest.js";
import { readState, type ServiceState } from "../../manifest/read-state.js";
import { isPreviewEntry } from "../../preview/record.js";
import { renderYaml } from "../../output/yaml.js";
import { findSimilar } from "../../text/suggest.js";
import { connect } from "../../service/connect.js";

const schemaHeader = "# yaml-language-server: $schema=./node_modules/@mgmt/cli/mgmt.schema.json\n";

/** Prints a manifest of the given projects, or of all. */
export const runExport = async (
  projectKeys: readonly string[],
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const client = await connect(flags, context);
  const ids = projectKeys.length === 0 ? undefined : await findProjectIds(projectKeys, client, signal);
  const state = await readState(client, { identify: identifyByName, ids, isPreview: isPreviewEntry }, signal);
  await warnAboutOmissions(state, context);
  const manifest = exportManifest(state);
  if (output.format === "json") await output.writeResult(manifest);
  else output.writeText(`${schemaHeader}${renderYaml(manifest)}`);
};

/** Returns the ids of projects that are given by their id, their logical id, or a name that no other project has. */
const findProjectIds = async (
  projectKeys: readonly string[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<string[]> => {
  const allProjects = await client.projects.list({ limit: 1000 }, { signal }).toArray();
  return projectKeys.map((key) => {
    const projectsWithId = allProjects.filter(({ id, logicalId }) => id === key || logicalId === key);
    const [project, ...otherProjects] =
      projectsWithId.length > 0 ? projectsWithId : allProjects.filter(({ name }) => name === key);
    if (!project) throw unknownProjectError(key, findSimilar(key, allProjects.flatMap(listProjectNames)));
    if (otherProjects.length > 0)
      throw severalProjectsError(
        key,
        [project, ...otherProjects].map(({ id }) => id),
      );
    return project.id;
  });
};

const listProjectNames = ({ name, logicalId }: { name: string; logicalId?: string | null }): string[] =>
  typeof logicalId === "string" ? [name, logicalId] : [name];

const warnAboutOmissions = async ({ entries, unnamed }: ServiceState, { output }: Context): Promise<void> => {
  const adoptedEntries = entries.filter(({ isAdopted }) => isAdopted);
  if (adoptedEntries.length > 0) {
    const resourcesText =
      adoptedEntries.length === 1 ? "1 resource has" : `${String(adoptedEntries.length)} resources have`;
    const message =
      `${resourcesText} no logical id. The manifest adopts each by its id: mgmt apply does not create it again, and gives a ` +
      "database or service its key as logical id.";
    output.notice({ code: "export:adopted", message, ids: adoptedEntries.map(({ id }) => id) });
  }
  const previews = unnamed.filter(({ isPreview }) => isPreview);
  if (previews.length > 0) {
    const message = `Left out, because mgmt preview manages them: ${previews.map(({ id }) => `database ${id}`).join(", ")}`;
    output.notice({ code: "export:previews", message, ids: previews.map(({ id }) => id) });
  }
  const otherResources = unnamed.filter(({ isPreview }) => !isPreview);
  if (otherResources.length === 0) return;
  const unnamedResources = otherResources.map(({ resource, id }) => ({ resource, id }));
  const labels = unnamedResources.map(({ resource, id }) => `${resource} ${id}`);
  await output.warn({
    code: "export:incomplete",
    message: `Not exported, because they are on no branch: ${labels.slice(0, 5).join(", ")}${labels.length > 5 ? ` and ${labels.length - 5} more` : ""}`,
    resources: unnamedResources,
  });
};
