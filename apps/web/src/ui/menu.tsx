import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";

type MenuProps = {
  /** The button that opens the menu. */
  trigger: ReactElement;
  items: readonly { key: string; label: ReactNode; onSelect: () => void; danger?: boolean }[];
};

/** A menu of few actions. */
export function Menu({ trigger, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-20">
          <Base.Popup className="min-w-48 rounded-md border border-line bg-surface p-1 outline-none">
            {items.map((item) => (
              <Base.Item
                key={item.key}
                onClick={item.onSelect}
                className={`cursor-pointer rounded-sm px-3 py-2 text-sm outline-none data-highlighted:bg-sunken ${item.danger ? "text-sell" : ""}`}
              >
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
