/**
 * A failure of the local stack that its user can fix: a message with the problem, and advice. Any other error is a
 * defect and is shown with its stack trace.
 *
 * @example
 * throw new StackError("Port 8787 is taken.", "Stop what listens there, or choose another: PORT=8788 npm start");
 */
export class StackError extends Error {
  override readonly name = "StackError";
  readonly whatToDo: string;

  constructor(message: string, whatToDo: string, options?: ErrorOptions) {
    super(message, options);
    this.whatToDo = whatToDo;
  }
}
