/** A part of the engine with a life of its own: start and stop may be called twice, or never. */
export interface Service {
  start(): void
  stop(): Promise<void>
}
