import { setTimeout as sleep } from "node:timers/promises";
import type { BusinessInput } from "@slipway/protocol/businesses";
import { type DemoContext, DemoFailure } from "./demoContext.ts";
import { drawPicture } from "./drawPicture.ts";
import type { Launch } from "./launchSteps.ts";

const galleryTimeoutMs = 60_000;

/** Uploads the picture of the launch before its draft. @returns its URI, for `image_uri` */
export async function pictureStep(context: DemoContext): Promise<string> {
  const { reporter, client } = context;
  reporter.step(
    "A picture",
    "Decoded and encoded again in a separate process, stored by its content hash, pinned to IPFS.",
  );
  const file = await drawPicture("lighthouse", 215);
  const image = await client.uploadImage({ file });
  reporter.value("uri", image.uri);
  reporter.value("url", image.url);
  reporter.expectTrue(
    "it is pinned: it has an IPFS URI",
    image.uri === `ipfs://${image.cid}`,
    String(image.ipfs_error),
  );
  const again = await client.uploadImage({ file });
  reporter.expectEqual("the same picture again is the same object", again.sha256, image.sha256);
  const served = await fetch(image.url);
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", await served.arrayBuffer())).toString("hex");
  reporter.expectEqual("the served picture has the hash of the answer", hash, image.sha256);
  return image.uri;
}

/** Shows the launched token in the gallery after the worker has made the picture's four sizes. */
export async function galleryStep({ reporter, client }: DemoContext, { token, draft }: Launch): Promise<void> {
  reporter.step("The gallery", "A job makes four sizes of each launched token's picture; no request waits for it.");
  const deadline = Date.now() + galleryTimeoutMs;
  const find = async () => {
    const { items } = await client.getGallery({ q: token, limit: 1 });
    return items[0];
  };
  let shown = await find();
  while (shown === undefined) {
    if (Date.now() > deadline) throw new DemoFailure("the picture is not in the gallery after 60 s");
    await sleep(100);
    shown = await find();
  }
  reporter.value("256 px", shown.image.urls[256]);
  reporter.expectEqual("the gallery shows the launch", shown.token.name, draft.intent.name);
  const { status, headers } = await fetch(shown.image.urls[256]);
  const answer = [status, headers.get("content-type")];
  reporter.expectEqual("its picture of 256 px is served as WebP", answer, [200, "image/webp"]);
}

/** Publishes, finds and withdraws a listing. */
export async function businessStep({ reporter, client, baseUrl }: DemoContext, imageUri: string): Promise<void> {
  reporter.step("A business", "Listed, found, and withdrawn by its owner. Listings have no token, wallet or market.");
  const name = `Lighthouse Keepers ${crypto.randomUUID().slice(0, 8)}`;
  const input: BusinessInput = {
    name,
    description: "Lamps, lenses and logbooks.",
    category: "professional",
    website: "https://lighthouse-keepers.example.com",
    image_uri: imageUri,
    address: { city: "Hamburg", country: "DE" },
    location: { lat: 53.5436, lon: 9.9661 },
    tags: ["lamps"],
  };
  const idempotencyKey = `demo-${crypto.randomUUID()}`;
  const published = await client.createBusiness(input, { idempotencyKey });
  reporter.value("business", published.id);
  const again = await client.createBusiness(input, { idempotencyKey });
  reporter.expectEqual("the same request with the same Idempotency-Key lists it once", again.id, published.id);
  const found = await client.listBusinesses({ q: name.toLowerCase(), limit: 5 });
  reporter.expectEqual("a search finds it first", found.items[0]?.id, published.id);
  const near = await client.listBusinesses({ near: "53.54,9.97", radius_km: 5, limit: 100 });
  reporter.expectTrue(
    "a search near its place finds it",
    near.items.some(({ id }) => id === published.id),
  );
  const etag = (await fetch(`${baseUrl}/businesses/${published.id}`)).headers.get("etag");
  await client.withdrawBusiness({ id: published.id }, { ifMatch: etag ?? "" });
  const { status } = await fetch(`${baseUrl}/businesses/${published.id}`);
  reporter.expectEqual("after its withdrawal it is gone", status, 404);
}
