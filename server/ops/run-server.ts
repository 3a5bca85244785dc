/** `npm start` and `queuectl serve`: runs a server until a signal. */
import { ConfigError, type Environment, readConfig } from '../base/config/config.ts'
import { loadEnvironment } from '../base/config/environment.ts'
import { readServerConfig } from '../base/config/server-config.ts'
import type { Log } from '../base/log.ts'
import { loadPart, NEEDS } from '../base/packages.ts'
import { pageFolder } from '../http/dashboard/page-folder.ts'
import type { Serving } from './serve.ts'
import { formatStartError } from './start-errors.ts'
import { welcome } from './welcome.ts'

const EXIT_START_FAILED = 1
const EXIT_BAD_CONFIG = 2
const EXIT_STORE_FAILED = 70

/** Resolves when the server listens or has failed to start. Afterwards the server owns exit code and signals. */
export async function runServer(processVariables: Environment): Promise<void> {
  try {
    await start(processVariables)
  } catch (error) {
    process.stderr.write(`${formatStartError(error)}\n`)
    process.exitCode = error instanceof ConfigError ? EXIT_BAD_CONFIG : EXIT_START_FAILED
  }
}

async function start(processVariables: Environment): Promise<void> {
  const env = loadEnvironment('.env', processVariables)
  const config = readConfig(env)
  const server = readServerConfig(env)
  const { openLog } = await loadPart(NEEDS.server, () => import('../base/log.ts'))
  const { serve } = await loadPart(NEEDS.server, () => import('./serve.ts'))
  const log = openLog(server.logLevel)
  const onFatal = (error: Error) => {
    log.logger.fatal({ err: error }, 'database failed; stopping, because the outcome of its last writes is unknown')
    log.flush()
    process.exit(EXIT_STORE_FAILED)
  }
  const folder = pageFolder()
  const serving = await serve({ config, server, log, pageFolder: folder, onFatal })
  stopOnSignals(serving, log)
  process.stderr.write(welcome(serving, server, folder !== null))
  log.logger.info({ port: serving.address.port, host: serving.address.address }, 'listening')
}

/** The first signal stops gracefully, the second one exits at once. */
function stopOnSignals(serving: Serving, log: Log): void {
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143)
    isStopping = true
    log.logger.info({ signal }, 'stopping; a second signal stops at once')
    void stop(serving, log)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
}

async function stop(serving: Serving, log: Log): Promise<void> {
  try {
    await serving.close()
    log.logger.info('stopped')
    process.exitCode = 0
  } catch (error) {
    log.logger.fatal({ err: error }, 'graceful stop failed')
    process.exitCode = EXIT_STORE_FAILED
  }
  log.flush()
  process.exit()
}
