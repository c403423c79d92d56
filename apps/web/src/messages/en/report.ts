/** Texts of the dialog that reports content to the operator. */
export const report = {
  button: "Report",
  named: (name: string) => `Report ${name}`,
  title: (name: string) => `Report ${name}`,
  hint: "The operator reviews every report. You don't need an account.",
  reason: "Reason",
  reasons: {
    spam: "Spam",
    scam: "Scam",
    impersonation: "Impersonation",
    illegal: "Illegal",
    copyright: "Copyright infringement",
    offensive: "Offensive",
    other: "Other",
  },
  text: "Details",
  textHint: "Optional. At most 1,000 characters.",
  send: "Send report",
  failed: "Couldn't send the report",
  done: "Report sent",
  doneBody: "Thank you. You won't get a reply. Content that the operator blocks is no longer listed.",
  close: "Close",
};
