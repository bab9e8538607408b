/** Something a person can act on: a sentence and what to do next. It is printed without a stack. */
export class Failure extends Error {
  /** @param {string} message @param {string[]} next */
  constructor(message, next = []) {
    super(message);
    this.name = 'Failure';
    this.next = next;
  }
}
