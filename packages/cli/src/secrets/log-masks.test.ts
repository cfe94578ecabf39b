import { describe, expect, it } from "vitest";
import { maskInLog } from "./log-masks.js";
import type { Context } from "../input/context.js";

const masksIn = (env: NodeJS.ProcessEnv, ...secrets: string[]): string[] => {
  const lines: string[] = [];
  const output = { writeCiCommand: (line: string) => void lines.push(line) };
  // Masks need no more of the output.
  maskInLog(secrets, { env, output: output as unknown as Context["output"] });
  return lines;
};

const github = { GITHUB_ACTIONS: "true" };
const mask = (text: string): string => `::add-mask::${text}`;

describe("masks of the log", () => {
  it.each<[string, string, string[]]>([
    ["a plain secret", "hidden", ["hidden"]],
    ["one that is encoded in a URL", "hid/den", ["hid/den", "hid%252Fden"]],
    ["one with double quotes", 'hid"den', ['hid"den', "hid%2522den", 'hid\\"den', 'hid""den']],
    ["one with single quotes", "hid'den", ["hid'den", "hid'\\''den", "hid''den"]],
    ["one with a backslash", "hid\\den", ["hid\\den", "hid%255Cden", "hid\\\\den"]],
    ["one with a percent sign", "hid%den", ["hid%25den", "hid%2525den"]],
    [
      "lines of one",
      "hidden one\r\nhidden two",
      ["hidden one", "hidden two", "hidden%2520one%250D%250Ahidden%2520two", "hidden one\\r\\nhidden two"],
    ],
    ["a short line of one", "hidden\nabc", ["hidden", "hidden%250Aabc", "hidden\\nabc"]],
    ["a short one", "abc", []],
    ["a short one with spaces", "  ab  ", ["%2520%2520ab%2520%2520"]],
    ["an empty one", "", []],
    [
      "the password of a connection string",
      "postgres://ada:hidden@h/d",
      ["postgres://ada:hidden@h/d", percentOf("postgres://ada:hidden@h/d"), "hidden"],
    ],
    [
      "an encoded password, decoded too",
      "postgres://ada:hid%40den@h/d",
      [
        "postgres://ada:hid%2540den@h/d",
        percentOf("postgres://ada:hid%40den@h/d"),
        "hid%2540den",
        "hid%252540den",
        "hid@den",
      ],
    ],
    [
      "a password that cannot be decoded",
      "postgres://ada:hid%zzden@h/d",
      [
        "postgres://ada:hid%25zzden@h/d",
        percentOf("postgres://ada:hid%zzden@h/d"),
        "hid%25zzden",
        "hid%2525zzden",
      ],
    ],
    [
      "credentials in a query, and no other parameters",
      "https://h/d?apiKey=hidden1&X-Amz-Signature=hidden2&access_token=hidden3&user=plain",
      [
        "https://h/d?apiKey=hidden1&X-Amz-Signature=hidden2&access_token=hidden3&user=plain",
        percentOf("https://h/d?apiKey=hidden1&X-Amz-Signature=hidden2&access_token=hidden3&user=plain"),
        "hidden1",
        "hidden2",
        "hidden3",
      ],
    ],
  ])("hide %s", (_, secret, masks) => {
    expect(masksIn(github, secret).sort()).toEqual(masks.map(mask).sort());
  });

  it("are printed once for each string", () => {
    expect(masksIn(github, "hidden", "hidden", "postgres://a:hidden@h")).toHaveLength(3);
  });

  it.each<[NodeJS.ProcessEnv, string[]]>([
    [{ TF_BUILD: "True" }, ["##vso[task.setsecret]hid%AZP25den", "##vso[task.setsecret]hid%AZP2525den"]],
    [{ CI: "true" }, []],
    [{ TEAMCITY_VERSION: "2026" }, []],
    [{}, []],
    [{ GITHUB_ACTIONS: "false" }, []],
  ])("are those of the system: %j", (env, lines) => {
    expect(masksIn(env, "hid%den")).toEqual(lines);
  });
});

/** Returns a string percent-encoded, as a mask of GitHub Actions escapes it. */
function percentOf(text: string): string {
  return encodeURIComponent(text).replaceAll("%", "%25");
}
