/** Lets the worker's loop wait until there are outcomes to settle or slots to fill. */
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
