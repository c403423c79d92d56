import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inflate } from "node:zlib";

/**
 * The fonts of cards; the first font that contains a character draws it: Noto Sans for Latin, Greek, Cyrillic and
 * Devanagari, colour emoji, Chinese and Japanese, Arabic, and GNU Unifont for every other script of the Basic
 * Multilingual Plane.
 */
const families = ["Noto Sans", "Noto Color Emoji", "Noto Sans SC", "Noto Sans Arabic", "Unifont"];

/** Files of packages whose format is WOFF, which Pango does not read. */
const woffPackages: [name: string, files: RegExp][] = [
  ["@fontsource/noto-sans", /-(?:400|700)-normal\.woff$/],
  ["@fontsource/noto-sans-sc", /-(?:400|700)-normal\.woff$/],
  ["@fontsource/noto-sans-arabic", /-(?:400|700)-normal\.woff$/],
  ["@fontsource/unifont", /-400-normal\.woff$/],
];

const getFolder = (name: string) => dirname(findPackageJSON(name, import.meta.url)!);

/**
 * Converts the fonts of the packages to files that Pango reads, in a temporary folder that only this user can write,
 * and writes a fontconfig configuration that names these files and none of the machine's fonts. Existing font files
 * stay.
 *
 * @returns The path of the configuration, for `FONTCONFIG_FILE`.
 */
export async function prepareCardFonts(): Promise<string> {
  const sources: string[] = [];
  for (const [name, pattern] of woffPackages) {
    const folder = join(getFolder(name), "files");
    for (const file of await readdir(folder)) if (pattern.test(file)) sources.push(join(folder, file));
  }
  const emoji = join(getFolder("@expo-google-fonts/noto-color-emoji"), "400Regular");
  const sizes = await Promise.all(sources.map(async (path) => (await stat(path)).size));
  const key = createHash("sha256")
    .update(JSON.stringify([sources, sizes, emoji]))
    .digest("hex")
    .slice(0, 16);
  const folder = await openOwnFolder(`slipway-fonts-${process.getuid?.() ?? "user"}-${key}`);
  const existing = new Set(await readdir(folder));
  for (const source of sources) {
    const name = source.replace(/^.*[\\/]/s, "").replace(/woff$/, "ttf");
    if (!existing.has(name)) await writeWhole(join(folder, name), await toSfnt(await readFile(source)));
  }
  const config = join(folder, "fonts.conf");
  await writeWhole(config, Buffer.from(createFontconfig([folder, emoji], folder)));
  return config;
}

/** Opens a temporary folder that only this user can write; another user could place other fonts in a shared one. */
async function openOwnFolder(name: string): Promise<string> {
  const folder = join(tmpdir(), name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const found = await lstat(folder);
    const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
    if (isOwn && found.isDirectory()) return folder;
  } catch {
    // A link or a file has this name: create a folder with another name.
  }
  return await mkdtemp(join(tmpdir(), "slipway-fonts-"));
}

/** Writes a file atomically: other processes of this user see the complete file or none. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}

function createFontconfig(folders: readonly string[], cache: string): string {
  const escapeXml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const prefer = (family: string, names: readonly string[]) =>
    `<alias binding="same"><family>${family}</family><prefer>${names.map((name) => `<family>${name}</family>`).join("")}</prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${folders.map((folder) => `<dir>${escapeXml(folder)}</dir>`).join("\n")}
<cachedir>${escapeXml(join(cache, "cache"))}</cachedir>
${prefer("Card", families)}
${prefer("emoji", ["Noto Color Emoji"])}
</fontconfig>
`;
}

/** Converts a WOFF file to the font inside. Source: https://www.w3.org/TR/WOFF/ (sections 3 to 5) */
async function toSfnt(woff: Buffer): Promise<Buffer> {
  const count = woff.readUInt16BE(12);
  const log = Math.floor(Math.log2(count));
  const head = Buffer.alloc(12 + 16 * count);
  woff.copy(head, 0, 4, 8);
  for (const [index, value] of [count, 2 ** log * 16, log, count * 16 - 2 ** log * 16].entries()) {
    head.writeUInt16BE(value, 4 + 2 * index);
  }
  const parts: Uint8Array[] = [head];
  let offset = head.length;
  for (let index = 0; index < count; index++) {
    const entry = 44 + 20 * index;
    const [start, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(entry + field)) as [
      number,
      number,
      number,
    ];
    const bytes = woff.subarray(start, start + packed);
    const table = packed < length ? await promisify(inflate)(bytes) : bytes;
    const record = 12 + 16 * index;
    woff.copy(head, record, entry, entry + 4);
    woff.copy(head, record + 4, entry + 16, entry + 20);
    head.writeUInt32BE(offset, record + 8);
    head.writeUInt32BE(length, record + 12);
    parts.push(table, Buffer.alloc((4 - (length % 4)) % 4));
    offset += length + ((4 - (length % 4)) % 4);
  }
  return Buffer.concat(parts);
}
