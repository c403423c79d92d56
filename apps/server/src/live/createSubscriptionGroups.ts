import { createHash } from "node:crypto";
import { concerns, type LiveEvent, type LiveFilter } from "./liveMessage.ts";

/** Readers with the same subscription: what one of them gets, all get. */
export type Group<Reader> = { key: string; filter: LiveFilter; members: Set<Reader> };

/** Subscriptions by what they name, so that a message finds its readers without visiting the others. */
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
      const key = keyOf(filter);
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

    /** The groups that want an event, each once. */
    concernedBy(event: LiveEvent): Set<Group<Reader>> {
      const found = new Set<Group<Reader>>();
      const consider = (candidates: Iterable<Group<Reader>>) => {
        for (const group of candidates) if (concerns(event, group.filter)) found.add(group);
      };
      if (event.tokens === null) {
        consider(groups.values());
      } else {
        consider(ofAllTokens);
        for (const token of event.tokens) consider(byToken.get(token) ?? []);
      }
      return found;
    },
  };
}

function keyOf({ tokens, interval, names }: LiveFilter): string {
  const all =
    tokens === null
      ? "all"
      : createHash("sha256")
          .update([...tokens].sort().join())
          .digest("base64");
  return `${[...(names ?? [])].sort().join()} ${interval} ${all}`;
}
