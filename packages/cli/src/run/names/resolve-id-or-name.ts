import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { mightBeName, type NameableType } from "../../contract/nameable-types.js";

/** Returns the id of a resource that is given by its id or its name. Throws `name:not_found` and `name:ambiguous`. */
export const resolveIdOrName = async (
  resourceType: NameableType,
  idOrName: string,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<string> => {
  if (!mightBeName(idOrName)) return idOrName;
  const { resolveName } = await import("./resolve-name.js");
  const findDefaultProject = (): string | undefined =>
    resolveAndAnnounceDefault("projectId", flags, context)?.value;
  return (
    (await resolveName(resourceType, idOrName, { client, signal: context.signal, findDefaultProject })) ??
    idOrName
  );
};
