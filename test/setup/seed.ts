import fc from "fast-check";

// A failure must not depend on chance. `npm run test:full -- seeds` tries others.
fc.configureGlobal({ seed: Number(process.env["MGMT_TEST_SEED"] ?? 1) });
