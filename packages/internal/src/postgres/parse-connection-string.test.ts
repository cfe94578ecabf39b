import { describe, expect, it } from "vitest";
import { ConnectionStringError, parseConnectionString } from "./parse-connection-string.js";

const readRejection = (text: string): ConnectionStringError | undefined => {
  try {
    parseConnectionString(text);
  } catch (error) {
    if (error instanceof ConnectionStringError) return error;
    throw error;
  }
  return undefined;
};

describe("a connection string that is refused", () => {
  it.each([
    ["a percent sign that encodes nothing", "postgresql://u:hidden%zz@127.0.0.1/db", "%25"],
    ["a percent sign at the end", "postgresql://u:hidden@127.0.0.1/db%2", "%25"],
    ["bytes that are not UTF-8", "postgresql://u:hidden%ff@127.0.0.1/db", "not UTF-8"],
    ["a null character", "postgresql://u:hidden%00@127.0.0.1/db", "null character"],
    ["a line break", "postgresql://u:hidden@127.0\n.0.1/db", "one line"],
    ["a space", "postgresql://u:hid den@127.0.0.1/db", "%20"],
    ["a / in the password", "postgresql://u:hidden/1@127.0.0.1/db", "/ as %2F"],
    ["a / at the beginning of the password", "postgresql://u:/hidden@127.0.0.1/db", "as %2F"],
    ["a / after a number in the password", "postgresql://u:12/hidden@127.0.0.1/db", "as %2F"],
    ["a / after an @ in the password", "postgresql://u:h@1/hidden@127.0.0.1/db", "as %40"],
    ["a ? in the password", "postgresql://u:hidden?1@127.0.0.1/db", "? as %3F"],
    ["a ? at the beginning of the password", "postgresql://u:?hidden@127.0.0.1/db", "? as %3F"],
    ["a ? and a = in the password", "postgresql://u:12?hidden=1@127.0.0.1/db", "as %3F"],
    ["a # in the password", "postgresql://u:hidden#1@127.0.0.1/db", "as %23"],
    ["a # at the beginning of the password", "postgresql://u:#hidden@127.0.0.1/db", "as %23"],
    ["two @", "postgresql://u:hid@den@127.0.0.1/db", "as %40"],
    ["an & in a password of JDBC", "jdbc:postgresql://h/db?user=u&password=a&hidden", "%26"],
    ["another program's scheme", "mysql://u:hidden@h/db", "postgresql://"],
    ["a proxy of Prisma", "prisma+postgres://accelerate.example/?api_key=hidden", "direct connection"],
    ["quotes around it", '"postgresql://u:hidden@h/db"', "Remove the quotes"],
    ["a line of an env file", "DATABASE_URL=postgresql://u:hidden@h/db", "only the value"],
    ["an open quote", "host=h password='hidden", "single quotes"],
    ["a word without a value", "host=h hidden", "cannot be read"],
    ["pairs with an open quote", 'Host=h;Password="hidden', "double quotes"],
    ["other text", "hidden", "neither the form of a URI"],
  ])("has %s: the error says so, and repeats nothing of it", (_, text, part) => {
    const { message = "", hint = "" } = readRejection(text) ?? {};
    expect(`${message} ${hint}`).toContain(part);
    expect(`${message} ${hint}`).not.toMatch(/hid|den/);
  });
});
