import { escapeSingleQuotes } from "../text/shell-word.js";
import { isObject, setAtPath, getAtPath } from "../json/json-path.js";
import { toSafeJson } from "./printable.js";

/** A request that was not sent. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** Whether it is sent without the token. */
  readonly isAnonymous?: boolean;
  /** Headers other than the headers of the body and the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON body, with secrets. */
  readonly body?: unknown;
  /** Name for the id in the response, which later requests contain. */
  readonly id?: string;
}

/** Returns the name of a shell variable, for an id that is known only after an earlier request was sent. */
export const formatIdVariableName = (index: number): string => `mgmt_id_${index}`;

/** Returns the names of ids in a string. */
export const findIdVariableNames = (text: string): string[] => text.match(/\bmgmt_id_\d+\b/g) ?? [];

/**
 * Returns a shell command that sends a request with curl. It passes the token and the secrets from environment variables to
 * curl on standard input, where the process list does not show them.
 *
 * @param secretPaths paths of secrets in the body. The environment variable of `recipientAccessToken` is RECIPIENT_ACCESS_TOKEN.
 * @param secretHeaders names of headers with secrets. The environment variable of `x-api-key` is X_API_KEY.
 */
export const renderCurlCommand = (
  { method, url, isAnonymous = false, headers = {}, body, id }: PlannedRequest,
  secretPaths: readonly (readonly string[])[],
  secretHeaders: readonly string[] = [],
): string => {
  const presentSecrets = secretPaths.filter((path) => isObject(body) && getAtPath(body, path) !== undefined);
  const printfValues = isAnonymous ? [] : ['"$MGMT_TOKEN"'];
  const curlConfig = isAnonymous ? [] : ['header = "Authorization: Bearer %s"'];
  const curlArguments = ["--silent", "--show-error", "--fail-with-body", "--request", method];
  if (body !== undefined) curlArguments.push("--header", "'Content-Type: application/json'");
  for (const [name, value] of Object.entries(headers)) {
    if (secretHeaders.includes(name)) {
      curlConfig.push('header = "%s: %s"');
      printfValues.push(quoteShellArgument(escapeCurlValue(name)), `"$${formatSecretVariableName([name])}"`);
    } else curlArguments.push("--header", quoteShellArgument(`${name}: ${value}`));
  }
  if (presentSecrets.length > 0) {
    const [parts, variables] = splitAtSecrets(body, presentSecrets);
    curlConfig.push(`data = "${"%s".repeat(parts.length + variables.length)}"`);
    printfValues.push(
      ...parts.flatMap((part, index) => {
        const variable = variables[index];
        return [
          quoteShellArgument(escapeCurlValue(part)),
          ...(variable === undefined ? [] : [`"$${variable}"`]),
        ];
      }),
    );
  } else if (body !== undefined) {
    curlArguments.push("--data", quoteShellArgument(toSafeJson(body)));
  }
  const call = [...curlArguments, quoteShellArgument(url)].join(" ");
  const line =
    curlConfig.length === 0
      ? `curl ${call}`
      : `printf '${curlConfig.join("\\n")}\\n' ${printfValues.join(" ")} | curl --config - ${call}`;
  return id === undefined ? line : `${id}=$(${line} | node -pe '${readIdScript}')`;
};

/** Prints the id in a response with one resource or a list of one. */
const readIdScript = "[JSON.parse(fs.readFileSync(0)).data].flat()[0].id";

/** Splits the JSON of a body where its secrets are. Returns the parts, and the variables between them. */
const splitAtSecrets = (
  body: unknown,
  secretPaths: readonly (readonly string[])[],
): [parts: string[], variables: string[]] => {
  const markedBody: unknown = structuredClone(body);
  const markSecret = (index: number): string => `\u0001${index}\u0001`;
  if (isObject(markedBody))
    secretPaths.forEach((path, index) => setAtPath(markedBody, path, markSecret(index)));
  const pieces = toSafeJson(markedBody).split(/\\u0001(\d+)\\u0001/);
  return [
    pieces.filter((_, index) => index % 2 === 0),
    pieces
      .filter((_, index) => index % 2 === 1)
      .map((pathIndex) => formatSecretVariableName(secretPaths[Number(pathIndex)] ?? [])),
  ];
};

/** Returns the name of an environment variable. Names in a body are anyone's, and a shell would act on their characters. */
const formatSecretVariableName = (path: readonly string[]): string =>
  path
    .join("_")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]/g, "_")
    .replace(/^(?=\d|$)/, "_");

/** Escapes text for a quoted value of a curl configuration. */
const escapeCurlValue = (text: string): string => text.replaceAll(/["\\]/g, String.raw`\$&`);

const quoteShellArgument = (text: string): string =>
  `'${escapeSingleQuotes(text).replaceAll(/\bmgmt_id_\d+\b/g, `'"$$$&"'`)}'`;
