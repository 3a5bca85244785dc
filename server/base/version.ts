/** The version of this package; a test keeps it equal to package.json. */
export const VERSION = '0.1.0'

/** What a worker says that it runs where the application gives no version of its own. */
export const WORKER_VERSION = `millrace ${VERSION}`
