import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licensesFile, sectionOf, thirdPartyAt } from "../third-party-licenses.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Packages that the standalone program contains unchanged, and that npm installs beside the command otherwise. */
const contained = ["node_modules/@jmespath-community/jmespath", "node_modules/@napi-rs/keyring"];

/**
 * Returns the licenses of everything in the standalone program.
 *
 * @param node The program of Node.js that it contains.
 * @param version Version of Node.js.
 * @param library Folder of the package with the library of the keyring.
 */
export const standaloneLicenses = (node: string, version: string, library: string): string => {
  const text = readFileSync(licenseOf(node), "utf8").trim();
  return [
    `The standalone program contains Node.js, the packages that the end of this file lists, and these:\n`,
    sectionOf({ name: "Node.js", version, license: "MIT", text }),
    ...[...contained, library].map((folder) => sectionOf(thirdPartyAt(folder))),
    readFileSync(join(root, "packages/cli", licensesFile), "utf8"),
  ].join("\n");
};

/** Returns the file with the license of a program of Node.js, whose place depends on the system. */
const licenseOf = (node: string): string => {
  const folder = dirname(node);
  const file = [join(folder, "../LICENSE"), join(folder, "LICENSE")].find(existsSync);
  if (file === undefined) throw new Error(`${node} has no license beside it. Use a published Node.js.`);
  return file;
};
