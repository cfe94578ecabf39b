import type { Context } from "../context.js";
import { lostSecrets, unwritableSecretFile } from "../errors/storage-errors.js";
import { idPrefixes } from "../generated/id-prefixes.js";
import type { SecretFields } from "../operations/row.js";
import { maskSecrets } from "./mask.js";
import type { SecretFile } from "./secret-file.js";

export interface DisclosureFlags {
  /** Show secrets that an earlier command created. */
  readonly reveal?: boolean;
  /** Where to write secrets instead of printing them. */
  readonly secretFile?: string;
}

/** The secrets of an operation that the contract of this version does not have. */
export interface UnknownSecrets {
  readonly issued: boolean;
  /** Returns a copy of a resource with its secrets masked. */
  readonly mask: (resource: unknown) => unknown;
}

/** What becomes of the secrets in the results of one command. */
export interface Disclosure {
  /**
   * Returns a resource as it may be printed. With `--secret-file`, writes all of it to the file first.
   *
   * @param isNew Whether the command created the resource or its secrets. Default: whether its operation does.
   */
  printed(resource: unknown, isNew?: boolean): Promise<unknown>;
  /** Ends the file. Must be called once, even if the command failed. */
  end(): Promise<void>;
}

/**
 * Prepares to print resources with secrets. They are printed by the command that creates them, masked by others unless
 * `--reveal` is passed, and only written to a file with `--secret-file`. Creates that file.
 */
export const prepareDisclosure = async (
  secrets: SecretFields | UnknownSecrets | undefined,
  { reveal = false, secretFile: path }: DisclosureFlags,
  { cwd, output }: Pick<Context, "cwd" | "output">,
): Promise<Disclosure> => {
  if (!secrets) return { printed: (resource) => Promise.resolve(resource), end: () => Promise.resolve() };
  let file: SecretFile | undefined;
  if (path !== undefined) {
    const { SecretFile } = await import("./secret-file.js");
    file = await SecretFile.create(path, cwd);
  }
  let failure: { cause: unknown; isLost: boolean } | undefined;
  const lostConnections: string[] = [];
  return {
    printed: async (resource, isNew = true) => {
      // The resource exists by now, so it is printed even if the file cannot be written.
      await file?.add(resource).catch((cause: unknown) => {
        const isLost = secrets.issued && isNew;
        failure = { cause, isLost: isLost || failure?.isLost === true };
        if (isLost) lostConnections.push(...connectionsIn(resource));
      });
      const isShown = path === undefined && (reveal || (secrets.issued && isNew));
      if (isShown) return resource;
      return "mask" in secrets ? secrets.mask(resource) : maskSecrets(resource, secrets.paths);
    },
    end: async () => {
      if (!file) return;
      if ((await file.close()) && !failure) output.info(`Wrote the secrets to ${file.path}.`);
      if (!failure) return;
      const { cause, isLost } = failure;
      throw isLost ? lostSecrets(file.path, lostConnections, cause) : unwritableSecretFile(file.path, cause);
    },
  };
};

/** Returns the ids of the connections in a resource, whose passwords can be replaced. */
const connectionsIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const id: unknown = "id" in value ? value.id : undefined;
  const own = typeof id === "string" && id.startsWith(idPrefixes.connection) ? [id] : [];
  return [...own, ...Object.values(value).flatMap(connectionsIn)];
};
