import { Option } from "commander";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import { addDryRunOption, readDryRunFormat } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { methods } from "./methods.js";
import type { ApiFlags } from "./api-flags.js";

/** The body of the response. */
export type ResponseBody = unknown;

export const apiCommand: HandwrittenCommand<ResponseBody> = {
  commandPath: "api",
  helpGroup: "about",
  order: 10,
  summary: "Send any request to the API",
  description:
    "Sends a request to the API with your credential, and prints the response body as JSON. Use it for operations " +
    "that this version has no command for, and in scripts that are written for the HTTP API.\n\n" +
    "The method is GET, POST, PUT, PATCH or DELETE. It can be left out for a GET without fields. The path can be typed " +
    "with or without /v1. {projectId} and {workspaceId} in it are replaced by your defaults. It asks " +
    "for confirmation only in a protected folder.\n\n" +
    "Fields become the JSON body, or the query of a GET or DELETE. A key such as source[type] sets a field of an " +
    "object, and tags[] adds to a list.\n\n" +
    "--query selects from the whole body. --fields and the formats table, csv, ndjson, env and name print what is in " +
    "its data. Secrets are masked unless the request creates them.",
  examples: [
    "mgmt api GET /v1/projects",
    "mgmt api projects --paginate --query '[].name'",
    "mgmt api POST /v1/projects -f name=shop -f region=eu-central-1 -F createDatabase=false",
    `mgmt api PATCH /v1/databases/${buildExampleId(idPrefixes.database)} --input body.json`,
    "mgmt api GET '/v1/projects/{projectId}/databases' --include",
  ],
  confirms: true,
  define: (command, context) => {
    command
      .usage("[options] [method] <path>")
      .argument("<method-or-path>", "GET, POST, PUT, PATCH or DELETE, or the path")
      .argument("[path]", "path of the request, such as /v1/projects or projects")
      .addOption(createMethodOption())
      .addOption(createRepeatableOption("-f, --raw-field <key=value>", "add a field with a string"))
      .addOption(
        createRepeatableOption(
          "-F, --field <key=value>",
          "add a field with a number, true, false or null, or the text of @file (@- for standard input)",
        ),
      )
      .option("--input <path>", "file with the body as JSON, - for standard input; fields override it")
      .option("--paginate", "request all pages of a list, and print its items as one JSON array")
      .option("-i, --include", "print the status and headers of the response too")
      .addOption(createRepeatableOption("-H, --header <name:value>", "add a header"));
    addSecretOptions(command);
    addDryRunOption(command);
    command.completeArgument = async (argument) => {
      const { completePath } = await import("./complete-path.js");
      return completePath(argument);
    };
    command.action(async () => {
      const { runApi } = await import("./run-api.js");
      const flags = {
        ...collectGlobalFlags(command),
        ...command.opts<ApiFlags>(),
        dryRun: readDryRunFormat(command),
      };
      await runApi(command.args, flags, context);
    });
  },
};

/**
 * Returns the flag `--method`. Its values are completed, but not checked here: the check of a method that is an argument applies to both.
 */
const createMethodOption = (): Option =>
  Object.assign(new Option("-X, --method <method>", "the method, if it is not an argument"), {
    argChoices: [...methods],
  });

const createRepeatableOption = (flags: string, help: string): Option =>
  new Option(flags, `${help} (repeatable)`).argParser((text: string, previous: string[] = []): string[] => [
    ...previous,
    text,
  ]);
