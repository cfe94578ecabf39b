import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { credentialsMissingError } from "../errors/run-errors.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { groups } from "../contract/generated/groups.js";
import { isObject, getAtPath } from "../json/json-path.js";
import { formatBodyFlags } from "./examples.js";
import { getOverride } from "../contract/command-override.js";
import type { CredentialsRule, GeneratedCommand } from "../contract/generated-command.js";

/** A new resource with its credentials, or the error. */
export interface CredentialsOutcome {
  readonly resource: object;
  /** The error. It is not thrown, because the resource exists and must be printed in any case. */
  readonly failure?: { readonly error: unknown };
}

/** Creates credentials for a new resource, and returns it with them. */
export const issueCredentials = async (
  { operation, property, parent, body }: CredentialsRule,
  resource: Readonly<Record<string, unknown>>,
  client: MgmtClient,
  { signal, changeTracker }: Pick<Context, "signal" | "changeTracker">,
): Promise<CredentialsOutcome> => {
  const requestBody = { ...body, [parent]: resource["id"] };
  const definition = await loadDefinition(operation);
  const { method, path } = definition;
  try {
    const response = await client.request<unknown>(
      { method, path, pathParams: {}, body: requestBody },
      { signal },
    );
    const credentials = getAtPath(response, ["data"]);
    if (!isObject(credentials)) throw unexpectedResponseError("one resource");
    return { resource: { ...resource, [property]: credentials } };
  } catch (error) {
    const retryWords = [
      "mgmt",
      ...definition.commandPath,
      ...formatBodyFlags(definition, getOverride(definition.id), requestBody),
    ];
    const id = String(resource["id"]);
    // Credentials whose response did not arrive are of no use: their secrets are shown only once.
    changeTracker.consumeUnconfirmed();
    return { resource, failure: { error: credentialsMissingError(id, property, retryWords, error) } };
  }
};

const loadDefinition = async (id: string): Promise<GeneratedCommand> => {
  const [group = ""] = id.split(".");
  const definitions = await groups.find(({ name }) => name === group)?.load();
  const definition = definitions?.find((definition) => definition.id === id);
  if (!definition) throw new Error(`There is no operation ${id}`);
  return definition;
};
