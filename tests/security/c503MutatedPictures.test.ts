import { expect, it } from "vitest";
import { draw, oddPictures } from "../support/images/pictures.ts";
import { readMemory } from "../support/images/processUse.ts";
import { useUploads } from "../support/images/useUploads.ts";
import { createRandom } from "../support/security/random.ts";
import { getVolume } from "../support/volume.ts";

/** The number of mutated pictures; `IMAGE_RUNS=2000` is the full tier. */
const runs = getVolume(150, "IMAGE_RUNS");
const seed = Number(process.env.IMAGE_SEED ?? 503);
const maxGrowthBytes = 150 * 1024 * 1024;
const uploads = useUploads();

type Random = (below: number) => number;

/** Ways to break a file: its bytes, lengths, order and end. */
const mutations: ((file: Buffer, random: Random) => Buffer)[] = [
  (file, random) => {
    const changed = Buffer.from(file);
    for (let i = 0; i <= random(8); i++) changed[random(changed.length)]! ^= 1 << random(8);
    return changed;
  },
  (file, random) => file.subarray(0, random(file.length)),
  (file, random) => {
    const from = random(file.length);
    const length = random(64);
    return Buffer.concat([file.subarray(0, from), file.subarray(from + length)]);
  },
  (file, random) => {
    const from = random(file.length);
    const to = random(file.length);
    return Buffer.concat([file.subarray(0, to), file.subarray(from, from + random(256)), file.subarray(to)]);
  },
  // Lengths, sizes and counts are in the first bytes of these formats.
  (file, random) => {
    const changed = Buffer.from(file);
    if (changed.length < 4) return changed;
    const at = random(Math.min(64, changed.length - 3));
    changed.writeUInt32BE([0, 1, 0x7fffffff, 0xffffffff, 0x00ffffff][random(5)]!, at);
    return changed;
  },
  (file, random) => Buffer.concat([file, file.subarray(random(file.length))]),
];

it(
  `C5-03 ${runs} mutated pictures are stored or refused, and none ends the service or stays in its memory`,
  async () => {
    const { below: random } = createRandom(seed);
    const originals = await Promise.all(Object.values(oddPictures).map((create) => create()));
    for (const original of originals) expect((await uploads.upload(original)).status).toBe(200);
    const before = readMemory(uploads.server.pid);
    const statuses = new Map<number, number>();
    for (let run = 0; run < runs; run++) {
      let file = originals[random(originals.length)]!;
      for (let i = 0; i <= random(2); i++) file = mutations[random(mutations.length)]!(file, random);
      const { status, body } = await uploads.upload(file);
      const what = `run ${run} of seed ${seed}: ${JSON.stringify(body).slice(0, 200)}`;
      expect([200, 415, 422], what).toContain(status);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // Some mutations change only data that is not shown.
    expect(statuses.get(415)).toBeGreaterThan(runs / 4);
    expect(readMemory(uploads.server.pid) - before).toBeLessThan(maxGrowthBytes);
    expect((await uploads.upload(await draw().png().toBuffer())).status).toBe(200);
    expect(uploads.server.output()).not.toMatch(/"level":(50|60)/);
  },
  60_000 + runs * 1_000,
);
