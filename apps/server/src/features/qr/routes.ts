import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../route.ts";
import { renderReceiveCode, receiveText } from "./renderReceiveCode.ts";

/** The route that renders a receive address as a QR code. */
export function qrRoutes(_deps: Deps): Route[] {
  return [
    publicRoute({
      method: "GET",
      path: "/qr.png",
      name: "getReceiveCode",
      tag: "Wallet",
      summary: "Get a receive address as a QR code",
      description: "The zero address is refused: what is sent there is lost.",
      schemas: { query: z.object({ text: receiveText }) },
      answers: { 200: { description: "The code as PNG", contentType: "image/png" } },
      errors: [],
      cache: "public-10s",
      handle: async ({ query }) => renderReceiveCode(query.text),
    }),
  ];
}
