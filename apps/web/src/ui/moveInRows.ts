import type { KeyboardEvent } from "react";

const steps: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/**
 * Moves the focus between the links and buttons of a table by the arrow keys, so that a row needs only one stop of the
 * Tab key: the other controls of the row have `tabIndex={-1}`. For `onKeyDown` of an element around the table.
 */
export function moveInRows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  const control = (event.target as HTMLElement).closest<HTMLElement>("td a, td button");
  const row = control?.closest("tr") ?? null;
  if (step === undefined || row === null || control === null) return;
  const [down, right] = step;
  const rows = [...(row.parentElement?.children ?? [])];
  const target = rows[rows.indexOf(row) + down];
  const controls = getControls(target);
  const at = down === 0 ? getControls(row).indexOf(control) + right : 0;
  const next = controls[at];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Returns the visible links and buttons of a row. */
const getControls = (row: Element | undefined): HTMLElement[] =>
  [...(row?.querySelectorAll<HTMLElement>("a, button") ?? [])].filter(({ offsetParent }) => offsetParent !== null);
