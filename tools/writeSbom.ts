import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./sourceFiles.ts";

/** The name and version of a package. */
export type Package = { name: string; version: string };

type Component = { name: string; version: string; "bom-ref": string; [field: string]: unknown };
type Bom = {
  serialNumber?: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

const toKey = ({ name, version }: Package) => `${name}@${version}`;

/**
 * Writes the list of the packages of the image, with licences and hashes, as CycloneDX. npm makes it from the lock file, and
 * it contains the packages that were copied, and Node.
 *
 * @param packages - Every package of the image, without workspaces.
 * @param createdAt - The time in the list, so that two builds are equal.
 * @throws Error if npm fails, or does not know a package of the image.
 */
export function writeSbom(path: string, packages: readonly Package[], createdAt: Date): void {
  // For one workspace alone, npm leaves out packages that another workspace needs only for development.
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: repositoryRoot,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  const bom = JSON.parse(stdout) as Bom;
  const root = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as Package;
  const nodeProgram = realpathSync(join(repositoryRoot, "node_modules/.bin/node"));
  const node = JSON.parse(readFileSync(join(nodeProgram, "../../package.json"), "utf8")) as Package;
  const wanted = new Set(packages.map(toKey));
  const components = bom.components.filter((component) => wanted.has(toKey(component)));
  const known = new Set(components.map(toKey));
  const missing = [...wanted].filter((key) => !known.has(key));
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(", ")}`);
  const nodeRef = `node@${node.version}`;
  components.push({ "bom-ref": nodeRef, type: "platform", name: "node", version: node.version });
  const refs = new Set([...components, bom.metadata.component].map((component) => component["bom-ref"]));
  bom.metadata.timestamp = createdAt.toISOString();
  // npm names it after the folder of the checkout.
  bom.metadata.component.name = root.name;
  bom.components = components.sort((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  delete bom.serialNumber;
  writeFileSync(path, `${JSON.stringify(bom, null, 2)}\n`);
}
