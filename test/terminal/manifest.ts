/** A manifest with a database. */
export const databaseManifest = `version: 1
projects:
  webshop:
    name: Web shop
    branches:
      main:
        databases:
          catalog: { name: catalog }
`;

/** A manifest with a database and a service. */
export const manifest = `${databaseManifest}        services:
          worker: {}
`;
