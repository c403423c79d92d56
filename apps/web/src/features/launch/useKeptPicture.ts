import { useEffect, useState } from "react";
import { keepFile, loadFile } from "./keptFile.ts";

/**
 * Holds the chosen picture of a form, and restores it after a reload.
 *
 * @param key - The form's key.
 */
export function useKeptPicture(key: string) {
  const [file, setFile] = useState<File | null>(null);
  useEffect(() => {
    let isGone = false;
    void loadFile(key).then((kept) => {
      if (!isGone && kept !== null) setFile(kept);
    });
    return () => {
      isGone = true;
    };
  }, [key]);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    void keepFile(key, chosen);
  };
  return { file, choose };
}
