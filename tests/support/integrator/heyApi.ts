/** A launch over the client of @hey-api/openapi-ts. */

import { client } from "./heyApi/client.gen";
import * as generated from "./heyApi/index";
import { API_KEY, launch, SITE_URL } from "./launchFlow.ts";

client.setConfig({ baseUrl: SITE_URL!, auth: ({ scheme }) => (scheme === "bearer" ? API_KEY! : undefined) });

/** The data of an answer; an error is thrown with its code, which the types narrow by operation. */
async function get<T>(answer: Promise<{ data?: T; error?: { error: { code: string; message: string } } }>): Promise<T> {
  const { data, error } = await answer;
  if (error !== undefined) throw new Error(`${error.error.code}: ${error.error.message}`);
  return data!;
}

void launch(
  {
    getConfig: () => get(generated.getConfig()),
    createIntent: (body, key) => get(generated.createIntent({ body, headers: { "Idempotency-Key": key } })),
    prepareSplitter: (body) => get(generated.prepareSplitter({ body })),
    prepareLaunch: (body) => get(generated.prepareLaunch({ body })),
    findToken: async (address) => {
      const { data, error } = await generated.getToken({ path: { address } });
      if (error !== undefined && error.error.code !== "token_not_indexed") throw new Error(error.error.code);
      return data ?? null;
    },
  },
  "Hey Boat",
);
