import type { ReactNode } from "react";
import { usePageTitle } from "./usePageTitle.ts";

type PageHeadProps = { title: string; lead?: ReactNode; actions?: ReactNode };

/** The head of a page: its title, also in the browser's tab, and its purpose. */
export function PageHead({ title, lead, actions }: PageHeadProps) {
  usePageTitle(title);
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3 pt-8 pb-5">
      <div className="max-w-2xl min-w-0">
        <h1 className="text-xl font-bold sm:text-2xl">{title}</h1>
        {lead ? <p className="mt-1 text-muted">{lead}</p> : null}
      </div>
      {actions}
    </div>
  );
}
