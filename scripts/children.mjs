// Starts tools in separate process groups: Ctrl-C reaches only the script that started them, and killing a group also
// kills the children of its leader (bin/tsc is a script around a native program).
import { spawn } from 'node:child_process'

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const grouped = process.platform !== 'win32'

export function start(command, args, options) {
  return spawn(command, args, { ...options, detached: grouped })
}

/** Starts a JavaScript program with this Node. */
export function startNode(args, options) {
  return start(process.execPath, args, options)
}

/** Resolves with the exit code; 1 if a signal ended it or it could not start. */
export function ended(child) {
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
    child.once('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
  })
}

export function killGroup(child) {
  if (child.pid === undefined) return
  try {
    if (grouped) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Calls `stop` once, with the exit code of the signal, on a termination signal. Returns a function that removes the handlers. */
export function onStop(stop) {
  const release = () => {
    for (const signal of Object.keys(EXIT_CODES)) process.off(signal, listener)
  }
  let asked = false
  const listener = (signal) => {
    if (!asked) stop(EXIT_CODES[signal])
    asked = true
  }
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, listener)
  return release
}
