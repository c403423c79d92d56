/** Where the draft of an opening is stored: the creator's launch then shows the names of the draft's recipients. */
type DraftStorage = { getItem(name: string): string | null; setItem(name: string, value: string): void };

const toName = (opening: string) => `opening_draft.${opening.toLowerCase()}`;

export const loadOpeningDraft = (storage: DraftStorage, opening: string): string | null =>
  storage.getItem(toName(opening));

export const saveOpeningDraft = (storage: DraftStorage, opening: string, draftId: string): void =>
  storage.setItem(toName(opening), draftId);
