/** A background service of the engine. `start` and `stop` are idempotent. */
export interface Service {
  /** Starts the background services of this engine. */
  start(): void
  /** Stops them. */
  stop(): Promise<void>
}
