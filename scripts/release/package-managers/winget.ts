import { stringify } from "yaml";
import { folderIn, programName, type Target } from "../targets.js";
import { type Published, summary, urlOf } from "./published.js";

/** The update notice of the program names it too. */
export const wingetId = "MgmtSdk.Mgmt";

const manifestVersion = "1.10.0";
const locale = "en-US";

/**
 * Returns the manifests for the repository of winget, by file name. See
 * https://learn.microsoft.com/windows/package-manager/package/manifest.
 */
export const wingetManifests = (published: Published): ReadonlyMap<string, string> => {
  const { version, repository, license } = published;
  const text = (type: string, fields: object): string => {
    const schema = `https://aka.ms/winget-manifest.${type}.${manifestVersion}.schema.json`;
    const manifest = {
      PackageIdentifier: wingetId,
      PackageVersion: version,
      ...fields,
      ManifestType: type,
      ManifestVersion: manifestVersion,
    };
    return `# yaml-language-server: $schema=${schema}\n\n${stringify(manifest, { lineWidth: 0 })}`;
  };
  return new Map([
    [`${wingetId}.yaml`, text("version", { DefaultLocale: locale })],
    [
      `${wingetId}.installer.yaml`,
      text("installer", {
        InstallerType: "zip",
        NestedInstallerType: "portable",
        Commands: ["mgmt"],
        Installers: [
          { Architecture: "x64", ...installer(published, "windows-x64") },
          { Architecture: "arm64", ...installer(published, "windows-arm64") },
        ],
      }),
    ],
    [
      `${wingetId}.locale.${locale}.yaml`,
      text("defaultLocale", {
        PackageLocale: locale,
        Publisher: "mgmt-sdk",
        PublisherUrl: repository,
        PublisherSupportUrl: `${repository}/issues`,
        PackageName: "mgmt",
        PackageUrl: repository,
        License: license,
        LicenseUrl: `${repository}/blob/v${version}/LICENSE`,
        ShortDescription: summary,
        Moniker: "mgmt",
        Tags: ["cli", "database", "management-api", "postgres"],
        ReleaseNotesUrl: `${repository}/releases/tag/v${version}`,
      }),
    ],
  ]);
};

const installer = (published: Published, target: Target): object => ({
  InstallerUrl: urlOf(published, target),
  InstallerSha256: published.hashes[target].toUpperCase(),
  NestedInstallerFiles: [
    {
      RelativeFilePath: `${folderIn(published.version, target)}\\${programName(target)}`,
      PortableCommandAlias: "mgmt",
    },
  ],
});
