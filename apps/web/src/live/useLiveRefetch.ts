import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLiveMessages } from "./liveContext.tsx";

/** The shortest time between two reads. */
const pauseMs = 3_000;

/**
 * Reads queries again after trades of a token, for data that no message contains.
 *
 * @param key - The key, or the start of the keys, of the queries.
 * @param token - Null reads nothing.
 */
export function useLiveRefetch(key: QueryKey, token: string | null): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveMessages((message) => {
    if (token === null || timer.current !== undefined) return;
    const isOfToken = message.type === "trade" && message.data.token.toLowerCase() === token.toLowerCase();
    if (!isOfToken && message.type !== "retracted") return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: key });
    }, pauseMs);
  });
}
