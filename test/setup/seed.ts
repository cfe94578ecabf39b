import fc from "fast-check";

// A failure must not depend on chance. `npm run test:full -- seeds` tries other seeds, which also change the order of the files.
fc.configureGlobal({ seed: Number(process.env["MGMT_TEST_SEED"] ?? 1) });
