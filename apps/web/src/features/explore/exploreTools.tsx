import type { ExploreSearch } from "../../data/exploreSearch.ts";
import { ColumnMenu } from "./columnMenu.tsx";
import { FilterPanel } from "./filterPanel.tsx";

type ExploreToolsProps = {
  opened: "filters" | "columns";
  search: ExploreSearch;
  onChange: (filters: ExploreSearch) => void;
};

/** The opened tool of explore: the filters, or the choice of columns. */
export function ExploreTools({ opened, search, onChange }: ExploreToolsProps) {
  return opened === "filters" ? <FilterPanel search={search} onChange={onChange} /> : <ColumnMenu />;
}
