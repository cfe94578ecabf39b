import type { Context } from "../input/context.js";
import { assertSecretPrinted } from "../secrets/assert-deliverable.js";
import { formatWithSecrets, resolveSecretDestination } from "../secrets/secret-destination.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import { openSecretOutput } from "../secrets/secret-output.js";

/** A result with a secret that is shown only once. */
interface ResultWithSecret {
  readonly value: string;
}

/**
 * Creates a secret, and prints the result or writes it into the files that the flags name. Without flags, it is printed only on a
 * terminal: the output of a program that sets a service up is usually kept in a log.
 *
 * @param sample a result with the fields that queries can select.
 * @throws CliError `secrets:not_shown`, before `issue` is called.
 */
export const issueSecret = async <Result extends ResultWithSecret>(
  flags: SecretFlags,
  sample: Result,
  issue: () => Promise<Result>,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const flagDestination = resolveSecretDestination(flags, context);
  const isAsked = output.isTerminal || flags.showSecrets === true || flags.secretFile === "-";
  const reason = "without a flag for them, they are printed only on a terminal";
  const destination =
    flagDestination.to === "output" && !isAsked ? ({ to: "nowhere", reason } as const) : flagDestination;
  await assertSecretPrinted(sample, destination, context);
  output.format = formatWithSecrets(flags, output.format);
  const secretOutput = await openSecretOutput({ paths: ["value"], issued: true }, destination, context);
  try {
    await output.writeResult(await secretOutput.deliver(await issue()));
  } finally {
    await secretOutput.close();
  }
};
