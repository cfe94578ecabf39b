/** Returns the interface to the files in the standalone program: Node.js and the build of this command in one file. */
const findEmbeddedAssets = (): typeof import("node:sea") | undefined => {
  // Other runtimes have no such module, and older versions of Node.js no such function.
  const sea = process.getBuiltinModule?.("node:sea");
  return sea?.isSea() ? sea : undefined;
};

/** Returns whether this process is the standalone program, beside which no package is installed. */
export const isStandalone = (): boolean => findEmbeddedAssets() !== undefined;

/** Returns the text of a file of the build. Throws if this is not the standalone program, or has no such file. */
export const readEmbeddedText = (name: string): string => requireEmbeddedAssets(name).getAsset(name, "utf8");

/** Returns the content of a file of the build. Throws as `readEmbeddedText` does. */
export const readEmbeddedBytes = (name: string): Buffer =>
  Buffer.from(requireEmbeddedAssets(name).getAsset(name));

const requireEmbeddedAssets = (name: string): typeof import("node:sea") => {
  const sea = findEmbeddedAssets();
  if (!sea) throw new Error(`Only the standalone program contains ${name}`);
  return sea;
};
