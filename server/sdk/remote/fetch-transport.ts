/** Transport with `fetch`, for browsers and edge runtimes. */
import type { Connect } from './transport.ts'

export const fetchTransport: Connect = (url, common) => ({
  post({ path, body, headers }) {
    const abort = new AbortController()
    const { signal } = abort
    const init = { method: 'POST', headers: { ...common, ...headers }, body: body ?? null, signal }
    return { response: fetch(`${url}/${path}`, init), cancel: (reason) => abort.abort(reason) }
  },
  // The runtime owns the connections of fetch.
  close() {},
})
