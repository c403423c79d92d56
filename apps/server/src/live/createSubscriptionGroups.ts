import { createHash } from "node:crypto";
import type { LiveFilter, LiveMessage } from "./liveMessage.ts";

/** Readers with the same subscription, who all get the same messages. */
export type Group<Reader> = { key: string; filter: LiveFilter; members: Set<Reader> };

/** Creates groups of subscriptions, indexed by token, so that a message visits only matching groups. */
export function createSubscriptionGroups<Reader>() {
  const groups = new Map<string, Group<Reader>>();
  const byToken = new Map<string, Set<Group<Reader>>>();
  const ofAllTokens = new Set<Group<Reader>>();

  const link = (group: Group<Reader>) => {
    if (group.filter.tokens === null) ofAllTokens.add(group);
    for (const token of group.filter.tokens ?? []) {
      const named = byToken.get(token);
      if (named === undefined) byToken.set(token, new Set([group]));
      else named.add(group);
    }
  };

  const unlink = (group: Group<Reader>) => {
    ofAllTokens.delete(group);
    for (const token of group.filter.tokens ?? []) {
      const named = byToken.get(token);
      named?.delete(group);
      if (named?.size === 0) byToken.delete(token);
    }
  };

  return {
    add(filter: LiveFilter, reader: Reader): Group<Reader> {
      const key = toKey(filter);
      let group = groups.get(key);
      if (group === undefined) {
        group = { key, filter, members: new Set() };
        groups.set(key, group);
        link(group);
      }
      group.members.add(reader);
      return group;
    },

    remove(group: Group<Reader>, reader: Reader): void {
      group.members.delete(reader);
      if (group.members.size > 0) return;
      groups.delete(group.key);
      unlink(group);
    },

    members: (): Reader[] => [...groups.values()].flatMap((group) => [...group.members]),

    /** Returns the groups whose filter a message matches. */
    matching(message: LiveMessage): Set<Group<Reader>> {
      const found = new Set<Group<Reader>>();
      if (message.content === null) return found;
      const { tokens } = message.content;
      const candidates =
        tokens === null ? [groups.values()] : [ofAllTokens, ...tokens.map((token) => byToken.get(token) ?? [])];
      for (const some of candidates) {
        for (const group of some) if (message.matches(group.filter)) found.add(group);
      }
      return found;
    },
  };
}

function toKey({ tokens, interval, names }: LiveFilter): string {
  const named =
    tokens === null
      ? "all"
      : createHash("sha256")
          .update([...tokens].sort().join())
          .digest("base64");
  return `${[...(names ?? [])].sort().join()} ${interval} ${named}`;
}
