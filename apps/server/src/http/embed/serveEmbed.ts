import { SlipwayError } from "@slipway/protocol/errors";
import type { Language } from "@slipway/protocol/languages";
import { evmAddress } from "@slipway/protocol/primitives";
import type { FastifyInstance } from "fastify";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { findCard } from "../../features/cards/cardQueries.ts";
import { renderReceiveCode } from "../../features/qr/routes.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { chooseLanguage } from "../chooseLanguage.ts";
import { sendCacheable } from "../registerRoute.ts";
import { createEmbedNotice, createEmbedPage, createEmbedPolicy } from "./embedHtml.ts";
import { embedTexts } from "./embedTexts.ts";

const contentType = "text/html; charset=utf-8";

/**
 * Serves `/embed/{address}`, a token's chart for frames of other sites, and `/embed/{address}/code.png`, a QR code of
 * the token's page. Other sites may frame only the chart. It is built once for each state of its data in each
 * language; `Accept-Language` selects the language.
 */
export function serveEmbed(app: FastifyInstance, deps: Pick<Deps, "config" | "readModel">): void {
  const mediaUrl = getMediaUrl(deps.config);
  const policy = createEmbedPolicy(mediaUrl);
  const readPage = (address: string, language: Language) =>
    deps.readModel.getResponse(
      JSON.stringify(["embed", language, address]),
      [toTokenTag(address), "minute"],
      async (db, { ethUsd }) => {
        const row = await findCard(db, address);
        if (row === null || row.blocked) throw new SlipwayError("not_found", "Token not found.");
        const html = Buffer.from(createEmbedPage({ address, row, ethUsd: ethUsd?.price ?? null, mediaUrl, language }));
        return new CachedResponse(html, strongEtag(html), contentType);
      },
    );

  const origin = deps.config.SITE_URL === undefined ? null : new URL(deps.config.SITE_URL).origin;
  app.get<{ Params: { address: string } }>("/embed/:address/code.png", async (request, reply) => {
    const address = evmAddress.safeParse(request.params.address);
    if (!address.success || origin === null) throw new SlipwayError("not_found", "Code not found.");
    return sendCacheable(request, reply, renderReceiveCode(`${origin}/t/${address.data.toLowerCase()}`));
  });

  // Helmet's X-Frame-Options would forbid every frame; the policy has the rule.
  const options = { helmet: { frameguard: false } } as const;
  app.get<{ Params: { address: string } }>("/embed/:address", options, async (request, reply) => {
    const language = chooseLanguage(request.headers["accept-language"]);
    const varied = [reply.getHeader("vary") ?? [], "Accept-Language"].flat().join(", ");
    reply.header("content-security-policy", policy).header("content-language", language).header("vary", varied);
    const address = evmAddress.safeParse(request.params.address);
    try {
      if (!address.success) throw new SlipwayError("not_found", "Token not found.");
      return await sendCacheable(request, reply, await readPage(address.data.toLowerCase(), language));
    } catch (error) {
      const { code } = error as { code?: unknown };
      const notice = notices[String(code)];
      if (notice === undefined) throw error;
      // A frame shows a sentence, not the JSON of an error.
      reply.code(code === "not_found" ? 404 : 503).header("cache-control", "no-store");
      return reply.type(contentType).send(createEmbedNotice(language, embedTexts[language][notice]));
    }
  });
}

/** The name of the sentence for an error without a chart, by its code. */
const notices: Readonly<Record<string, "notFound" | "unavailable">> = {
  not_found: "notFound",
  index_unavailable: "unavailable",
};
