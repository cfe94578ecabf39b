import { loadImage, writeCluster } from "../src/machine/postgres/cluster-image.js";

/** Writes the cluster of an image to a directory. The arguments are the paths of both. */
const [path = "", directory = ""] = process.argv.slice(2);
const image = await loadImage(path);
if (image === undefined) throw new Error("There is no image");
writeCluster(image, directory, undefined);
