import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { isObject, getAtPath } from "../json/json-path.js";

/** The result of `ensure` for any resource. */
interface EnsureResult {
  readonly created: boolean;
  readonly resource: Record<string, unknown>;
}

/**
 * Creates a resource, with credentials if `create` declares them, or returns the existing one with the same identity.
 *
 * @param create the operation that creates it.
 */
export const ensureResource = async (
  create: {
    readonly id: string;
    readonly arguments: readonly { readonly name: string }[];
    readonly credentials?: { readonly property: string };
  },
  target: Readonly<Record<string, string>>,
  body: object,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<EnsureResult> => {
  const ensureResult = await callEnsure(create, target, body, client, {
    signal,
    credentials: create.credentials !== undefined,
  });
  if (!isEnsureResult(ensureResult)) throw unexpectedResponseError("one resource");
  const { created, resource } = ensureResult;
  const property = create.credentials?.property ?? "";
  const credentials = getAtPath(ensureResult, [property]);
  return {
    created,
    resource: credentials === undefined ? resource : { ...resource, [property]: credentials },
  };
};

/** Returns what `ensureResource` would do at the moment: `action` is `create`, `none` or `conflict`. Sends no change. */
export const planEnsure = async (
  create: Parameters<typeof ensureResource>[0],
  target: Readonly<Record<string, string>>,
  body: object,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<Readonly<Record<string, unknown>>> => {
  const plan = await callEnsure(create, target, body, client, { signal, dryRun: true });
  if (!isObject(plan)) throw unexpectedResponseError("one resource");
  return plan;
};

const callEnsure = (
  create: Parameters<typeof ensureResource>[0],
  target: Readonly<Record<string, string>>,
  body: object,
  client: MgmtClient,
  options: object,
): Promise<unknown> => {
  const resourcePath = create.id.split(".").slice(0, -1);
  const sdkResource = resourcePath.reduce<unknown>(
    (parent, name) => (typeof parent === "object" && parent !== null ? Reflect.get(parent, name) : undefined),
    client,
  );
  if (!hasEnsure(sdkResource)) throw new Error(`The SDK has no ensure for ${create.id}`);
  const ids = create.arguments.map(({ name }) => target[name] ?? "");
  return sdkResource.ensure(...ids, body, options);
};

const hasEnsure = (
  holder: unknown,
): holder is { ensure: (...parameters: readonly unknown[]) => Promise<unknown> } =>
  typeof holder === "object" && holder !== null && typeof Reflect.get(holder, "ensure") === "function";

const isEnsureResult = (result: unknown): result is EnsureResult =>
  isObject(result) && typeof result["created"] === "boolean" && isObject(result["resource"]);
