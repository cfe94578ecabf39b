import { describe, expect, it } from "vitest";
import { wrapBeside, wrapCommand, wrapMessage } from "./wrap.js";

describe("a message that is wrapped", () => {
  it("continues an indented line between words, indented further", () => {
    const text = "This will delete:\n  5 databases: reports, another-database-of-the-team, archive";
    expect(wrapMessage(text, 40).split("\n")).toEqual([
      "This will delete:",
      "  5 databases: reports,",
      "    another-database-of-the-team,",
      "    archive",
    ]);
  });

  it("keeps its lines if they fit, and the spaces in them", () => {
    const text = "a title:\n\n    one  two\n      three";
    expect(wrapMessage(text, 40)).toBe(text);
  });

  it("keeps a word whole that is longer than a line, such as an address", () => {
    const address = `https://auth.example.com/authorize?state=${"s".repeat(60)}`;
    expect(wrapMessage(`Open this address:\n  ${address}`, 40)).toBe(`Open this address:\n  ${address}`);
  });

  it("does not begin a line with the spaces at which it was broken", () => {
    expect(wrapMessage("twelve chars  and more", 12)).toBe("twelve chars\nand more");
  });
});

describe("a string beside a title", () => {
  it("continues below its beginning", () => {
    expect(wrapBeside("Project   ", "shop in eu-central-1, from a link", 30)).toBe(
      "Project   shop in\n          eu-central-1, from a\n          link",
    );
  });

  it("is below the title if a word would not fit beside it", () => {
    expect(wrapBeside("Project   ", "shop (proj_8s2d4f6g1h3j5k7l9q0w2e4r)", 35)).toBe(
      "Project\n  shop\n  (proj_8s2d4f6g1h3j5k7l9q0w2e4r)",
    );
  });
});

it("breaks commands so that a shell reads them as one line", () => {
  const line = `mgmt databases list --query "[?status=='ready' && region.id=='x']" --project-id proj_1 --all`;
  const broken = wrapCommand(line, 40);
  expect(broken.length).toBeGreaterThan(2);
  expect(broken.join("\n").replaceAll(/ \\\n +/g, " ")).toBe(line);
  expect(wrapCommand("mgmt dev", 40)).toEqual(["mgmt dev"]);
});
