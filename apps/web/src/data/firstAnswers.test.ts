import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { addFirstAnswers } from "./firstAnswers.ts";
import { readOptions } from "./queries.ts";
import { tokenOptions } from "./tokenQueries.ts";

it("fills the queries of the first page with the answers of the HTML", () => {
  const client = new QueryClient();
  const answer = { items: [], total: 0 };
  const input = { limit: 50, sort: "volume" } as const;
  addFirstAnswers(client, JSON.stringify([{ operation: "listTokens", input, answer }]));
  expect(client.getQueryData(readOptions("listTokens", { sort: "volume", limit: 50 }).queryKey)).toEqual(answer);
  addFirstAnswers(client, null);
  expect(client.getQueryCache().getAll()).toHaveLength(1);
});

it("fills the query of a token for any case of the address in the URL", () => {
  const client = new QueryClient();
  const input = { address: `0x${"aB".repeat(20)}` };
  addFirstAnswers(client, JSON.stringify([{ operation: "getToken", input, answer: { symbol: "TIN" } }]));
  expect(client.getQueryData(tokenOptions(`0x${"Ab".repeat(20)}`).queryKey)).toEqual({ symbol: "TIN" });
});
