import { PassThrough } from "node:stream";
import type { Context } from "../input/context.js";
import { secretsNotShown } from "../errors/secret-errors.js";
import { setAt, valueAt } from "../json/json-path.js";
import { overrideOf } from "../contract/command-override.js";
import type { CommandDefinition, Schema, SecretFields } from "../contract/command-definition.js";
import { Output } from "../output/output.js";
import type { SecretDestination } from "./secret-destination.js";

const sample = "SAMPLE-SECRET";

/**
 * Refuses to create secrets that the service returns only once if the result would not show them: in CI, or with a format, fields
 * or a query without them. Call it before anything is sent.
 *
 * @param body of the request.
 * @param print prints a resource as the command does. Default: as a result.
 * @throws `secrets:not_shown`.
 */
export const assertDelivered = async (
  { id, resource, secrets }: Pick<CommandDefinition, "id" | "resource" | "secrets">,
  body: unknown,
  destination: SecretDestination,
  context: Pick<Context, "output">,
  print: (output: Output, value: unknown) => Promise<void> = (output, value) =>
    output.result(value, resource),
): Promise<void> => {
  if (!secrets?.issued || canBeReadAgain(secrets) || destination.to === "files") return;
  const { noSecretWith } = overrideOf(id);
  if (noSecretWith !== undefined && valueAt(body, [noSecretWith]) === true) return;
  if (destination.to === "nowhere") throw secretsNotShown("CI keeps what is printed in its log");
  const { definitions, results } = await import("../contract/generated/schemas.js");
  const value = sampleOf(results[id]?.item ?? {}, definitions);
  for (const path of secrets.paths) setAt(value, path.split("."), sample);
  if (await isPrinted((trial) => print(trial, value), context.output)) return;
  const { format, presentation } = context.output;
  const what = presentation.query ? "--query" : presentation.fields ? "--fields" : `--output ${format}`;
  throw secretsNotShown(`${what} leaves them out`);
};

/** Whether other commands can read the secrets later, as those of connections. */
const canBeReadAgain = ({ paths }: SecretFields): boolean =>
  paths.some((path) => path.endsWith("directConnection.pass"));

/** Whether the output of a run would contain the sample. */
const isPrinted = async (print: (trial: Output) => Promise<void>, output: Output): Promise<boolean> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const trial = new Output(output.format, { stdout, stderr }, {});
  trial.presentation = { ...output.presentation, pager: false };
  try {
    await print(trial);
  } catch {
    return false;
  }
  return String(stdout.read() ?? "").includes(sample);
};

/** Returns a resource that matches a schema as far as queries can tell. */
const sampleOf = (schema: Schema, definitions: Readonly<Record<string, Schema>>): Record<string, unknown> => {
  const { $ref, properties = {}, allOf = [] } = schema;
  const target = $ref === undefined ? undefined : definitions[$ref.replace("#/$defs/", "")];
  return Object.assign(
    {},
    ...[...(target ? [target] : []), ...allOf].map((part) => sampleOf(part, definitions)),
    ...Object.entries(properties).map(([name, inner]) => ({
      [name]: inner.properties || inner.$ref ? sampleOf(inner, definitions) : "text",
    })),
  ) as Record<string, unknown>;
};
