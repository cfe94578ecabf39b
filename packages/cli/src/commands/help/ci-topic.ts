import type { Topic } from "./topic.js";

export const ci: Topic = {
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
