/** A part of the engine with a life of its own: start and stop may be called twice, or never. */
export interface Service {
  /** Starts the background services of this engine. */
  start(): void
  /** Stops them. */
  stop(): Promise<void>
}
