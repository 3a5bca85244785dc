/** Lets the worker's loop wait until something finished or there is something new to do. */
export class WakeUp {
  private resolve: () => void = () => {}

  now(): void {
    this.resolve()
  }

  /** Resolves with the next `now()`. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve
    })
  }
}
