/** How the dashboard is built and served while it is worked on. */
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compress } from './build/compress.ts'

// Host and Origin stay what the browser sent (no changeOrigin): the server compares them.
const SERVER = { target: `http://127.0.0.1:${process.env.PORT || 3000}`, changeOrigin: false }

export default defineConfig({
  // Addresses in the page are relative to its <base>, which the server sets to BASE_PATH.
  base: './',
  plugins: [react(), tailwindcss(), compress()],
  // The server replaces this word by a new nonce in every response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    assetsDir: 'assets',
    // The content security policy refuses data: addresses for scripts, styles and fonts.
    assetsInlineLimit: 0,
    // The first versions with light-dark(), which the colours are made of.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/trpc': SERVER, '/session': SERVER, '/health': SERVER, '/ready': SERVER },
  },
})
