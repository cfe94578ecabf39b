import type { Context } from "../input/context.js";
import type { SecretFields } from "../contract/generated-command.js";
import type { Notice } from "../output/messages.js";
import { requireShallow } from "../output/require-shallow.js";
import { maskNamedSecrets, maskSecrets } from "../output/mask.js";
import { printsAllSecrets, printsNewSecrets, type SecretDestination } from "./secret-destination.js";

/** The secrets of an operation that the contract of this version does not have. */
export interface UnknownSecrets {
  readonly issued: boolean;
  /** Returns a copy of a resource with its secrets masked. */
  readonly mask: (resource: unknown) => unknown;
}

/** The output of the secrets in the results of one command. */
export interface SecretOutput {
  readonly destination: SecretDestination;
  /**
   * Sends the secrets of a resource to their destination, after it has made the CI system hide them in the rest of the log.
   *
   * @param isNew whether the command created the resource or its secrets. Default: whether its operation does.
   * @returns the resource as it may be printed.
   */
  deliver(resource: unknown, isNew?: boolean): Promise<unknown>;
  /** Does the same for the resources of a list, one after the other. */
  deliverAll(resources: readonly unknown[]): Promise<unknown[]>;
  /** Closes the files. Must be called once, even if the command failed. */
  close(): Promise<void>;
}

const noSecrets: SecretFields = { paths: [], issued: false };

/**
 * Opens the files that secrets are written into. The secrets of resources are the fields that the contract marks, and all fields with the
 * same names.
 *
 * @param secrets default: the resources have none.
 * @throws `secret_file:exists`, `secret_file:unwritable`, `github:not_running`, `variable:reserved`, `variable:unwritable`, and
 * `usage:invalid`.
 */
export const openSecretOutput = async (
  secrets: SecretFields | UnknownSecrets = noSecrets,
  destination: SecretDestination,
  context: Pick<Context, "cwd" | "env" | "output">,
): Promise<SecretOutput> => {
  const { output } = context;
  const sinks =
    destination.to === "files"
      ? await (await import("./secret-sinks.js")).SecretSinks.open(destination.flags, context)
      : undefined;
  const withheldResources: unknown[] = [];
  let hasResult = false;
  const deliverMasked = async (
    resource: unknown,
    maskedResource: unknown,
    isNew: boolean,
  ): Promise<unknown> => {
    const secretValues = maskedResource === resource ? [] : await loadMaskedStrings(resource, maskedResource);
    const isIssued = secrets.issued && isNew;
    const isPrinted = isIssued ? printsNewSecrets(destination) : printsAllSecrets(destination);
    if (secretValues.length > 0 && (isPrinted || sinks)) await hideInLog(secretValues, context);
    // With the format `name` they are not printed anywhere.
    const isWithheld = isIssued && destination.to === "nowhere" && output.format !== "name";
    if (secretValues.length > 0 && isWithheld) withheldResources.push(resource);
    await sinks?.write(resource, secretValues, isIssued);
    return isPrinted ? resource : maskedResource;
  };
  return {
    destination,
    deliver: async (resource, isNew = true) => {
      hasResult = true;
      return deliverMasked(resource, maskAll(resource, secrets), isNew);
    },
    deliverAll: async (resources) => {
      const deliveredResources: unknown[] = [];
      for (const resource of resources) {
        hasResult = true;
        const maskedResource = maskAll(resource, secrets);
        // Most lists have no secrets, and their pages should not stay in memory while thousands of promises settle.
        const isPlain = maskedResource === resource && !sinks;
        deliveredResources.push(isPlain ? resource : await deliverMasked(resource, maskedResource, true));
      }
      return deliveredResources;
    },
    close: async () => {
      if (withheldResources.length > 0 && destination.to === "nowhere")
        output.notice(await buildWithheldNotice(withheldResources, destination.reason));
      await sinks?.close({ hasResult });
    },
  };
};

/** Returns a copy of a resource with its secrets masked. */
const maskAll = (resource: unknown, secrets: SecretFields | UnknownSecrets): unknown =>
  "mask" in secrets
    ? secrets.mask(requireShallow(resource))
    : maskNamedSecrets(maskSecrets(requireShallow(resource), secrets.paths));

const loadMaskedStrings = async (resource: unknown, maskedResource: unknown): Promise<string[]> => {
  const { collectMaskedStrings } = await import("./masked-strings.js");
  return collectMaskedStrings(resource, maskedResource);
};

const hideInLog = async (
  values: readonly string[],
  context: Pick<Context, "env" | "output">,
): Promise<void> => {
  const { maskInLog } = await import("./log-masks.js");
  maskInLog(values, context);
};

/** Builds the notice that explains how to get secrets that were not printed. */
const buildWithheldNotice = async (resources: readonly unknown[], reason: string): Promise<Notice> => {
  const { collectConnectionIds } = await import("./connection-ids.js");
  const connections = [...new Set(resources.flatMap(collectConnectionIds))];
  const [firstConnection = "ID"] = connections;
  const instruction =
    connections.length > 0
      ? `mgmt connections get ${firstConnection} --secret-file PATH writes them to a file. Next time, pass`
      : "To get them, pass";
  return {
    code: "secrets:masked",
    message: `The new secrets are masked, because ${reason}. ${instruction} --secret-file PATH, --github-env NAME, or --show-secrets.`,
    ...(connections.length > 0 && { connections }),
  };
};
