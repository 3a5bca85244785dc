/** Toasts: short messages that disappear after a time, some with an undo button. */
import { createStore } from './store.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  readonly undo?: { readonly label: string; readonly run: () => void }
  /** How long it is shown. */
  readonly ms: number
}

export interface ToastOptions {
  readonly undo?: Toast['undo']
  readonly ms?: number
}

const SHOWN_MS = 5_000
const ERROR_MS = 10_000
/** Older toasts without an undo are dropped. */
const MAX_WITHOUT_UNDO = 3

const store = createStore<readonly Toast[]>([])
let nextId = 0

function add(toast: Omit<Toast, 'id'>): number {
  const id = nextId++
  const shown = store.get()
  const recent = shown.filter(({ undo }) => !undo).slice(-MAX_WITHOUT_UNDO)
  store.set([...shown.filter((one) => one.undo || recent.includes(one)), { id, ...toast }])
  return id
}

export const toasts = {
  get: store.get,
  subscribe: store.subscribe,

  show(text: string, { undo, ms = SHOWN_MS }: ToastOptions = {}): number {
    return add({ text, isError: false, ms, ...(undo && { undo }) })
  },

  showError(error: unknown): number {
    return add({ text: error instanceof Error ? error.message : String(error), isError: true, ms: ERROR_MS })
  },

  dismiss(id: number): void {
    store.set(store.get().filter((toast) => toast.id !== id))
  },
}
