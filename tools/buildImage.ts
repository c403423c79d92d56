import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listImagePackages, writeImageFiles } from "./imageFiles.ts";
import { runCommand } from "./runCommand.ts";
import { repositoryRoot } from "./sourceFiles.ts";
import { writeSbom } from "./writeSbom.ts";

const imageFolder = join(repositoryRoot, ".cache/image");

/** The image as an OCI archive, which `podman load`, `skopeo copy` and `docker load` (25 and newer) read. */
export const imageArchive = join(imageFolder, "slipway.tar");

/** The list of the packages in the image (SBOM), in the format CycloneDX. */
export const imageSbom = join(imageFolder, "slipway.cdx.json");

/** The name of the image in the storage of this folder. */
export const imageName = "localhost/slipway:latest";

/** Buildah with a storage of its own, so that a build neither reads nor changes the images of this user. */
export const buildahOptions = [
  ...["--storage-driver", "vfs", "--root", join(imageFolder, "storage"), "--runroot", join(imageFolder, "run")],
];

/** Runs buildah. @throws Error with its output if it fails */
export function runBuildah(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("buildah", [...buildahOptions, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`buildah ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** The seconds since 1970 of all files: SOURCE_DATE_EPOCH, by default the time of the last commit. */
function getSourceDate(): string {
  const commit = ["log", "-1", "--format=%ct"];
  return process.env.SOURCE_DATE_EPOCH ?? execFileSync("git", commit, { cwd: repositoryRoot, encoding: "utf8" }).trim();
}

/**
 * Builds the image of the server from the installed packages, and writes it to `imageArchive`.
 *
 * @returns The digest of its manifest.
 * @throws Error if buildah is missing or fails.
 */
export async function buildImage(): Promise<string> {
  if (spawnSync("buildah", ["--version"]).status !== 0)
    throw new Error("buildah was not found: install it (Debian: apt-get install -y buildah)");
  const context = join(imageFolder, "context");
  rmSync(context, { recursive: true, force: true });
  rmSync(imageArchive, { force: true });
  for (const name of ["root/var/lib", "state"]) mkdirSync(join(context, name), { recursive: true });
  const site = writeImageFiles(join(context, "root"));
  const command = `vite build --config apps/web/vite.config.ts --logLevel warn --emptyOutDir --outDir ${site}`;
  const { exitCode, output } = await runCommand(command);
  if (exitCode !== 0) throw new Error(`The site was not built:\n${output}`);
  copyFileSync(join(repositoryRoot, "deploy/Containerfile"), join(context, "Containerfile"));
  const digestFile = join(imageFolder, "digest");
  const reproducible = ["--timestamp", getSourceDate(), "--no-cache", "--layers=false"];
  runBuildah("bud", "--isolation", "chroot", "--format", "oci", ...reproducible, "--tag", imageName, context);
  runBuildah("push", "--quiet", "--digestfile", digestFile, imageName, `oci-archive:${imageArchive}:slipway:latest`);
  writeSbom(imageSbom, listImagePackages(), new Date(Number(getSourceDate()) * 1_000));
  runBuildah("rmi", "--prune");
  rmSync(context, { recursive: true });
  return readFileSync(digestFile, "utf8").trim();
}

if (import.meta.main) {
  try {
    process.stdout.write(`${await buildImage()} ${imageArchive} ${imageSbom}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
