import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { licensesFile, thirdPartyIn } from "../third-party-licenses.js";
import type { PackedPackage } from "./pack.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A bill of materials. See https://cyclonedx.org/docs/1.5/json/. */
export interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.5";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly type: "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: "required" | "optional";
  readonly licenses?: readonly [{ readonly expression: string }];
  readonly hashes?: readonly [{ readonly alg: "SHA-512"; readonly content: string }];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** The parts of an entry of `packages` in `package-lock.json` that this module reads. */
interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/**
 * Returns the bill of materials of a package: what npm installs with it on any system, by the lockfile, and what its build
 * contains. Optional peers are not part of it. `npm sbom` leaves out what another workspace needs for its development.
 */
export const sbomOf = ({ name, version, folder }: PackedPackage): Sbom => {
  const lockfile: Lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const installed = installedWith(folder, lockfile);
  const contained = containedIn(folder);
  const components = [...installed.keys()].map((location) => installedComponent(location, lockfile));
  const [itself, ...others] = components;
  if (itself?.name !== name || itself.version !== version) {
    throw new Error(`package-lock.json does not have ${name} ${version}. Run: npm install`);
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: { timestamp: new Date().toISOString(), component: itself },
    components: [...others, ...contained],
    dependencies: [
      ...[...installed].map(([location, needed]) => ({
        ref: installedComponent(location, lockfile)["bom-ref"],
        dependsOn: needed.map((each) => installedComponent(each, lockfile)["bom-ref"]),
      })),
      ...contained.map((component) => ({ ref: component["bom-ref"], dependsOn: [] })),
    ],
  };
};

/** Whether a component is part of the code of the package, rather than installed with it. */
export const isContained = ({ properties }: Component): boolean =>
  properties?.some(({ name }) => name === "cdx:npm:package:bundled") === true;

/** Returns the locations in the lockfile of a package and of all that npm installs with it, and what each of them needs. */
const installedWith = (start: string, { packages }: Lockfile): Map<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  const add = (location: string): void => {
    if (found.has(location)) return;
    const { dependencies, optionalDependencies } = packages[location] ?? {};
    const needed = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) =>
      locationOf(name, location, packages),
    );
    found.set(location, needed);
    needed.forEach(add);
  };
  add(start);
  return found;
};

/** Returns where a package finds another one, as Node.js does: in the nearest `node_modules` around it. */
const locationOf = (name: string, from: string, packages: Lockfile["packages"]): string => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const location = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    const locked = packages[location];
    if (locked) return locked.link && locked.resolved !== undefined ? locked.resolved : location;
    if (folder === "") throw new Error(`package-lock.json does not have ${name}, which ${from} needs`);
  }
};

const installedComponent = (location: string, { packages }: Lockfile): Component => {
  const locked = packages[location];
  const name = locked?.name ?? location.slice(location.lastIndexOf("node_modules/") + "node_modules/".length);
  if (!locked?.version) throw new Error(`package-lock.json has no version of ${name}`);
  const { version, license, integrity, optional } = locked;
  const hash = integrity?.startsWith("sha512-") ? integrity.slice("sha512-".length) : undefined;
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    ...{ name, version, purl: purlOf(name, version) },
    scope: optional ? "optional" : "required",
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(hash !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
    }),
  };
};

const containedIn = (folder: string): Component[] => {
  const file = join(root, folder, licensesFile);
  if (!existsSync(file)) return [];
  return thirdPartyIn(readFileSync(file, "utf8")).map(({ name, version, license }) => ({
    // The same version may also be installed.
    "bom-ref": `bundled:${name}@${version}`,
    type: "library",
    ...{ name, version, purl: purlOf(name, version) },
    licenses: [{ expression: license }],
    properties: [{ name: "cdx:npm:package:bundled", value: "true" }],
  }));
};

/** See https://github.com/package-url/purl-spec. */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;
