// Installs and builds what `npm start` needs, in one process: a signal to npm then reaches whichever step is running.
await import('./prepare.mjs')
await import('./build.mjs')
