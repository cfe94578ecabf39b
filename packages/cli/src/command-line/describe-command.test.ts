import { describe, expect, it } from "vitest";
import { topics } from "../commands/help/topics.js";
import { getOverride } from "../contract/command-override.js";
import { describeCommand } from "./describe-command.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import { allCommands, definedCommands } from "../../test/program.js";

const commands = await definedCommands();
const described = commands.map((command) => [command.line, describeCommand(command)] as const);
const shownLines = new Set(commands.map(({ line }) => line));
const hiddenCommands = (await allCommands()).filter(({ line }) => !shownLines.has(line));
const describedHidden = hiddenCommands.map((command) => [command.line, describeCommand(command)] as const);

/** Words of requests and responses, which a user of the command line does not see. */
const wordsOfTheApi =
  /`|\b(request body|nextCursor|is null|to null|Null|is false|is true|Omit|Omitted|the response|not returned)\b|\bits? (is|with) a? ?4\d\d\b|\bstatus [45]\d\d\b/;

describe("the help of every command", () => {
  // mgmt api is for those who know the API.
  it.each([...described, ...describedHidden].filter(([line]) => line !== "mgmt api"))(
    "speaks of flags and commands: %s",
    (_, { description, arguments: args, options }) => {
      const texts = [
        description,
        ...args.map((each) => each.description),
        ...options.map((each) => each.description),
      ];
      for (const text of texts) {
        expect(text).not.toMatch(wordsOfTheApi);
        // A field of the API, unless it is part of a name that is not ours.
        expect(text.replaceAll(/JMESPath|DATABASE_URL|GitHub|GitLab/g, "")).not.toMatch(
          /(?<![-\w./])(?!baseUrl|authUrl|control|signInKeyFile|workspaceId|caFile|postgresPort|projectId|copyMethod)[a-z]+[A-Z]\w*/,
        );
      }
    },
  );

  it.each(described.filter(([, { subcommands }]) => subcommands.length === 0))(
    "has a summary, a description and examples: %s",
    (line, { summary, description, examples }) => {
      expect(summary).not.toBe("");
      expect(description).not.toBe("");
      expect(examples.length).toBeGreaterThan(0);
      if (!line.startsWith("mgmt auth log"))
        expect(examples.some((example) => example.includes(line))).toBe(true);
    },
  );

  it("has no flag that Node.js 20 takes for its own, even after the name of the script", () => {
    const flags = new Set(described.flatMap(([, { options }]) => options.map(({ name }) => name)));
    expect(flags).toContain("--output");
    expect(["--env-file", "--env-file-if-exists"].filter((flag) => flags.has(flag))).toEqual([]);
  });

  it("has no example of a command that it does not show, also in topics", () => {
    const hidden = hiddenCommands.map(({ line }) => line);
    expect(hidden).toContain("mgmt databases connections create");
    const examples = [
      ...described.flatMap(([, each]) => each.examples),
      ...topics.flatMap(({ blocks }) =>
        blocks.flatMap((block) => ("commands" in block ? block.commands : [])),
      ),
    ];
    for (const example of examples) {
      expect(hidden.filter((line) => `${example} `.includes(`${line} `))).toEqual([]);
    }
  });

  it("shows required flags first, then those that are used most, and deprecated ones last", async () => {
    const flagsOf = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runInProcess([...words, "--help"]);
      const [, options = ""] = stdout.split(/^(?:Options|Global options):\n/m);
      return [...options.matchAll(/^  (?:-\w, )?--([\w-]+)/gm)].map(([, flag = ""]) => flag);
    };
    expect(await flagsOf("services", "create")).toMatchObject({
      0: "display-name",
      1: "project-id",
      2: "region-id",
    });
    const inOrder = ["all", "logical-id", "limit", "cursor", "help"];
    const flagsOfList = await flagsOf("projects", "list");
    expect(flagsOfList.filter((flag) => inOrder.includes(flag))).toEqual(inOrder);
    const flags = await flagsOf("projects", "databases", "create");
    expect(flags.indexOf("name")).toBeLessThan(flags.indexOf("source-type"));
    expect(flags.indexOf("source-type")).toBeLessThan(flags.indexOf("from-database-id"));
  });

  it("has the default of a flag that the command declares itself", async () => {
    const { stdout } = await inProcess()`dev --help`;
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("(default: 4300)");
  });

  it("marks the flags that are required", async () => {
    const { stdout } = await inProcess()`integrations list --help`;
    expect(stdout).toMatch(/--workspace-id <id> +\(required\) /);
    // The flag for a secret names a file.
    const transfer = described.find(([line]) => line === "mgmt projects transfer");
    expect(transfer?.[1].options).toContainEqual(
      expect.objectContaining({ name: "--recipient-access-token-file", required: true }),
    );
  });
});

describe("the help of a hidden command", () => {
  /** Returns the line of the command that the help shows for the same purpose. */
  const shownLineOf = ({ line, definition }: (typeof hiddenCommands)[number]): string => {
    const { sameAs } = getOverride(definition?.id ?? "");
    return sameAs === undefined
      ? line.replace("mgmt apps", "mgmt services").replace("mgmt auth log", "mgmt log")
      : `mgmt ${sameAs}`;
  };
  const describeShown = (line: string) =>
    described.findLast(([shownLine]) => `${line} `.startsWith(`${shownLine} `))?.[1];
  const repeating = hiddenCommands.filter(
    ({ line, commands: { length } }) => length === 0 && line !== "mgmt complete",
  );

  it.each(repeating.map((command) => [command.line, shownLineOf(command), command] as const))(
    "describes its flags as the command that the help shows: %s, as %s",
    (line, shownLine, command) => {
      const { summary, description, options } = describeCommand(command);
      expect([summary, description]).not.toContain("");
      const inWordsOfServices = options
        .map((option) => ({
          ...option,
          description: option.description.replaceAll(/\bapp(s?)\b/g, "service$1"),
        }))
        // It has no logical id that could be the default of its name.
        .filter(({ name }) => line !== "mgmt projects databases create" || name !== "--name");
      expect(describeShown(shownLine)?.options).toEqual(expect.arrayContaining(inWordsOfServices));
    },
  );
});

describe("--help --output json", () => {
  it("describes a command as data", async () => {
    const { status, stderr, json } = await inProcess()`projects create --help -o json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toMatchObject({
      command: "mgmt projects create",
      operationId: "projects.create",
      arguments: [{ name: "name", required: false, repeatable: false }],
      options: expect.arrayContaining([
        expect.objectContaining({
          name: "--region",
          value: "value",
          allowed: expect.arrayContaining(["eu-central-1"]),
          required: false,
          global: false,
        }),
        expect.objectContaining({ name: "--output", short: "-o", global: true }),
      ]),
      examples: expect.arrayContaining(["mgmt projects create shop --region eu-central-1 --wait"]),
    });
  });

  it("lists the commands of a group and of mgmt itself", async () => {
    const group = (await inProcess()`databases --help -o json`).json;
    expect(group).toMatchObject({
      command: "mgmt databases",
      subcommands: expect.arrayContaining([
        { command: "mgmt databases backups", summary: expect.any(String), section: null },
      ]),
    });
    const { json } = await inProcess()`--help -o json`;
    expect(json).toMatchObject({
      command: "mgmt",
      subcommands: expect.arrayContaining([
        { command: "mgmt projects", summary: "Projects and their contents", section: "Resources" },
      ]),
    });
  });

  it("is the same before and after the command, with mgmt help, and as YAML", async () => {
    const { stdout } = await inProcess()`projects list --help --output json`;
    expect((await inProcess()`--output json projects list --help`).stdout).toBe(stdout);
    expect((await inProcess()`help projects list --output json`).stdout).toBe(stdout);
    expect((await inProcess()`projects list --help -o yaml`).stdout).toContain(
      "command: mgmt projects list\n",
    );
  });
});
