import { PassThrough } from "node:stream";
import type { Context } from "../input/context.js";
import { secretsNotShownError } from "../errors/secret-errors.js";
import { setAtPath, getAtPath } from "../json/json-path.js";
import { getOverride } from "../contract/command-override.js";
import type { GeneratedCommand, Schema, SecretFields } from "../contract/generated-command.js";
import { Output } from "../output/output.js";
import type { SecretDestination } from "./secret-destination.js";

const sampleSecret = "SAMPLE-SECRET";

/**
 * Refuses to create secrets that the service returns only once if the result would not show them: in CI, or with a format, fields
 * or a query without them. Call it before anything is sent.
 *
 * @param body the body of the request.
 * @param printResource prints a resource as the command does. Default: as a result.
 * @throws `secrets:not_shown`.
 */
export const assertDeliverable = async (
  { id, resource, secrets }: Pick<GeneratedCommand, "id" | "resource" | "secrets">,
  body: unknown,
  destination: SecretDestination,
  context: Pick<Context, "output">,
  printResource: (output: Output, value: unknown) => Promise<void> = (output, value) =>
    output.writeResult(value, resource),
): Promise<void> => {
  if (!secrets?.issued || canBeReadAgain(secrets) || destination.to === "files") return;
  const { noSecretWith } = getOverride(id);
  if (noSecretWith !== undefined && getAtPath(body, [noSecretWith]) === true) return;
  if (destination.to === "nowhere") throw secretsNotShownError(destination.reason);
  const { definitions, results } = await import("../contract/generated/schemas.js");
  const sample = buildSample(results[id]?.item ?? {}, definitions);
  for (const path of secrets.paths) setAtPath(sample, path.split("."), sampleSecret);
  await assertSamplePrinted((trial) => printResource(trial, sample), context);
};

/**
 * Refuses to create a secret that the result would not show, like `assertDeliverable`.
 *
 * @param sample a result with the fields that queries can select. Its secret is the field `value`.
 * @throws `secrets:not_shown`.
 */
export const assertSecretPrinted = async (
  sample: { readonly value: string },
  destination: SecretDestination,
  context: Pick<Context, "output">,
): Promise<void> => {
  if (destination.to === "files") return;
  if (destination.to === "nowhere") throw secretsNotShownError(destination.reason);
  await assertSamplePrinted((trial) => trial.writeResult({ ...sample, value: sampleSecret }), context);
};

const assertSamplePrinted = async (
  print: (trial: Output) => Promise<void>,
  { output }: Pick<Context, "output">,
): Promise<void> => {
  if (await isSamplePrinted(print, output)) return;
  const { format, presentation } = output;
  const omittingFlag = presentation.query
    ? "--query"
    : presentation.fields
      ? "--fields"
      : `--output ${format}`;
  throw secretsNotShownError(`${omittingFlag} leaves them out`);
};

/** Returns whether other commands can read the secrets later, as they can the secrets of connections. */
const canBeReadAgain = ({ paths }: SecretFields): boolean =>
  paths.some((path) => path.endsWith("directConnection.pass"));

/** Returns whether the output of a run would contain the sample. */
const isSamplePrinted = async (print: (trial: Output) => Promise<void>, output: Output): Promise<boolean> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const trialOutput = new Output(output.format, { stdout, stderr }, {});
  trialOutput.presentation = { ...output.presentation, pager: false };
  try {
    await print(trialOutput);
  } catch {
    return false;
  }
  return String(stdout.read() ?? "").includes(sampleSecret);
};

/** Returns a sample resource of a schema, with the fields that queries can select. */
const buildSample = (
  schema: Schema,
  definitions: Readonly<Record<string, Schema>>,
): Record<string, unknown> => {
  const { $ref, properties = {}, allOf = [] } = schema;
  const referencedSchema = $ref === undefined ? undefined : definitions[$ref.replace("#/$defs/", "")];
  return Object.assign(
    {},
    ...[...(referencedSchema ? [referencedSchema] : []), ...allOf].map((part) =>
      buildSample(part, definitions),
    ),
    ...Object.entries(properties).map(([name, fieldSchema]) => ({
      [name]: fieldSchema.properties || fieldSchema.$ref ? buildSample(fieldSchema, definitions) : "text",
    })),
  ) as Record<string, unknown>;
};
