/** Makes file writes of a running program fail with a given errno, with strace (Linux). */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'

const SCOPE = '/proc/sys/kernel/yama/ptrace_scope'

/** Reason why this machine cannot inject failing writes; null if it can. */
export function whyNoFailingWrites(): string | null {
  if (process.platform !== 'linux') return 'failing writes need Linux'
  const { status } = spawnSync('strace', ['-o', '/dev/null', 'true'])
  if (status !== 0) return 'strace is not installed, or may not trace'
  const isOpen = process.getuid?.() === 0 || !existsSync(SCOPE) || readFileSync(SCOPE, 'utf8').trim() === '0'
  return isOpen ? null : 'strace may not attach to a process (kernel.yama.ptrace_scope)'
}

/** From now on every positioned write of the process fails with `errno`; the returned function ends that. */
export async function failWrites(pid: number | undefined, errno: string): Promise<() => Promise<void>> {
  const args = ['-f', '-o', '/dev/null', '-e', 'trace=pwrite64', '-e', `inject=pwrite64:error=${errno}`]
  const strace = spawn('strace', [...args, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => strace.once('close', () => resolve()))
  const end = async () => {
    strace.kill('SIGTERM')
    await ended
  }
  onTestFinished(end)
  await new Promise<void>((resolve, reject) => {
    let text = ''
    strace.stderr.on('data', (chunk) => {
      text += chunk
      if (text.includes('attached')) resolve()
    })
    void ended.then(() => reject(new Error(`strace ended: ${text}`)))
  })
  return end
}
