/** Vite configuration: production build and development server of the dashboard. */
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compress } from './build/compress.ts'

// The server compares Host and Origin, so both stay as the browser sent them (no changeOrigin).
const SERVER = { target: `http://127.0.0.1:${process.env.PORT || 3000}`, changeOrigin: false }

// Every page loads these modules. One chunk compresses 3 kB better than the small ones that are split off otherwise.
const FIRST_PAGE =
  /node_modules\/(?:react|scheduler|wouter|@tanstack|@trpc|@radix-ui\/react-dialog)|\/client\/(?:app|session|live)\//

export default defineConfig({
  // URLs are relative to <base>, which the server sets to BASE_PATH.
  base: './',
  plugins: [react(), tailwindcss(), compress()],
  // The server replaces this placeholder with a new nonce in every response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    assetsDir: 'assets',
    // The content security policy blocks data: URLs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    // The first versions that support light-dark(), which all colours use.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first-page', test: FIRST_PAGE }] } } },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/trpc': SERVER, '/session': SERVER, '/health': SERVER, '/ready': SERVER },
  },
})
