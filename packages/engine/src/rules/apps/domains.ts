const base = "apps.mgmt.example";

/** Returns a name in lower-case letters, digits and single hyphens, as a DNS label allows. */
const asLabel = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-|-$/g, "");

const shortened = (id: string): string => id.slice(id.indexOf("_") + 1).slice(0, 12);

/** Returns the domain that serves the promoted deployment. It does not change when the app is renamed. */
export const appDomain = (appId: string, name: string): string =>
  `${[asLabel(name), shortened(appId)].filter((part) => part !== "").join("-")}.${base}`;

/** Returns the domain that serves one deployment. */
export const previewDomain = (deploymentId: string): string => `dpl-${shortened(deploymentId)}.${base}`;
