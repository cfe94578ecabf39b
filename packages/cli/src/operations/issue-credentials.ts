import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import { credentialsMissing, unexpectedResponse } from "../errors/run-errors.js";
import { groups } from "../generated/groups.js";
import { isObject, valueAt } from "../json-path.js";
import { bodyWords } from "./examples.js";
import { overlayOf } from "./overlay.js";
import type { CredentialsRule, OperationCommand } from "./row.js";

/** A new resource with its credentials, or what went wrong. */
export interface Credentialed {
  readonly resource: object;
  /** Not thrown, because the resource exists and must be printed in any case. */
  readonly failed?: { readonly error: unknown };
}

/** Creates credentials for a new resource, and returns it with them. */
export const issueCredentials = async (
  { operation, property, parent, body }: CredentialsRule,
  resource: Readonly<Record<string, unknown>>,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<Credentialed> => {
  const complete = { ...body, [parent]: resource["id"] };
  const row = await rowOf(operation);
  const { method, path } = row;
  try {
    const response = await client.request<unknown>(
      { method, path, pathParams: {}, body: complete },
      { signal },
    );
    const credentials = valueAt(response, ["data"]);
    if (!isObject(credentials)) throw unexpectedResponse("one resource");
    return { resource: { ...resource, [property]: credentials } };
  } catch (error) {
    const words = ["mgmt", ...row.words, ...bodyWords(row, overlayOf(row.id), complete)];
    return {
      resource,
      failed: { error: credentialsMissing(String(resource["id"]), property, words, error) },
    };
  }
};

const rowOf = async (id: string): Promise<OperationCommand> => {
  const [group = ""] = id.split(".");
  const rows = await groups.find(({ name }) => name === group)?.load();
  const row = rows?.find((each) => each.id === id);
  if (!row) throw new Error(`There is no operation ${id}`);
  return row;
};
