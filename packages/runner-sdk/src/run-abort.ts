/** The cancel of one run. Few runs look at their signal, and to make one costs as much as a dozen pieces of text. */
export class RunAbort {
  #controller: AbortController | undefined;
  #isAborted = false;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.signal.reason;
  }
}
