import type { ExploreSearch } from "../../data/exploreSearch.ts";
import { FavouriteList } from "./favouriteList.tsx";
import { NewPairs } from "./newPairs.tsx";

type OtherListProps = { list: NonNullable<ExploreSearch["list"]>; stale: boolean };

/** The chosen list of explore, other than all tokens. One part, so that the first load names one file. */
export function OtherList({ list, stale }: OtherListProps) {
  return list === "live" ? <NewPairs stale={stale} /> : <FavouriteList stale={stale} />;
}
