import { createHash } from "node:crypto";
import type { Place } from "./place.js";

/** The path that screens show instead of a temporary folder. Both have the same width. */
const shownFolder = "/home/ada/webapp";

/** Returns a text that looks random, is the same in every run, and has the length and the kind of characters of another. */
const similar = (text: string, count: number): string => {
  const digest = createHash("sha512").update(String(count)).digest();
  const small = "abcdefghijkmnpqrstuvwxyz23456789";
  const all = /[A-Z]/.test(text) ? `${small}ABCDEFGHJKLMNPQRSTUVWXYZ` : small;
  return Array.from(text, (_, index) => all[(digest[index % digest.length] ?? 0) % all.length]).join("");
};

/** Parts of a text that are different in every run: long tokens, ids and passwords, and ids of requests. */
const random = [
  // Any of them may have no digit. Only the id of the command's own integration is always the same.
  /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{30,}/g,
  /(?<![A-Za-z0-9])(?:(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}|(?<=[a-z]_)(?!mgmtcommandlineinterface)[a-z]{24,}|(?<=\brole_)[a-z]{16}|(?<=:)[A-Za-z]{24,}(?=@)|(?<=\bpass\W+)[A-Za-z]{24,})/g,
  /(?<=\breq_)[\w-]{8,}/g,
  // Ids that are cut in tables.
  /(?<=[a-z]_)[a-z0-9]{3,}(?=…)/g,
  // Names in domains, which begin with the name of a service.
  /(?<=-)[a-z0-9]{12}(?=\.apps\.mgmt\.example)/g,
];

/** Between two cells of a table or a detail and its value. */
const gap = String.raw`(?:\u001b\[[\d;]*m|\s)+`;

/** The last characters of service tokens: as a detail, and in tables after the id and the name. */
const tokenEnding = new RegExp(
  String.raw`(?<=value hint${gap})[\w-]{4}(?![\w-])|(?<=stk_\w+${gap}\w+${gap})[\w-]{4}(?=${gap}-)`,
  "g",
);
/** How long ago the first day of the month was. */
const ageOfMonth = new RegExp(String.raw`(?<=period start${gap}[\d-]+T[\d:.]+Z${gap}\()\d+ \w+ ago`, "g");
/** The size of a database without data, in bytes and in GiB. It depends on the version of Postgres. */
const databaseSize = new RegExp(
  String.raw`(?<=completed${gap})\d{7}\b|(?<=storage \(GiB\)${gap})0\.00\d{4}\b`,
  "g",
);
/** The number of a request at the end of its id. The more requests there were, the longer it is. */
const requestNumber = /(?<=\breq_\w{10}_)\w+/g;
const portDetail = new RegExp(String.raw`(?<=port${gap})\d{5}\b`, "g");

/** Removes messages that depend on how fast the service is. They may be broken into two lines. */
const withoutProgress = (raw: string): string =>
  raw
    // Frames of a spinner that are no longer on the screen. They may be cut within an id.
    .replaceAll(/\r\u001b\[K[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] [^\r\n\u001b]*(?=\r\u001b\[K)/g, "")
    .replaceAll(/Still waiting for a response from\s+\S+\r?\n/g, "")
    .replaceAll(/Waiting\s+until\s+\w+\s+\w+_\w+\s+is\s+\w+\.\r?\n/g, "")
    .replaceAll(
      /The\s+connection\s+to\s+\S+\s+failed\s+\(\w+\)\.\s+The\s+request\s+is\s+sent\s+again\s+in\s+\d+\s+m?s\.\r?\n/g,
      "",
    )
    .replaceAll(/\b[A-Z]\w+\s+\w+_\w+\s+is\s+\w+\.(\s+Waiting\s+until\s+it\s+is\s+\w+\.)?\r?\n/g, "");

const retryNotice =
  /The\s+connection\s+to\s+\S+\s+failed\s+\(ECONNREFUSED\)\.\s+The\s+request\s+is\s+sent\s+again[^.]*\.\r?\n/g;

/**
 * Replaces what is different in every run by texts of the same width, so that the screen is the same. The first of a kind is
 * always replaced by the same text.
 */
export const normalize = (raw: string, { folder }: Pick<Place, "folder">): string => {
  const seen = new Map<string, string>();
  const stable = (text: string): string => {
    const known = seen.get(text) ?? similar(text, seen.size);
    seen.set(text, known);
    return known;
  };
  const ports = new Map<string, string>();
  const port = (digits: string): string => {
    const known = ports.get(digits) ?? String(50_001 + ports.size);
    ports.set(digits, known);
    return known;
  };
  const text = withoutProgress(raw)
    .replaceAll(folder, shownFolder)
    .replaceAll(/(?<=\/mgmt-ephemeral-)\w{6}/g, "a1B2c3")
    .replaceAll(/(?<=(?:127\.0\.0\.1|localhost):)\d{5}\b/g, port)
    .replaceAll(portDetail, port)
    .replaceAll(ageOfMonth, "22 days ago")
    .replaceAll(tokenEnding, "a1B2")
    .replaceAll(requestNumber, (number) => number.slice(-2).padStart(2, "0"))
    .replaceAll(databaseSize, (size) => (size.includes(".") ? "0.007276" : "7812799"))
    .replaceAll(
      /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g,
      (_, fraction: string | undefined) => `2026-03-02T09:30:00${fraction === undefined ? "" : ".000"}Z`,
    )
    .replaceAll(
      /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT/g,
      "Mon, 02 Mar 2026 09:30:00 GMT",
    )
    .replaceAll(/\bNode\.js \d+\.\d+\.\d+/g, "Node.js 20.19.0")
    .replaceAll(/\bin \d+(\.\d+)? m?s\b/g, "in 12 ms")
    .replaceAll(/\b19:5\d left/g, "20:00 left")
    // Appears only if the random pauses between the attempts add up to more than a second.
    .replaceAll(retryNotice, "")
    .replaceAll(/\b\d+(\.\d+)? [kM]B\b/g, "7.5 MB")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋");
  return random.reduce((partly, pattern) => partly.replaceAll(pattern, stable), text);
};
