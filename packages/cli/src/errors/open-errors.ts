import { CliError } from "./cli-error.js";

export const nothingToOpenError = (): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    "There is no default project to open",
    "Pass the id or name of a resource, or docs; or link this folder: mgmt link --project-id ID.",
  );

export const nothingNamedError = (name: string): CliError =>
  new CliError(
    "notFound",
    "name:not_found",
    `No project, database or service is named ${JSON.stringify(name)}`,
    "Pass an id, or a name such as shop, shop/reports or shop/web.",
  );

export const noPageError = (id: string): CliError =>
  new CliError(
    "notFound",
    "open:no_page",
    `${id} has no URL that a browser can open`,
    "A service has one after its first promotion, and a deployment after its first start.",
  );
