// Runs the server and the dashboard's dev server together, both reloading when a source changes. Stopping this stops
// both; if one exits, the other is stopped, and the exit code is not 0.
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ended, killGroup, onStop, startNode } from './children.mjs'

const PORT = 5173
const PATIENCE_MS = 5_000

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const children = [
  run('server', ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server/main.ts']),
  // Fail if the port is in use, because the address printed below must be correct.
  run('client', [
    ...['node_modules/vite/bin/vite.js', 'client', '--port', String(PORT), '--strictPort'],
    ...['--clearScreen', 'false', '--logLevel', 'warn'],
  ]),
]
console.log(`The dashboard is at http://localhost:${PORT}, with the server behind it. Ctrl-C stops both.`)

let exitCode
onStop(() => stop(0))
await Promise.all(
  children.map(async ({ name, child }) => {
    const code = await ended(child)
    if (exitCode === undefined) {
      console.error(`The ${name} exited (exit code ${code}); stopping the rest.`)
      stop(code || 1)
    }
  }),
)
process.exit(exitCode)

// tsx forwards the signal to the server, which shuts down cleanly; after a timeout it is killed.
function stop(code) {
  exitCode = code
  for (const { child } of children) {
    child.kill('SIGTERM')
    setTimeout(() => killGroup(child), PATIENCE_MS).unref()
  }
}

function run(name, args) {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const child = startNode(args, { env: { ...process.env, ...color }, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of ['stdout', 'stderr']) {
    createInterface({ input: child[stream] }).on('line', (line) => process[stream].write(`${name} | ${line}\n`))
  }
  // A killed tsx leaves its server running with the port in use.
  child.once('exit', () => killGroup(child))
  return { name, child }
}
