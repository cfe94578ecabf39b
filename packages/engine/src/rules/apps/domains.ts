const base = "apps.mgmt.example";

/** Lower-case letters, digits and single hyphens, as a DNS label allows. */
const asLabel = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");

const shortened = (id: string): string => id.slice(id.indexOf("_") + 1).slice(0, 12);

/** Domain that answers with the promoted deployment; it stays when the app is renamed. */
export const appDomain = (appId: string, name: string): string =>
  `${[asLabel(name), shortened(appId)].filter((part) => part !== "").join("-")}.${base}`;

/** Domain that answers with this one deployment. */
export const previewDomain = (deploymentId: string): string => `dpl-${shortened(deploymentId)}.${base}`;
