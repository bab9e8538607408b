/** JSON that is text already: a frame takes it as it stands. It has no line break, like all that JSON.stringify gives. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
