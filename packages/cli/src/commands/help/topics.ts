import {
  type VariableDeclaration,
  commandVariables,
  serveVariables,
} from "@mgmt/internal/environment/variables";
import { exitCodeMeanings, planExitCodesText } from "../../errors/exit-code-meanings.js";
import { exitCodes } from "../../errors/exit-codes.js";
import { outputFormats } from "../../output/output-format.js";
import { createGlobalOptions } from "../../command-line/global-options.js";
import type { Topic } from "./topic.js";

const ciTopic: Topic = {
  name: "ci",
  summary: "Secrets, prompts, and exit codes in CI",
  blocks: [
    {
      text:
        "In CI, commands never ask, and do not print new secrets, because the log keeps them. A command that would lose a secret " +
        "that way refuses before it sends anything. These flags say where secrets go:",
    },
    {
      columns: ["flag", "where the secret goes"],
      rows: [
        ["--secret-file PATH", "a new file with the whole result, readable only by the user of the job"],
        ["--github-env NAME", "a variable for the following steps of a job in GitHub Actions"],
        ["--github-output NAME", "an output of the step in GitHub Actions"],
        [
          "--gitlab-dotenv NAME=PATH",
          "a variable in a dotenv report of GitLab; everyone who may download it can read it",
        ],
        ["--show-secrets", "standard output, and so the log unless the job captures it"],
      ],
    },
    {
      text:
        "The variable is the connection string, or the token or URL that the command creates. In GitHub Actions and Azure " +
        "Pipelines, commands print the lines that make the log hide a secret before they print or store it. They print them on " +
        "standard error, so that $(mgmt …) captures the result alone.",
    },
    { heading: "Examples" },
    {
      commands: [
        "mgmt projects create shop --github-env DATABASE_URL",
        "mgmt preview up --gitlab-dotenv DATABASE_URL=database.env",
        "mgmt connections create ci --database-id shop/reports --secret-file ci.json",
      ],
    },
  ],
};

const formatMeanings: Readonly<Record<(typeof outputFormats)[number], string>> = {
  table: "text for people (default)",
  json: "the resource, or a list as an array",
  yaml: "the same as YAML",
  csv: "rows with a header",
  ndjson: "one line of JSON per item, as soon as its page arrives",
  env: "variables of one resource for a shell: DATABASE_ID='db_…'",
  name: "one id per line, for the arguments of another command",
};

const optionsTopic: Topic = {
  name: "options",
  summary: "Options that every command accepts",
  blocks: [
    { text: "They can be passed before or after the command." },
    {
      columns: ["flag", "meaning"],
      rows: createGlobalOptions().map(({ flags, description }) => [flags, description] as const),
    },
    {
      text:
        "`mgmt config set` stores defaults for some of them in the profile. `mgmt help environment` lists the variables that " +
        "set the same.",
    },
    { heading: "Examples" },
    { commands: ["mgmt --profile staging projects list", "mgmt projects list --output json --debug"] },
  ],
};

const outputTopic: Topic = {
  name: "output",
  summary: "Formats, fields, queries, and messages",
  blocks: [
    {
      text: "Standard output contains only the result. Errors, warnings, and progress go to standard error.",
    },
    {
      text: "`--output FORMAT`, or `-o FORMAT`, selects the format. `--json` and `--csv` are short for `--output json` and `--output csv`.",
    },
    {
      columns: ["format", "what is printed"],
      rows: outputFormats.map((format) => [format, formatMeanings[format]] as const),
    },
    { heading: "Selecting what is printed" },
    {
      columns: ["flag", "what it does"],
      rows: [
        ["--fields id,name,region.id", "print only these fields, in any format but name"],
        ["-q, --query EXPRESSION", "print what a JMESPath expression selects (https://jmespath.org)"],
        [
          "--jq FILTER",
          "print what a filter of the program jq selects, if it is installed (https://jqlang.org)",
        ],
        ["--all", "print all pages of a list; without it, one page and how to get the next"],
        ["--no-pager", "never show a long table in $PAGER"],
      ],
    },
    { heading: "Messages and errors" },
    {
      text:
        'With `json` and `ndjson`, every line on standard error is a JSON object: {"error": …}, {"warning": …}, or ' +
        '{"notice": …}. An error has a code, a message, a hint, and next: command lines that help, the best first. ' +
        "Each can be run as it is. `mgmt schema COMMAND` prints the JSON Schema of the result and of an error.",
    },
    { heading: "Secrets" },
    {
      text:
        "Passwords and connection strings are printed only by the command that creates or rotates them, and not in CI. " +
        "Elsewhere, commands print ******** unless you pass `--show-secrets`. `--secret-file PATH` writes the whole result " +
        "to a new file that only you can read, and prints it masked. `mgmt help ci` has more for CI.",
    },
    { heading: "Examples" },
    {
      commands: [
        "mgmt projects list --all --output ndjson",
        "mgmt databases list --fields id,name,region.id",
        "mgmt databases list --query \"[?status=='ready'].id\"",
        "mgmt schema projects list",
      ],
    },
  ],
};

const exitCodesTopic: Topic = {
  name: "exit-codes",
  summary: "What each exit code means",
  blocks: [
    { text: "Every command ends with one of these exit codes:" },
    {
      columns: ["exit code", "meaning"],
      rows: exitCodeMeanings.map(([code, meaning]) => [String(code), meaning] as const),
    },
    {
      text:
        "`mgmt run` and `mgmt psql` pass signals on to the program that they run, and exit with its status. " +
        "`mgmt dev` and `mgmt serve` exit with 0 when a signal stops them. " +
        `\`mgmt plan --exit-code\` exits with ${planExitCodesText}. ` +
        "`mgmt schema COMMAND --query exitCodes` lists the error codes of the service that lead to each exit code of a command.",
    },
    {
      text:
        `After ${String(exitCodes.pending)} with the code outcome:unknown, a response was lost and the change may have happened: run the ` +
        `command in the hint before you repeat it. After ${String(exitCodes.network)}, the same command may succeed later. ` +
        `After ${String(exitCodes.partlyDone)}, the result has one entry for each item.`,
    },
  ],
};

const environmentTopic: Topic = {
  name: "environment",
  summary: "Variables that commands read, and files that they write",
  blocks: [
    {
      text:
        "A flag overrides the environment, which overrides the link of the folder, which overrides the profile. With " +
        "`--profile`, the variables for the service, the credential, and the defaults are ignored.",
    },
    {
      columns: ["variable", "meaning"],
      rows: [
        ...Object.entries<VariableDeclaration>({ ...commandVariables, ...serveVariables }).map(
          ([name, { meaning, flag }]) =>
            [name, flag === undefined ? meaning : `${meaning} (${flag})`] as const,
        ),
        ["CI", "never ask, show a spinner, use a pager, or print new secrets"],
        ["NO_COLOR, FORCE_COLOR", "turn colors off or on"],
        ["PAGER, NO_PAGER", "program that shows long tables, or none"],
        ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies, and hosts to reach without them"],
        ["NODE_EXTRA_CA_CERTS", "file with certificates to trust in addition to the certificates of Node.js"],
        ["NODE_DISABLE_COMPILE_CACHE", "do not store compiled code, which starts commands faster"],
      ],
    },
    { heading: "Files" },
    {
      columns: ["file", "contents"],
      rows: [
        ["config.json", "profiles, readable only by you, in MGMT_CONFIG_DIR"],
        ["completion.json", "names and ids that completion has seen, in MGMT_CONFIG_DIR"],
        ["mgmt/code", "compiled code, in the user's folder for caches; can be deleted at any time"],
        ["mgmt/latest-version", "version that npm has found, in the user's folder for caches"],
        [".mgmt/link.json", "profile, workspace, and project of a folder, written by mgmt link"],
        ["mgmt.yaml", "manifest that mgmt plan and mgmt apply read"],
      ],
    },
    { heading: "Examples" },
    { commands: ["mgmt auth status", "MGMT_PROFILE=staging mgmt projects list"] },
  ],
};

const authTopic: Topic = {
  name: "auth",
  summary: "How to log in, and which credential commands use",
  blocks: [
    {
      text:
        "`mgmt login --base-url URL` logs in through the browser and stores the login in a profile. Commands refresh it when " +
        "needed. Over SSH and in a container, it prints a URL to open on any machine instead.",
    },
    {
      text:
        "In scripts and CI, set MGMT_BASE_URL and MGMT_TOKEN to the URL of the service and a service token, or store the " +
        "token with `mgmt login --with-token`. A token is never accepted as the value of a flag, where other programs could read it.",
    },
    {
      text:
        "`mgmt dev` runs the service on this machine and stores its URL and a token in the profile local, so that " +
        "other commands work without a login.",
    },
    { heading: "Which credential is used" },
    {
      text:
        "The first of these that is set: --token-file, MGMT_TOKEN, and the profile that --profile, MGMT_PROFILE, the link of " +
        "the folder, or mgmt auth switch has selected. With --profile, MGMT_TOKEN is ignored. If it is set but empty, as in a " +
        "CI job that cannot read the secret, the command fails. The credential of a profile is sent only to the service of that profile.",
    },
    { heading: "Commands" },
    {
      columns: ["command", "what it does"],
      rows: [
        ["mgmt login", "log in with the browser, or with a token"],
        ["mgmt logout", "log out and forget the credential"],
        ["mgmt whoami", "ask the service who you are"],
        ["mgmt auth list", "list the profiles"],
        ["mgmt auth status", "show which service and credential commands use, and why"],
        ["mgmt auth switch", "change the active profile"],
        ["mgmt auth token", "print the token that commands send"],
      ],
    },
    { heading: "Examples" },
    {
      commands: [
        "mgmt login --base-url https://api.example.com",
        "mgmt login --with-token --profile ci < token.txt",
        "mgmt login --store keyring",
        "mgmt auth status",
      ],
    },
  ],
};

const namesTopic: Topic = {
  name: "names",
  summary: "Names instead of ids",
  blocks: [
    {
      text: "Arguments, flags, fields of --body, and lines of --ndjson that take the id of a project, branch, database, connection, workspace, or service also take its name:",
    },
    {
      columns: ["name", "what it means"],
      rows: [
        ["shop", "the resource with this name, logical id, or git name"],
        ["shop/main/reports", "the database or service reports on the branch main of the project shop"],
        ["shop/reports", "the database or service reports of the project shop"],
        [
          "shop/main/reports/app",
          "the connection app of that database; reports/app and shop/reports/app, too",
        ],
        ["@feature/x", "the branch feature/x of the default project"],
        ["shop/@feature/x", "the branch feature/x of the project shop"],
      ],
    },
    {
      text:
        `Names are exact. If nothing has the name, the command says which names are similar, and exits with ${String(exitCodes.notFound)}. ` +
        `If several resources have it, the command lists them with their full names, changes nothing, and exits with ${String(exitCodes.refused)}. ` +
        "`mgmt link` sets the default project of a folder, and MGMT_PROJECT_ID sets the default project of a shell.",
    },
    { heading: "Examples" },
    { commands: ["mgmt databases get shop/main/reports", "mgmt branches get shop/@feature/cart"] },
  ],
};

/** The topics of `mgmt help TOPIC`, in the order of the list that `mgmt help` prints. */
export const topics: readonly Topic[] = [
  optionsTopic,
  outputTopic,
  exitCodesTopic,
  environmentTopic,
  authTopic,
  namesTopic,
  ciTopic,
];
