/** A temporary beanstalkd, with a log that is fsynced for every write, or in memory as by default. */
import { readdirSync, readFileSync } from 'node:fs'
import { findProgram, startProgram, versionOfProgram } from './program.ts'
import type { Place, Started } from './started.ts'

export async function startBeanstalkd({ folder }: Place, fsync: 'always' | 'default'): Promise<Started> {
  const program = findProgram('beanstalkd')
  const { port, pid, stop } = await startProgram(program, folder, (free) => [
    ...['-l', '127.0.0.1', '-p', String(free)],
    ...(fsync === 'always' ? ['-b', folder, '-f0'] : []),
  ])
  const version = versionOfProgram(program, '-v', /(\d+\.\S+)/)
  const hasLog = readdirSync(folder).some((file) => file.startsWith('binlog'))
  if (hasLog !== (fsync === 'always')) throw new Error(`beanstalkd started ${hasLog ? 'with' : 'without'} a log.`)
  return {
    address: `beanstalk://127.0.0.1:${port}`,
    server: `beanstalkd ${version}${optionsOf(pid)}`,
    process: pid,
    stop,
  }
}

/** As the running process has them; empty on other platforms than Linux. */
function optionsOf(pid: number): string {
  if (process.platform !== 'linux') return ''
  const options = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  return options.includes('-f0') ? ' -b … -f0' : ', no log'
}
