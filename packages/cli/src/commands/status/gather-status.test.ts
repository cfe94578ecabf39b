import { expect, it } from "vitest";
import { useRecordedPlace } from "../../../test/commands/preview/place.js";
import { runInProcess } from "../../../test/in-process.js";
import { createRepositoryKey } from "../../git/repository-key.js";
import { buildLogicalId } from "../../preview/record.js";

const { place, shop } = useRecordedPlace();

it.each([
  ["shows one that was made without a repository", null, true],
  ["shows one of the repository of the folder", "https://git.example/shop.git", true],
  ["does not show one of another repository", "https://git.example/other.git", false],
])("%s as the preview of the git branch", async (_, address, isShown) => {
  const { seed } = place.session.server.engine;
  const { id: branchId } = await seed.branch(place.projectId, { gitName: "feature" });
  const repository = address && createRepositoryKey(address, place.folder);
  const logicalId = buildLogicalId({ repository, branchId });
  const line = ["databases", "create", "copy", "--project-id", place.projectId, "--branch-id", branchId];
  const created = await runInProcess([...line, "--logical-id", logicalId, "-o", "name"], { env: place.env });
  const databaseId = created.stdout.trim();
  shop.startBranch("feature");
  const { status, json } = await place.mgmt`status -o json`;
  expect({ status, json }).toMatchObject({
    status: 0,
    json: { preview: isShown ? { branch: "feature", databaseId } : null },
  });
});
