import type { Context } from "../input/context.js";
import { secretInLog } from "../errors/secret-errors.js";
import type { SecretFields } from "../contract/row.js";
import type { Notice } from "../output/output.js";
import { ciSystemOf } from "../system/ci-system.js";
import { checkNesting } from "../output/check-nesting.js";
import { maskNamedSecrets, maskSecrets } from "../output/mask.js";
import { setsVariable, type SinkFlags } from "./sink-flags.js";

export interface SecretFlags extends SinkFlags {
  /** Print secrets that would be masked. */
  readonly showSecrets?: boolean;
}

/** The secrets of an operation that the contract of this version does not have. */
export interface UnknownSecrets {
  readonly issued: boolean;
  /** Returns a copy of a resource with its secrets masked. */
  readonly mask: (resource: unknown) => unknown;
}

/** The output of the secrets in the results of one command. */
export interface SecretOutput {
  /** Whether new secrets are printed. */
  readonly printsNew: boolean;
  /**
   * Returns a resource as it may be printed. Before that, makes the CI system hide its secrets in the log, and writes them where
   * the flags say.
   *
   * @param isNew Whether the command created the resource or its secrets. Default: whether its operation does.
   */
  deliver(resource: unknown, isNew?: boolean): Promise<unknown>;
  /** Ends the files. Must be called once, even if the command failed. */
  end(): Promise<void>;
}

/** Whether secrets are only written into files. */
export const goElsewhere = (flags: SecretFlags): boolean =>
  setsVariable(flags) || (flags.secretFile !== undefined && flags.secretFile !== "-");

/** Whether a command prints the secrets that it creates: not in CI, where a log keeps them. */
export const showsNewSecrets = (flags: SecretFlags, { env }: Pick<Context, "env">): boolean =>
  isAsked(flags) || (!goElsewhere(flags) && ciSystemOf(env) === undefined);

const isAsked = ({ showSecrets, secretFile }: SecretFlags): boolean =>
  showSecrets === true || secretFile === "-";

/**
 * Refuses a command whose whole result is a secret that the log of CI would keep. Call it before anything is sent.
 *
 * @param fileFlag The flag with which the command writes it to a file. Default: `--secret-file`.
 */
export const assertMayBePrinted = (
  what: string,
  flags: SecretFlags,
  context: Context,
  fileFlag = "--secret-file",
): void => {
  if (!goElsewhere(flags) && !showsNewSecrets(flags, context)) throw secretInLog(what, fileFlag);
};

const noSecrets: SecretFields = { paths: [], issued: false };

/**
 * Prepares to print resources. Their secrets are those that the contract says, and all fields with the same names. They are printed by
 * the command that creates them, except in CI, and masked by others, unless `--show-secrets` is passed. With the other flags they are
 * only written into files, which it opens.
 *
 * @param secrets Default: the contract says that the resources have none.
 * @throws `secret_file:exists`, `secret_file:unwritable`, `github:not_running`, `variable:reserved`, `variable:unwritable`, and `usage:invalid`.
 */
export const prepareSecretOutput = async (
  secrets: SecretFields | UnknownSecrets = noSecrets,
  flags: SecretFlags,
  context: Pick<Context, "cwd" | "env" | "output">,
): Promise<SecretOutput> => {
  const { output } = context;
  if (flags.secretFile === "-" && output.format === "table") output.format = "ndjson";
  const printsNew = showsNewSecrets(flags, context);
  const sinks = goElsewhere(flags)
    ? await (await import("./secret-sinks.js")).SecretSinks.open(flags, context)
    : undefined;
  const hidden: unknown[] = [];
  let hasResult = false;
  return {
    printsNew,
    deliver: async (resource, isNew = true) => {
      hasResult = true;
      const masked =
        "mask" in secrets
          ? secrets.mask(checkNesting(resource))
          : maskNamedSecrets(maskSecrets(checkNesting(resource), secrets.paths));
      const isIssued = secrets.issued && isNew;
      const isShown = isAsked(flags) || (isIssued && printsNew);
      const found =
        masked === resource ? [] : (await import("./masked-strings.js")).maskedStrings(resource, masked);
      if (found.length > 0 && (isShown || sinks)) {
        const { maskInLog } = await import("./log-masks.js");
        maskInLog(found, context);
      }
      // With the format `name` they are not printed anywhere.
      const isHidden = isIssued && !isShown && !sinks && output.format !== "name";
      if (found.length > 0 && isHidden) hidden.push(resource);
      await sinks?.write(resource, found, isIssued);
      return isShown ? resource : masked;
    },
    end: async () => {
      if (hidden.length > 0) output.notice(await hiddenNotice(hidden));
      await sinks?.end({ hasResult });
    },
  };
};

/** Says how to get secrets that CI was not to keep. */
const hiddenNotice = async (resources: readonly unknown[]): Promise<Notice> => {
  const { connectionIdsIn } = await import("./connection-ids.js");
  const connections = [...new Set(resources.flatMap(connectionIdsIn))];
  const [first = "ID"] = connections;
  const how =
    connections.length > 0
      ? `mgmt connections get ${first} --secret-file PATH writes them to a file. Next time, pass`
      : "To get them, pass";
  return {
    code: "secrets:masked",
    message: `The new secrets are masked, because CI keeps what is printed in its log. ${how} --secret-file PATH, --github-env NAME, or --show-secrets.`,
    ...(connections.length > 0 && { connections }),
  };
};
