import { describe, expect, it } from "vitest";
import { redactMessage } from "@mgmt/internal/redaction/redact";
import { applyRules, messageRules } from "@mgmt/internal/redaction/secret-patterns";

const parts = [
  "a",
  " ",
  "\n",
  "\\",
  "{",
  "@",
  "_",
  "&",
  "?",
  "<a ",
  "password=",
  "password:",
  'password="',
  "password ",
  "token: ",
  "token is ",
  "--token ",
  "pin=\\",
  "x-",
  "cookie: ",
  "authorization :",
  "a://",
  "a://b@",
  "eyJa.",
  "-----BEGIN ",
  "-----BEGIN A-----",
  "a=password=",
  "a:11:b:c:",
  "<password>",
  "login a password",
  "password '",
  "password\t=\t",
  "key:\n  ",
  "- a: |\n",
  'a:\\"',
  "?a=",
];

const megabyteOf = (part: string): string => part.repeat(Math.ceil(2 ** 20 / part.length));

/** A pattern that starts again at each position takes hours for one of these. */
describe("redaction of a response of a megabyte", () => {
  it.each(parts.map((part) => [JSON.stringify(part), part]))(
    "takes little time if the response repeats %s",
    (_, part) => {
      expect(applyRules(megabyteOf(part), messageRules)).not.toBe("");
    },
  );

  it.each(["a", "{", '{"', "%25", "password=", "QUJD", "41", "-----BEGIN A-----"])(
    "that repeats %s, with everything that it may encode",
    (part) => {
      expect(redactMessage(megabyteOf(part))).not.toBe("");
    },
  );
});
