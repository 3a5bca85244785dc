/** Beside the compiled server lies the built page; from sources the page comes from Vite's own server. */
import { fileURLToPath } from 'node:url'

export const PAGE_FOLDER = import.meta.url.endsWith('.ts') ? null : fileURLToPath(new URL('../client', import.meta.url))
