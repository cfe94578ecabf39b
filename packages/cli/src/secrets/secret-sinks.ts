import type { Context } from "../input/context.js";
import { noSecretForVariableError } from "../errors/secret-errors.js";
import { lostSecretsError, unwritableSecretFileError } from "../errors/storage-errors.js";
import { warnAboutReaders } from "./warn-about-readers.js";
import { findConnectionString } from "../output/connection-string.js";
import { collectConnectionIds } from "./connection-ids.js";
import { maskInLog } from "./log-masks.js";
import { SecretFile } from "./secret-file.js";
import { openVariableFiles, type VariableFile } from "./variable-files.js";
import type { SecretFileFlags } from "./secret-flags.js";

/** The open files that a command writes secrets into, instead of printing them. */
export class SecretSinks {
  private failure: { path: string; cause: unknown; isLost: boolean } | undefined;
  private readonly lostConnections: string[] = [];
  private hasSetVariable = false;

  private constructor(
    private readonly secretFile: SecretFile | undefined,
    private readonly variableFiles: readonly VariableFile[],
    private readonly context: Pick<Context, "env" | "output">,
  ) {}

  /** Opens the files. Call it before secrets are created. */
  static async open(
    flags: SecretFileFlags,
    context: Pick<Context, "cwd" | "env" | "output">,
  ): Promise<SecretSinks> {
    const { secretFile: path } = flags;
    const variableFiles = await openVariableFiles(flags, context);
    try {
      const secretFile =
        path === undefined || path === "-" ? undefined : await SecretFile.create(path, context.cwd);
      return new SecretSinks(secretFile, variableFiles, context);
    } catch (error) {
      await Promise.all(variableFiles.map((file) => file.close()));
      throw error;
    }
  }

  /**
   * Writes a resource and its secrets. A failure is thrown at the end, because the resource must be printed in any case.
   *
   * @param isIssued whether the service does not return the secrets again.
   */
  async write(resource: unknown, secrets: readonly string[], isIssued: boolean): Promise<void> {
    const { secretFile, variableFiles, context } = this;
    if (secretFile)
      await this.attemptWrite(secretFile.path, resource, isIssued, () => secretFile.append(resource));
    if (variableFiles.length === 0) return;
    const secret = findConnectionString(resource) ?? findOnlyText(secrets);
    if (secret === undefined) return;
    this.hasSetVariable = true;
    maskInLog([secret], context);
    for (const variableFile of variableFiles) {
      await this.attemptWrite(variableFile.path, resource, isIssued, () => variableFile.set(secret));
    }
  }

  /** Closes the files. Throws if secrets could not be written. */
  async close({ hasResult }: { hasResult: boolean }): Promise<void> {
    const { secretFile, variableFiles, failure } = this;
    const { output } = this.context;
    const hasSecretFile = (await secretFile?.close()) ?? false;
    await Promise.all(variableFiles.map((file) => file.close()));
    if (!failure) {
      if (secretFile && hasSecretFile) output.info(`Wrote the secrets to ${secretFile.path}.`);
      if (this.hasSetVariable) {
        for (const { successMessage, path, mode, isCreatedByCi } of variableFiles) {
          if (!isCreatedByCi) await warnAboutReaders(path, mode, this.context);
          output.info(successMessage);
        }
      }
      if (!this.hasSetVariable && variableFiles.length > 0 && hasResult) throw noSecretForVariableError();
      return;
    }
    const { cause, isLost } = failure;
    throw isLost
      ? lostSecretsError(failure.path, this.lostConnections, cause)
      : unwritableSecretFileError(failure.path, cause);
  }

  private async attemptWrite(
    path: string,
    resource: unknown,
    isIssued: boolean,
    write: () => Promise<void>,
  ): Promise<void> {
    try {
      await write();
    } catch (cause) {
      this.failure = { path, cause, isLost: isIssued || this.failure?.isLost === true };
      if (isIssued) this.lostConnections.push(...collectConnectionIds(resource));
    }
  }
}

/** Returns the text if there are no others. */
const findOnlyText = (texts: readonly string[]): string | undefined =>
  new Set(texts).size === 1 ? texts[0] : undefined;
