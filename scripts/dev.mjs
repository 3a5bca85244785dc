// Runs the server and the dashboard's dev server together, both reloading when a source changes. Stopping this stops
// both; when one ends by itself the other is stopped, and the exit code is not 0.
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ended, killGroup, onStop, startNode } from './children.mjs'

const PORT = 5173
const PATIENCE_MS = 5_000

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const children = [
  run('server', ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server/main.ts']),
  // Not another port when this one is taken: the address printed below has to be right.
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
      console.error(`The ${name} ended by itself (exit code ${code}); stopping the rest.`)
      stop(code || 1)
    }
  }),
)
process.exit(exitCode)

// tsx hands the signal on to the server, which then shuts down in its own way; who takes too long is killed.
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
  // tsx that was killed leaves its server behind, holding the port.
  child.once('exit', () => killGroup(child))
  return { name, child }
}
