/** Texts of the report of something to the operator. */
export const report = {
  button: "Report",
  named: (name: string) => `Report ${name}`,
  title: (name: string) => `Report ${name}`,
  hint: "The operator reads it and decides. No account is needed.",
  reason: "Reason",
  reasons: {
    spam: "Spam",
    scam: "Fraud",
    impersonation: "Pretends to be someone else",
    illegal: "Illegal",
    copyright: "Violates a copyright",
    offensive: "Offensive",
    other: "Something else",
  },
  text: "What is wrong",
  textHint: "Optional. At most 1,000 characters.",
  send: "Send the report",
  failed: "The report was not sent",
  done: "The report has arrived",
  doneBody: "Thank you. You get no answer; what the operator blocks is no longer listed.",
  close: "Close",
};
