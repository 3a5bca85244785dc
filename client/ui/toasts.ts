/** What just happened, in words, for a while; with a way back where there is one. */

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isProblem: boolean
  readonly undo?: { readonly label: string; readonly run: () => void }
  /** How long it stays. */
  readonly ms: number
}

export interface ToastOptions {
  readonly undo?: Toast['undo']
  readonly ms?: number
}

const SHOWN_MS = 5_000
const PROBLEM_MS = 10_000

class Toasts {
  private readonly listeners = new Set<() => void>()
  private shown: readonly Toast[] = []
  private next = 0

  readonly snapshot = (): readonly Toast[] => this.shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  say(text: string, { undo, ms = SHOWN_MS }: ToastOptions = {}): number {
    return this.add({ text, isProblem: false, ms, ...(undo && { undo }) })
  }

  /** What the server refused, in its own words. */
  complain(error: unknown): number {
    const text = error instanceof Error ? error.message : String(error)
    return this.add({ text, isProblem: true, ms: PROBLEM_MS })
  }

  dismiss(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id)
    this.tell()
  }

  private add(toast: Omit<Toast, 'id'>): number {
    const id = this.next++
    // More than a few are not read anyway; a way back is promised for its time.
    const read = this.shown.filter(({ undo }) => !undo).slice(-3)
    this.shown = [...this.shown.filter((one) => one.undo || read.includes(one)), { id, ...toast }]
    this.tell()
    return id
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }
}

export const toasts = new Toasts()
