import type { ComponentProps } from "react";
import { Dialog } from "./dialog.tsx";

/** A dialog that rises from the lower edge of a phone, within reach of a thumb; on a wide page it is in the middle. */
export const Sheet = (props: Omit<ComponentProps<typeof Dialog>, "sheet">) => <Dialog {...props} sheet />;
