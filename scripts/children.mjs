// Starts tools as process groups of their own: Ctrl-C reaches only the script that started them, which then decides, and
// a group that is killed takes along what its leader started (bin/tsc is a script around a native program).
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

/** The exit code, once it has ended; 1 when a signal ended it or it could not start. */
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

/** Calls `stop` once, with the exit code that names the signal, when this script is told to end; returns the way back. */
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
