/** A launch over the client of orval. */

import { API_KEY, launch } from "./launchFlow.ts";
import * as generated from "./orval/client";

const headers = { authorization: `Bearer ${API_KEY!}` };

/** The answer of a status below 300. */
type Success<Answer> = Extract<Answer, { status: 200 | 201 }> extends { data: infer Data } ? Data : never;

/** The data of an answer; an error is thrown with its status. */
async function get<Answer extends { status: number; data: unknown }>(
  request: Promise<Answer>,
): Promise<Success<Answer>> {
  const { status, data } = await request;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(data)}`);
  return data as Success<Answer>;
}

void launch(
  {
    getConfig: () => get(generated.getConfig()),
    createIntent: (body, key) =>
      get(
        generated.createIntent(body, {
          headers: { "Content-Type": "application/json", ...headers, "Idempotency-Key": key },
        }),
      ),
    prepareSplitter: (body) => get(generated.prepareSplitter(body, { headers })),
    prepareLaunch: (body) => get(generated.prepareLaunch(body, { headers })),
    findToken: async (address) => {
      const answer = await generated.getToken(address);
      if (answer.status === 404) return null;
      return get(Promise.resolve(answer));
    },
  },
  "Orval Boat",
);
